"""Station parameters learned from measured runs, with covariance and the conditions that they speak for.

Load: ``TTFT = t0 + n·B/C`` of disk-backed bursts, least squares on relative error within physical bounds
(t0 ≥ 0, C ≤ line rate of the ports). Decode: ``τ = d0 + d1·n`` from TPOT or from wall time and TTFT.
Prefill: seconds of one full prefill, from the queue positions of recomputed bursts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from planner.hardware import catalog
from planner.llm import kv_bytes_per_token
from planner.runs import PercentileRule, Quantiles, Regime, Run
from planner.uncertainty import settings

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A fitted line ``intercept + slope·x`` with the covariance of (intercept, slope) and its relative residual."""

    intercept: float
    slope: float
    covariance: tuple[tuple[float, float], tuple[float, float]]
    residual_fraction: float
    points_count: int
    x_low: float
    x_high: float
    at_bound: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadCurve:
    """A tier's load station: ``line`` maps bytes in flight at the tier (n·B) to TTFT in seconds."""

    tier: str
    line: Line
    request_bytes: tuple[float, ...]
    requests_counts: tuple[int, ...]
    ports_count: int
    drives_count: int
    runs: tuple[int, ...]

    @property
    def bytes_per_s(self) -> float:
        """Return the fitted throughput of the tier in bytes/s."""
        return 1 / self.line.slope


@dataclass(frozen=True, slots=True, kw_only=True)
class PrefillPoint:
    """Seconds that one engine needs to prefill ``prompt_tokens`` without reuse, under a burst."""

    prefill_s: float
    residual_fraction: float
    prompt_tokens: float
    requests_counts: tuple[int, ...]
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeCurve:
    """Decode interval of one engine over the requests in its batch."""

    line: Line
    output_tokens: tuple[float, ...]
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """All fitted stations; prefill and decode by tensor parallel count. ``excluded`` maps a run to the reason."""

    model: str
    gpu: str
    load: Mapping[str, LoadCurve]
    prefill: Mapping[int, PrefillPoint]
    decode: Mapping[int, DecodeCurve]
    excluded: Mapping[int, str]


def loaded_bytes(run: Run) -> float | None:
    """Return the KV bytes that one request of ``run`` loads, or None where the run does not say."""
    if run.model is None:
        return None
    hit = run.facts.get("hit_tokens")
    if hit is None and run.prompt_tokens is not None and run.hit_fraction is not None:
        hit = run.prompt_tokens * run.hit_fraction
    if hit is None:
        return None
    dtype = str(run.facts.get("kv_dtype", "bf16"))
    return float(hit) * kv_bytes_per_token(run.model, dtype)


def decode_interval_measured_s(run: Run) -> float | None:
    """Return the decode interval of a disk-backed run: its TPOT p50, else from wall time and TTFT.

    Wall time is N·O / output rate of the burst; ``τ = (wall − TTFT p50) / (O − 1)``.
    """
    if run.tpot_s is not None and run.tpot_s.p50 is not None:
        return run.tpot_s.p50
    known = (run.concurrency_count, run.output_tokens, run.output_tokens_per_s, run.ttft_s)
    if any(value is None for value in known) or run.ttft_s is None or run.ttft_s.p50 is None:
        return None
    count, tokens, rate = float(known[0]), float(known[1]), float(known[2])  # type: ignore[arg-type]
    return (count * tokens / rate - run.ttft_s.p50) / (tokens - 1) if tokens > 1 and rate > 0 else None


