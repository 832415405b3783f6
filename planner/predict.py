"""Prediction of one option at one concurrency: TTFT, TPOT and output rate with band, grade and reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from planner.burst import Wave, quantile, wave
from planner.calibration import Calibration, DecodeCurve
from planner.memory import batch_limit_count
from planner.prefill import prefill_ratio
from planner.provenance import Grade, worst
from planner.runs import PercentileRule
from planner.scenario import Scenario
from planner.stations import CHUNK_TOKENS, decode_interval_s, load_s
from planner.tiers import Supply, line_draws
from planner.uncertainty import Band, band, penalty_fraction, settings, standard_normals

Draws = NDArray[np.float64]

RULE = PercentileRule.CEIL
SAME_BYTES_FRACTION = 0.02
DIMENSIONS = (
    "load_slope",
    "load_overhead",
    "local_slope",
    "local_overhead",
    "load_local",
    "load_array",
    "prefill",
    "decode_slope",
    "decode_base",
    "decode",
    "form",
    "rate",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What one option does at one concurrency per node. Bands are P10/P50/P90 of the estimate.

    ``ttft_s`` is the request median, ``ttft_promise_s`` the promised percentile; None where nothing may be said.
    ``parts_s`` splits the median TTFT into load, queue and prefill, and adds the decode of the whole answer.
    ``axes`` are the conditions outside the measured ones; ``refused`` says why a figure is not given.
    """

    concurrency_count: int
    ttft_s: Band | None
    ttft_promise_s: Band | None
    tpot_s: Band | None
    output_tokens_per_s: Band | None
    grade: Grade
    rate_grade: Grade
    axes: tuple[str, ...]
    parts_s: Mapping[str, float]
    keeps_promise_fraction: float | None
    refused: str = ""
    rate_draws: Draws | None = None
    ttft_draws: Draws | None = None


def normals() -> Mapping[str, Draws]:
    """Return the shared draws by what they move, each of shape (draws,): options of one scenario use the same ones."""
    table = settings()
    drawn = standard_normals(len(DIMENSIONS), table["draws_count"], table["seed"])
    return MappingProxyType(dict(zip(DIMENSIONS, drawn, strict=True)))


def refusal(concurrency_count: int, reason: str) -> Prediction:
    """Return a prediction that says why there is none (grade X)."""
    return Prediction(
        concurrency_count=concurrency_count,
        ttft_s=None,
        ttft_promise_s=None,
        tpot_s=None,
        output_tokens_per_s=None,
        grade=Grade.X,
        rate_grade=Grade.X,
        axes=(),
        parts_s=MappingProxyType({}),
        keeps_promise_fraction=None,
        refused=reason,
    )


def decode_curve(scenario: Scenario, calibration: Calibration) -> tuple[DecodeCurve, bool] | None:
    """Return the decode curve for the scenario's tensor parallel count, and whether it was measured with that count."""
    wanted = scenario.cluster.tensor_parallel_count
    if wanted in calibration.decode:
        return calibration.decode[wanted], True
    if not calibration.decode:
        return None
    return calibration.decode[min(calibration.decode, key=lambda count: abs(np.log2(count / wanted)))], False


def prefill_seconds(
    scenario: Scenario, calibration: Calibration, new_tokens: float
) -> tuple[float, float, set[str]] | None:
    """Return seconds of one prefill of ``new_tokens``, its relative residual and the axes left; None: unmeasured."""
    wanted = scenario.cluster.tensor_parallel_count
    axes: set[str] = set()
    if not calibration.prefill:
        return None
    nearest = min(calibration.prefill, key=lambda count: abs(np.log2(count / wanted)))
    point = calibration.prefill[nearest]
    seconds = point.prefill_s * nearest / wanted
    if nearest != wanted:
        axes.add("tensor_parallel")
    ratio = prefill_ratio(
        scenario.model.id, new_tokens, scenario.workload.prompt_tokens, calibration.model, point.prompt_tokens
    )
    if ratio is None:
        return None
    if abs(scenario.workload.prompt_tokens / point.prompt_tokens - 1) > SAME_BYTES_FRACTION:
        axes.add("context")
    return seconds * ratio, point.residual_fraction, axes


