"""Claims made from a report against what the report compares."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from planner.runs import Finding, Run, Severity


def check(runs: Sequence[Run], claims: Iterable[Mapping[str, Any]]) -> Iterator[Finding]:
    """Yield a finding for each claim on the device whose runs differ in software, or that name no run."""
    by_part = {run.source.part: run for run in runs}
    for claim in claims:
        members = [by_part[part] for part in claim["parts"] if part in by_part]
        software = {run.rig.path_version for run in members if run.rig}
        tiers = {run.rig.tier for run in members if run.rig}
        if claim["presented_as"] == "device" and len(software) > 1 and len(tiers) == 1:
            rates = " and ".join(f"{(run.read_bytes_per_s or 0) / 1e9:.2f}" for run in members)
            yield Finding(
                code="claim_is_software",
                severity=Severity.WARNING,
                message=f"{claim['where']} says: {claim['text']}; the source compares two versions of "
                "the software on the same device",
                consequence="Do not quote it as a comparison of devices.",
                figures={"claim": claim["text"], "rates_gb_per_s": rates, "where": claim["where"]},
            )
    for index, run in enumerate(runs):
        other = run.facts.get("also_printed_duration_s")
        if other is not None and run.duration_s:
            yield Finding(
                code="sources_disagree",
                severity=Severity.WARNING,
                message=f"{run.source.part}: {run.duration_s:g} s here, about {other} s in "
                f"{run.facts.get('also_printed_where', 'another place')}",
                consequence="Both are kept; a rate from it has that spread.",
                figures={
                    "here_s": run.duration_s,
                    "elsewhere_s": float(other),
                    "where": str(run.facts.get("also_printed_where", "")),
                },
                run=index,
            )
