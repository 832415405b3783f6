"""Finance against published worked examples (numpy-financial and Excel documentation) and hand calculations."""

from decimal import Decimal
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner import finance
from planner.errors import InputProblems, NoResult

rates = st.floats(min_value=-0.5, max_value=2.0)
flows_lists = st.lists(st.floats(min_value=-1e6, max_value=1e6), min_size=2, max_size=12)


@pytest.mark.parametrize(
    ("flows", "expected"),
    [
        ([-250_000, 100_000, 150_000, 200_000, 250_000, 300_000], 0.5672303344358536),  # numpy-financial README
        ([-100, 39, 59, 55, 20], 0.28094842115996),  # numpy documentation
        ([-150_000, 15_000, 25_000, 35_000, 45_000, 60_000], 0.052432888859),  # numpy-financial tests
        ([-100, 0, 0, 74], -0.0954958303490),  # (74/100)^(1/3) - 1 by hand
        ([-371_200] + [120_000] * 5, 0.1848199634),  # case 30
        ([-50, -100, 600, 300, -100], 1.8544178284562),  # numpy-financial issue 28: not -0.7689
        ([-1678.87, 771.96, 1814.05, 3520.30, 3552.95, 3584.99, 4789.91, -1], 1.0042698487),  # issue 44: not -0.99979
        ([-172545.848122807] + [787.735232517999] * 480, 0.00384010481257),  # pyxirr issue 24: not -23.8 / 12
    ],
)
def test_irr_is_the_published_rate(flows: list[float], expected: float) -> None:
    assert finance.irr(flows) == pytest.approx(expected, rel=1e-9)


def test_irr_near_zero_of_a_long_series_by_construction() -> None:
    """36 equal payments with the present value of a rate just below zero, as in better/irr issue 1."""
    rate = -0.010997532542
    flows = [-sum(100 / (1 + rate) ** t for t in range(1, 37))] + [100.0] * 36
    assert finance.irr(flows) == pytest.approx(rate, rel=1e-9)


@pytest.mark.parametrize(
    ("flows", "code"),
    [
        ([-100, 230, -132], "irr_multiple_roots"),  # (x - 1.1)(x - 1.2): 10 % and 20 %
        ([-5, 10.5, 1, -8, 1], "irr_multiple_roots"),  # numpy-financial: 0.0886 and 0.7096, and -0.8702
        ([100, -100, 100], "irr_no_root"),
        ([100, 200, 300], "irr_no_sign_change"),
        ([-100, -200], "irr_no_sign_change"),
        ([0, 0], "irr_no_sign_change"),
    ],
)
def test_it_tells_why_there_is_no_rate_of_return(flows: list[float], code: str) -> None:
    with pytest.raises(NoResult) as caught:
        finance.irr(flows)
    assert caught.value.code == code


def test_all_roots_are_found() -> None:
    assert finance.rates_of_return([-100, 230, -132]) == pytest.approx([0.1, 0.2], abs=1e-9)
    assert finance.rates_of_return([-100, 220, -121]) == pytest.approx([0.1], abs=1e-6)  # a double root touches zero


def test_npv_does_not_discount_the_first_flow() -> None:
    assert finance.npv(0.08, [-40_000, 5_000, 8_000, 12_000, 30_000]) == pytest.approx(3065.2226681796)
    assert finance.npv(0.10, [-10_000, 3_000, 4_200, 6_800]) == pytest.approx(1307.2878, abs=5e-5)
    # Excel's NPV() discounts the first value too: the same flows give 1188.4434 there.
    assert finance.npv(0.10, [0, -10_000, 3_000, 4_200, 6_800]) == pytest.approx(1188.4434, abs=5e-5)
    shop = [-40_000, 8_000, 9_200, 10_000, 12_000, 14_500]
    assert finance.npv(0.08, shop) == pytest.approx(1922.06155, abs=5e-6)
    assert finance.npv(0.08, [*shop, -9_000]) == pytest.approx(-3749.46509, abs=5e-6)


def test_mid_year_is_half_a_period_earlier() -> None:
    flows = [0] + [100] * 5
    assert finance.npv(0.08, flows) == pytest.approx(399.27, abs=5e-3)
    assert finance.npv(0.08, flows, convention="mid-year") == pytest.approx(414.93, abs=5e-3)
    assert finance.pv(0.08, 5, -100, due=True) == pytest.approx(431.21, abs=5e-3)


def test_annuities_as_in_numpy_financial_and_excel() -> None:
    assert finance.payment(0.08 / 12, 60, 15_000) == pytest.approx(-304.145914326)
    assert finance.payment(0, 60, 15_000) == -250
    assert finance.pv(Decimal("0.07"), 20, Decimal(12_000)) == Decimal("-127128.1709461939327295222005")
    assert finance.fv(0.05 / 12, 120, -100, -100) == pytest.approx(15692.92889433575)
    assert -finance.payment(0.08, 5, 371_200) == pytest.approx(92_969.436, abs=5e-4)
    assert -finance.payment(0.08, 5, 371_200, due=True) == pytest.approx(86_082.811, abs=5e-4)
    assert -finance.payment(0.08, 5, 371_200, -0.05 * 371_200) == pytest.approx(89_805.764, abs=5e-4)
    assert -finance.payment(0, 5, 371_200) == 74_240


