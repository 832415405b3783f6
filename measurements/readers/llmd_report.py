"""llm-d benchmark report, YAML or JSON, 0.1 and 0.2: ``units`` are read, and doubted where they cannot be.

The best carrier of model, GPU and parallelism. The percentile rule is that of the load tool named in the report.
"""

import re
from collections.abc import Mapping
from typing import Any

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, is_unlimited, mapping, number, text_of
from planner.errors import shown
from planner.runs import PercentileRule, Severity

NAME = "llmd-report"
TITLE = "llm-d benchmark report"

LATENCIES = (
    ("time_to_first_token", "ttft_s"),
    ("time_per_output_token", "tpot_s"),
    ("inter_token_latency", "itl_s"),
    ("request_latency", "e2e_s"),
)
STATISTICS = (("mean", "mean"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"))
UNITS = {"s": "s", "s/token": "s", "ms": "ms", "ms/token": "ms", "us": "us"}
RULES = {
    "inference-perf": PercentileRule.LINEAR,
    "vllm-benchmark": PercentileRule.LINEAR,
    "guidellm": PercentileRule.CEIL,
}
LEAST_TTFT_S = 1e-3
"""No engine answers over a network within a millisecond: a smaller TTFT has a wrong unit."""

_DURATION = re.compile(r"PT(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{1,20})?)S)?", re.ASCII)
_SCENARIO = re.compile(r"^scenario:", re.MULTILINE)
_VERSION = re.compile(r"^version:\s*['\"]?0\.[12]\b", re.MULTILINE)


def recognise(document: Document) -> float:
    """Return 1 for a report with version 0.1 or 0.2 and a scenario."""
    if _VERSION.search(document.text) and _SCENARIO.search(document.text):
        return 1.0
    head = mapping(document.head)
    return (
        1.0
        if str(head.get("version", "")).startswith("0.") and "scenario" in head and {"metrics", "results"} & head.keys()
        else 0.0
    )


def read(document: Document) -> Reading:
    """Return one run."""
    report = document.yaml if _VERSION.search(document.text) else document.head
    if not isinstance(report, dict):
        raise Refused("malformed", "the YAML of the report cannot be read (truncated or broken indentation)")
    reading, version = Reading(), text_of(report.get("version")) or ""
    draft = Draft(document, NAME, version=version)
    if "metrics" in report:
        _version_1(draft, report)
    else:
        _version_2(draft, report)
    _doubtful_unit(draft)
    if draft.values:
        reading.add(draft)
    return reading


def _requests(draft: Draft, requests: Mapping[str, Any]) -> None:
    total, failures = (number(requests.get(key), f"requests.{key}") for key in ("total", "failures"))
    if total is not None:
        draft.set("requests_ok_count", total - (failures or 0.0), found="requests.total - requests.failures")
    draft.set("requests_failed_count", failures, found="requests.failures")
    incomplete = number(requests.get("incomplete"), "requests.incomplete")
    if incomplete:
        draft.fact("requests_incomplete_count", incomplete)
    for theirs, ours in (("input_length", "prompt_tokens"), ("output_length", "output_tokens")):
        draft.set(
            ours, number(mapping(requests.get(theirs)).get("mean"), f"{theirs}.mean"), "tokens", found=f"{theirs}.mean"
        )


def _latencies(draft: Draft, latency: Mapping[str, Any]) -> None:
    for theirs, ours in LATENCIES:
        metric = mapping(latency.get(theirs))
        if not metric:
            continue
        unit = str(metric.get("units", ""))
        if unit not in UNITS:
            raise Refused("unknown_unit", f"{theirs}: the unit {shown(metric.get('units'))} is unknown")
        for statistic, name in STATISTICS:
            draft.set(
                f"{ours}.{name}", number(metric.get(statistic), theirs), UNITS[unit], found=f"{theirs}.{statistic}"
            )


def _version_1(draft: Draft, report: Mapping[str, Any]) -> None:
    scenario, metrics = mapping(report.get("scenario")), mapping(report["metrics"])
    accelerators = mapping(scenario.get("host")).get("accelerator")
    _hardware(draft, accelerators if isinstance(accelerators, list) else [accelerators])
    draft.model = text_of(mapping(scenario.get("model")).get("name"))
    draft.rule = RULES.get(str(mapping(scenario.get("load")).get("name")), PercentileRule.UNKNOWN)
    time = mapping(metrics.get("time"))
    draft.set("duration_s", number(time.get("duration"), "time.duration"), "s", found="time.duration")
    start, stop = (number(time.get(key), f"time.{key}") for key in ("start", "stop"))
    if start is not None and stop is not None and stop < start:
        draft.note(
            "contradictory_fields",
            Severity.WARNING,
            f"time.stop lies {start - stop:.1f} s before time.start",
            "only the stated duration is kept",
            start=start,
            stop=stop,
        )
    _requests(draft, mapping(metrics.get("requests")))
    _latencies(draft, mapping(metrics.get("latency")))
    throughput = mapping(metrics.get("throughput"))
    for theirs, ours, unit in (
        ("output_tokens_per_sec", "output_tokens_per_s", "tok/s"),
        ("total_tokens_per_sec", "total_tokens_per_s", "tok/s"),
        ("requests_per_sec", "requests_per_s", "req/s"),
    ):
        draft.set(ours, number(throughput.get(theirs), theirs), unit, found=f"throughput.{theirs}")


def _hardware(draft: Draft, accelerators: list[Any]) -> None:
    """GPU and tensor parallelism where all components agree; else they are facts, since a run has one of each."""
    objects = [mapping(item) for item in accelerators if isinstance(item, dict)]
    for name, values in (
        ("gpu", [text_of(item.get("model")) for item in objects]),
        (
            "tensor_parallel_count",
            [number(mapping(item.get("parallelism")).get("tp"), "parallelism.tp") for item in objects],
        ),
    ):
        known = {value for value in values if value is not None}
        if len(known) > 1:
            draft.fact(f"{name}_by_component", ", ".join(str(value) for value in values))
        elif known and name == "gpu":
            draft.gpu = str(known.pop())
        elif known:
            draft.set(name, float(known.pop()), found="parallelism.tp")


def _version_2(draft: Draft, report: Mapping[str, Any]) -> None:
    scenario = mapping(report.get("scenario"))
    stack = scenario.get("stack")
    engines = [mapping(mapping(item).get("standardized")) for item in stack] if isinstance(stack, list) else []
    engines = [engine for engine in engines if engine.get("kind") == "inference_engine"]
    _hardware(draft, [engine.get("accelerator") for engine in engines])
    models = {text_of(mapping(engine.get("model")).get("name")) for engine in engines} - {None}
    draft.model = models.pop() if len(models) == 1 else None
    load = mapping(mapping(scenario.get("load")).get("standardized"))
    draft.rule = RULES.get(str(load.get("tool")), PercentileRule.UNKNOWN)
    if is_unlimited(load.get("concurrency")):
        draft.fact("concurrency", "unlimited")
    else:
        draft.set("concurrency_count", number(load.get("concurrency"), "load.concurrency"), found="load.concurrency")
    draft.set("request_rate_per_s", number(load.get("rate_qps"), "load.rate_qps"), "req/s", found="load.rate_qps")
    text = str(mapping(mapping(report.get("run")).get("time")).get("duration", ""))
    if (match := _DURATION.fullmatch(text)) and any(match.groups()):
        hours, minutes, seconds = (float(group or 0) for group in match.groups())
        draft.set("duration_s", hours * 3600 + minutes * 60 + seconds, "s", found=f"run.time.duration = {text}")
    results = mapping(mapping(mapping(report.get("results")).get("request_performance")).get("aggregate"))
    _requests(draft, mapping(results.get("requests")))
    _latencies(draft, mapping(results.get("latency")))
    throughput = mapping(results.get("throughput"))
    for theirs, ours, unit in (
        ("output_token_rate", "output_tokens_per_s", "tok/s"),
        ("total_token_rate", "total_tokens_per_s", "tok/s"),
        ("request_rate", "requests_per_s", "req/s"),
    ):
        draft.set(
            ours, number(mapping(throughput.get(theirs)).get("mean"), theirs), unit, found=f"throughput.{theirs}.mean"
        )
    _placeholders(draft)


def _placeholders(draft: Draft) -> None:
    """Rates and lengths that are all the same number contradict each other: total is output and input."""
    keys = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
    values = {draft.get(key) for key in keys}
    if len(values) != 1 or None in values:
        return
    same = float(draft.values["requests_per_s"])
    suspects = [key for key in ("prompt_tokens", "output_tokens") if draft.get(key) == same]
    asked = draft.get("request_rate_per_s")
    draft.withhold(*keys, *suspects, "request_rate_per_s")
    draft.fact("request_rate_as_stated", asked)
    draft.note(
        "placeholder_values",
        Severity.BLOCKS_SIZING,
        f"requests/s, output tok/s and total tok/s are all {same:g}: they cannot all hold, the file is an example",
        "rates and the lengths of the same value are left missing; do not use the file as data",
        value=same,
    )


def _doubtful_unit(draft: Draft) -> None:
    first = draft.get("ttft_s.p50") or draft.get("ttft_s.mean")
    if first is None or first >= LEAST_TTFT_S:
        return
    gone = draft.withhold(*(ours for _, ours in LATENCIES))
    draft.note(
        "time_unit_doubtful",
        Severity.BLOCKS_SIZING,
        f"TTFT would be {first * 1e6:.0f} µs by the stated unit: less than a round trip and a forward pass take",
        "all latencies are left missing; the values are probably seconds: ask who made the report",
        ttft_s_as_stated=first,
        latencies_count=len(gone),
    )
