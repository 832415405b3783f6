"""Electricity: a 12×24 tariff table with an override for rest days, weighted by the load and the days of each month.

kWh = kW × PUE × hours; the demand charge is per kW of connected load (power × PUE) and month.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite

from planner.errors import collecting
from planner.provenance import Basis

MONTHS, HOURS = 12, 24
DAYS_OF_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
TARIFF_MAX = 10
Table = tuple[tuple[Decimal, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """Price per kWh by month and hour of day (local time). ``rest_days`` is the table of weekends and holidays.

    ``rest_days_count`` tells how many days of each month follow it. ``source`` and ``basis`` say where it comes from:
    the province's company publishes a table each month; none is shipped.
    """

    workdays: Table
    rest_days: Table | None = None
    rest_days_count: tuple[int, ...] = (0,) * MONTHS
    source: str = ""
    basis: Basis = Basis.ASSUMED

    def __post_init__(self) -> None:
        with collecting() as check:
            for name, table in (("workdays", self.workdays), ("rest_days", self.rest_days)):
                if table is None:
                    continue
                if len(table) != MONTHS or any(len(row) != HOURS for row in table):
                    check.add("tariff_shape", f"tariff.{name}", len(table), "12 rows of 24 prices, January first")
                    continue
                for month, row in enumerate(table, start=1):
                    for hour, price in enumerate(row):
                        if not (isinstance(price, Decimal) and price.is_finite() and 0 <= price <= TARIFF_MAX):
                            check.add("out_of_range", f"tariff.{name}[{month}][{hour}]", price, "0 to 10 per kWh")
            days = self.rest_days_count
            if len(days) != MONTHS or any(not 0 <= n <= most for n, most in zip(days, DAYS_OF_MONTH, strict=False)):
                check.add("out_of_range", "tariff.rest_days_count", days, "12 counts, each within the month")
            elif any(days) and self.rest_days is None:
                check.add("missing", "tariff.rest_days", None, "a table for the rest days that are counted")

    def month_prices(self, load: Sequence[float] | None = None) -> tuple[Decimal, ...]:
        """Return the mean price per kWh of each month, weighted by ``load`` over the 24 hours (default: constant).

        Raises
        ------
        InputProblems
            When the load is not 24 non-negative numbers, or all zero.
        """
        weights = load_weights(load)
        prices = []
        for month in range(MONTHS):
            rest = self.rest_days_count[month]
            work = _mean(self.workdays[month], weights)
            free = _mean(self.rest_days[month], weights) if self.rest_days is not None else work
            days = DAYS_OF_MONTH[month]
            prices.append((work * (days - rest) + free * rest) / days)
        return tuple(prices)

    def mean_price(self, load: Sequence[float] | None = None) -> Decimal:
        """Return the mean price per kWh of a common year: months weighted by their days."""
        prices = self.month_prices(load)
        return sum((p * d for p, d in zip(prices, DAYS_OF_MONTH, strict=True)), Decimal(0)) / sum(DAYS_OF_MONTH)


def _mean(prices: Sequence[Decimal], weights: Sequence[Decimal]) -> Decimal:
    return sum((p * w for p, w in zip(prices, weights, strict=True)), Decimal(0)) / sum(weights, Decimal(0))


def load_weights(load: Sequence[float] | None) -> tuple[Decimal, ...]:
    """Return 24 exact weights of the hours of a day; a missing load is constant."""
    if load is None:
        return (Decimal(1),) * HOURS
    with collecting() as check:
        good = len(load) == HOURS and all(isfinite(value) and value >= 0 for value in load)
        if not good or not any(load):
            check.add("load", "load", list(load), "24 non-negative numbers, not all zero")
    return tuple(Decimal(repr(float(value))) for value in load)


def flat_tariff(price: Decimal, *, source: str = "") -> Tariff:
    """Return a table with one price: it gives the same cost as the price itself."""
    return Tariff(workdays=((price,) * HOURS,) * MONTHS, source=source)


def tariff_of_periods(
    periods: Sequence[tuple[Sequence[int], Sequence[int], Decimal]], *, default: Decimal, source: str
) -> Tariff:
    """Return a table from periods: (months 1–12, hours 0–23, price); later periods override earlier ones."""
    rows = [[default] * HOURS for _ in range(MONTHS)]
    with collecting() as check:
        for months, hours, price in periods:
            if not all(1 <= month <= MONTHS for month in months) or not all(0 <= hour < HOURS for hour in hours):
                check.add("out_of_range", "periods", (list(months), list(hours)), "months 1 to 12, hours 0 to 23")
                continue
            for month in months:
                for hour in hours:
                    rows[month - 1][hour] = price
    return Tariff(workdays=tuple(tuple(row) for row in rows), source=source)


def energy_kwh_per_year(power_w: Decimal, pue_ratio: Decimal, hours: Decimal) -> Decimal:
    """Return the energy at the meter: power × PUE × hours; PUE is applied once.

    >>> energy_kwh_per_year(Decimal(1200), Decimal("1.3"), Decimal(8760))
    Decimal('13665.6')
    """
    return power_w / 1000 * pue_ratio * hours
