"""GuideLLM reports, JSON or YAML: 0.2/0.3 (``args``, ``run_stats``), 0.4 and later (``config``).

``request_latency`` is in seconds, ``*_ms`` in milliseconds. Of rates only the mean is a system rate: medians are of
instantaneous rates. A percentile is the least value whose cumulative share reaches q, i.e. sorted[ceil(q n)-1].
``time_per_output_token`` is latency over tokens with TTFT inside, ``inter_token_latency`` leaves out the first token.
"""

from collections.abc import Mapping
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Reading, is_unlimited, mapping, number, text_of
from planner.runs import PercentileRule, Regime, Severity

NAME = "guidellm"
TITLE = "GuideLLM"

LATENCIES = (
    ("request_latency", "e2e_s", "s"),
    ("time_to_first_token_ms", "ttft_s", "ms"),
    ("time_per_output_token_ms", "tpot_s", "ms"),
    ("inter_token_latency_ms", "itl_s", "ms"),
)
MEANS = (
    ("requests_per_second", "requests_per_s", "req/s"),
    ("prompt_token_count", "prompt_tokens", "tokens"),
    ("output_token_count", "output_tokens", "tokens"),
    ("output_tokens_per_second", "output_tokens_per_s", "tok/s"),
)
PERCENTILES = ("p90", "p95", "p99")
AGREEMENT_FRACTION = 0.02
CLOSED = frozenset({"synchronous", "concurrent"})
OPEN = frozenset({"constant", "poisson", "async"})


def recognise(document: Document) -> float:
    """Return 1 for a list of generative benchmarks."""
    return 1.0 if _benchmarks(document) else 0.0


