"""Prometheus text of vLLM's (and SGLang's) ``/metrics``: histograms become percentiles limited by their buckets.

Counters run since the server's start; where a file holds several scrapes of the same series, the difference of the
last and the first is taken. Series are summed over their labels. A quantile in the +Inf bucket is only "at least" the
last bound.
"""

import re
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf, isfinite

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading
from measurements.percentiles import bucket_quantile
from planner.runs import PercentileRule, Severity

NAME = "prometheus"
TITLE = "Prometheus metrics of vLLM or SGLang"

HISTOGRAMS = {
    "time_to_first_token_seconds": "ttft_s",
    "request_time_per_output_token_seconds": "tpot_s",
    "inter_token_latency_seconds": "itl_s",
    "time_per_output_token_seconds": "itl_s",
    "e2e_request_latency_seconds": "e2e_s",
}
LEVELS = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}
GAUGES = (
    "kv_cache_usage_perc",
    "gpu_cache_usage_perc",
    "gpu_prefix_cache_hit_rate",
    "num_requests_running",
    "num_requests_waiting",
)

_SERIES = re.compile(
    r"^(?:vllm|sglang):([a-zA-Z0-9_:]{1,120})(\{[^\n]{0,4000}\})?[ \t]+"
    r"([-+]?[0-9.eE+-]{1,40}|[+-]?Inf|NaN)(?:[ \t]+-?\d{1,20})?[ \t]*$",
    re.MULTILINE,
)
_LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


@dataclass
class _Scrapes:
    values: dict[tuple[str, str], list[float]] = field(default_factory=dict)

    def delta(self, name: str, labels: str) -> float:
        values = self.values[name, labels]
        change = values[-1] - values[0] if len(values) > 1 else values[0]
        if change < 0:
            raise Refused(
                "counter_reset",
                f"{name} fell from {values[0]:g} to {values[-1]:g}: the server restarted between the scrapes",
            )
        return change

    def total(self, *names: str) -> float | None:
        """Return the sum over labels of the first of ``names`` present, with or without ``_total``."""
        for name in names:
            found = [self.delta(*key) for key in self.values if key[0] in (name, f"{name}_total")]
            if found:
                return sum(found)
        return None

    def histogram(self, name: str) -> tuple[list[float], list[float]]:
        """Return (upper bounds, cumulative counts) summed over all labels but ``le``."""
        sums: dict[float, float] = {}
        for key in self.values:
            if key[0] == f"{name}_bucket":
                bound = dict(_LABEL.findall(key[1])).get("le", "")
                edge = inf if bound in ("+Inf", "Inf") else _finite(bound)
                sums[edge] = sums.get(edge, 0.0) + self.delta(*key)
        bounds = sorted(sums)
        counts = [sums[bound] for bound in bounds]
        if counts and (bounds[-1] != inf or any(b < a for a, b in pairwise(counts))):
            raise Refused("malformed", f"the buckets of {name} do not grow up to +Inf")
        return bounds, counts


def _finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise Refused("malformed", f"a histogram bucket has the bound {text[:40]!r}") from None
    if not isfinite(value):
        raise Refused("malformed", f"a histogram bucket has the bound {text[:40]!r}")
    return value


def recognise(document: Document) -> float:
    """Return 1 for series of vLLM or SGLang in the exposition format."""
    return 1.0 if re.search(r"^(?:vllm|sglang):[a-z_]+(?:\{[^\n]*\})? [-+0-9.NI]", document.text, re.MULTILINE) else 0.0


def read(document: Document) -> Reading:
    """Return one run over all series."""
    scrapes = _Scrapes()
    for match in _SERIES.finditer(document.text):
        try:
            value = float(match[3])
        except ValueError:
            raise Refused("not_a_number", f"{match[1]} = {match[3]}: a number is expected") from None
        if isfinite(value):
            scrapes.values.setdefault((match[1], match[2] or ""), []).append(value)
    draft = Draft(document, NAME)
    draft.rule = PercentileRule.BUCKET
    draft.fact("scrapes_count", float(max((len(values) for values in scrapes.values.values()), default=0)))
    for name, ours in HISTOGRAMS.items():
        _histogram(draft, scrapes, name, ours)
    _counters(draft, scrapes)
    for name in GAUGES:
        latest = [values[-1] for key, values in scrapes.values.items() if key[0] == name]
        draft.fact(name, max(latest) if latest else None)
    reading = Reading()
    if draft.values:
        _explain(draft)
        reading.add(draft)
    return reading


def _histogram(draft: Draft, scrapes: _Scrapes, name: str, ours: str) -> None:
    bounds, counts = scrapes.histogram(name)
    if not counts or counts[-1] <= 0 or draft.get(f"{ours}.mean") is not None:
        return
    for level, q in LEVELS.items():
        value, at_least = bucket_quantile(q, bounds, counts)
        if at_least:
            draft.fact(f"{ours}.{level}_at_least", value)
        else:
            draft.set(f"{ours}.{level}", value, "s", found=f"{name}_bucket")
    draft.fact(f"{ours}.samples_count", counts[-1])
    total = scrapes.total(f"{name}_sum")
    draft.set(
        f"{ours}.mean", total / counts[-1] if total is not None else None, "s", found=f"{name}_sum / {name}_count"
    )


def _counters(draft: Draft, scrapes: _Scrapes) -> None:
    requests = scrapes.total("request_success", "num_requests")
    draft.set("requests_ok_count", requests, found="request_success_total")
    for names, ours in ((("prompt_tokens",), "prompt_tokens"), (("generation_tokens",), "output_tokens")):
        tokens = scrapes.total(*names)
        draft.fact(f"{ours}_total", tokens)
        if tokens is not None and requests:
            draft.set(ours, tokens / requests, "tokens", found=f"{names[0]}_total / request_success_total")
    hits, queries = (scrapes.total(f"prefix_cache_{what}", f"gpu_prefix_cache_{what}") for what in ("hits", "queries"))
    if hits is not None and queries:
        draft.set("hit_fraction", hits / queries, found="prefix_cache_hits / prefix_cache_queries")


def _explain(draft: Draft) -> None:
    beyond = [name for name in draft.facts if name.endswith("_at_least")]
    draft.note(
        "bucket_limited",
        Severity.WARNING if beyond else Severity.INFO,
        "percentiles come from histogram buckets"
        + (f"; beyond the last bucket: {', '.join(sorted(beyond))}" if beyond else ""),
        "they are as coarse as the buckets; a quantile beyond the last one is missing, only 'at least' is known",
    )
    if draft.facts.get("scrapes_count") == 1.0:
        draft.note(
            "since_start",
            Severity.WARNING,
            "one scrape: the counters run since the server started, warm-up included",
            "hand in two scrapes, before and after the load, in one file",
        )
