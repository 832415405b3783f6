"""Present values, rates of return and payback, with their conventions stated.

t=0 is undiscounted and flows fall at period ends, unless ``mid-year`` is asked for. (Spreadsheet NPV() discounts the
first value by one period.) Signs follow numpy-financial: what is received is positive, a payment is negative.
Amounts may be floats or Decimals; with any Decimal the answer is exact Decimal arithmetic. Rates are fractions per
period, above −1.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal, getcontext, localcontext
from math import expm1, fsum, log1p
from typing import Any, Literal, TypeVar

from planner.cashflows import alike, checked_flows, checked_number, checked_periods, checked_rate, refuse
from planner.errors import NoResult
from planner.finance_irr import irr, rates_of_return

__all__ = [
    "annuity_factor",
    "capital_recovery_factor",
    "discounted_payback_years",
    "equivalent_annual_cost",
    "fixed_charge_unit_cost",
    "fv",
    "irr",
    "levelised_unit_cost",
    "mirr",
    "monthly_rate",
    "npv",
    "payback_years",
    "payment",
    "pv",
    "rates_of_return",
    "real_rate",
]

N = TypeVar("N", float, Decimal)
Convention = Literal["end-year", "mid-year"]
CONVENTIONS: tuple[Convention, ...] = ("end-year", "mid-year")
MONTHS_PER_YEAR = 12
GUARD_DIGITS = 12


@contextmanager
def wide() -> Iterator[None]:
    """Compute Decimals with guard digits; the answer is rounded once, to the caller's precision, by unary plus."""
    with localcontext(prec=getcontext().prec + GUARD_DIGITS):
        yield


def npv(rate: N, cash_flows: Iterable[N], *, convention: Convention = "end-year") -> N:
    """Return the net present value Σ C_t / (1 + rate)^t, the first flow undiscounted at t=0.

    Parameters
    ----------
    rate : float or Decimal
        Discount rate per period, above −1; nominal with nominal flows, real with real ones.
    cash_flows : sequence of float or Decimal
        Flow at t = 0, 1, 2, …
    convention : {"end-year", "mid-year"}
        Mid-year places every flow after the first half a period earlier.

    Returns
    -------
    float or Decimal
        Decimal when any input is.

    Examples
    --------
    >>> round(npv(0.08, [-40_000, 5_000, 8_000, 12_000, 30_000]), 4)
    3065.2227
    """
    if convention not in CONVENTIONS:
        raise refuse("unknown", "convention", convention, "one of " + ", ".join(CONVENTIONS))
    base, first, *later = alike(checked_rate("rate", rate), *checked_flows(cash_flows))
    growth = 1 + base
    shift = 0.5 if convention == "mid-year" else 0.0
    with wide():
        if isinstance(first, Decimal):
            terms = sum((flow / growth**t for t, flow in enumerate(later, start=1)), Decimal(0))
        else:
            terms = fsum(flow * growth**-t for t, flow in enumerate(later, start=1))
        value: N = first + (terms * growth ** type(first)(shift) if shift else terms)
    return +value


def annuity_factor(rate: N, periods: int) -> N:
    """Return the present value of 1 per period at period ends: (1 − (1+r)^−n) / r, n for r = 0."""
    (value,), count = alike(checked_rate("rate", rate)), checked_periods(periods)
    factor: Any
    with wide():
        if value == 0:
            factor = type(value)(count)
        elif isinstance(value, Decimal):
            factor = (1 - (1 + value) ** -count) / value
        else:
            factor = -expm1(-count * log1p(value)) / value
    answer: N = +factor
    return answer


def capital_recovery_factor(rate: N, periods: int) -> N:
    """Return r (1+r)^n / ((1+r)^n − 1), 1/n for r = 0: the yearly amount that repays 1."""
    return 1 / annuity_factor(rate, periods)


def equivalent_annual_cost(rate: N, periods: int, present_value: N) -> N:
    """Return the constant amount per period with this present value: NPV × capital recovery factor.

    >>> round(equivalent_annual_cost(0.08, 5, 431_478.21), 2)
    108066.5
    """
    r, present = alike(checked_rate("rate", rate), checked_number("present_value", present_value))
    with wide():
        amount: N = present / annuity_factor(r, periods)
    return +amount


def payment(rate: N, periods: int, present_value: N, future_value: N | int = 0, *, due: bool = False) -> N:
    """Return the payment per period that repays ``present_value`` (negative: it is paid).

    ``due`` pays at the beginning of each period.

    >>> round(payment(0.08 / 12, 60, 15_000), 9)
    -304.145914326
    """
    r, present, future = _time_value(rate, present_value=present_value, future_value=future_value)
    with wide():
        factor = annuity_factor(r, periods) * (1 + r if due else 1)
        amount: N = -(present + future * (1 + r) ** -checked_periods(periods)) / factor
    return +amount


def _time_value(rate: object, **amounts: object) -> list[Any]:
    return alike(checked_rate("rate", rate), *(checked_number(name, amount) for name, amount in amounts.items()))


