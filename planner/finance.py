"""Time value of money: t=0 is not discounted, flows fall at year end, rates are effective per period.

Sign convention of spreadsheets: money paid out is negative. Every function refuses rates of −1 and below and numbers
that are not finite.
"""

from collections.abc import Sequence
from math import isfinite

import numpy as np

from planner.errors import InputProblems, NoResult, Problem, shown

ROOT_TOLERANCE = 1e-9


def _rate(rate: float, field: str = "rate") -> float:
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not isfinite(rate) or rate <= -1:
        raise InputProblems([Problem("rate", field, shown(rate), "a finite rate above -1; 8 % is 0.08")])
    return float(rate)


def _flows(cash_flows: Sequence[float]) -> list[float]:
    flows = [float(flow) for flow in cash_flows]
    if not flows or not all(isfinite(flow) for flow in flows):
        hint = "at least one finite amount, the one at t=0 first"
        raise InputProblems([Problem("cash_flows", "cash_flows", shown(list(cash_flows)), hint)])
    return flows


def npv(rate: float, cash_flows: Sequence[float]) -> float:
    """Return ``Σ C_t / (1+r)^t`` with t from 0 (a spreadsheet's NPV() discounts the first flow as well).

    >>> round(npv(0.08, [-40000, 5000, 8000, 12000, 30000]), 10)
    3065.2226681796
    """
    growth = 1 + _rate(rate)
    return float(sum(flow / growth**year for year, flow in enumerate(_flows(cash_flows))))


def irr(cash_flows: Sequence[float]) -> float:
    """Return the rate at which the NPV is 0.

    Raises
    ------
    NoResult
        ``irr_no_sign_change`` when all flows have one sign, ``irr_no_root`` when no rate above −1 exists,
        ``irr_multiple_roots`` when several do (its figures hold them): then look at the NPV profile and MIRR.

    >>> round(irr([-100, 39, 59, 55, 20]), 12)
    0.280948421159
    """
    flows = _flows(cash_flows)
    if not (min(flows) < 0 < max(flows)):
        raise NoResult("irr_no_sign_change", "all cash flows have the same sign: there is no rate of return")
    roots = np.roots(list(reversed(_trimmed(flows))))  # polynomial in v = 1/(1+r), highest power first
    real = sorted({_polished(flows, float(1 / v.real - 1)) for v in roots if abs(v.imag) < 1e-6 * max(1, abs(v)) and v.real > 0})
    distinct = [rate for index, rate in enumerate(real) if index == 0 or rate - real[index - 1] > ROOT_TOLERANCE * 1e3]
    if not distinct:
        raise NoResult("irr_no_root", "no rate above -100 % makes the NPV zero")
    if len(distinct) > 1:
        text = ", ".join(f"{rate:.6g}" for rate in distinct)
        raise NoResult("irr_multiple_roots", f"several rates make the NPV zero: {text}", roots=text)
    return distinct[0]


def _trimmed(flows: list[float]) -> list[float]:
    end = len(flows)
    while end > 1 and flows[end - 1] == 0:
        end -= 1
    return flows[:end]


def _polished(flows: list[float], rate: float) -> float:
    """Improve a root of the companion matrix by Newton's method."""
    for _ in range(50):
        growth = 1 + rate
        value = sum(flow / growth**year for year, flow in enumerate(flows))
        slope = sum(-year * flow / growth ** (year + 1) for year, flow in enumerate(flows))
        if slope == 0:
            break
        step = value / slope
        if not isfinite(step) or rate - step <= -1:
            break
        rate -= step
        if abs(step) < 1e-15 * max(1.0, abs(rate)):
            break
    return rate


def mirr(cash_flows: Sequence[float], finance_rate: float, reinvest_rate: float) -> float:
    """Return the modified internal rate of return, or NaN when all flows have one sign.

    ``(FV of the inflows at the reinvestment rate / −PV of the outflows at the finance rate)^(1/n) − 1``.

    >>> round(mirr([-120000, 39000, 30000, 21000, 37000, 46000], 0.10, 0.12), 13)
    0.1260941303659
    """
    flows, periods = _flows(cash_flows), len(cash_flows) - 1
    if not (min(flows) < 0 < max(flows)):
        return float("nan")
    inflow = npv(reinvest_rate, [max(flow, 0.0) for flow in flows])
    outflow = npv(finance_rate, [min(flow, 0.0) for flow in flows])
    return float((inflow / -outflow) ** (1 / periods) * (1 + _rate(reinvest_rate)) - 1)


def payment(rate: float, periods: int, present_value: float) -> float:
    """Return the payment per period, at its end, that repays ``present_value``; negative, as it is paid out.

    >>> round(payment(0.08 / 12, 60, 15000), 9)
    -304.145914326
    """
    return -present_value * capital_recovery_factor(rate, periods)


def capital_recovery_factor(rate: float, periods: int) -> float:
    """Return ``r(1+r)^n / ((1+r)^n − 1)``, and 1/n at r = 0."""
    rate = _rate(rate)
    if isinstance(periods, bool) or not isinstance(periods, int) or periods < 1:
        raise InputProblems([Problem("periods", "periods", shown(periods), "a whole number from 1")])
    return 1 / periods if rate == 0 else rate / (1 - (1 + rate) ** -periods)


def present_value(rate: float, periods: int, amount: float) -> float:
    """Return the present value of ``amount`` at the end of each of ``periods`` periods (sign as in spreadsheets)."""
    return -amount / capital_recovery_factor(rate, periods)


def monthly_rate(rate_per_year: float) -> float:
    """Return the effective monthly rate ``(1+r)^(1/12) − 1`` (8 % a year: 0.6434 %, not 8/12)."""
    return float((1 + _rate(rate_per_year)) ** (1 / 12) - 1)


def payback_years(cash_flows: Sequence[float]) -> float | None:
    """Return when the cumulative flow first reaches 0, interpolated within the year; None: never within the horizon.

    >>> round(payback_years([-371200] + [120000] * 5), 4)
    3.0933
    """
    cumulative = 0.0
    for year, flow in enumerate(_flows(cash_flows)):
        if cumulative + flow >= 0:
            return 0.0 if year == 0 else year - 1 + (-cumulative / flow if flow else 0.0)
        cumulative += flow
    return None


def discounted_payback_years(rate: float, cash_flows: Sequence[float]) -> float | None:
    """Return the payback of the discounted flows; None: never within the horizon."""
    growth = 1 + _rate(rate)
    return payback_years([flow / growth**year for year, flow in enumerate(_flows(cash_flows))])
