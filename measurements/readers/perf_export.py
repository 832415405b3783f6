"""GenAI-Perf and AIPerf exports: ``profile_export_*.json`` and ``.csv``. Each metric carries its unit, which is read.

Aggregates (request and token throughput, counts) have only ``avg``. Percentiles are numpy's default (linear).
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, mapping, number, text_of
from planner.errors import shown
from planner.runs import PercentileRule, Regime, Severity

NAME = "genai-perf"
TITLE = "GenAI-Perf or AIPerf"

LATENCIES = {"time_to_first_token": "ttft_s", "inter_token_latency": "itl_s", "request_latency": "e2e_s"}
MEANS = {
    "input_sequence_length": "prompt_tokens",
    "output_sequence_length": "output_tokens",
    "output_token_throughput": "output_tokens_per_s",
    "total_token_throughput": "total_tokens_per_s",
    "request_throughput": "requests_per_s",
    "request_count": "requests_ok_count",
    "error_request_count": "requests_failed_count",
    "benchmark_duration": "duration_s",
}
STATISTICS = {"avg": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
UNITS = {
    "ms": "ms",
    "milliseconds": "ms",
    "s": "s",
    "sec": "s",
    "seconds": "s",
    "us": "us",
    "ns": "ns",
    "nanoseconds": "ns",
    "tokens": "tokens",
    "tokens/sec": "tok/s",
    "requests/sec": "req/s",
    "per sec": "req/s",
    "requests": "",
    "count": "",
}
_NAME_UNIT = re.compile(r"([A-Za-z][A-Za-z ]*?)\s*\(([^()]*)\)")


def recognise(document: Document) -> float:
    """Return 1 for metrics with ``unit`` and ``avg``, or the two-block CSV."""
    head = document.head
    if isinstance(head, dict):
        metrics = [head.get(name) for name in (*LATENCIES, "request_throughput", "output_token_throughput")]
        return 1.0 if any(isinstance(m, dict) and {"unit", "avg"} <= m.keys() for m in metrics) else 0.0
    lines = document.first_lines
    return (
        1.0
        if lines and lines[0].startswith("Metric,") and any("Request Latency (" in line for line in lines[:40])
        else 0.0
    )


def read(document: Document) -> Reading:
    """Return one run per export."""
    reading = Reading()
    if isinstance(document.head, dict):
        for part in document.parts():
            if isinstance(part.value, dict):
                draft = Draft(
                    document,
                    NAME,
                    part=f"document {part.number}" if part.number > 1 else "",
                    version=_version(part.value),
                )
                _fill(draft, part.value)
                _config(draft, part.value)
                reading.add(draft)
        return reading
    draft = Draft(document, NAME)
    _fill(draft, dict(_rows(document)))
    reading.add(draft)
    return reading


def _version(record: Mapping[str, Any]) -> str:
    return text_of(record.get("aiperf_version")) or text_of(record.get("version")) or ""


def _rows(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    """Iterate over (metric, {unit, statistics}) of the CSV's blocks; each block has its own header."""
    header: list[str] = []
    for row in document.rows(","):
        if not any(row):
            header = []
        elif row[0] == "Metric":
            header = ["avg" if cell == "Value" else cell for cell in row[1:]]
        elif header and (match := _NAME_UNIT.fullmatch(row[0])):
            statistics: dict[str, Any] = dict(zip(header, row[1:], strict=False))
            yield match.group(1).lower().replace(" ", "_"), {"unit": match.group(2), **statistics}


def _fill(draft: Draft, record: Mapping[str, Any]) -> None:
    draft.rule = PercentileRule.LINEAR
    for theirs, ours in LATENCIES.items():
        metric = mapping(record.get(theirs))
        if metric:
            unit = _unit(theirs, metric)
            for statistic, name in STATISTICS.items():
                key = f"{theirs}.{statistic}"
                draft.set(f"{ours}.{name}", number(metric.get(statistic), key, thousands=True), unit, found=key)
    for theirs, ours in MEANS.items():
        metric = mapping(record.get(theirs))
        if metric:
            value = number(metric.get("avg"), f"{theirs}.avg", thousands=True)
            draft.set(ours, value, _unit(theirs, metric), found=f"{theirs}.avg")


def _unit(name: str, metric: Mapping[str, Any]) -> str:
    text = str(metric.get("unit", "")).strip().lower()
    if text not in UNITS:
        raise Refused("unknown_unit", f"{name}: the unit {shown(metric.get('unit'))} is unknown")
    return UNITS[text]


def _config(draft: Draft, record: Mapping[str, Any]) -> None:
    """Concurrency, rate and model from ``input_config``; a count of errors is absent when there were none (AIPerf)."""
    config = mapping(record.get("input_config"))
    load, stimulus = mapping(config.get("loadgen")), mapping(mapping(config.get("perf_analyzer")).get("stimulus"))
    for holder, where in ((load, "loadgen"), (stimulus, "stimulus")):
        draft.set(
            "concurrency_count", number(holder.get("concurrency"), f"{where}.concurrency"), found=f"{where}.concurrency"
        )
        draft.set(
            "request_rate_per_s",
            number(holder.get("request_rate"), f"{where}.request_rate"),
            "req/s",
            found=f"{where}.request_rate",
        )
    if draft.get("request_rate_per_s"):
        draft.regime = Regime.OPEN
    elif draft.get("concurrency_count"):
        draft.regime = Regime.CLOSED
    names = mapping(config.get("endpoint")).get("model_names", config.get("model_names"))
    if isinstance(names, list) and names:
        draft.model = text_of(names[0])
    if "error_summary" in record and draft.get("requests_failed_count") is None and record["error_summary"] == []:
        draft.set("requests_failed_count", 0.0, found="error_summary is empty")
    if record.get("was_cancelled") is True:
        draft.note(
            "cancelled",
            Severity.BLOCKS_SIZING,
            "the benchmark was cancelled",
            "its figures cover a part of the load only",
        )
