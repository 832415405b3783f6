"""Incremental cash flows, tax view and draws against hand calculations."""

from decimal import Decimal

import numpy as np
import pytest

from planner.compare_cash import against, depreciation, npv_draws, tax_shield
from planner.errors import InputProblems
from planner.finance import npv
from planner.money import round_half_up


def decimals(*values: int) -> list[Decimal]:
    return [Decimal(value) for value in values]


def test_case_30() -> None:
    got = against(Decimal("0.08"), decimals(0, 0, 0, 0, 0, 0), decimals(-371_200, *[120_000] * 5))
    assert round_half_up(got.npv) == Decimal("107925.20")
    assert got.irr == pytest.approx(0.1848199634, rel=1e-9)
    assert got.payback_years == pytest.approx(3.0933, abs=5e-5)
    assert got.discounted_payback_years == pytest.approx(3.70, abs=5e-3)


def test_what_never_pays_back_says_so() -> None:
    got = against(Decimal("0.08"), decimals(-10, -5, -5), decimals(-100, -5, -5))
    assert (got.npv, got.irr, got.irr_reason) == (-90, None, "irr_no_sign_change")
    assert got.payback_years is None and got.discounted_payback_years is None


def test_several_rates_are_listed() -> None:
    got = against(Decimal("0.08"), decimals(0, 0, 0), decimals(-100, 230, -132))
    assert got.irr is None and got.irr_reason == "irr_multiple_roots" and got.irr_roots == "0.1, 0.2"


def test_it_refuses_unequal_horizons() -> None:
    with pytest.raises(InputProblems):
        against(Decimal("0.08"), decimals(0, 0), decimals(0, 0, 0))


def test_depreciation_and_tax_shield_by_hand() -> None:
    worn = depreciation(Decimal(300), 3, Decimal("0.05"), 4)
    assert worn == (0, 95, 95, 95, 0)
    saved, after = tax_shield(decimals(300, 10, 10, 10, 10), worn, Decimal("0.25"))
    assert saved == (0, Decimal("26.25"), Decimal("26.25"), Decimal("26.25"), Decimal("2.5"))
    assert after[0] == 300 and after[1] == Decimal("-16.25")


def test_draws_give_the_exact_path_for_each_draw() -> None:
    flows = np.array([[-371_200, *[120_000] * 5], [-100, 10, 20, 30, 40, 50]], dtype=float)
    assert npv_draws(0.08, flows) == pytest.approx([npv(0.08, row.tolist()) for row in flows])
    assert npv_draws(np.array([0.0, 0.1]), flows) == pytest.approx([228_800, npv(0.1, flows[1].tolist())])
    with pytest.raises(InputProblems):
        npv_draws(-1.0, flows)
    with pytest.raises(InputProblems):
        npv_draws(0.1, np.array([[np.nan]]))
