"""Value-added tax: the net of a gross price is gross / (1 + rate), and the parts always add up."""

from dataclasses import dataclass
from decimal import Decimal

from planner.errors import InputProblems, Problem, shown
from planner.money import round_half_up


@dataclass(frozen=True, slots=True)
class Taxed:
    """A gross amount split into net and tax, each to the fen; ``net + tax == gross``."""

    net: Decimal
    tax: Decimal
    gross: Decimal


def split(gross: Decimal | int | str, rate: Decimal | str) -> Taxed:
    """Return the net and the tax in ``gross`` at ``rate`` (0.13 for goods).

    Raises
    ------
    InputProblems
        When the rate is not a finite fraction from 0 to below 1.
    """
    fraction = Decimal(rate)
    if not (fraction.is_finite() and 0 <= fraction < 1):
        raise InputProblems([Problem("vat", "rate", shown(rate), "a fraction from 0 to below 1; 13 % is 0.13")])
    amount = round_half_up(gross)
    net = round_half_up(amount / (1 + fraction))
    return Taxed(net=net, tax=amount - net, gross=amount)


def net_of(gross: Decimal | int | str, rate: Decimal | str) -> Decimal:
    """Return the net of a gross price, rounded half up to the fen.

    >>> net_of("371200", "0.13")
    Decimal('328495.58')
    """
    return split(gross, rate).net