def test_mirr() -> None:
    flows = [-120_000, 39_000, 30_000, 21_000, 37_000, 46_000]
    assert finance.mirr(flows, 0.10, 0.12) == pytest.approx(0.1260941303659)
    with pytest.raises(NoResult):
        finance.mirr([1, 2, 3], 0.1, 0.1)


def test_payback_of_case_30() -> None:
    flows = [-371_200] + [120_000] * 5
    assert finance.npv(0.08, flows) == pytest.approx(107_925.20, abs=5e-3)
    assert finance.payback_years(flows) == pytest.approx(3.0933, abs=5e-5)
    assert finance.discounted_payback_years(0.08, flows) == pytest.approx(3.70, abs=5e-3)


def test_payback_is_none_when_never_and_0_when_nothing_is_to_recover() -> None:
    assert finance.payback_years([-100, 20, 20]) is None
    assert finance.payback_years([-100, 120, -50]) is None  # paid back after a year, and lost again
    assert finance.payback_years([100, 20]) == 0
    assert finance.payback_years([-100, 0, 0, 200]) == 2.5


def test_rates_per_month_and_real_rates() -> None:
    assert finance.monthly_rate(0.08) == pytest.approx(0.006434, abs=5e-7)
    assert finance.monthly_rate(0.08, nominal=True) == pytest.approx(0.006667, abs=5e-7)
    assert finance.real_rate(0.08, 0.03) == pytest.approx(0.05 / 1.03)


def test_levelised_cost_of_the_nrel_fixed_charge_example() -> None:
    """NREL ssc, fixed-charge-rate wind case: (292,032,000 × 0.09243 + 8e6) / 818,888,286."""
    got = finance.fixed_charge_unit_cost(292_032_000, 0.092430410982337868, 8e6, 0.0, 818888286.43471968)
    assert got == pytest.approx(0.042731882186696345, rel=1e-15)
    assert finance.levelised_unit_cost(0.08, [0, 50, 50], [0, 10, 10]) == pytest.approx(5)  # flat units: 50 / 10
    with pytest.raises(NoResult):
        finance.levelised_unit_cost(0.08, [1, 1], [0, 0])


@pytest.mark.parametrize("rate", [-1, -1.5, nan, inf, "8%", None, True])
def test_it_refuses_rates_that_are_none(rate: object) -> None:
    with pytest.raises(InputProblems):
        finance.npv(rate, [1, 2])  # type: ignore[type-var]


@pytest.mark.parametrize("flows", [[], [nan], [1, inf], ["1"]])
def test_it_refuses_flows_that_are_no_numbers(flows: list[object]) -> None:
    with pytest.raises(InputProblems):
        finance.npv(0.08, flows)  # type: ignore[type-var]


@pytest.mark.parametrize("periods", [0, -1, 1.5, nan, 10**9])
def test_it_refuses_periods_that_are_no_count(periods: float) -> None:
    with pytest.raises(InputProblems):
        finance.payment(0.08, periods, 100)  # type: ignore[arg-type]


@given(flows_lists)
def test_at_rate_0_the_npv_is_the_sum(flows: list[float]) -> None:
    assert finance.npv(0.0, flows) == pytest.approx(sum(flows), abs=1e-6)


@given(rates, st.integers(1, 40), st.floats(min_value=-1e9, max_value=1e9))
def test_annual_cost_times_annuity_is_the_present_value(rate: float, years: int, amount: float) -> None:
    annual = finance.equivalent_annual_cost(rate, years, amount)
    assert finance.npv(rate, [0.0] + [annual] * years) == pytest.approx(amount, rel=1e-9, abs=1e-6)


@given(flows_lists, rates)
def test_decimals_and_floats_agree(flows: list[float], rate: float) -> None:
    exact = finance.npv(Decimal(repr(rate)), [Decimal(repr(flow)) for flow in flows])
    assert finance.npv(rate, flows) == pytest.approx(float(exact), rel=1e-9, abs=1e-6 * max(map(abs, flows)) * 2.0**12)


@given(st.floats(0.01, 1e5), st.lists(st.floats(0.01, 1e5), min_size=1, max_size=30))
def test_the_rate_of_return_brings_the_value_to_zero(outlay: float, receipts: list[float]) -> None:
    flows = [-outlay, *receipts]
    rate = finance.irr(flows)
    size = sum(abs(flow) * (1 + rate) ** -t for t, flow in enumerate(flows))
    assert abs(finance.npv(rate, flows)) <= 1e-9 * size
