"""Wear and failure of drives against hand calculations and published relations."""

from decimal import Decimal
from typing import Any

import pytest

from planner.cost_endurance import (
    Wear,
    annual_failure_fraction,
    endurance_bytes,
    replacements_count,
    stripe_loss_fraction,
    wear_lines,
)
from planner.errors import InputProblems


def wear(**changed: Any) -> Wear:
    base: dict[str, Any] = {
        "drives_count": 24,
        "capacity_bytes": 7.68e12,
        "host_bytes_per_day": 24 * 7.68e12,
        "write_amplification_ratio": 2.5,
        "rated_drive_writes_per_day": 1.0,
        "warranty_years": 5,
        "drive_price": Decimal(8800),
    }
    return Wear(**base | changed)


def test_rated_writes() -> None:
    assert endurance_bytes(7.68e12, 1, 5) == pytest.approx(14_016e12)
    assert endurance_bytes(7.68e12, 3, 5) == pytest.approx(42_048e12)


def test_failures_of_drives_and_stripes() -> None:
    afr = annual_failure_fraction(2e6)
    assert afr == pytest.approx(0.00437, abs=5e-6)
    assert stripe_loss_fraction(afr, 4) == pytest.approx(0.0174, abs=1e-4)
    assert stripe_loss_fraction(afr, 24) == pytest.approx(0.0999, abs=2e-4)
    assert stripe_loss_fraction(afr, 4, 5) == pytest.approx(0.084, abs=5e-4)
    assert stripe_loss_fraction(afr, 24, 5) == pytest.approx(0.409, abs=2e-3)


def test_one_write_a_day_amplified_2_5_times_lasts_two_years() -> None:
    worn = wear()
    assert worn.drive_writes_per_day == pytest.approx(2.5)
    assert worn.life_years == pytest.approx(2)
    assert replacements_count(5, 2.0) == 2  # ceil(2.5) - 1
    assert replacements_count(4, 2.0) == 1  # the second life ends with the horizon
    assert replacements_count(5, None) == 0
    wearing, failing = wear_lines(worn, 5)
    assert wearing.amounts == (0, 0, 24 * 8800, 0, 24 * 8800, 0)
    assert set(failing.amounts) == {Decimal(0)}


def test_prices_may_rise() -> None:
    wearing, _ = wear_lines(wear(price_change_fraction_per_year=Decimal("0.5")), 5)
    assert wearing.amounts[2] == 24 * 8800 * Decimal("2.25")


def test_failures_are_paid_after_the_warranty() -> None:
    _, failing = wear_lines(wear(host_bytes_per_day=0, annual_failure_fraction=0.01, warranty_years=3), 5)
    assert failing.amounts == (0, 0, 0, 0, Decimal("2112"), Decimal("2112"))  # 0.01 × 24 × 8800
    assert wear(host_bytes_per_day=0).life_years is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("write_amplification_ratio", 0.9),
        ("drives_count", 0),
        ("host_bytes_per_day", -1),
        ("host_bytes_per_day", float("nan")),
        ("annual_failure_fraction", 1.5),
        ("drive_price", -1),
    ],
)
def test_it_refuses_wear_out_of_bounds(name: str, value: object) -> None:
    with pytest.raises(InputProblems):
        wear(**{name: value})
