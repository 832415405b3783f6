"""Bandwidth that the figures imply, against the line rate and against what the device was seen to deliver."""

from collections.abc import Iterator, Sequence

from planner.calibration import loaded_bytes
from planner.runs import Finding, Regime, Run, Severity

COVERED_FRACTION = 0.9


def check(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield findings on implied, marginal and observed bandwidth of disk-backed bursts."""
    series: dict[tuple[str, str], list[tuple[int, Run]]] = {}
    for index, run in enumerate(runs):
        if run.regime is Regime.BURST and run.rig and run.rig.tier != "recompute" and run.ttft_s and run.ttft_s.p50:
            series.setdefault((run.rig.tier, str(run.facts.get("arm", ""))), []).append((index, run))
    for members in series.values():
        members.sort(key=lambda member: member[1].concurrency_count or 0)
        yield from _marginal(members)
        for index, run in members:
            yield from _covered(index, run)


def _bound(members: list[tuple[int, Run]]) -> tuple[float, str] | None:
    line = members[0][1].facts.get("line_rate_bytes_per_s")
    if isinstance(line, (int, float)):
        return float(line), "line rate"
    seen = [run.read_bytes_per_s for _, run in members if run.read_bytes_per_s]
    return (max(seen), "largest rate seen on the device") if seen else None


def _marginal(members: list[tuple[int, Run]]) -> Iterator[Finding]:
    bound = _bound(members)
    if bound is None:
        return
    for (_, low), (index, high) in zip(members, members[1:], strict=False):
        loaded = loaded_bytes(high)
        if loaded is None or not (low.ttft_s and high.ttft_s and low.ttft_s.p50 and high.ttft_s.p50):
            continue
        seconds = high.ttft_s.p50 - low.ttft_s.p50
        moved = ((high.concurrency_count or 0) - (low.concurrency_count or 0)) * loaded
        if seconds <= 0 or moved / seconds > bound[0]:
            rate = moved / seconds if seconds > 0 else float("inf")
            yield Finding(
                code="marginal_bandwidth",
                severity=Severity.WARNING,
                message=f"{high.source.part}: the step from concurrency {low.concurrency_count} to {high.concurrency_count} implies "
                f"{rate / 1e9:.1f} GB/s, above the {bound[0] / 1e9:.2f} GB/s {bound[1]}",
                consequence="Part of the sessions was most likely warm: ask for a repeat with a restart between levels, in random order.",
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
    busy, loaded = run.facts.get("read_busy_mean_bytes_per_s"), loaded_bytes(run)
    if not isinstance(busy, (int, float)) or loaded is None or not (run.ttft_s and run.ttft_s.p50):
        return
    needed, read = loaded * (run.concurrency_count or 0), float(busy) * run.ttft_s.p50
    if read < COVERED_FRACTION * needed:
        yield Finding(
            code="part_warm",
            severity=Severity.WARNING,
            message=f"{run.source.part}: the device delivered about {read / 1e9:.1f} GB until the first token, the sessions hold "
            f"{needed / 1e9:.1f} GB",
            consequence="The rest came from a warm cache or the busy mean is too low; either way the point is not fully cold.",
            figures={"read_bytes": read, "needed_bytes": needed, "concurrency_count": run.concurrency_count or 0},
            run=index,
        )
