"""Rounding, VAT, exchange rates and capitals against published examples."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.errors import InputProblems
from pricing.capitals import rmb_capitals
from pricing.currencies import Rate, convert, rate_on
from pricing.money import Money, TaxBasis, round_half_up
from pricing.tax import net_of, on_top, split, tax_of_lines

amounts = st.decimals(0, 10**9, places=2)
rates = st.decimals(0, Decimal("0.5"), places=2)


@pytest.mark.parametrize(
    ("amount", "rounded"), [("2.675", "2.68"), ("-2.675", "-2.68"), ("2.665", "2.67"), ("0.005", "0.01")]
)
def test_halves_go_away_from_zero(amount: str, rounded: str) -> None:
    assert round_half_up(Decimal(amount)) == Decimal(rounded)


def test_money_refuses_to_mix() -> None:
    yuan = Money(Decimal(1), "CNY", TaxBasis.INCL)
    for other in (Money(Decimal(1), "USD", TaxBasis.INCL), Money(Decimal(1), "CNY", TaxBasis.EXCL)):
        with pytest.raises(ValueError, match="cannot combine"):
            yuan + other
    with pytest.raises(TypeError):
        yuan * 1.13  # type: ignore[operator]
    with pytest.raises(TypeError):
        Money(1.0)  # type: ignore[arg-type]


def test_net_is_gross_over_one_plus_rate() -> None:
    assert net_of("371200", "0.13") == Decimal("328495.58")
    taxed = split(Decimal(371_200), Decimal("0.13"))
    assert (taxed.net, taxed.tax) == (Decimal("328495.58"), Decimal("42704.42"))
    assert net_of(Decimal("371200"), 0.13) == Decimal("328495.58")


def test_rounding_rules_of_the_odoo_cases() -> None:
    """Odoo 109628: two lines of 6.70 at 15 %; the rule makes a fen of difference and is named."""
    assert tax_of_lines(["6.70", "6.70"], "0.15", rule="line").gross == Decimal("15.42")
    assert tax_of_lines(["6.70", "6.70"], "0.15", rule="total").gross == Decimal("15.41")


@given(amounts, rates)
def test_parts_always_add_up(gross: Decimal, rate: Decimal) -> None:
    taxed = split(gross, rate)
    assert taxed.net + taxed.tax == taxed.gross == round_half_up(gross)
    assert abs(on_top(taxed.net, rate).gross - taxed.gross) <= Decimal("0.01")


@pytest.mark.parametrize("rate", ["1.13", "13", "-0.1", "NaN", "x", 1])
def test_it_refuses_rates_that_are_no_fraction(rate: str) -> None:
    with pytest.raises(InputProblems):
        net_of("100", rate)


@pytest.mark.parametrize("amount", ["1,234.56", "abc", "Infinity", 1.5, True])
def test_it_refuses_amounts_that_are_not_exact(amount: str) -> None:
    with pytest.raises(InputProblems):
        net_of(amount, "0.13")


@pytest.mark.parametrize(
    ("amount", "capitals"),
    [
        # the first four as in the People's Bank rules for filling in bills
        ("1409.50", "人民币壹仟肆佰零玖元伍角"),
        ("6007.14", "人民币陆仟零柒元壹角肆分"),
        ("16409.02", "人民币壹万陆仟肆佰零玖元零贰分"),
        ("325.04", "人民币叁佰贰拾伍元零肆分"),
        ("371200", "人民币叁拾柒万壹仟贰佰元整"),
        ("328495.58", "人民币叁拾贰万捌仟肆佰玖拾伍元伍角捌分"),
        ("10", "人民币壹拾元整"),
        ("100000000", "人民币壹亿元整"),
        ("100010000", "人民币壹亿零壹万元整"),
        ("100000001", "人民币壹亿零壹元整"),
        ("10001000", "人民币壹仟万壹仟元整"),
        ("10000500", "人民币壹仟万零伍佰元整"),
        ("1000000000000", "人民币壹万亿元整"),
        ("1000200000000", "人民币壹万零贰亿元整"),
        ("0.50", "人民币伍角"),
        ("0.05", "人民币伍分"),
        ("0", "人民币零元整"),
        ("0.005", "人民币壹分"),
    ],
)
def test_capitals(amount: str, capitals: str) -> None:
    assert rmb_capitals(amount) == capitals


def test_it_refuses_capitals_of_what_is_no_amount() -> None:
    for amount in ("-1", "NaN", "1e16"):
        with pytest.raises(InputProblems):
            rmb_capitals(amount)


def test_conversion_needs_a_rate_on_the_day() -> None:
    dollars = Money(Decimal(12_000), "USD")
    assert convert(dollars, "CNY", on=date(2026, 12, 1)).amount == Decimal(86_400)
    assert convert(dollars, "USD", on=date(1990, 1, 1)) is dollars
    assert rate_on("CNY", "USD", on=date(2026, 12, 1))[0] == 1 / Decimal("7.2")
    for target, day in (("CNY", date(2027, 7, 1)), ("KRW", date(2026, 12, 1))):
        with pytest.raises(InputProblems) as caught:
            convert(dollars, target, on=day)
        assert caught.value.problems[0].code == "no_rate"


def test_it_refuses_two_rates_for_one_day() -> None:
    _, rate = rate_on("USD", "CNY", on=date(2026, 12, 1))
    with pytest.raises(InputProblems) as caught:
        rate_on("USD", "CNY", on=date(2026, 12, 1), rates=[rate, rate])
    assert caught.value.problems[0].code == "rate_overlap"
    assert isinstance(rate, Rate)
