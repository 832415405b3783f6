"""Total cost of ownership against the golden storage case and hand calculations."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.cost import Bill, BillItem, CostTerms, ExtraLine, break_even_capital, tco
from planner.cost_energy import Tariff, flat_tariff, tariff_of_periods
from planner.errors import InputProblems, NoResult
from planner.money import Fixed, Money, OnRequest, Price, Range, TaxBasis, round_half_up
from planner.provenance import Basis

GOLDEN: dict[str, Any] = {
    "horizon_years": 5,
    "discount_fraction_per_year": 0.08,
    "support_fraction_per_year": 0.06,
    "power_w": 1200,
    "pue_ratio": 1.3,
    "tariff": 0.65,
    "residual_fraction": 0.05,
}


def bill_with(*prices: Price | int, basis: TaxBasis = TaxBasis.INCL, **changed: Any) -> Bill:
    items = []
    for index, price in enumerate(prices):
        fixed = Fixed(Money(Decimal(price), "CNY", basis)) if isinstance(price, int) else price
        items.append(BillItem(sku=f"s{index}", name=f"item {index}", quantity=1, price=fixed, kind="platform"))
    return Bill(items=tuple(items), tax_basis=basis, raw_bytes=Decimal("184.32e12"), **changed)


def fen(amount: Decimal | None) -> Decimal:
    assert amount is not None
    return round_half_up(amount)


def test_golden_storage_case() -> None:
    """cases/cost 29: 371,200 incl. VAT; 8 %, 5 years, residual 5 %, support 6 % of net, 1.2 kW, PUE 1.3, 0.65/kWh."""
    cost = tco(bill_with(371_200), CostTerms(**GOLDEN))
    amounts = {line.code: line.amounts for line in cost.lines}
    assert fen(cost.known_capital) == Decimal("328495.58")
    assert cost.vat is not None and fen(cost.vat) == Decimal("42704.42")
    assert amounts["energy"] is not None and amounts["energy"][1] == Decimal("8882.64")
    assert amounts["support"] is not None and fen(amounts["support"][1]) == Decimal("19709.73")
    assert cost.yearly is not None and fen(cost.yearly[1]) == Decimal("28592.37")
    assert fen(cost.npv) == Decimal("431478.21")
    assert fen(cost.equivalent_annual_cost) == Decimal("108066.50")
    assert fen(cost.per_tb()["raw_per_year"]) == Decimal("586.30")
    assert fen(cost.per_tb()["raw_per_month"]) == Decimal("48.86")
    assert cost.per_hour is not None and round_half_up(cost.per_hour, 3) == Decimal("12.336")
    assert cost.tax_basis is TaxBasis.EXCL


def test_mid_year_of_the_golden_case_moves_the_yearly_costs_only() -> None:
    cost = tco(bill_with(371_200), CostTerms(convention="mid-year", **GOLDEN))
    assert fen(cost.npv) == Decimal("435956.80")


def test_monthly_flows_add_up_and_lie_between_mid_year_and_end_year() -> None:
    by = {name: tco(bill_with(371_200), CostTerms(convention=name, **GOLDEN)) for name in ("end-year", "monthly")}
    flows = by["monthly"].monthly()
    assert flows is not None and len(flows) == 61
    assert fen(sum(flows, Decimal(0))) == fen(by["monthly"].total)
    assert Decimal("431478.21") < fen(by["monthly"].npv) < Decimal("435956.80")


def test_zero_rate_npv_is_the_total_and_horizon_costs_scale() -> None:
    cost = tco(bill_with(371_200), CostTerms(**GOLDEN | {"discount_fraction_per_year": 0}))
    # 328,495.5752 × 0.95 + 5 × 28,592.3745 by hand
    assert fen(cost.npv) == fen(cost.total) == Decimal("455032.67")


def test_gross_comparison_keeps_the_tax_and_unknown_basis_carries_a_caveat() -> None:
    gross = tco(bill_with(371_200), CostTerms(tax_treatment="gross", **GOLDEN))
    assert gross.known_capital == 371_200 and gross.tax_basis is TaxBasis.INCL and not gross.caveats
    excl = tco(bill_with(100_000, basis=TaxBasis.EXCL), CostTerms(tax_treatment="gross", **GOLDEN))
    assert excl.known_capital == 113_000
    unknown = tco(bill_with(371_200, basis=TaxBasis.UNKNOWN), CostTerms(**GOLDEN))
    assert unknown.known_capital == 371_200 and unknown.caveats == ("tax_basis_unknown",)
    assert unknown.vat is None
    said = tco(bill_with(371_200, basis=TaxBasis.UNKNOWN), CostTerms(price_tax_basis=TaxBasis.INCL, **GOLDEN))
    assert fen(said.known_capital) == Decimal("328495.58")


def test_an_item_on_request_leaves_the_known_part_and_no_figure_that_needs_it() -> None:
    cost = tco(bill_with(100_000, OnRequest("soon"), basis=TaxBasis.EXCL), CostTerms(**GOLDEN))
    assert cost.open_items == ("item 1",)
    assert cost.known_capital == 100_000
    assert cost.npv is None and cost.total is None and cost.equivalent_annual_cost is None and cost.monthly() is None
    assert set(cost.per_tb().values()) == {None}
    amounts = {line.code: line.amounts for line in cost.lines}
    assert amounts["energy"] is not None and amounts["support"] is None and amounts["residual"] is None


def test_a_range_has_no_npv_but_bounds() -> None:
    bill = bill_with(
        Range(Money(Decimal(90), "CNY", TaxBasis.EXCL), Money(Decimal(110), "CNY", TaxBasis.EXCL)), basis=TaxBasis.EXCL
    )
    terms = CostTerms()
    assert tco(bill, terms).npv is None
    assert tco(bill.at_bound("low"), terms).known_capital == 90
    assert tco(bill.at_bound("high"), terms).known_capital == 110


def test_break_even_price_of_what_is_on_request() -> None:
    """At the golden case's own NPV the open price must be the golden price."""
    golden = tco(bill_with(371_200), CostTerms(**GOLDEN)).npv
    assert golden is not None
    open_bill = bill_with(OnRequest())
    assert fen(break_even_capital(open_bill, CostTerms(**GOLDEN), golden)) == Decimal("371200.00")
    with pytest.raises(NoResult):
        break_even_capital(open_bill, CostTerms(**GOLDEN), Decimal(1))
    with pytest.raises(NoResult):
        break_even_capital(bill_with(1), CostTerms(**GOLDEN), golden)


