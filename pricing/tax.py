"""Value-added tax: the net of a gross price is gross / (1 + rate), and the parts always add up.

Rates are data of each line (goods 13 %, transport and basic telecom 9 %, other services 6 % under the VAT law in force
since 2026-01-01). A rounding rule is named wherever taxes are summed: per line, or once per rate on the total.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from planner.errors import InputProblems, Problem, shown
from planner.money import round_half_up

ROUNDING_RULES = ("line", "total")


@dataclass(frozen=True, slots=True)
class Taxed:
    """An amount split into net and tax, each to the fen; ``net + tax == gross``."""

    net: Decimal
    tax: Decimal
    gross: Decimal


def _exact(field: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (Decimal, int, str)):
        raise InputProblems([Problem("not_an_amount", field, shown(value), "an exact amount: Decimal, int or text")])
    try:
        amount = Decimal(value)
    except InvalidOperation as error:
        raise InputProblems([Problem("not_an_amount", field, shown(value), "an amount such as 371200.00")]) from error
    if not amount.is_finite():
        raise InputProblems([Problem("not_finite", field, shown(value), "a finite amount")])
    return amount


def _fraction(rate: object) -> Decimal:
    try:
        fraction = _exact("rate", str(rate) if isinstance(rate, float) else rate)
    except InputProblems:
        fraction = Decimal(-1)
    if not 0 <= fraction < 1:
        raise InputProblems([Problem("vat", "rate", shown(rate), "a fraction from 0 to below 1; 13 % is 0.13")])
    return fraction


def split(gross: Decimal | int | str, rate: Decimal | float | str) -> Taxed:
    """Return the net and the tax in ``gross`` at ``rate`` (0.13 for goods): net rounded, tax the rest.

    Raises
    ------
    InputProblems
        When the amount is not exact or the rate is not a fraction from 0 to below 1.
    """
    fraction = _fraction(rate)
    amount = round_half_up(_exact("gross", gross))
    net = round_half_up(amount / (1 + fraction))
    return Taxed(net=net, tax=amount - net, gross=amount)


def net_of(gross: Decimal | int | str, rate: Decimal | float | str) -> Decimal:
    """Return the net of a gross price, rounded half up to the fen.

    >>> net_of("371200", "0.13")
    Decimal('328495.58')
    """
    return split(gross, rate).net


def on_top(net: Decimal | int | str, rate: Decimal | float | str) -> Taxed:
    """Return the tax on a net amount, rounded to the fen, and the gross."""
    fraction, amount = _fraction(rate), round_half_up(_exact("net", net))
    tax = round_half_up(amount * fraction)
    return Taxed(net=amount, tax=tax, gross=amount + tax)


def tax_of_lines(nets: Sequence[Decimal | int | str], rate: Decimal | float | str, *, rule: str = "line") -> Taxed:
    """Return net, tax and gross of several lines at one rate; ``rule`` says where the tax is rounded.

    >>> [tax_of_lines(["6.70", "6.70"], "0.15", rule=rule).gross for rule in ROUNDING_RULES]
    [Decimal('15.42'), Decimal('15.41')]
    """
    if rule not in ROUNDING_RULES:
        raise InputProblems([Problem("unknown", "rule", shown(rule), "line or total")])
    lines = [on_top(net, rate) for net in nets]
    net = sum((line.net for line in lines), Decimal(0))
    if rule == "total":
        return on_top(net, rate)
    tax = sum((line.tax for line in lines), Decimal(0))
    return Taxed(net=net, tax=tax, gross=net + tax)
