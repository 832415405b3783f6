"""Percentiles of samples under a stated rule, since tools differ: p50 of 16 samples is the 8th, the 9th or between."""

from collections.abc import Sequence
from math import ceil

import numpy as np
from numpy.typing import ArrayLike

from planner.errors import NoResult
from planner.runs import PercentileRule, Quantiles

_LEVELS = {"p50": 0.50, "p90": 0.90, "p95": 0.95, "p99": 0.99}


def percentile(samples: ArrayLike, q: float, rule: PercentileRule) -> float:
    """Return the ``q``-quantile (0 to 1) of ``samples`` under ``rule``.

    Raises
    ------
    NoResult
        Without samples, or where the rule cannot be applied to samples.

    Examples
    --------
    >>> percentile(range(1, 17), 0.5, PercentileRule.FLOOR), percentile(range(1, 17), 0.5, PercentileRule.CEIL)
    (9.0, 8.0)
    """
    values = np.sort(np.asarray(samples, dtype=float))
    if values.size == 0:
        raise NoResult("no_samples", "a percentile needs at least one sample")
    if rule is PercentileRule.LINEAR:
        return float(np.quantile(values, q))
    if rule is PercentileRule.FLOOR:
        return float(values[min(int(q * values.size + 1e-9), values.size - 1)])
    if rule is PercentileRule.CEIL:
        return float(values[max(ceil(q * values.size - 1e-9) - 1, 0)])
    raise NoResult("percentile_rule", f"samples have no percentile under the rule {rule.value!r}")


def quantiles(samples: ArrayLike, rule: PercentileRule = PercentileRule.LINEAR) -> Quantiles | None:
    """Return p50, p90, p95, p99 and the mean of ``samples`` under ``rule``; None without samples."""
    values = np.asarray(samples, dtype=float)
    if values.size == 0:
        return None
    return Quantiles(mean=float(values.mean()), **{name: percentile(values, q, rule) for name, q in _LEVELS.items()})


def bucket_quantile(q: float, upper_bounds: Sequence[float], cumulative: Sequence[float]) -> tuple[float | None, bool]:
    """Return the ``q``-quantile of a cumulative histogram and whether it is only "at least" that.

    Parameters
    ----------
    q : float
        Quantile, 0 to 1.
    upper_bounds : sequence of float
        Ascending upper bounds; the last is infinity.
    cumulative : sequence of float
        Observations at or below each bound.

    Returns
    -------
    (float or None, bool)
        Linear inside the bucket, the first one from 0, as Prometheus' ``histogram_quantile``; the highest finite
        bound and True when the quantile lies above it. None without observations.

    Examples
    --------
    >>> bucket_quantile(0.5, [1.0, 2.0, float("inf")], [10, 30, 30])
    (1.25, False)
    """
    total = cumulative[-1] if cumulative else 0
    if total <= 0:
        return None, False
    rank = q * total
    index = next(i for i, count in enumerate(cumulative) if count >= rank)
    if index == len(upper_bounds) - 1:
        return (upper_bounds[-2], True) if len(upper_bounds) > 1 else (None, False)
    below, start = (cumulative[index - 1], upper_bounds[index - 1]) if index else (0.0, min(0.0, upper_bounds[0]))
    inside = cumulative[index] - below
    share = (rank - below) / inside if inside else 1.0
    return start + (upper_bounds[index] - start) * share, False