def pv(rate: N, periods: int, payment: N, future_value: N | int = 0, *, due: bool = False) -> N:
    """Return the present value of a payment per period and of a final amount, with the opposite sign."""
    r, paid, future = _time_value(rate, payment=payment, future_value=future_value)
    with wide():
        factor = annuity_factor(r, periods) * (1 + r if due else 1)
        value: N = -(future * (1 + r) ** -checked_periods(periods) + paid * factor)
    return +value


def fv(rate: N, periods: int, payment: N, present_value: N | int = 0, *, due: bool = False) -> N:
    """Return the future value of a payment per period and of a present amount, with the opposite sign.

    Raises
    ------
    NoResult
        ``overflow`` when the value is too large for a number.

    Examples
    --------
    >>> round(fv(0.05 / 12, 120, -100, -100), 6)
    15692.928894
    """
    r, paid, present = _time_value(rate, payment=payment, present_value=present_value)
    with wide():
        factor = annuity_factor(r, periods) * (1 + r if due else 1)
        try:
            value: N = -(present + paid * factor) * (1 + r) ** checked_periods(periods)
        except (OverflowError, ArithmeticError) as error:
            raise NoResult("overflow", "the future value is too large to be a number") from error
    return +value


def monthly_rate(rate: N, *, nominal: bool = False) -> N:
    """Return the rate per month of a yearly rate: (1+r)^(1/12) − 1; r/12 only where ``rate`` is a nominal APR.

    >>> round(monthly_rate(0.08), 6)
    0.006434
    """
    (value,) = alike(checked_rate("rate", rate))
    monthly: Any
    with wide():
        if nominal:
            monthly = value / MONTHS_PER_YEAR
        elif isinstance(value, Decimal):
            monthly = (1 + value) ** (Decimal(1) / MONTHS_PER_YEAR) - 1
        else:
            monthly = expm1(log1p(value) / MONTHS_PER_YEAR)
    answer: N = +monthly
    return answer


def real_rate(nominal_rate: N, inflation: N) -> N:
    """Return the real rate: (1 + nominal) = (1 + real) (1 + inflation)."""
    nominal, rise = alike(checked_rate("nominal_rate", nominal_rate), checked_rate("inflation", inflation))
    real: N = (1 + nominal) / (1 + rise) - 1
    return real


def mirr(cash_flows: Iterable[float | Decimal], finance_rate: float, reinvest_rate: float) -> float:
    """Return the modified internal rate of return: outlays discounted at one rate, receipts compounded at another.

    Raises
    ------
    NoResult
        ``mirr_no_sign_change`` when all flows have one sign.
    """
    flows = [float(flow) for flow in checked_flows(cash_flows, least=2)]
    finance, reinvest = (
        float(checked_rate("finance_rate", finance_rate)),
        float(checked_rate("reinvest_rate", reinvest_rate)),
    )
    if not (any(flow > 0 for flow in flows) and any(flow < 0 for flow in flows)):
        raise NoResult("mirr_no_sign_change", "all cash flows have one sign: there is no rate of return")
    received = npv(reinvest, [max(flow, 0.0) for flow in flows])
    paid = -npv(finance, [min(flow, 0.0) for flow in flows])
    return float((received / paid) ** (1 / (len(flows) - 1)) * (1 + reinvest) - 1)


def payback_years(cash_flows: Iterable[float | Decimal]) -> float | None:
    """Return when the cumulated flow has become non-negative for good, interpolated within the year.

    Returns
    -------
    float or None
        Years, 0 when nothing has to be recovered, None when it is never within the horizon (also when a later outlay
        makes the sum negative again).

    Examples
    --------
    >>> round(payback_years([-371_200] + [120_000] * 5), 4)
    3.0933
    """
    recovered: float | None = None
    balance = 0.0
    for year, flow in enumerate(float(value) for value in checked_flows(cash_flows)):
        after = balance + flow
        if after < 0:
            recovered = None
        elif recovered is None:
            recovered = float(year) if balance >= 0 else year - 1 - balance / flow
        balance = after
    return recovered


def discounted_payback_years(rate: float, cash_flows: Iterable[float | Decimal]) -> float | None:
    """Return the payback of the discounted flows (t=0 undiscounted, end-year); None when never within the horizon."""
    growth = 1 + float(checked_rate("rate", rate))
    return payback_years([float(flow) * growth**-year for year, flow in enumerate(checked_flows(cash_flows))])


def levelised_unit_cost(rate: N, costs: Iterable[N], units: Iterable[N]) -> N:
    """Return NPV(costs) / NPV(units): the constant price per unit that pays for everything; units are discounted too.

    Raises
    ------
    NoResult
        ``no_units`` when the discounted units are not positive.
    """
    produced = npv(rate, units)
    if produced <= 0:
        raise NoResult("no_units", "without units there is no cost per unit")
    return npv(rate, costs) / produced


def fixed_charge_unit_cost(capital: N, fixed_charge_rate: N, fixed_per_year: N, variable: N, units_per_year: N) -> N:
    """Return (capital × FCR + fixed) / units + variable: a levelised cost from one representative year."""
    if units_per_year <= 0:
        raise NoResult("no_units", "without units there is no cost per unit")
    return (capital * fixed_charge_rate + fixed_per_year) / units_per_year + variable
