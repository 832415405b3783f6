"""Uploaded tariff tables and China's rest days."""

from decimal import Decimal

import pytest

from planner.errors import InputProblems
from pricing.tariffs import read_tariff, rest_days_count


def table(price: str = "0.65", rows: int = 12, hours: int = 24) -> bytes:
    return "\n".join([",".join([price] * hours)] * rows).encode()


def test_rest_days_of_2025_in_china() -> None:
    """State Council notice for 2025: Spring Festival 28 January to 4 February, with 26 January and 8 February worked.

    January: 8 weekend days less the 26th, and the 1st, 28th to 31st = 12. October: 1st to 8th, weekends 12, 18, 19, 25,
    26 (11th worked) = 13.
    """
    counts = rest_days_count(2025)
    assert counts[0] == 12
    assert counts[9] == 13


def test_it_refuses_years_without_a_published_calendar() -> None:
    with pytest.raises(InputProblems) as caught:
        rest_days_count(2060)
    assert caught.value.problems[0].code == "calendar_not_published"


def test_a_table_is_read_exactly() -> None:
    tariff = read_tariff(table(), source="province, 2026-11", rest=table("0.3"), rest_counts=(31, *(0,) * 11))
    assert tariff.month_prices()[:2] == (Decimal("0.3"), Decimal("0.65"))
    assert tariff.source == "province, 2026-11"


@pytest.mark.parametrize(
    "content", [b"", table(rows=11), table(hours=23), table("11"), table("-1"), table("x"), table("0,65"), b"\xff"]
)
def test_it_refuses_tables_of_another_shape_or_price(content: bytes) -> None:
    with pytest.raises(InputProblems):
        read_tariff(content, source="x")
