"""AIPerf ``profile_export.jsonl``: one request per line, metrics with their unit, failures in ``error``.

Percentiles are computed here (linear). Fewer than ten requests are given one by one: percentiles of them would mean
nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, mapping, number
from measurements.jsonscan import JsonPart, RepeatedKeys
from measurements.percentiles import quantiles
from measurements.readers.perf_export import UNITS
from planner.runs import PercentileRule, Severity
from planner.units import FACTORS

NAME = "aiperf-records"
TITLE = "AIPerf records"
STREAMS = True

LATENCIES = {"time_to_first_token": "ttft_s", "inter_token_latency": "itl_s", "request_latency": "e2e_s"}
COUNTS = {
    "input_sequence_length": "prompt_tokens",
    "output_sequence_length": "output_tokens",
    "error_isl": "prompt_tokens",
}
SINGLE_MAX_COUNT = 9
NS = 1e-9


def recognise(document: Document) -> float:
    """Return 1 for an object with ``metadata``, ``metrics`` and ``error``."""
    head = document.head
    if not isinstance(head, dict) or not isinstance(head.get("metrics"), dict):
        return 0.0
    return 1.0 if "error" in head and "request_start_ns" in mapping(head.get("metadata")) else 0.0


@dataclass
class _Pool:
    samples: dict[str, list[float]] = field(default_factory=dict)
    ok_count: int = 0
    failed_count: int = 0
    start_ns: float | None = None
    end_ns: float | None = None

    def add(self, record: Mapping[str, Any]) -> None:
        failed = record.get("error") is not None
        self.failed_count += failed
        self.ok_count += not failed
        metadata = mapping(record.get("metadata"))
        start, end = (number(metadata.get(key), key) for key in ("request_start_ns", "request_end_ns"))
        if start is not None:
            self.start_ns = start if self.start_ns is None else min(self.start_ns, start)
        if end is not None:
            self.end_ns = end if self.end_ns is None else max(self.end_ns, end)
        if not failed:
            for ours, value in _values(mapping(record.get("metrics"))).items():
                self.samples.setdefault(ours, []).append(value)


def read(document: Document) -> Reading:
    """Return one pooled run, or one run per request when there are fewer than ten."""
    reading, pool, few = Reading(), _Pool(), list[JsonPart]()
    disputed: set[str] = set()
    for part in document.parts():
        if not isinstance(part.value, dict) or "metrics" not in part.value:
            continue
        pool.add(part.value)
        disputed.update(_disputed(part.value))
        if len(few) <= SINGLE_MAX_COUNT:
            few.append(part)
    if len(few) <= SINGLE_MAX_COUNT:
        for count, part in enumerate(few, 1):
            reading.add(_single(document, count, part.value))
        return reading
    draft = Draft(document, NAME)
    _pooled(draft, pool)
    if disputed:
        keys = ", ".join(sorted(disputed))
        draft.note(
            "duplicate_key",
            Severity.WARNING,
            f"some requests give {keys} twice with different values",
            "those values are left out",
        )
    reading.add(draft)
    return reading


def _disputed(record: Mapping[str, Any]) -> set[str]:
    metrics = record.get("metrics")
    return set(metrics.contradictory()) if isinstance(metrics, RepeatedKeys) else set()


def _values(metrics: Mapping[str, Any]) -> dict[str, float]:
    disputed = metrics.contradictory() if isinstance(metrics, RepeatedKeys) else {}
    found: dict[str, float] = {}
    for theirs, ours in {**LATENCIES, **COUNTS}.items():
        metric = mapping(metrics.get(theirs))
        if metric and theirs not in disputed:
            value = number(metric.get("value"), theirs)
            factor = FACTORS.get(UNITS.get(str(metric.get("unit", "")).lower(), ""), 1.0)
            if value is not None and value > 0:
                found[ours] = value * factor
    return found


def _single(document: Document, count: int, record: Mapping[str, Any]) -> Draft:
    draft = Draft(document, NAME, part=f"record {count}")
    metrics = mapping(record.get("metrics"))
    values = _values(metrics)
    for theirs, ours in LATENCIES.items():
        draft.set(f"{ours}.p50", values.get(ours), found=f"metrics.{theirs}")
        draft.set(f"{ours}.mean", values.get(ours), found=f"metrics.{theirs}")
    for theirs, ours in COUNTS.items():
        if theirs in metrics:
            draft.set(ours, values.get(ours), "tokens", found=f"metrics.{theirs}")
    failed = record.get("error") is not None
    draft.set("requests_ok_count", float(not failed), found="error")
    draft.set("requests_failed_count", float(failed), found="error")
    if isinstance(metrics, RepeatedKeys):
        draft.take(metrics, [Key(key, LATENCIES.get(key, key)) for key in metrics.contradictory()], prefix="metrics.")
    if failed:
        draft.fact("error_code", number(mapping(record["error"]).get("code"), "error.code"))
    return draft


def _pooled(draft: Draft, pool: _Pool) -> None:
    draft.rule = PercentileRule.LINEAR
    draft.set("requests_ok_count", float(pool.ok_count), found="records without error")
    draft.set("requests_failed_count", float(pool.failed_count), found="records with error")
    for theirs, ours in LATENCIES.items():
        computed = quantiles(pool.samples.get(ours, []), PercentileRule.LINEAR)
        for statistic in ("mean", "p50", "p90", "p95", "p99"):
            draft.set(
                f"{ours}.{statistic}",
                getattr(computed, statistic) if computed else None,
                "s",
                found=f"metrics.{theirs}",
            )
    for ours in ("prompt_tokens", "output_tokens"):
        counts = pool.samples.get(ours, [])
        draft.set(
            ours, sum(counts) / len(counts) if counts else None, "tokens", found=f"mean over {len(counts)} requests"
        )
    if pool.start_ns is None or pool.end_ns is None or pool.end_ns <= pool.start_ns:
        return
    duration = (pool.end_ns - pool.start_ns) * NS
    draft.set("duration_s", duration, "s", found="last request_end_ns - first request_start_ns")
    draft.set("requests_per_s", pool.ok_count / duration, "req/s", found="requests / duration")
    output, prompt = (sum(pool.samples.get(key, [])) for key in ("output_tokens", "prompt_tokens"))
    if output:
        draft.set("output_tokens_per_s", output / duration, "tok/s", found="output tokens / duration")
        if prompt:
            draft.set("total_tokens_per_s", (output + prompt) / duration, "tok/s", found="all tokens / duration")
