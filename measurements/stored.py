"""Runs that the product itself wrote as JSON (``import --json``), read back without loss."""

import json
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import Any

from planner.errors import InputProblems, Problem, shown
from planner.runs import PercentileRule, Quantiles, Regime, Rig, Run, RunSource

QUANTILES = ("ttft_s", "tpot_s", "itl_s", "e2e_s", "read_latency_s", "write_latency_s")
MAPPINGS = ("units_as_found", "facts")


def stored_runs(path: str | Path) -> tuple[Run, ...] | None:
    """Return the runs of a document that ``import`` wrote, or None when the file is something else.

    Raises
    ------
    InputProblems
        When it is such a document, but a run in it is not well formed.
    """
    try:
        raw = json.loads(Path(path).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not (isinstance(raw, dict) and raw.get("schema") == "import" and isinstance(raw.get("runs"), list)):
        return None
    return tuple(_run(record, f"runs[{index}]", str(path)) for index, record in enumerate(raw["runs"]))


def _run(record: Any, where: str, file: str) -> Run:
    try:
        return run_from_mapping(record)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        problem = Problem("not_a_run", where, shown(error), "a run as `import --json` writes it", file)
        raise InputProblems([problem]) from error


def run_from_mapping(record: Mapping[str, Any]) -> Run:
    """Return a run from the JSON form of it; TypeError or ValueError where it is none."""
    values = dict(record)
    unknown = set(values) - {member.name for member in fields(Run)}
    if unknown:
        message = f"unknown fields {sorted(unknown)}"
        raise TypeError(message)
    values["source"] = RunSource(**values["source"])
    values["regime"] = Regime(values["regime"])
    values["percentile_rule"] = PercentileRule(values["percentile_rule"])
    for name in QUANTILES:
        if values.get(name) is not None:
            values[name] = Quantiles(**values[name])
    for name in MAPPINGS:
        values[name] = MappingProxyType(dict(values.get(name) or {}))
    if values.get("rig") is not None:
        values["rig"] = Rig(**values["rig"])
    return Run(**values)