def test_support_starts_after_the_warranty_and_may_be_charged_on_list() -> None:
    item = BillItem(
        sku="a",
        name="a",
        quantity=2,
        price=Fixed(Money(Decimal(80), "CNY", TaxBasis.EXCL)),
        list_price=Money(Decimal(100), "CNY", TaxBasis.EXCL),
        kind="platform",
    )
    bill = Bill(items=(item,), tax_basis=TaxBasis.EXCL)
    terms = CostTerms(support_fraction_per_year=0.1, support_base="list", support_from_year=4)
    support = tco(bill, terms).lines[-1]
    assert support.amounts == (0, 0, 0, 0, Decimal(20), Decimal(20))


def test_demand_charge_staff_software_and_decommissioning_by_hand() -> None:
    terms = CostTerms(
        horizon_years=1,
        power_w=1000,
        pue_ratio=2,
        tariff=0,
        demand_cny_per_kw_month=40,
        staff_cny_per_year=7,
        software_cny_per_year=5,
        decommission_cny=3,
    )
    cost = tco(bill_with(100, basis=TaxBasis.EXCL), terms)
    assert cost.yearly == (100, Decimal(960 + 7 + 5 + 3))  # 1 kW × 2 × 40 × 12


def test_a_flat_table_costs_as_the_price_and_an_uneven_one_by_hand() -> None:
    flat = tco(bill_with(371_200), CostTerms(**GOLDEN | {"tariff": flat_tariff(Decimal("0.65"))}))
    assert flat.npv is not None and fen(flat.npv) == Decimal("431478.21")
    table = tariff_of_periods([((7,), range(8, 20), Decimal(2))], default=Decimal(1), source="test")
    assert table.month_prices()[6] == Decimal("1.5")  # half of July's hours at 2, half at 1
    assert table.mean_price() == 1 + Decimal("0.5") * 31 / 365
    day = [1.0 if 8 <= hour < 20 else 0.0 for hour in range(24)]
    assert table.month_prices(day)[6] == 2


