"""Quotes: amounts by hand, snapshots that stay, re-quotes that say what changed, and what is refused."""

from dataclasses import FrozenInstanceError, replace
from datetime import date
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

import pricing
from planner.errors import InputProblems
from planner.money import Fixed, Money, TaxBasis
from planner.prices import PriceBook
from pricing.quotes import Quote, QuoteRequest, quote, requote

DAY = date(2026, 12, 1)
LINES = (("fx100-platform", 1), ("drive-gen4-7.68tb", 24))


def book_with(basis: TaxBasis = TaxBasis.INCL, **prices: str) -> PriceBook:
    book = pricing.load_book("fx-reference", on=DAY)
    items: dict[str, Any] = {}
    for sku, item in book.items.items():
        price = item.price
        if isinstance(price, Fixed):
            amount = Decimal(prices.get(sku.split("-")[0], price.money.amount))
            price = Fixed(Money(amount, "CNY", basis))
        items[sku] = replace(item, price=price)
    return replace(book, tax_basis=basis, items=MappingProxyType(items))


def test_list_discount_net_and_tax_stand_apart() -> None:
    got = quote(book_with(), QuoteRequest(lines=LINES, discounts={"fx100-platform": Decimal("0.1")}), on=DAY)
    platform = got.lines[0]
    assert (platform.list_amount, platform.discount_amount, platform.offered_amount) == (160_000, 16_000, 144_000)
    assert (platform.net, platform.tax) == (Decimal("127433.63"), Decimal("16566.37"))  # 144,000 / 1.13
    assert got.list_total == 371_200 and got.offered_total == got.gross_total == 355_200
    assert got.net_total == Decimal("127433.63") + Decimal("186902.65")  # 211,200 / 1.13
    assert got.net_total is not None and got.tax_total is not None
    assert got.net_total + got.tax_total == got.gross_total
    assert not got.needs_approval
    assert got.valid_until == date(2026, 12, 31)
    assert got.is_valid_on(date(2026, 12, 30)) and not got.is_valid_on(date(2026, 12, 31))


def test_unknown_tax_basis_has_no_tax_and_a_caveat() -> None:
    got = quote(book_with(TaxBasis.UNKNOWN), QuoteRequest(lines=LINES), on=DAY)
    assert (got.offered_total, got.net_total, got.tax_total, got.caveats) == (
        371_200,
        None,
        None,
        ("tax_basis_unknown",),
    )


def test_prices_without_tax_get_it_on_top() -> None:
    got = quote(book_with(TaxBasis.EXCL), QuoteRequest(lines=(("fx100-platform", 1),)), on=DAY)
    assert (got.net_total, got.tax_total, got.gross_total) == (160_000, 20_800, 180_800)


def test_an_item_on_request_is_open_and_never_0() -> None:
    got = quote(book_with(), QuoteRequest(lines=(*LINES, ("fx400-platform", 2))), on=DAY)
    assert got.open_items == ("FX400 platform, 24 bays",) and not got.is_complete
    assert got.lines[2].list_amount is None and got.lines[2].offered_amount is None
    assert got.offered_total == 371_200


def test_discounts_from_the_threshold_need_approval() -> None:
    for fraction, needed in (("0.1499", False), ("0.15", True)):
        request = QuoteRequest(lines=LINES, discounts={"*": Decimal(fraction)})
        assert quote(book_with(), request, on=DAY).needs_approval is needed


def test_a_quote_is_a_snapshot() -> None:
    inputs = {"nodes": [1, 2]}
    got = quote(book_with(), QuoteRequest(lines=LINES, inputs=inputs, evidence={"r2": "abc"}), on=DAY)
    inputs["nodes"].append(3)
    assert got.inputs["nodes"] == [1, 2]
    with pytest.raises(FrozenInstanceError):
        got.offered_total = Decimal(0)  # type: ignore[misc]
    document = got.document()
    assert document == got.document() and document["offered_total"] == "371200.00"
    assert document["sha256"] != replace(got, offered_total=Decimal("371200.01")).document()["sha256"]
    assert document["book_sha256"] == got.book_sha256 and document["evidence"] == {"r2": "abc"}


def test_a_requote_leaves_the_old_and_says_the_difference() -> None:
    request = QuoteRequest(lines=LINES)
    old = quote(book_with(), request, on=DAY)
    new, changes = requote(old, book_with(drive="10000"), request, on=date(2027, 1, 5))
    assert isinstance(new, Quote) and old.offered_total == 371_200 and new.offered_total == 400_000
    assert [(change.sku, change.before, change.after) for change in changes] == [
        ("drive-gen4-7.68tb", 211_200, 240_000)
    ]
    assert requote(old, book_with(), request, on=DAY)[1] == ()


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (QuoteRequest(lines=()), "empty"),
        (QuoteRequest(lines=(("fx900", 1),)), "unknown"),
        (QuoteRequest(lines=(("fx100-platform", 0),)), "out_of_range"),
        (QuoteRequest(lines=LINES, discounts={"*": Decimal("1.5")}), "out_of_range"),
        (QuoteRequest(lines=LINES, discounts={"*": Decimal("NaN")}), "not_finite"),
        (QuoteRequest(lines=LINES, discounts={"fx300-platform": Decimal("0.1")}), "unknown"),
        (QuoteRequest(lines=LINES, valid_days=0), "out_of_range"),
    ],
)
def test_it_refuses_bad_requests(request_: QuoteRequest, code: str) -> None:
    with pytest.raises(InputProblems) as caught:
        quote(book_with(), request_, on=DAY)
    assert code in {problem.code for problem in caught.value.problems}


def test_it_refuses_an_expired_book() -> None:
    """ERPNext 50122: expired pricing rules were still applied."""
    with pytest.raises(InputProblems) as caught:
        quote(book_with(), QuoteRequest(lines=LINES), on=date(2027, 7, 1))
    assert caught.value.problems[0].code == "book_not_valid"
