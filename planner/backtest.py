"""The model against the measurements: every point of the evidence predicted, in the fit and held out, worst first."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from planner.burst import Wave, quantile, wave
from planner.calibration import Calibration, calibrate, decode_interval_measured_s, loaded_bytes
from planner.provenance import Grade
from planner.runs import Dataset, PercentileRule, Quantiles, Regime, Run
from planner.stations import CHUNK_TOKENS, decode_interval_s

VERSION = 1


def predict_run(run: Run, calibration: Calibration) -> Wave | None:
    """Return the central prediction of a measured burst, or None where the calibration lacks its load or prefill.

    Without a decode curve for its tensor parallel count, TPOT and output rate are NaN.
    """
    if run.regime is not Regime.BURST or run.rig is None or not run.concurrency_count or not run.output_tokens:
        return None
    parallel = run.tensor_parallel_count or 0
    decode, count, instances = calibration.decode.get(parallel), run.concurrency_count, run.rig.instances_count
    load, prefill, chunks = np.zeros(1), np.zeros(1), 0
    if run.rig.tier == "recompute":
        point = calibration.prefill.get(parallel)
        if point is None or not run.prompt_tokens:
            return None
        prefill, chunks = np.array([point.prefill_s]), int(np.ceil(run.prompt_tokens / CHUNK_TOKENS))
    else:
        curve, loaded = calibration.load.get(run.rig.tier), loaded_bytes(run)
        if curve is None or loaded is None:
            return None
        load = np.array([curve.line.intercept + curve.line.slope * count * loaded])
    base, slope = (decode.line.intercept, decode.line.slope) if decode else (np.nan, np.nan)
    return wave(
        load_s=load,
        prefill_s=prefill,
        interval_s=decode_interval_s(np.array([count / instances]), base, slope),
        requests_count=count,
        instances_count=instances,
        output_tokens=int(run.output_tokens),
        chunks_count=chunks,
    )


def _measured(run: Run) -> Iterator[tuple[str, float]]:
    quantiles = run.ttft_s or Quantiles()
    for name, value in (("ttft_p50_s", quantiles.p50), ("ttft_p90_s", quantiles.p90), ("ttft_mean_s", quantiles.mean)):
        if value is not None:
            yield name, value
    recomputed = run.rig is not None and run.rig.tier == "recompute"
    tpot = (run.tpot_s.p50 if run.tpot_s else None) if recomputed else decode_interval_measured_s(run)
    if tpot is not None:
        yield "tpot_p50_s", tpot
    if run.output_tokens_per_s is not None:
        yield "output_tokens_per_s", run.output_tokens_per_s


def _predicted(metric: str, result: Wave, rule: PercentileRule) -> float:
    if metric == "output_tokens_per_s":
        return float(result.output_tokens_per_s[0])
    if metric == "ttft_mean_s":
        return float(result.ttft_s.mean())
    values = result.tpot_s if metric.startswith("tpot") else result.ttft_s
    return float(quantile(values, 0.9 if "p90" in metric else 0.5, rule)[0])


def _rows(
    dataset: Dataset, calibration: Calibration, *, held_out: bool, excluded: dict[int, str]
) -> Iterator[dict[str, Any]]:
    for index, run in enumerate(dataset.runs):
        result = predict_run(run, calibration)
        if result is None:
            continue
        for metric, measured in _measured(run):
            predicted = _predicted(metric, result, run.percentile_rule)
            if not np.isfinite(predicted):
                continue
            grade = Grade.A if not held_out and index not in excluded else Grade.B
            yield {
                "dataset": dataset.id,
                "point": run.source.part,
                "tier": run.rig.tier if run.rig else None,
                "concurrency_count": run.concurrency_count,
                "metric": metric,
                "measured": measured,
                "predicted": predicted,
                "error_fraction": predicted / measured - 1,
                "grade": grade.value,
                "held_out": held_out or index in excluded,
                "excluded_from_fit": excluded.get(index),
            }


def blocked_runs(dataset: Dataset) -> dict[int, str]:
    """Return the runs that a finding keeps from feeding a model, with the finding's code."""
    return {
        finding.run: finding.code
        for finding in dataset.findings
        if finding.severity == "blocks_sizing" and finding.run is not None
    }


def fit(datasets: Iterable[Dataset]) -> Calibration | None:
    """Calibrate on the burst runs of one model and GPU in ``datasets``; None when there are none."""
    runs: list[Run] = []
    excluded: dict[int, str] = {}
    for dataset in datasets:
        excluded |= {len(runs) + index: code for index, code in blocked_runs(dataset).items()}
        runs.extend(dataset.runs)
    first = next((run for run in runs if run.regime is Regime.BURST and run.model and run.gpu), None)
    if first is None:
        return None
    return calibrate(runs, model=str(first.model), gpu=str(first.gpu), excluded=excluded)


def backtest(datasets: list[Dataset]) -> dict[str, Any]:
    """Return the error table: each point predicted by the fit on all datasets, and by the fit on the others alone.

    Returns
    -------
    dict
        ``rows`` with the worst error first, and ``summary`` by metric and tier, in the fit and held out.
    """
    rows: list[dict[str, Any]] = []
    everything = fit(datasets)
    for dataset in datasets:
        excluded = blocked_runs(dataset)
        if everything is not None:
            rows.extend(_rows(dataset, everything, held_out=False, excluded=excluded))
        others = fit([other for other in datasets if other.id != dataset.id])
        if others is not None:
            rows.extend(_rows(dataset, others, held_out=True, excluded=excluded))
    rows.sort(key=lambda row: -abs(row["error_fraction"]))
    return {"schema": "backtest", "version": VERSION, "rows": rows, "summary": _summary(rows)}


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    groups: dict[str, list[float]] = {}
    for row in rows:
        kind = "recompute" if row["tier"] == "recompute" else "disk"
        name = f"{row['metric']}/{kind}/{'held_out' if row['held_out'] else 'fitted'}"
        groups.setdefault(name, []).append(abs(row["error_fraction"]))
    return {
        name: {
            "points_count": len(errors),
            "mean_error_fraction": float(np.mean(errors)),
            "worst_error_fraction": max(errors),
        }
        for name, errors in sorted(groups.items())
    }
