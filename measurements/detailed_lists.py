"""Per-request lists of vLLM's ``--save-detailed`` and SGLang's ``--output-details``: percentiles, prompts dropped.

Lists are in seconds while the summary is in milliseconds. Failed requests stay in the lists with a TTFT of 0.
"""

from collections.abc import Mapping
from math import fsum
from typing import Any

import numpy as np

from measurements.documents import Refused
from measurements.fields import Draft
from measurements.percentiles import quantiles
from planner.runs import PercentileRule, Quantiles, Severity

LISTS = frozenset({"input_lens", "output_lens", "ttfts", "itls", "generated_texts", "errors", "start_times"})
TEXTS = ("generated_texts", "prompts", "outputs")
AGREEMENT_FRACTION = 0.01


def fill(draft: Draft, record: Mapping[str, Any]) -> None:
    """Complete ``draft`` from the lists of ``record``: what the summary lacks is computed, what it has is compared."""
    texts = sum(len(record[key]) for key in TEXTS if isinstance(record.get(key), list))
    if texts:
        draft.note(
            "payload_dropped",
            Severity.INFO,
            f"the file holds {texts} prompts or answers, which are customers' data",
            "they are not imported; the measurements are",
            texts_count=texts,
        )
    ttfts, lengths = record.get("ttfts"), record.get("output_lens")
    if not isinstance(ttfts, list) or not isinstance(lengths, list):
        return
    errors, itls = record.get("errors"), record.get("itls")
    if len(ttfts) != len(lengths):
        raise Refused("malformed", f"ttfts has {len(ttfts)} entries, output_lens {len(lengths)}")
    try:
        first, tokens = np.array(ttfts, dtype=float), np.array(lengths, dtype=float)
        decode = np.array([fsum(gaps) for gaps in itls], dtype=float) if isinstance(itls, list) else None
    except (OverflowError, TypeError, ValueError):
        raise Refused("not_a_number", "ttfts, output_lens and itls must hold numbers") from None
    good = np.isfinite(first) & (first > 0) & (tokens > 0)
    if isinstance(errors, list) and len(errors) == len(ttfts):
        good &= np.array([not error for error in errors])
    draft.fact("requests_detailed_count", float(good.sum()))
    _fill_or_compare(draft, "ttft_s", first[good])
    if decode is not None and decode.size == first.size:
        good &= np.isfinite(decode) & (decode >= 0)
        _fill_or_compare(draft, "e2e_s", (first + decode)[good])
        several = good & (tokens > 1)
        _fill_or_compare(draft, "tpot_s", decode[several] / (tokens[several] - 1))


def _fill_or_compare(draft: Draft, ours: str, samples: Any) -> None:
    computed: Quantiles | None = quantiles(samples, PercentileRule.LINEAR)
    if computed is None:
        return
    for statistic in ("mean", "p50", "p90", "p95", "p99"):
        key, value = f"{ours}.{statistic}", getattr(computed, statistic)
        stated = draft.get(key)
        if stated is None:
            draft.set(key, value, "s", found="per-request lists")
        elif abs(stated - value) > AGREEMENT_FRACTION * max(stated, value):
            draft.note(
                "summary_disagrees",
                Severity.WARNING,
                f"{key} is {stated:g} s in the summary, but {value:g} s from the per-request lists",
                "the summary is kept; ask for the version of the tool",
                summary_s=stated,
                recomputed_s=value,
            )