def fit_line(x: Sequence[float], y: Sequence[float], *, slope_low: float = 0.0) -> Line:
    """Fit ``y = a + s·x`` by least squares on relative error, with a ≥ 0 and s ≥ ``slope_low``.

    With one point the intercept is 0. The covariance uses the larger of the residual and the repeatability of the
    reports, so a fit through two points is not taken for exact.

    Raises
    ------
    ValueError
        When there is no point.
    """
    xs, ys = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(xs) == 0:
        message = "a line needs at least one point"
        raise ValueError(message)
    design = np.column_stack([1 / ys, xs / ys])
    solution, bound = _bounded(design, slope_low, one_abscissa=len(np.unique(xs)) == 1)
    residuals = design @ solution - 1
    freedom = max(len(xs) - 2, 1)
    spread = float(np.sqrt(residuals @ residuals / freedom))
    sigma = max(spread, settings()["repeatability"]["fraction"])
    if len(np.unique(xs)) == 1:
        slope_variance = (sigma * solution[1]) ** 2 / len(xs)
        covariance = ((0.0, 0.0), (0.0, float(slope_variance)))
    else:
        inverse = np.linalg.inv(design.T @ design) * sigma**2
        covariance = ((float(inverse[0, 0]), float(inverse[0, 1])), (float(inverse[1, 0]), float(inverse[1, 1])))
    return Line(
        intercept=float(solution[0]),
        slope=float(solution[1]),
        covariance=covariance,
        residual_fraction=spread,
        points_count=len(xs),
        x_low=float(xs.min()),
        x_high=float(xs.max()),
        at_bound=bound,
    )


def _bounded(design: Array, slope_low: float, *, one_abscissa: bool) -> tuple[Array, str]:
    """Solve least squares on ``design @ (a, s) = 1`` in the quadrant a ≥ 0, s ≥ slope_low (convex: try each face)."""
    ones = np.ones(len(design))

    def only_slope() -> tuple[Array, str]:
        slope = float(design[:, 1] @ ones / (design[:, 1] @ design[:, 1]))
        return np.array([0.0, max(slope, slope_low)]), "overhead at 0" if slope >= slope_low else "both"

    if one_abscissa:
        return only_slope()
    free: Array = np.asarray(np.linalg.lstsq(design, ones, rcond=None)[0], dtype=np.float64)
    if free[0] >= 0 and free[1] >= slope_low:
        return free, ""
    intercept = float(design[:, 0] @ (ones - design[:, 1] * slope_low) / (design[:, 0] @ design[:, 0]))
    faces = [only_slope(), (np.array([max(intercept, 0.0), slope_low]), "line rate of the ports")]
    return min(faces, key=lambda face: float(np.sum((design @ face[0] - 1) ** 2)))


def _slope_low(tier: str, ports_count: int) -> float:
    record = catalog().arrays.get(tier)
    return 1 / (ports_count * record.port_line_bytes_per_s) if record else 0.0


def _load_curves(indexed: list[tuple[int, Run]]) -> dict[str, LoadCurve]:
    curves: dict[str, LoadCurve] = {}
    tiers = sorted({run.rig.tier for _, run in indexed if run.rig and run.rig.tier != "recompute"})
    for tier in tiers:
        points = [
            (index, run, loaded)
            for index, run in indexed
            if run.rig and run.rig.tier == tier and (loaded := loaded_bytes(run)) and run.ttft_s and run.ttft_s.p50
        ]
        if not points:
            continue
        rig = points[0][1].rig
        ports, drives = (rig.ports_count or 1, rig.drives_count or 1) if rig else (1, 1)
        line = fit_line(
            [float(run.concurrency_count or 1) * loaded for _, run, loaded in points],
            [float(run.ttft_s.p50) for _, run, _ in points if run.ttft_s and run.ttft_s.p50],
            slope_low=_slope_low(tier, ports),
        )
        curves[tier] = LoadCurve(
            tier=tier,
            line=line,
            request_bytes=tuple(sorted({loaded for *_, loaded in points})),
            requests_counts=tuple(sorted({int(run.concurrency_count or 1) for _, run, _ in points})),
            ports_count=ports,
            drives_count=drives,
            runs=tuple(index for index, *_ in points),
        )
    return curves


