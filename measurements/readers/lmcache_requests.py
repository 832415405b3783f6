"""LMCache multi-round QA (also LMBench): a CSV with a row per finished request. ``generation_time`` excludes TTFT.

TPOT is generation_time / (tokens - 1). Failures are not written, so they are unknown. Percentiles are computed here
(linear).
"""

import numpy as np

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, number
from measurements.percentiles import quantiles
from planner.runs import PercentileRule, Regime, Severity

NAME = "lmcache-requests"
TITLE = "LMCache multi-round QA"
STREAMS = True

COLUMNS = ("prompt_tokens", "generation_tokens", "ttft", "generation_time", "launch_time", "finish_time")
STATISTICS = ("mean", "p50", "p90", "p95", "p99")
CONTINUITY_S = 0.01
RATE_AGREES_FRACTION = 0.03


def recognise(document: Document) -> float:
    """Return 1 for a header with the columns of this tool."""
    header = set(document.first_lines[0].split(",")) if document.first_lines else set()
    return 1.0 if set(COLUMNS) <= header else 0.0


def read(document: Document) -> Reading:
    """Return one run over all rows."""
    rows = document.rows(",")
    header = next(rows)
    if missing := [name for name in COLUMNS if name not in header]:
        raise Refused("missing_columns", f"the columns {', '.join(missing)} are missing")
    places = [header.index(name) for name in COLUMNS]
    table: list[list[float]] = []
    for line, row in enumerate(rows, 2):
        if not any(row) or row == header:
            continue
        if len(row) != len(header):
            raise Refused("truncated", f"line {line} has {len(row)} of {len(header)} columns")
        values = [number(row[place], f"line {line}, {name}") for place, name in zip(places, COLUMNS, strict=True)]
        if any(value is None for value in values):
            raise Refused("missing_value", f"line {line} has an empty cell")
        table.append([value for value in values if value is not None])
    reading = Reading()
    if table:
        draft = Draft(document, NAME, part=f"{len(table)} rows")
        _fill(draft, np.array(table))
        reading.add(draft)
    return reading


def _fill(draft: Draft, table: np.ndarray) -> None:
    prompt, output, first, decode, launch, finish = table.T
    draft.rule = PercentileRule.LINEAR
    several = output > 1
    quantities = {
        "ttft_s": first[first > 0],
        "tpot_s": decode[several] / (output[several] - 1),
        "e2e_s": finish - launch,
    }
    for ours, samples in quantities.items():
        computed = quantiles(samples, PercentileRule.LINEAR)
        for statistic in STATISTICS:
            draft.set(f"{ours}.{statistic}", getattr(computed, statistic) if computed else None, "s", found="rows")
    draft.set("requests_ok_count", float(len(table)), found="rows")
    draft.set("prompt_tokens", float(prompt.mean()), "tokens", found="mean of prompt_tokens")
    draft.set("output_tokens", float(output.mean()), "tokens", found="mean of generation_tokens")
    duration = float(finish.max() - launch.min())
    if duration > 0:
        draft.set("duration_s", duration, "s", found="last finish_time - first launch_time")
        draft.set("requests_per_s", len(table) / duration, "req/s", found="rows / duration")
        draft.set(
            "output_tokens_per_s", float(output.sum()) / duration, "tok/s", found="sum of generation_tokens / duration"
        )
        draft.set(
            "total_tokens_per_s", float((prompt + output).sum()) / duration, "tok/s", found="sum of tokens / duration"
        )
    gap = float(np.abs(launch + first + decode - finish).max())
    if gap > CONTINUITY_S:
        draft.note(
            "contradictory_fields",
            Severity.WARNING,
            f"launch_time + ttft + generation_time misses finish_time by up to {gap:.3f} s",
            "TPOT from generation_time is doubtful",
            gap_s=gap,
        )
    _rate(draft, launch)


def _rate(draft: Draft, launch: np.ndarray) -> None:
    """The asked rate stands in the file name only; it is taken when the launch times agree with it."""
    draft.facts["failures"] = "not written by the tool"
    span = float(launch.max() - launch.min())
    if len(launch) < 2 or span <= 0:
        return
    measured = (len(launch) - 1) / span
    draft.fact("launch_rate_per_s", measured)
    named = draft.facts.get("suggested_request_rate_per_s")
    if isinstance(named, float) and abs(measured - named) <= RATE_AGREES_FRACTION * named:
        draft.regime = Regime.OPEN
        draft.set("request_rate_per_s", named, "req/s", found=f"file name; launch times give {measured:.4g}")
