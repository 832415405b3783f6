"""Binary and decimal units mixed up, found by what the figures must be."""

from collections.abc import Iterator, Sequence

from measurements.checks.session import session_bytes
from planner.runs import Finding, Run, Severity

GIB_OVER_GB = 2**30 / 1e9
MATCH_FRACTION = 0.01


def check(runs: Sequence[Run]) -> Iterator[Finding]:
    """Yield findings on units."""
    if any(run.read_bytes_per_s and "iostat" in text for run in runs for text in run.units_as_found.values()):
        yield Finding(
            code="iostat_unit",
            severity=Severity.INFO,
            message="Read rates are iostat kB/s divided by 1e6 and printed as GB/s: 1.024 times too small",
            consequence="They are converted at import: 10.2 as printed is 10.44 GB/s.",
            figures={"factor": 1.024},
        )
    for index, run in enumerate(runs):
        yield from _written(index, run)


def _written(index: int, run: Run) -> Iterator[Finding]:
    printed, sessions = run.facts.get("written_gb_as_printed"), run.facts.get("sessions_count")
    loaded = session_bytes(run)
    if printed is None or sessions is None or loaded is None:
        return
    expected = float(sessions) * loaded
    if abs(expected / (float(printed) * 2**30) - 1) < MATCH_FRACTION:
        yield Finding(
            code="gb_is_gib",
            severity=Severity.WARNING,
            message=f"{run.source.part}: {printed} GB as printed is GiB: {sessions} sessions hold "
            f"{expected / 1e9:.1f} GB = {expected / 2**30:.1f} GiB",
            consequence="Capacity taken from the printed figure would be 7.4 % too small.",
            figures={"printed": float(printed), "expected_bytes": expected, "factor": GIB_OVER_GB},
            run=index,
        )
