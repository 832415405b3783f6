"""kubernetes-sigs/inference-perf lifecycle reports (stage, summary, per request) and its Prometheus reports. Seconds.

Percentiles are numpy's (linear), p50 is called ``median``. A summary pools all stages: no operating point. Prometheus
reports multiply rates by a scrape window, so their counts and lengths are off; lengths are rejected.
"""

from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, mapping, number
from measurements.percentiles import quantiles
from planner.runs import PercentileRule, Regime, Severity

NAME = "inference-perf"
TITLE = "inference-perf"

LATENCIES = (
    ("time_to_first_token", "ttft_s"),
    ("time_per_output_token", "tpot_s"),
    ("inter_token_latency", "itl_s"),
    ("request_latency", "e2e_s"),
)
STATISTICS = (("mean", "mean"), ("median", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"))
THROUGHPUT = (
    Key("output_tokens_per_sec", "output_tokens_per_s", "tok/s"),
    Key("total_tokens_per_sec", "total_tokens_per_s", "tok/s"),
    Key("requests_per_sec", "requests_per_s", "req/s"),
)
LOAD = (Key("requested_rate", "request_rate_per_s", "req/s"), Key("concurrency", "concurrency_count"))


def recognise(document: Document) -> float:
    """Return 1 for load summary, successes and failures, 0.95 for the list of requests."""
    head = document.head
    if isinstance(head, dict):
        return 1.0 if {"load_summary", "successes", "failures"} <= head.keys() else 0.0
    first = head[0] if isinstance(head, list) and head else None
    info = mapping(mapping(first).get("info"))
    return (
        0.95
        if isinstance(first, dict) and {"start_time", "end_time"} <= first.keys() and "output_token_times" in info
        else 0.0
    )


def read(document: Document) -> Reading:
    """Return one run per report."""
    reading = Reading()
    for part in document.parts():
        draft = Draft(document, NAME, part=f"document {part.number}" if part.number > 1 else "")
        draft.rule = PercentileRule.LINEAR
        if isinstance(part.value, list):
            _requests(draft, [item for item in part.value if isinstance(item, dict)])
        elif isinstance(part.value, dict) and "successes" in part.value:
            successes = mapping(part.value["successes"])
            if "latency" in successes or "throughput" in successes:
                _lifecycle(draft, part.value, successes)
            else:
                _prometheus(draft, successes)
        else:
            continue
        reading.add(draft)
    return reading


def _latencies(draft: Draft, holder: Any) -> None:
    for theirs, ours in LATENCIES:
        metric = mapping(mapping(holder).get(theirs))
        draft.take(
            metric, [Key(statistic, f"{ours}.{name}", "s") for statistic, name in STATISTICS], prefix=f"{theirs}."
        )


def _lifecycle(draft: Draft, report: dict[str, Any], successes: Any) -> None:
    load = mapping(report.get("load_summary"))
    draft.take(load, LOAD, prefix="load_summary.")
    draft.set("requests_ok_count", number(successes.get("count"), "successes.count"), found="successes.count")
    failed = number(mapping(report.get("failures")).get("count"), "failures.count")
    draft.set("requests_failed_count", failed, found="failures.count")
    _latencies(draft, successes.get("latency"))
    draft.take(mapping(successes.get("throughput")), THROUGHPUT, prefix="throughput.")
    for theirs, ours in (("prompt_len", "prompt_tokens"), ("output_len", "output_tokens")):
        draft.set(
            ours, number(mapping(successes.get(theirs)).get("mean"), f"{theirs}.mean"), "tokens", found=f"{theirs}.mean"
        )
    ok, rate = draft.get("requests_ok_count"), draft.get("requests_per_s")
    if ok and rate:
        draft.set("duration_s", ok / rate, "s", found="successes.count / requests_per_sec")
    for name in ("achieved_rate", "send_duration"):
        draft.fact(name, number(load.get(name), name))
    if draft.get("concurrency_count"):
        draft.regime = Regime.CLOSED
    elif draft.get("request_rate_per_s"):
        draft.regime = Regime.OPEN
    else:
        draft.note(
            "pooled_stages",
            Severity.BLOCKS_SIZING,
            "the summary pools all stages of the load: there is no asked rate or concurrency in it",
            "it is not one operating point; hand in stage_<n>_lifecycle_metrics.json",
        )


def _prometheus(draft: Draft, successes: Any) -> None:
    draft.rule = PercentileRule.BUCKET
    draft.set("requests_ok_count", number(successes.get("count"), "successes.count"), found="successes.count")
    rate = number(successes.get("rate"), "successes.rate")
    for ours in ("requests_per_s", "request_rate_per_s"):
        draft.set(ours, rate, "req/s", found="successes.rate (observed, not asked)")
    _latencies(draft, successes)
    rates = {
        key: number(mapping(successes.get(key)).get("rate"), f"{key}.rate") for key in ("prompt_len", "output_len")
    }
    draft.set("output_tokens_per_s", rates["output_len"], "tok/s", found="output_len.rate")
    if rates["prompt_len"] is not None and rates["output_len"] is not None:
        found = "prompt_len.rate + output_len.rate"
        draft.set("total_tokens_per_s", rates["prompt_len"] + rates["output_len"], "tok/s", found=found)
    lengths = {
        key: number(mapping(successes.get(key)).get("mean"), f"{key}.mean") for key in ("prompt_len", "output_len")
    }
    draft.note(
        "window_extrapolated",
        Severity.BLOCKS_SIZING,
        "server-side report: counts and lengths are rates times the scrape window, percentiles come from buckets",
        "lengths are left missing; use the lifecycle report of the same stage",
        **{f"{key}_mean": value for key, value in lengths.items() if value is not None},
    )


def _requests(draft: Draft, records: list[dict[str, Any]]) -> None:
    samples: dict[str, list[float]] = {}
    starts, ends, failed = [], [], 0
    for record in records:
        start, end = (number(record.get(key), key) for key in ("start_time", "end_time"))
        info = mapping(record.get("info"))
        if record.get("error") is not None or start is None or end is None:
            failed += 1
            continue
        starts.append(start)
        ends.append(end)
        samples.setdefault("e2e_s", []).append(end - start)
        times = info.get("output_token_times")
        first = number(times[0], "output_token_times") if isinstance(times, list) and times else None
        tokens = number(info.get("output_tokens"), "output_tokens")
        if first is not None and first > start:
            samples.setdefault("ttft_s", []).append(first - start)
            if tokens is not None and tokens > 1:
                samples.setdefault("tpot_s", []).append((end - first) / (tokens - 1))
        for theirs, ours in (("input_tokens", "prompt_tokens"), ("output_tokens", "output_tokens")):
            count = number(info.get(theirs), theirs)
            if count is not None:
                samples.setdefault(ours, []).append(count)
    draft.set("requests_ok_count", float(len(starts)), found="records without error")
    draft.set("requests_failed_count", float(failed), found="records with error")
    for ours in ("ttft_s", "tpot_s", "e2e_s"):
        computed = quantiles(samples.get(ours, []), PercentileRule.LINEAR)
        for _, name in STATISTICS:
            draft.set(f"{ours}.{name}", getattr(computed, name) if computed else None, "s", found="per-request records")
    _rates(draft, samples, max(ends) - min(starts) if starts else 0.0)
    if any("request" in record or "response" in record for record in records):
        draft.note(
            "payload_dropped",
            Severity.INFO,
            "the file holds prompts or answers, which are customers' data",
            "they are not imported",
        )


def _rates(draft: Draft, samples: dict[str, list[float]], duration: float) -> None:
    for ours in ("prompt_tokens", "output_tokens"):
        counts = samples.get(ours, [])
        draft.set(ours, sum(counts) / len(counts) if counts else None, "tokens", found="mean over requests")
    if duration > 0:
        draft.set("duration_s", duration, "s", found="last end_time - first start_time")
        draft.set("requests_per_s", len(samples["e2e_s"]) / duration, "req/s", found="requests / duration")
        output = sum(samples.get("output_tokens", []))
        draft.set(
            "output_tokens_per_s", output / duration if output else None, "tok/s", found="output tokens / duration"
        )
