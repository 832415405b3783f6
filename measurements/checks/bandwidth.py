"""Bandwidth that the figures imply, against the line rate and against what the device was seen to deliver."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from measurements.checks.session import session_bytes
from planner.runs import Finding, Regime, Run, Severity

COVERED_FRACTION = 0.9
IDENTITY_FRACTION = 0.03


def check(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield findings on implied, marginal and observed bandwidth of disk-backed bursts."""
    series: dict[tuple[object, ...], list[tuple[int, Run]]] = {}
    for index, run in enumerate(runs):
        yield from _operations(index, run)
        yield from _written(index, run)
        if run.regime is Regime.BURST and run.rig and run.rig.tier != "recompute" and run.ttft_s and run.ttft_s.p50:
            condition = (run.rig.tier, run.rig.instances_count, run.tensor_parallel_count, run.model)
            series.setdefault((*condition, run.facts.get("arm")), []).append((index, run))
    for members in series.values():
        members.sort(key=lambda member: member[1].concurrency_count or 0)
        yield from _marginal(members)
        for index, run in members:
            yield from _implied(index, run)
            yield from _covered(index, run)


def _bound(members: list[tuple[int, Run]]) -> tuple[float, str] | None:
    line = members[0][1].facts.get("line_rate_bytes_per_s")
    if isinstance(line, (int, float)):
        return float(line), "line rate"
    seen = [run.read_bytes_per_s for _, run in members if run.read_bytes_per_s]
    return (max(seen), "largest rate seen on the device") if seen else None


def _implied(index: int, run: Run) -> Iterator[Finding]:
    """All bytes of the burst within the median TTFT, against the line rate: a burst shares the device to its end."""
    loaded, line = session_bytes(run), run.facts.get("line_rate_bytes_per_s")
    if loaded is None or not isinstance(line, (int, float)) or not (run.ttft_s and run.ttft_s.p50):
        return
    rate = loaded * (run.concurrency_count or 0) / run.ttft_s.p50
    if rate > line:
        yield Finding(
            code="implied_bandwidth",
            severity=Severity.WARNING,
            message=f"{run.source.part}: the bytes of all sessions within TTFT p50 are {rate / 1e9:.1f} GB/s, "
            f"above the line rate of {line / 1e9:.2f} GB/s",
            consequence="Part of the sessions was warm, or half of the requests were served before the rest.",
            figures={"implied_bytes_per_s": rate, "bound_bytes_per_s": float(line)},
            run=index,
        )


def _operations(index: int, run: Run) -> Iterator[Finding]:
    """Rate = operations/s × block size, where blocks are of one size."""
    for side in ("read", "write"):
        rate, operations = getattr(run, f"{side}_bytes_per_s"), getattr(run, f"{side}_iops")
        if not (rate and operations and run.block_bytes):
            continue
        expected = operations * run.block_bytes
        if abs(rate / expected - 1) > IDENTITY_FRACTION:
            yield Finding(
                code="storage_identity",
                severity=Severity.WARNING,
                message=f"{run.source.part}: {side} {rate / 1e9:.4g} GB/s as printed, operations x block size give "
                f"{expected / 1e9:.4g} GB/s",
                consequence="MB and MiB are mixed up, blocks differ in size, or one figure is of another phase.",
                figures={"printed_bytes_per_s": rate, "computed_bytes_per_s": expected, "side": side},
                run=index,
            )


def _written(index: int, run: Run) -> Iterator[Finding]:
    """Writers × snapshot / time is the mean rate; a "sustained" rate above it leaves out part of the time."""
    writers, snapshot = run.facts.get("writers_count"), run.facts.get("snapshot_bytes")
    if writers is None or snapshot is None or not (run.duration_s and run.write_bytes_per_s):
        return
    mean = float(writers) * float(snapshot) / run.duration_s
    if abs(run.write_bytes_per_s / mean - 1) > IDENTITY_FRACTION:
        yield Finding(
            code="rate_above_mean" if run.write_bytes_per_s > mean else "rate_below_mean",
            severity=Severity.WARNING,
            message=f"{run.source.part}: {run.write_bytes_per_s / 1e9:.2f} GB/s as printed, {mean / 1e9:.2f} GB/s "
            "from bytes and time",
            consequence="Size by the time that the save took, not by the printed rate.",
            figures={"printed_bytes_per_s": run.write_bytes_per_s, "computed_bytes_per_s": mean},
            run=index,
        )


def _marginal(members: list[tuple[int, Run]]) -> Iterator[Finding]:
    bound = _bound(members)
    if bound is None:
        return
    for (_, low), (index, high) in pairwise(members):
        loaded = session_bytes(high)
        if loaded is None or not (low.ttft_s and high.ttft_s and low.ttft_s.p50 and high.ttft_s.p50):
            continue
        seconds = high.ttft_s.p50 - low.ttft_s.p50
        moved = ((high.concurrency_count or 0) - (low.concurrency_count or 0)) * loaded
        if seconds <= 0 or moved / seconds > bound[0]:
            rate = moved / seconds if seconds > 0 else float("inf")
            yield Finding(
                code="marginal_bandwidth",
                severity=Severity.WARNING,
                message=f"{high.source.part}: the step from concurrency {low.concurrency_count} to "
                f"{high.concurrency_count} implies {rate / 1e9:.1f} GB/s, "
                f"above the {bound[0] / 1e9:.2f} GB/s {bound[1]}",
                consequence="Part of the sessions was most likely warm: ask for a repeat with a restart "
                "between levels, in random order.",
                figures={
                    "marginal_bytes_per_s": rate if seconds > 0 else "unbounded",
                    "bound_bytes_per_s": bound[0],
                    "bound": bound[1],
                    "from_count": low.concurrency_count or 0,
                    "to_count": high.concurrency_count or 0,
                    "tier": high.rig.tier if high.rig else "",
                },
                run=index,
            )


def _covered(index: int, run: Run) -> Iterator[Finding]:
    """Bytes that the device delivered until the first token, against the bytes that the sessions hold."""
    busy, loaded = run.facts.get("read_busy_mean_bytes_per_s"), session_bytes(run)
    if not isinstance(busy, (int, float)) or loaded is None or not (run.ttft_s and run.ttft_s.p50):
        return
    needed, read = loaded * (run.concurrency_count or 0), float(busy) * run.ttft_s.p50
    if read < COVERED_FRACTION * needed:
        yield Finding(
            code="part_warm",
            severity=Severity.WARNING,
            message=f"{run.source.part}: the device delivered about {read / 1e9:.1f} GB until the first token, "
            f"the sessions hold {needed / 1e9:.1f} GB",
            consequence="The rest came from a warm cache or the busy mean is too low: the point is not fully cold.",
            figures={"read_bytes": read, "needed_bytes": needed, "concurrency_count": run.concurrency_count or 0},
            run=index,
        )