def _benchmarks(document: Document) -> list[Mapping[str, Any]]:
    report = document.head
    if report is None and any(line.startswith("benchmarks:") for line in document.first_lines):
        report = document.yaml
    found = mapping(report).get("benchmarks")
    objects = [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []
    return [item for item in objects if isinstance(item.get("metrics"), dict)]


def read(document: Document) -> Reading:
    """Return one run per benchmark."""
    benchmarks = _benchmarks(document)
    report = document.head if document.head is not None else document.yaml
    version = text_of(mapping(mapping(report).get("metadata")).get("guidellm_version")) or ""
    reading = Reading()
    for count, benchmark in enumerate(benchmarks, 1):
        draft = Draft(document, NAME, part=f"benchmark {count}" if len(benchmarks) > 1 else "", version=version)
        _fill(draft, benchmark)
        reading.add(draft)
    return reading


def _fill(draft: Draft, benchmark: Mapping[str, Any]) -> None:
    metrics = mapping(benchmark["metrics"])
    draft.rule = PercentileRule.CEIL
    _counts(draft, benchmark, metrics)
    for theirs, ours, unit in LATENCIES:
        successful = _successful(metrics, theirs)
        draft.set(f"{ours}.mean", number(successful.get("mean"), theirs), unit, found=f"{theirs}.mean")
        draft.set(f"{ours}.p50", number(successful.get("median"), theirs), unit, found=f"{theirs}.median")
        percentiles = mapping(successful.get("percentiles"))
        for name in PERCENTILES:
            draft.set(
                f"{ours}.{name}", number(percentiles.get(name), theirs), unit, found=f"{theirs}.percentiles.{name}"
            )
    for theirs, ours, unit in MEANS:
        draft.set(ours, number(_successful(metrics, theirs).get("mean"), theirs), unit, found=f"{theirs}.mean")
    draft.fact("tpot_definition", "latency / output tokens (TTFT inside)")
    draft.fact(
        "mean_concurrency", number(_successful(metrics, "request_concurrency").get("mean"), "request_concurrency")
    )
    draft.set("duration_s", number(benchmark.get("duration"), "duration"), "s", found="duration")
    _total(draft, number(_successful(metrics, "tokens_per_second").get("mean"), "tokens_per_second"))
    _strategy(draft, benchmark)


def _successful(metrics: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the statistics over successful requests; a distribution without samples is all zeros: none."""
    successful = mapping(mapping(metrics.get(name)).get("successful"))
    return {} if successful.get("count") == 0 else successful


def _counts(draft: Draft, benchmark: Mapping[str, Any], metrics: Mapping[str, Any]) -> None:
    totals = mapping(metrics.get("request_totals")) or mapping(benchmark.get("request_totals"))
    if not totals:
        totals = mapping(mapping(benchmark.get("run_stats")).get("requests_made"))
    draft.set(
        "requests_ok_count",
        number(totals.get("successful"), "request_totals.successful"),
        found="request_totals.successful",
    )
    draft.set(
        "requests_failed_count", number(totals.get("errored"), "request_totals.errored"), found="request_totals.errored"
    )
    incomplete = number(totals.get("incomplete"), "request_totals.incomplete")
    draft.fact("requests_incomplete_count", incomplete)
    scheduled = number(
        mapping(benchmark.get("scheduler_state")).get("successful_requests"), "scheduler_state.successful_requests"
    )
    ok = draft.get("requests_ok_count")
    if scheduled is not None and ok is not None and scheduled != ok:
        draft.note(
            "warmup_cut",
            Severity.INFO,
            f"{ok:g} of {scheduled:g} successful requests are in the statistics: the tool cut warm-up and cool-down",
            "the counts are those of the statistics",
            counted=ok,
            scheduled=scheduled,
        )


def _total(draft: Draft, stated: float | None) -> None:
    """Set total tok/s; some versions overstate it, so it must agree with req/s times tokens."""
    parts = [draft.get(key) for key in ("requests_per_s", "prompt_tokens", "output_tokens")]
    if any(part is None for part in parts):
        draft.set("total_tokens_per_s", stated, "tok/s", found="tokens_per_second.mean")
        return
    rate, prompt, output = (part for part in parts if part is not None)
    by_counts = rate * (prompt + output)
    if stated is None or abs(stated - by_counts) > AGREEMENT_FRACTION * by_counts:
        found = "requests_per_second x (prompt_token_count + output_token_count)"
        draft.set("total_tokens_per_s", by_counts, "tok/s", found=found)
        if stated is not None:
            draft.note(
                "contradictory_fields",
                Severity.WARNING,
                f"tokens_per_second says {stated:.1f} tok/s, requests times tokens give {by_counts:.1f}",
                "the product is used: some versions of the tool overstate tokens_per_second",
                stated=stated,
                by_counts=by_counts,
            )
    else:
        draft.set("total_tokens_per_s", stated, "tok/s", found="tokens_per_second.mean")


def _strategy(draft: Draft, benchmark: Mapping[str, Any]) -> None:
    holder = mapping(benchmark.get("config")) or mapping(benchmark.get("args"))
    strategy = mapping(holder.get("strategy"))
    kind = str(strategy.get("type_") or strategy.get("kind") or "")
    limit = strategy.get("max_concurrency", strategy.get("streams"))
    if kind == "synchronous":
        limit = 1
    if limit is not None and not is_unlimited(limit):
        draft.set("concurrency_count", number(limit, "strategy.streams"), found="strategy")
    if kind in OPEN:
        draft.set("request_rate_per_s", number(strategy.get("rate"), "strategy.rate"), "req/s", found="strategy.rate")
        draft.regime = Regime.OPEN
    elif kind in CLOSED:
        draft.regime = Regime.CLOSED
    elif kind == "throughput":
        draft.regime = Regime.CLOSED if draft.get("concurrency_count") else Regime.BURST
    draft.fact("strategy", kind or None)
    worker = mapping(benchmark.get("worker")) or mapping(mapping(benchmark.get("config")).get("backend"))
    draft.model = text_of(worker.get("backend_model")) or text_of(worker.get("model"))