def _load_axes(supply: Supply, request_bytes: float, requests_count: int) -> set[str]:
    curve, axes = supply.curve, set()
    if all(abs(request_bytes / measured - 1) > SAME_BYTES_FRACTION for measured in curve.request_bytes):
        axes.add("context")
    # bytes in flight for the throughput at hand: four ports with four times the requests are as loaded as one was
    in_flight = request_bytes * requests_count * curve.bytes_per_s / supply.binding.bytes_per_s
    slack = SAME_BYTES_FRACTION
    if not curve.line.x_low * (1 - slack) <= in_flight <= curve.line.x_high * (1 + slack):
        axes.add("concurrency")
    if supply.device_is_projected:
        axes.add("device")
    elif supply.is_array:
        if supply.binding.name == "drives":
            axes.add("drives")
        if not _ports_measured(supply):
            axes.add("ports")
    return axes


def _ports_measured(supply: Supply) -> bool:
    port_limit = next(limit for limit in supply.limits if limit.name == "ports")
    return abs(port_limit.bytes_per_s / supply.curve.bytes_per_s - 1) < SAME_BYTES_FRACTION


def _grade(axes: set[str], *, at_measured_point: bool) -> Grade:
    if axes & {"model", "gpu"}:
        return Grade.D
    if axes:
        return Grade.C
    return Grade.A if at_measured_point else Grade.B


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """Draws of the three stations for one option and concurrency, with what they say of their conditions."""

    load_s: Draws
    prefill_s: Draws
    interval_s: Draws | None
    output_measured: bool
    chunks_count: int
    axes: set[str]
    at_measured_point: bool
    residual_fraction: float


def _station_draws(
    scenario: Scenario, calibration: Calibration, supply: Supply | None, requests_count: int, kv_bytes: float
) -> _Parts | str:
    """Return the stations' draws, or the reason why they cannot be given."""
    z, work = normals(), scenario.workload
    hit = work.hit_fraction if supply else 0.0
    request_bytes = hit * work.prompt_tokens * kv_bytes
    axes: set[str] = set()
    measured, residual = True, 0.0
    load = np.zeros_like(z["load_slope"])
    if supply and request_bytes > 0:
        total = requests_count * supply.nodes_sharing_count
        axes |= _load_axes(supply, request_bytes, total)
        measured = total in supply.curve.requests_counts and supply.drives_measured
        residual = max(supply.curve.line.residual_fraction, settings()["repeatability"]["fraction"])
        noise = np.exp(residual * z["load_array" if supply.is_array else "load_local"])
        load = load_s(request_bytes, total, supply.overhead_s, supply.bytes_per_s) * noise
    new_tokens = work.prompt_tokens * (1 - hit)
    prefill = np.zeros_like(load)
    if new_tokens > 0:
        computed = prefill_seconds(scenario, calibration, new_tokens)
        if computed is None:
            return "no_prefill_measurement"
        seconds, spread, more = computed
        axes |= more
        if hit > 0:
            axes.add("hit")
        measured = measured and requests_count in _recomputed_counts(calibration)
        spread = max(spread, settings()["repeatability"]["fraction"])
        residual = max(residual, spread)
        prefill = seconds * np.exp(spread * z["prefill"])
    interval, output_measured, more = _interval_draws(scenario, calibration, requests_count)
    return _Parts(
        load_s=load,
        prefill_s=prefill,
        interval_s=interval,
        output_measured=output_measured,
        chunks_count=int(np.ceil(new_tokens / CHUNK_TOKENS)),
        axes=axes | more | ({"model"} if calibration.model != scenario.model.id else set()),
        at_measured_point=measured,
        residual_fraction=residual,
    )


def _interval_draws(
    scenario: Scenario, calibration: Calibration, requests_count: int
) -> tuple[Draws | None, bool, set[str]]:
    """Return the decode interval (None where this model was not measured), whether this answer length was, and axes."""
    decode = decode_curve(scenario, calibration)
    if decode is None or calibration.model != scenario.model.id:
        return None, False, set()
    z, (curve, with_this_parallel) = normals(), decode
    base, slope = line_draws(curve.line, np.stack([z["decode_slope"], z["decode_base"]]))
    batch = requests_count / scenario.cluster.instances_per_node_count
    noise = np.exp(max(curve.line.residual_fraction, settings()["repeatability"]["decode_fraction"]) * z["decode"])
    measured = float(scenario.workload.output_tokens) in curve.output_tokens
    return decode_interval_s(batch, base, slope) * noise, measured, set() if with_this_parallel else {"tensor_parallel"}


def _recomputed_counts(calibration: Calibration) -> set[int]:
    return {count for point in calibration.prefill.values() for count in point.requests_counts}


