"""Internal rate of return: every root above −1 is looked for, and several roots or none are told, not guessed at.

With x = 1/(1+r) the present value is a polynomial Σ C_t x^t. It is searched in y = ln x, scaled so that long series
neither overflow nor underflow.
"""

from collections.abc import Iterable
from decimal import Decimal
from math import expm1

import numpy as np
from numpy.typing import NDArray

from planner.cashflows import checked_flows
from planner.errors import NoResult

Flows = NDArray[np.float64]
STEPS = 4096
BISECTIONS = 200
TANGENT_TOLERANCE = 1e-13


def _value(flows: Flows, y: float) -> float:
    """Return Σ C_t e^(ty), divided by e^(ny) for y > 0, so that no term exceeds the largest flow."""
    t = np.arange(len(flows))
    return float(flows @ np.exp(t * y if y <= 0 else (t - len(flows) + 1) * y))


def _bisect(flows: Flows, low: float, high: float) -> float:
    sign = np.sign(_value(flows, low))
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        at = np.sign(_value(flows, middle))
        if at == 0:
            return middle
        low, high = (middle, high) if at == sign else (low, middle)
    return (low + high) / 2


def _tangent(flows: Flows, low: float, high: float) -> float | None:
    """Return where |value| has its minimum inside the interval, if it touches zero there."""
    size = np.abs(flows)
    for _ in range(BISECTIONS):
        third = (high - low) / 3
        if abs(_value(flows, low + third)) < abs(_value(flows, high - third)):
            high -= third
        else:
            low += third
    y = (low + high) / 2
    return y if abs(_value(flows, y)) <= TANGENT_TOLERANCE * _value(size, y) else None


def _sign_changes(values: Flows) -> int:
    signs = np.sign(values[values != 0])
    return int(np.count_nonzero(signs[1:] != signs[:-1]))


def rates_of_return(cash_flows: Iterable[float | Decimal]) -> tuple[float, ...]:
    """Return every rate above −1 at which the present value is zero, ascending; empty when there is none.

    Rates are looked for where a root can be: |ln(1+r)| is at most ln(1 + max|C| / |first or last flow|).
    """
    flows = np.trim_zeros(np.array([float(flow) for flow in checked_flows(cash_flows, least=2)]))
    if _sign_changes(flows) == 0:
        return ()
    flows = flows / np.max(np.abs(flows))
    # Cauchy's bound: all roots x lie within 1 + max|C|/|C_n|, and so do their inverses with |C_0|.
    bound = 1e-9 + float(np.log1p(1 / min(abs(flows[0]), abs(flows[-1]))))
    if _sign_changes(flows) == 1:
        return (float(expm1(-_bisect(flows, -bound, bound))),)
    half = np.geomspace(1e-6, bound, STEPS // 2)
    grid = np.concatenate([-half[::-1], [0.0], half])
    values = np.array([_value(flows, y) for y in grid])
    roots = {float(y) for y, value in zip(grid, values, strict=True) if value == 0}
    for i in range(len(grid) - 1):
        if values[i] * values[i + 1] < 0:
            roots.add(_bisect(flows, grid[i], grid[i + 1]))
    for i in range(1, len(grid) - 1):
        near = abs(values[i]) <= min(abs(values[i - 1]), abs(values[i + 1]))
        if near and values[i] and np.sign(values[i - 1]) == np.sign(values[i]) == np.sign(values[i + 1]):
            touching = _tangent(flows, grid[i - 1], grid[i + 1])
            roots |= set() if touching is None else {touching}
    return tuple(sorted(float(expm1(-y)) for y in roots))


def irr(cash_flows: Iterable[float | Decimal]) -> float:
    """Return the internal rate of return per period, where there is one that means something.

    It is the only root above −1; or, where there are several, the only positive one of a flow whose cumulated sum
    changes sign once and ends on the other side (Norstrom 1972 proves that it is unique).

    Raises
    ------
    NoResult
        ``irr_no_sign_change``: all flows have one sign; ``irr_no_root``: no rate brings the value to zero;
        ``irr_multiple_roots``: several do, and ``figures`` lists them. Show the NPV profile and the MIRR instead.

    Examples
    --------
    >>> round(irr([-100, 39, 59, 55, 20]), 12)
    0.280948421160
    """
    flows = np.array([float(flow) for flow in checked_flows(cash_flows, least=2)])
    if _sign_changes(flows) == 0:
        raise NoResult("irr_no_sign_change", "all cash flows have one sign: there is no rate of return")
    roots = rates_of_return(flows.tolist())
    if not roots:
        raise NoResult("irr_no_root", "no discount rate brings the present value to zero")
    if len(roots) == 1:
        return roots[0]
    positive = [root for root in roots if root > 0]
    cumulated = np.cumsum(flows)
    if len(positive) == 1 and cumulated[-1] != 0 and _sign_changes(cumulated) == 1:
        return positive[0]
    listed = ", ".join(f"{root:.6g}" for root in roots)
    raise NoResult("irr_multiple_roots", f"several rates of return: {listed}", roots=listed)
