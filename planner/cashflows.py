"""Cash flows, rates and periods as finance takes them: finite numbers, rates above −1, whole numbers of periods."""

from collections.abc import Iterable
from decimal import Decimal
from math import isfinite
from numbers import Real
from typing import Any

from planner.errors import InputProblems, Problem, shown

PERIODS_MAX = 100_000


def refuse(code: str, field: str, value: object, hint: str) -> InputProblems:
    """Return the error that refuses one value."""
    return InputProblems([Problem(code, field, shown(value), hint)])


def checked_number(field: str, value: object) -> float | Decimal:
    """Return a finite number: a Decimal as it is, any other real number as a float."""
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        raise refuse("not_a_number", field, value, "a number")
    if not isfinite(value):
        raise refuse("not_finite", field, value, "a finite number")
    if isinstance(value, Decimal):
        return value
    try:
        return float(value)
    except OverflowError as error:
        raise refuse("out_of_range", field, value, "a finite number") from error


def checked_rate(field: str, value: object) -> float | Decimal:
    """Return a rate per period above −1."""
    rate = checked_number(field, value)
    if rate <= -1:
        raise refuse("out_of_range", field, value, "a rate above -1, as a fraction per period (8 % is 0.08)")
    return rate


def checked_periods(value: object, field: str = "periods") -> int:
    """Return a whole number of periods from 1."""
    count = checked_number(field, value)
    if count != int(count) or not 1 <= count <= PERIODS_MAX:
        raise refuse("out_of_range", field, value, f"a whole number of periods from 1 to {PERIODS_MAX}")
    return int(count)


def checked_flows(cash_flows: Iterable[object], least: int = 1) -> list[float | Decimal]:
    """Return the flows as numbers, or refuse them: at least ``least``, all finite."""
    flows = [checked_number(f"cash_flows[{index}]", value) for index, value in enumerate(cash_flows)]
    if len(flows) < least:
        raise refuse("too_few", "cash_flows", len(flows), f"at least {least} cash flows, the first at t=0")
    return flows


def alike(*values: float | Decimal) -> list[Any]:
    """Return the values as floats, or all as Decimals when any is one (floats by their shortest text)."""
    if any(isinstance(value, Decimal) for value in values):
        return [value if isinstance(value, Decimal) else Decimal(repr(value)) for value in values]
    return [float(value) for value in values]
