"""MLCommons KV-cache benchmark: JSON per trial. Its ``*_gb`` are GiB, its ``read_iops`` are counts."""

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, mapping, number, text_of
from planner.runs import PercentileRule, Severity

NAME = "mlc-kvcache"
TITLE = "MLCommons KV-cache benchmark"

KEYS = (
    Key("elapsed_time", "duration_s", "s"),
    Key("avg_throughput_tokens_per_sec", "total_tokens_per_s", "tok/s"),
    Key("requests_per_second", "requests_per_s", "req/s"),
    Key("total_requests", "requests_ok_count"),
)
STATISTICS = ("mean", "p50", "p95", "p99")
TIER_KEYS = tuple(
    Key(f"nvme_{side}_{level}_ms", f"{side}_latency_s.{level}", "ms")
    for side in ("read", "write")
    for level in ("p50", "p95", "p99")
)
"""Latencies of the storage tier; those of the memory tiers are not storage."""


def recognise(document: Document) -> float:
    """Return 1 for a summary with cache statistics."""
    summary = mapping(mapping(document.head).get("summary"))
    return 1.0 if {"cache_stats", "elapsed_time"} <= summary.keys() else 0.0


def read(document: Document) -> Reading:
    """Return one run over all tiers."""
    summary = mapping(mapping(document.head).get("summary"))
    cache = mapping(summary.get("cache_stats"))
    elapsed = number(summary.get("elapsed_time"), "elapsed_time")
    if not elapsed or elapsed < 0:
        raise Refused("no_duration", "the summary has no elapsed time, so that no rate can be formed")
    draft = Draft(document, NAME, part="all tiers")
    draft.take(summary, KEYS, prefix="summary.")
    latency = mapping(summary.get("end_to_end_latency_ms"))
    draft.take(latency, [Key(name, f"e2e_s.{name}", "ms") for name in STATISTICS], prefix="end_to_end_latency_ms.")
    draft.take(cache, TIER_KEYS, prefix="cache_stats.")
    draft.rule = PercentileRule.LINEAR
    for side, operations in (("read", "decode_reads"), ("write", "prefill_writes")):
        moved = number(cache.get(f"total_{side}_bytes"), f"total_{side}_bytes")
        count = number(cache.get(operations, cache.get(f"{side}_iops")), operations)
        found = f"total_{side}_bytes / elapsed_time"
        draft.set(f"{side}_bytes_per_s", None if not moved else moved / elapsed, "B/s", found=found)
        draft.set(f"{side}_iops", None if not count else count / elapsed, "IOPS", found=f"{operations} / elapsed_time")
    draft.fact("cache_hit_fraction", number(cache.get("cache_hit_rate"), "cache_hit_rate"))
    _traps(draft, cache, elapsed)
    reading = Reading()
    reading.add(draft)
    return reading


def _traps(draft: Draft, cache: object, elapsed: float) -> None:
    statistics = mapping(cache)
    count = number(statistics.get("read_iops"), "read_iops")
    if count and count == number(statistics.get("decode_reads"), "decode_reads"):
        draft.note(
            "counts_named_iops",
            Severity.WARNING,
            f"read_iops is {count:g}, the number of reads in {elapsed:.2f} s, not a rate",
            "operations are divided by the elapsed time",
            count=count,
            elapsed_s=elapsed,
        )
    health = mapping(statistics.get("storage_health"))
    if text_of(health.get("overall_status")) == "FAIL":
        passed = number(health.get("passed_count"), "passed_count")
        total = number(health.get("total_count"), "total_count")
        draft.note(
            "storage_health",
            Severity.WARNING,
            f"the benchmark's own criteria failed: {passed or 0:g} of {total or 0:g} passed",
            "the device did not keep the latency that the benchmark asks for",
            passed_count=passed or 0,
            criteria_count=total or 0,
        )
