"""What a careful reader would find in runs: one module per family of rules; a finding never changes data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from measurements.checks import bandwidth, claims, identities, quality, together, units
from planner.runs import Dataset, Finding, Run

RULES = (quality.check, identities.check, units.check, bandwidth.check)


def check_runs(runs: Sequence[Run]) -> tuple[Finding, ...]:
    """Return the findings of every rule on ``runs``; ``Finding.run`` is an index into them."""
    return tuple(finding for rule in RULES for finding in rule(runs))


def check_dataset(dataset: Dataset, *, claims: Iterable[Mapping[str, Any]] = ()) -> Dataset:
    """Return ``dataset`` with the findings on its runs and on the claims made from them."""
    found = check_runs(dataset.runs) + _claims(dataset.runs, claims)
    return replace(dataset, findings=found)


def _claims(runs: Sequence[Run], stated: Iterable[Mapping[str, Any]]) -> tuple[Finding, ...]:
    return tuple(claims.check(runs, stated))


def check_together(datasets: Sequence[Dataset]) -> tuple[Finding, ...]:
    """Return what shows only when datasets are read side by side; ``Finding.run`` is None."""
    return tuple(together.check(datasets))


def findings_document(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return ``findings`` as the command line prints them: names as in its reference, figures as numbers or text."""
    return [
        {
            "code": finding.code,
            "severity": finding.severity.value,
            "message": finding.message,
            "consequence": finding.consequence,
            "figures": {
                name: None if isinstance(value, float) and not isfinite(value) else value
                for name, value in finding.figures.items()
            },
            "run": finding.run,
        }
        for finding in findings
    ]
