"""GuideLLM's CSV: one row per benchmark; 0.4 and later with three header rows (group, name, unit), older with one.

The distribution comes as a bracketed list min, 0.1, 1, 5, 10, 25, 75, 90, 95, 99, max.
"""

import re
from collections.abc import Mapping

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, number, text_of
from planner.runs import PercentileRule, Regime

NAME = "guidellm-csv"
TITLE = "GuideLLM CSV"

LATENCIES = (
    ("request latency|successful sec", "request latency", "e2e_s", "s"),
    ("time to first token|successful ms", "time to first token ms", "ttft_s", "ms"),
    ("time per output token|successful ms", "time per output token ms", "tpot_s", "ms"),
    ("inter token latency|successful ms", "inter token latency ms", "itl_s", "ms"),
)
MEANS = (
    ("server throughput|successful requests/sec", "requests per second", "requests_per_s", "req/s"),
    ("token metrics|successful input tokens", "prompt token count", "prompt_tokens", "tokens"),
    ("token metrics|successful output tokens", "output token count", "output_tokens", "tokens"),
    ("token throughput|successful output tokens/sec", "output tokens per second", "output_tokens_per_s", "tok/s"),
)
COUNTS = (
    ("request counts|successful|", "successful requests", "requests_ok_count", ""),
    ("request counts|errored|", "errored requests", "requests_failed_count", ""),
    ("timings|duration|sec", "duration", "duration_s", "s"),
)
STATISTICS = {"mean": "mean", "median": "p50"}
POSITIONS = {"p90": 7, "p95": 8, "p99": 9}
LIST_LENGTH = 11
CLOSED = frozenset({"synchronous", "concurrent"})
OPEN = frozenset({"constant", "poisson", "async"})


def recognise(document: Document) -> float:
    """Return 1 for the groups of the new header or the names of the old one."""
    lines = document.first_lines[:3]
    if not lines:
        return 0.0
    first = lines[0].lower()
    if first.startswith("run info,") and "request counts" in first:
        return 1.0
    return (
        1.0 if first.startswith("type,run id,id,name,") and "successful time to first token ms mean" in first else 0.0
    )


def read(document: Document) -> Reading:
    """Return one run per row."""
    rows = document.rows(",")
    first = [cell.lower() for cell in next(rows)]
    if first[0] == "run info":
        second, third = ([cell.lower() for cell in next(rows, [])] for _ in range(2))
        if not len(first) == len(second) == len(third):
            raise Refused("malformed", "the three header rows differ in length")
        header = ["|".join(column) for column in zip(first, second, third, strict=True)]
        new = True
    else:
        header, new = first, False
    reading = Reading()
    for count, row in enumerate(rows, 1):
        if not any(row):
            continue
        draft = Draft(document, NAME, part=f"row {count}")
        _fill(draft, dict(zip(header, row, strict=False)), new=new)
        reading.add(draft)
    return reading


def _fill(draft: Draft, row: Mapping[str, str], *, new: bool) -> None:
    draft.rule = PercentileRule.CEIL
    for new_key, old_key, ours, unit in COUNTS:
        key = new_key if new else old_key
        draft.set(ours, number(row.get(key), key), unit, found=key)
    for new_key, old_key, ours, unit in MEANS:
        key = f"{new_key}|mean" if new else f"successful {old_key} mean"
        draft.set(ours, number(row.get(key), key), unit, found=key)
    for new_key, old_key, ours, unit in LATENCIES:
        stem = f"{new_key}|" if new else f"successful {old_key} "
        for statistic, name in STATISTICS.items():
            draft.set(
                f"{ours}.{name}", number(row.get(stem + statistic), stem + statistic), unit, found=stem + statistic
            )
        cell = row.get(stem + "percentiles") if new else _list_cell(row, stem)
        for name, value in _percentiles(cell, stem).items():
            draft.set(f"{ours}.{name}", value, unit, found=stem + "percentiles")
    _totals(draft)
    strategy = text_of(row.get("benchmark|strategy|") if new else row.get("name")) or ""
    kind = strategy.split("@")[0].strip().lower()
    draft.fact("strategy", strategy or None)
    if kind in OPEN:
        draft.regime = Regime.OPEN
    elif kind in CLOSED:
        draft.regime = Regime.CLOSED
    if kind == "synchronous":
        draft.set("concurrency_count", 1.0, found="strategy")
    draft.fact("tpot_definition", "latency / output tokens (TTFT inside)")


def _totals(draft: Draft) -> None:
    rate, prompt, output = (draft.get(key) for key in ("requests_per_s", "prompt_tokens", "output_tokens"))
    if rate is not None and prompt is not None and output is not None:
        draft.set(
            "total_tokens_per_s", rate * (prompt + output), "tok/s", found="requests per second x tokens per request"
        )


def _list_cell(row: Mapping[str, str], stem: str) -> str | None:
    return next((cell for name, cell in row.items() if name.startswith(stem + "[")), None)


def _percentiles(cell: str | None, key: str) -> dict[str, float]:
    if not cell:
        return {}
    parts = re.fullmatch(r"\[([^\[\]]*)\]", cell)
    values = [number(part, key) for part in parts.group(1).split(",")] if parts else []
    if len(values) != LIST_LENGTH:
        raise Refused("malformed", f"{key}: a list of {LIST_LENGTH} values in brackets is expected")
    found = {name: values[position] for name, position in POSITIONS.items()}
    return {name: value for name, value in found.items() if value is not None}