def predict(
    scenario: Scenario,
    calibration: Calibration,
    supply: Supply | None,
    *,
    requests_count: int,
    kv_bytes: float,
    tier_missing: bool = False,
) -> Prediction:
    """Predict a burst of ``requests_count`` requests per node for one option.

    Parameters
    ----------
    scenario, calibration : Scenario, Calibration
        What is asked, and what was learned from the runs.
    supply : Supply or None
        The tier that serves the prefix; None recomputes everything.
    requests_count : int
        Requests at t=0 on each node; nodes that share an array burst together.
    kv_bytes : float
        KV bytes per token of the scenario's model.
    tier_missing : bool
        The option has a tier, but no run measured one like it: nothing is predicted.
    """
    if tier_missing:
        return refusal(requests_count, "no_measurement_of_tier")
    if calibration.gpu != scenario.cluster.node_record.gpu:
        return refusal(requests_count, "no_measurement_of_gpu")
    limit = batch_limit_count(scenario, kv_bytes)
    instances = scenario.cluster.instances_per_node_count
    if limit is not None and requests_count > limit * instances:
        return refusal(requests_count, "kv_exceeds_gpu_memory")
    parts = _station_draws(scenario, calibration, supply, requests_count, kv_bytes)
    if isinstance(parts, str):
        return refusal(requests_count, parts)
    result = wave(
        load_s=parts.load_s,
        prefill_s=parts.prefill_s,
        interval_s=np.zeros_like(parts.load_s) if parts.interval_s is None else parts.interval_s,
        requests_count=requests_count,
        instances_count=min(instances, requests_count),
        output_tokens=scenario.workload.output_tokens,
        chunks_count=parts.chunks_count,
    )
    return _bands(scenario, parts, result, requests_count)


def _bands(scenario: Scenario, parts: _Parts, result: Wave, requests_count: int) -> Prediction:
    z, promise = normals(), scenario.promise
    form = np.exp(penalty_fraction(parts.axes) * z["form"])
    ttft = quantile(result.ttft_s, 0.5, RULE) * form
    promised = quantile(result.ttft_s, promise.ttft_percentile, RULE) * form
    grade = _grade(parts.axes, at_measured_point=parts.at_measured_point)
    rate_axes = parts.axes if parts.output_measured else parts.axes | {"output"}
    tpot = rate = None
    if parts.interval_s is not None:
        tpot = quantile(result.tpot_s, 0.5, RULE)
        wall = result.wall_s + (form - 1) * result.ttft_s.max(axis=0)
        rate = requests_count * scenario.workload.output_tokens / wall
        rate = rate * np.exp(penalty_fraction(rate_axes - parts.axes) * z["rate"])
    return Prediction(
        concurrency_count=requests_count,
        ttft_s=band(ttft),
        ttft_promise_s=band(promised),
        tpot_s=None if tpot is None else band(tpot),
        output_tokens_per_s=None if rate is None else band(rate),
        grade=grade,
        rate_grade=Grade.X
        if rate is None
        else worst(grade, _grade(rate_axes, at_measured_point=parts.at_measured_point)),
        axes=tuple(sorted(rate_axes)),
        parts_s=_time_parts(scenario, parts, result),
        keeps_promise_fraction=_kept(scenario, promised, tpot),
        refused="" if rate is not None else "no_decode_measurement",
        rate_draws=rate,
        ttft_draws=ttft,
    )


def _kept(scenario: Scenario, promised: Draws, tpot: Draws | None) -> float | None:
    """Return the share of draws that keep the promise, or None without a promise or without the figure it needs."""
    promise = scenario.promise
    if promise.ttft_s is None and promise.tpot_s is None:
        return None
    kept = np.ones(len(promised), dtype=bool)
    if promise.ttft_s is not None:
        kept &= promised <= promise.ttft_s
    if promise.tpot_s is not None:
        if tpot is None:
            return None
        kept &= tpot <= promise.tpot_s
    return float(kept.mean())


def _time_parts(scenario: Scenario, parts: _Parts, result: Wave) -> Mapping[str, float]:
    """Split the median request: load, waiting for other prefills, its own prefill, and the decode of its answer."""
    load, own = float(np.median(parts.load_s)), float(np.median(parts.prefill_s))
    ttft = float(np.median(quantile(result.ttft_s, 0.5, RULE)))
    tpot = float(np.median(quantile(result.tpot_s, 0.5, RULE)))
    queue = max(ttft - load - own, 0.0)
    decode = tpot * (scenario.workload.output_tokens - 1)
    return MappingProxyType({"load": load, "queue": queue, "prefill": own, "decode": decode})
