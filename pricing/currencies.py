"""Exchange rates with dates: a conversion without a rate on its day is refused, never guessed."""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from importlib.resources import files

from planner.errors import InputProblems, Problem
from planner.money import Money
from planner.provenance import Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """One unit of the source is ``rate`` units of the target currency, from ``valid_from`` until ``valid_to``."""

    source_currency: str
    target_currency: str
    rate: Decimal
    valid_from: date
    valid_to: date
    basis: Basis
    source: str


@cache
def shipped_rates() -> tuple[Rate, ...]:
    """Return the rates that ship with the product."""
    raw = tomllib.loads(files("pricing").joinpath("rates/fx-reference.toml").read_text("utf-8"))
    return tuple(
        Rate(
            source_currency=record["from"],
            target_currency=record["to"],
            rate=Decimal(record["rate"]),
            valid_from=record["valid_from"],
            valid_to=record["valid_to"],
            basis=Basis(record["basis"]),
            source=record["source"],
        )
        for record in raw["rate"]
    )


def rate_on(source: str, target: str, *, on: date, rates: Sequence[Rate] | None = None) -> tuple[Decimal, Rate]:
    """Return the factor and the rate used (directly or its inverse).

    Raises
    ------
    InputProblems
        ``no_rate`` when no rate covers the day, ``rate_overlap`` when several do.
    """
    table = shipped_rates() if rates is None else rates
    pair = {source, target}
    found = [
        rate
        for rate in table
        if {rate.source_currency, rate.target_currency} == pair and rate.valid_from <= on < rate.valid_to
    ]
    if len(found) != 1:
        code = "rate_overlap" if found else "no_rate"
        hint = f"exactly one {source}/{target} rate that holds on {on.isoformat()}"
        raise InputProblems([Problem(code, "currency", f"{source}/{target}", hint)])
    used = found[0]
    return (used.rate if used.source_currency == source else 1 / used.rate), used


def convert(money: Money, target: str, *, on: date, rates: Sequence[Rate] | None = None) -> Money:
    """Return ``money`` in another currency, unrounded, with the same tax basis; itself where the currency is the same.

    >>> convert(Money(Decimal(12000), "USD"), "CNY", on=date(2026, 12, 1)).amount
    Decimal('86400.0')
    """
    if money.currency == target:
        return money
    factor, _ = rate_on(money.currency, target, on=on, rates=rates)
    return Money(money.amount * factor, target, money.tax_basis)
