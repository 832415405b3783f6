"""Figures of one run that must agree: Little's law, throughput, TPOT against end-to-end, answer length."""

from collections.abc import Iterator, Sequence

from planner.calibration import decode_interval_measured_s
from planner.runs import Finding, Regime, Run, Severity

CLOSE_FRACTION = 0.02
LOOSE_FRACTION = 0.25
UNIT_SLIP_FACTOR = 500
SHORT_ANSWER_TOKENS = 128
MEDIA_FRACTION = 0.03


def check(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield findings on identities."""
    for index, run in enumerate(runs):
        yield from _little(index, run)
        yield from _total(index, run)
        yield from _output_rate(index, run)
        yield from _end_to_end(index, run)
    yield from _media_independence(runs)
    yield from _answer_length(runs)


def _little(index: int, run: Run) -> Iterator[Finding]:
    """Closed loop: requests/s × mean latency = concurrency. Off by about 1,000: milliseconds taken for seconds."""
    latency = run.e2e_s.mean or run.e2e_s.p50 if run.e2e_s else None
    if run.regime is Regime.BURST or not (run.requests_per_s and latency and run.concurrency_count):
        return
    ratio = run.requests_per_s * latency / run.concurrency_count
    figures = {"requests_per_s": run.requests_per_s, "latency_s": latency, "concurrency_count": run.concurrency_count}
    if ratio > UNIT_SLIP_FACTOR or ratio < 1 / UNIT_SLIP_FACTOR:
        yield Finding(
            code="time_unit",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: Little's law is off by a factor {ratio:.3g}: latency is in another unit",
            consequence="Import again with the right unit.",
            figures=figures,
            run=index,
        )
    elif abs(ratio - 1) > LOOSE_FRACTION:
        yield Finding(
            code="littles_law",
            severity=Severity.WARNING,
            message=f"{run.source.part}: requests/s x latency is {ratio:.2f} times the concurrency",
            consequence="Concurrency was not held, or ramps are part of the figures.",
            figures=figures,
            run=index,
        )


def _total(index: int, run: Run) -> Iterator[Finding]:
    if (
        run.output_tokens_per_s
        and run.total_tokens_per_s
        and run.output_tokens_per_s > run.total_tokens_per_s * (1 + CLOSE_FRACTION)
    ):
        yield Finding(
            code="total_below_output",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: output {run.output_tokens_per_s:.4g} tok/s exceeds total "
            f"{run.total_tokens_per_s:.4g} tok/s",
            consequence="Total and output throughput are mixed up.",
            figures={"output_tokens_per_s": run.output_tokens_per_s, "total_tokens_per_s": run.total_tokens_per_s},
            run=index,
        )


def _output_rate(index: int, run: Run) -> Iterator[Finding]:
    if not (run.requests_ok_count and run.output_tokens and run.duration_s and run.output_tokens_per_s):
        return
    expected = run.requests_ok_count * run.output_tokens / run.duration_s
    both = run.requests_ok_count * ((run.prompt_tokens or 0) + run.output_tokens) / run.duration_s
    if run.prompt_tokens and abs(run.output_tokens_per_s / both - 1) < CLOSE_FRACTION and both > 1.1 * expected:
        yield Finding(
            code="total_taken_for_output",
            severity=Severity.BLOCKS_SIZING,
            message=f"{run.source.part}: output {run.output_tokens_per_s:.4g} tok/s is prompt and answer "
            f"together; answers alone are {expected:.4g}",
            consequence="Total throughput stands in the place of output throughput.",
            figures={"printed_tokens_per_s": run.output_tokens_per_s, "computed_tokens_per_s": expected},
            run=index,
        )
        return
    if abs(run.output_tokens_per_s / expected - 1) > CLOSE_FRACTION:
        yield Finding(
            code="throughput_identity",
            severity=Severity.WARNING,
            message=f"{run.source.part}: {run.output_tokens_per_s:.4g} tok/s as printed, {expected:.4g} from requests, "
            "length and time",
            consequence="The rate counts something else, or over another time.",
            figures={"printed_tokens_per_s": run.output_tokens_per_s, "computed_tokens_per_s": expected},
            run=index,
        )


def _end_to_end(index: int, run: Run) -> Iterator[Finding]:
    """Means: TTFT + TPOT × (O − 1) is the end-to-end latency; medians need not add up and are not compared."""
    ttft, tpot, whole = (quantity.mean if quantity else None for quantity in (run.ttft_s, run.tpot_s, run.e2e_s))
    if not (ttft and tpot and whole and run.output_tokens and run.output_tokens > 1):
        return
    expected = ttft + tpot * (run.output_tokens - 1)
    ratio = whole / expected
    if abs(ratio - 1) <= LOOSE_FRACTION:
        return
    slip = ratio > UNIT_SLIP_FACTOR or ratio < 1 / UNIT_SLIP_FACTOR
    yield Finding(
        code="time_unit" if slip else "end_to_end_identity",
        severity=Severity.BLOCKS_SIZING if slip else Severity.WARNING,
        message=f"{run.source.part}: end-to-end {whole:.4g} s, TTFT + TPOT x (tokens - 1) = {expected:.4g} s",
        consequence="One of the latencies is in another unit." if slip else "One of the three counts something else.",
        figures={"e2e_s": whole, "expected_s": expected, "output_tokens": run.output_tokens},
        run=index,
    )


def _media_independence(runs: Sequence[Run]) -> Iterator[Finding]:
    """Decode intervals that agree between tiers: throughput then is no measurement of its own, but TTFT diluted."""
    found: dict[tuple[int, int], dict[str, float]] = {}
    for run in runs:
        interval = decode_interval_measured_s(run) if run.regime is Regime.BURST and run.rig else None
        if interval and run.rig and run.rig.tier != "recompute" and "known_fault" not in run.facts:
            key = (run.concurrency_count or 0, run.tensor_parallel_count or 0)
            found.setdefault(key, {}).setdefault(run.rig.tier, interval)
    pairs = {key: tiers for key, tiers in found.items() if len(tiers) > 1}
    if pairs and all(max(tiers.values()) / min(tiers.values()) - 1 < MEDIA_FRACTION * 2 for tiers in pairs.values()):
        text = "; ".join(
            f"{count}: " + ", ".join(f"{tier} {1000 * value:.1f} ms" for tier, value in sorted(tiers.items()))
            for (count, _), tiers in sorted(pairs.items())
        )
        yield Finding(
            code="throughput_not_independent",
            severity=Severity.INFO,
            message=f"The decode interval does not depend on the tier (concurrency {text}): throughput follows "
            "from TTFT and answer length",
            consequence="An uplift is the TTFT ratio diluted by decode: never quote it without answer length.",
            figures={"intervals": text},
        )


def _answer_length(runs: Sequence[Run]) -> Iterator[Finding]:
    lengths = {
        run.output_tokens
        for run in runs
        if run.regime is Regime.BURST and run.output_tokens and run.output_tokens_per_s
    }
    if lengths and max(lengths) <= SHORT_ANSWER_TOKENS:
        yield Finding(
            code="short_answers",
            severity=Severity.WARNING,
            message=f"All throughput figures are for answers of {max(lengths):g} tokens in a burst",
            consequence="Longer answers dilute the uplift; see the sensitivity to answer length.",
            figures={"output_tokens": float(max(lengths))},
        )
