"""Electricity tariffs from an uploaded table, and the rest days of a year in China with its make-up workdays."""

import csv
import io
from datetime import date, timedelta
from decimal import Decimal

from planner.cost_energy import DAYS_OF_MONTH, HOURS, MONTHS, Table, Tariff
from planner.errors import InputProblems, Problem, collecting, shown
from planner.provenance import Basis
from pricing.books.reading import amount_of

SATURDAY = 5
TARIFF_MAX = Decimal(10)


def rest_days_count(year: int) -> tuple[int, ...]:
    """Return how many days of each month are rest days in China, from published calendars.

    Holidays on workdays rest, make-up workdays on weekends do not. Only years whose calendar has been published are
    answered: a guess would misprice whole days.

    Raises
    ------
    InputProblems
        ``calendar_not_published`` for other years.
    """
    import holidays

    calendar = holidays.country_holidays("CN", years=year)
    known = any(calendar.is_working_day(day) for day in _weekends(year))
    if not known:
        hint = "a year whose holiday calendar has been published, or give the counts yourself"
        raise InputProblems([Problem("calendar_not_published", "tariff.year", shown(year), hint)])
    counts = [0] * MONTHS
    for day in _days(year):
        if (day.month, day.day) != (2, 29) and not calendar.is_working_day(day):
            counts[day.month - 1] += 1
    return tuple(counts)


def _days(year: int) -> list[date]:
    first = date(year, 1, 1)
    return [first + timedelta(days=index) for index in range((date(year + 1, 1, 1) - first).days)]


def _weekends(year: int) -> list[date]:
    return [day for day in _days(year) if day.weekday() >= SATURDAY]


def read_tariff(
    content: bytes, *, source: str, rest: bytes | None = None, rest_counts: tuple[int, ...] = (0,) * MONTHS
) -> Tariff:
    """Return a tariff from CSV: 12 rows (January first) of 24 prices per kWh (hour 0 first), no heading.

    Parameters
    ----------
    content, rest : bytes
        The table of workdays, and of rest days where it differs.
    source : str
        Whose table it is and of which month; printed with every figure.
    rest_counts : tuple of int
        Rest days of each month, as from ``rest_days_count``.
    """
    workdays = _table(content, "workdays")
    return Tariff(
        workdays=workdays,
        rest_days=None if rest is None else _table(rest, "rest_days"),
        rest_days_count=rest_counts,
        source=source,
        basis=Basis.PUBLIC,
    )


def _table(content: bytes, name: str) -> Table:
    try:
        rows = [row for row in csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True) if row]
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputProblems([Problem("not_csv", f"tariff.{name}", shown(str(error)), "CSV in UTF-8")]) from error
    table: list[tuple[Decimal, ...]] = []
    with collecting() as check:
        if len(rows) != len(DAYS_OF_MONTH):
            check.add("tariff_shape", f"tariff.{name}", len(rows), "12 rows of 24 prices, January first")
        for month, row in enumerate(rows[:MONTHS], start=1):
            if len(row) != HOURS:
                check.add("tariff_shape", f"tariff.{name}[{month}]", len(row), "24 prices, hour 0 first")
            found = [amount_of(check, f"tariff.{name}[{month}]", cell.strip(), high=TARIFF_MAX) for cell in row]
            table.append(tuple(price for price in found if price is not None))
    return tuple(table)