def test_rest_days_are_weighted_by_their_count() -> None:
    rows = ((Decimal(1),) * 24,) * 12
    rest = ((Decimal(0),) * 24,) * 12
    table = Tariff(workdays=rows, rest_days=rest, rest_days_count=(31, *(0,) * 11))
    assert table.month_prices()[:2] == (0, 1)
    assert table.mean_price() == Decimal(334) / 365


def test_shown_lines_add_up_to_the_rounded_sum() -> None:
    """Six lines of thirds: rounded one by one they would miss the sum by a fen (compare Odoo 13687)."""
    cost = tco(bill_with(*[100] * 6), CostTerms(**GOLDEN))
    shown, yearly = cost.shown(), cost.yearly
    assert yearly is not None
    for year in range(6):
        assert sum(amounts[year] for amounts in shown.values() if amounts) == round_half_up(yearly[year])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("horizon_years", 0),
        ("horizon_years", 11),
        ("horizon_years", 2.5),
        ("pue_ratio", 0.99),
        ("power_w", -1),
        ("power_w", float("nan")),
        ("tariff", 1e30),
        ("tariff", -0.1),
        ("discount_fraction_per_year", 8),
        ("discount_fraction_per_year", -1),
        ("residual_fraction", 1.2),
        ("support_fraction_per_year", "6%"),
        ("convention", "begin"),
        ("tax_treatment", "brutto"),
        ("staff_cny_per_year", float("inf")),
        ("vat_fraction", True),
    ],
)
def test_it_refuses_terms_out_of_bounds(name: str, value: object) -> None:
    with pytest.raises(InputProblems) as caught:
        CostTerms(**{name: value})
    assert [problem.field for problem in caught.value.problems] == [f"money.{name}"]


def test_it_refuses_all_bad_terms_at_once() -> None:
    with pytest.raises(InputProblems) as caught:
        CostTerms(horizon_years=0, pue_ratio=0.5, power_w=-1)  # type: ignore[arg-type]
    assert len(caught.value.problems) == 3


def test_it_refuses_bills_of_mixed_tax_basis_and_negative_prices() -> None:
    with pytest.raises(InputProblems):
        bill_with(Fixed(Money(Decimal(1), "CNY", TaxBasis.EXCL)))
    with pytest.raises(InputProblems):
        bill_with(-1)


def test_it_refuses_extra_lines_of_another_horizon() -> None:
    with pytest.raises(InputProblems):
        CostTerms(extra_lines=(ExtraLine(code="x", amounts=(Decimal(1),), formula="", basis=Basis.ASSUMED),))


@given(st.decimals(0, 2, places=2), st.decimals(1, 3, places=2), st.integers(1, 10**7), st.integers(1, 10))
def test_cost_is_monotone_in_tariff_pue_and_price(tariff: Decimal, pue: Decimal, price: int, years: int) -> None:
    def value(price: int, **changed: Any) -> Decimal:
        terms = GOLDEN | {"horizon_years": years, "tariff": tariff, "pue_ratio": pue} | changed
        npv = tco(bill_with(price), CostTerms(**terms)).npv
        assert npv is not None
        return npv

    base = value(price)
    assert value(price, tariff=tariff + 1) > base
    assert value(price, pue_ratio=min(pue + Decimal("0.01"), Decimal(3))) >= base
    assert value(price + 1) > base


@given(st.integers(1, 1000))
def test_scaling_every_price_scales_every_figure(factor: int) -> None:
    terms = CostTerms(**GOLDEN | {"power_w": 0})
    one, many = tco(bill_with(100), terms).npv, tco(bill_with(100 * factor), terms).npv
    assert one is not None and many is not None
    assert abs(one * factor - many) < Decimal("1e-15")