def _prefill_equations(run: Run) -> list[tuple[float, float]]:
    """Return (prefills before the answer, seconds) of a recomputed burst: p50, p90, and the wall time twice.

    The wall time is the total work whatever the order of service, so it counts as much as the two percentiles, which
    assume first come, first served.
    """
    count, instances = int(run.concurrency_count or 1), run.rig.instances_count if run.rig else 1
    quantiles = run.ttft_s or Quantiles()
    found = []
    for fraction, value in ((0.5, quantiles.p50), (0.9, quantiles.p90)):
        if value is not None:
            exact = fraction * count
            index = int(exact) if run.percentile_rule is PercentileRule.FLOOR else int(np.ceil(exact - 1e-9)) - 1
            found.append((float(index // instances + 1), value))
    if run.output_tokens and run.output_tokens_per_s:
        found += [(float(-(-count // instances)), count * run.output_tokens / run.output_tokens_per_s)] * 2
    return found


def _prefill_points(indexed: list[tuple[int, Run]]) -> dict[int, PrefillPoint]:
    points: dict[int, PrefillPoint] = {}
    recomputed = [(i, r) for i, r in indexed if r.rig and r.rig.tier == "recompute" and r.ttft_s]
    for parallel in sorted({r.tensor_parallel_count or 0 for _, r in recomputed}):
        members = [(i, r) for i, r in recomputed if (r.tensor_parallel_count or 0) == parallel]
        equations = [equation for _, run in members for equation in _prefill_equations(run)]
        ratio = np.array([places / seconds for places, seconds in equations])
        prefill_s = float(ratio.sum() / (ratio @ ratio))  # least squares on relative error
        points[parallel] = PrefillPoint(
            prefill_s=prefill_s,
            residual_fraction=float(np.sqrt(np.mean((ratio * prefill_s - 1) ** 2))),
            prompt_tokens=float(np.mean([run.prompt_tokens for _, run in members if run.prompt_tokens])),
            requests_counts=tuple(sorted({int(run.concurrency_count or 1) for _, run in members})),
            runs=tuple(index for index, _ in members),
        )
    return points


def _decode_curves(indexed: list[tuple[int, Run]]) -> dict[int, DecodeCurve]:
    curves: dict[int, DecodeCurve] = {}
    reloaded = [(i, r) for i, r in indexed if r.rig and r.rig.tier != "recompute"]
    for parallel in sorted({r.tensor_parallel_count or 0 for _, r in reloaded}):
        members = [
            (i, r, interval)
            for i, r in reloaded
            if (r.tensor_parallel_count or 0) == parallel
            and (interval := decode_interval_measured_s(r))
            and interval > 0
        ]
        if not members:
            continue
        batch = [float(r.concurrency_count or 1) / (r.rig.instances_count if r.rig else 1) for _, r, _ in members]
        line = fit_line(batch, [interval for *_, interval in members])
        curves[parallel] = DecodeCurve(
            line=line,
            output_tokens=tuple(sorted({float(r.output_tokens) for _, r, _ in members if r.output_tokens})),
            runs=tuple(i for i, *_ in members),
        )
    return curves


def calibrate(runs: Iterable[Run], *, model: str, gpu: str, excluded: Mapping[int, str] | None = None) -> Calibration:
    """Fit the stations to burst runs of one model on one GPU.

    Parameters
    ----------
    runs : iterable of Run
        Their positions are the indices that the result names.
    model, gpu : str
        Runs of another model or GPU, of another regime, or without a rig are left out; the reason is kept.
    excluded : mapping of int to str, optional
        Runs that must not feed the model (findings that block sizing), with the reason.

    Returns
    -------
    Calibration
        Empty mappings where nothing was measured: nothing is invented.
    """
    reasons = dict(excluded or {})
    usable: list[tuple[int, Run]] = []
    for index, run in enumerate(runs):
        if index in reasons:
            continue
        if run.regime is not Regime.BURST:
            reasons[index] = "regime"
        elif run.model != model:
            reasons[index] = "model"
        elif run.gpu != gpu:
            reasons[index] = "gpu"
        elif run.rig is None or not run.concurrency_count:
            reasons[index] = "rig"
        else:
            usable.append((index, run))
    return Calibration(
        model=model,
        gpu=gpu,
        load=MappingProxyType(_load_curves(usable)),
        prefill=MappingProxyType(_prefill_points(usable)),
        decode=MappingProxyType(_decode_curves(usable)),
        excluded=MappingProxyType(reasons),
    )
