"""Whether a run can be trusted at all: known faults, failures, missing or impossible latencies, too few samples."""

from collections.abc import Iterator, Sequence

from planner.runs import Finding, PercentileRule, Quantiles, Run, Severity

SHORT_RUN_S = 1.0
SATURATED_BELOW_FRACTION = 0.95
SAMPLES_FOR = {"p99": 100, "p95": 20, "p90": 10}


def check(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield findings on single runs."""
    for index, run in enumerate(runs):
        yield from _faults(index, run)
        yield from _failures(index, run)
        yield from _latencies(index, run)
        yield from _samples(index, run)
        yield from _duration(index, run)


def _faults(index: int, run: Run) -> Iterator[Finding]:
    if "known_fault" in run.facts:
        yield Finding(
            code="known_fault",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: the report names a fault of this point: {run.facts['known_fault']}",
            consequence="It does not feed the model.",
            figures={"fault": run.facts["known_fault"], "part": run.source.part},
            run=index,
        )


def _failures(index: int, run: Run) -> Iterator[Finding]:
    ok, failed = run.requests_ok_count, run.requests_failed_count
    if ok and failed is None and run.ttft_s is not None:
        yield Finding(
            code="failures_unknown",
            severity=Severity.INFO,
            message=f"{run.source.part}: {ok} requests succeeded; the file does not say how many failed",
            consequence="Latencies of survivors may look better than the service was: ask for the number asked.",
            figures={"ok_count": ok},
            run=index,
        )
    if failed or ok == 0:
        total = (ok or 0) + (failed or 0)
        yield Finding(
            code="failed_requests",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: {failed or 0} of {total} requests failed",
            consequence="Latencies of the survivors look better than the service was; confirm before use.",
            figures={"failed_count": failed or 0, "total_count": total},
            run=index,
        )


def _latencies(index: int, run: Run) -> Iterator[Finding]:
    for name in ("ttft_s", "tpot_s", "itl_s", "e2e_s", "read_latency_s", "write_latency_s"):
        quantiles: Quantiles | None = getattr(run, name)
        if quantiles is None:
            continue
        if quantiles.p50 is not None and quantiles.p99 is not None and quantiles.p50 > quantiles.p99:
            yield Finding(
                code="percentiles_out_of_order",
                severity=Severity.BLOCKS_SIZING,
                message=f"{run.source.part}: {name} p50 {quantiles.p50:g} is above p99 {quantiles.p99:g}",
                consequence="The file mixes up columns or units.",
                figures={"p50_s": quantiles.p50, "p99_s": quantiles.p99, "quantity": name},
                run=index,
            )
    if run.ttft_s and run.e2e_s and run.ttft_s.p50 and run.e2e_s.p50 and run.e2e_s.p50 < run.ttft_s.p50:
        yield Finding(
            code="latency_below_ttft",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: end-to-end p50 {run.e2e_s.p50:g} s is below TTFT p50 {run.ttft_s.p50:g} s",
            consequence="One of the two is in another unit or of another run.",
            figures={"e2e_s": run.e2e_s.p50, "ttft_s": run.ttft_s.p50},
            run=index,
        )


def _samples(index: int, run: Run) -> Iterator[Finding]:
    count = run.requests_ok_count or (run.concurrency_count if run.regime == "burst" else None)
    if run.ttft_s is None or count is None:
        return
    for name, needed in SAMPLES_FOR.items():
        if getattr(run.ttft_s, name) is not None and count < needed:
            yield Finding(
                code="too_few_samples",
                severity=Severity.INFO,
                message=f"{run.source.part}: {name} of {count} samples is the maximum or next to it",
                consequence=f"A {name} needs at least {needed} samples; read it as the largest value seen.",
                figures={"percentile": name, "samples_count": count, "needed_count": needed},
                run=index,
            )
            break
    if run.percentile_rule is PercentileRule.UNKNOWN and run.ttft_s.p50 is not None:
        yield Finding(
            code="percentile_rule_unknown",
            severity=Severity.INFO,
            message=f"{run.source.part}: the file does not say how percentiles were taken",
            consequence="With few samples the rule moves a median by one rank; ask the author.",
            figures={"samples_count": count},
            run=index,
        )


def _duration(index: int, run: Run) -> Iterator[Finding]:
    if run.duration_s is not None and run.duration_s < SHORT_RUN_S:
        yield Finding(
            code="run_too_short",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: the run lasted {run.duration_s:g} s",
            consequence="Caches and start-up dominate; it is not a measurement of steady state.",
            figures={"duration_s": run.duration_s},
            run=index,
        )
    asked, got = run.request_rate_per_s, run.requests_per_s
    if asked and got and got < SATURATED_BELOW_FRACTION * asked:
        yield Finding(
            code="saturated",
            severity=Severity.WARNING,
            message=f"{run.source.part}: {got:.3g} of the {asked:.3g} requests/s asked for were reached",
            consequence="The system was saturated: latencies grow with the length of the run.",
            figures={"asked_per_s": asked, "reached_per_s": got},
            run=index,
        )
