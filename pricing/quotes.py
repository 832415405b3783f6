"""Quotes as immutable snapshots: list, discount and net apart, VAT per line, totals stored once and shown everywhere.

A quote keeps the version and hash of its price book, the model version, the evidence hashes and all inputs. It is never
recomputed: a new price makes a new quote and a difference. Tax is rounded per line, half up to the fen.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from planner.cost_terms import exact
from planner.errors import InputProblems, Problem, collecting, shown
from planner.money import Fixed, TaxBasis, round_half_up
from planner.prices import PriceBook
from pricing.books import on_day
from pricing.tax import on_top, split

ROUNDING = "half up to the fen, per line"
VALID_DAYS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteRequest:
    """What is asked for: (SKU, quantity) lines and a discount per SKU (or ``*`` for every discountable one)."""

    lines: tuple[tuple[str, int], ...]
    discounts: Mapping[str, Decimal] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    model_version: str = ""
    evidence: Mapping[str, str] = field(default_factory=dict)
    valid_days: int = VALID_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteLine:
    """One line. Amounts are None where the price is on request; tax fields are None where the basis is unknown."""

    sku: str
    name: str
    quantity: int
    list_amount: Decimal | None
    discount_fraction: Decimal
    discount_amount: Decimal | None
    offered_amount: Decimal | None
    vat_fraction: Decimal | None
    net: Decimal | None
    tax: Decimal | None
    gross: Decimal | None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A snapshot. Totals are of the lines with a price; ``open_items`` names the others and bars ``is_complete``.

    A total is None where no line has a price: nothing known is not zero.
    """

    book_id: str
    book_version: str
    book_sha256: str
    model_version: str
    evidence: Mapping[str, str]
    inputs: Mapping[str, Any]
    currency: str
    tax_basis: TaxBasis
    quoted_on: date
    valid_until: date
    lines: tuple[QuoteLine, ...]
    list_total: Decimal | None
    discount_total: Decimal | None
    offered_total: Decimal | None
    net_total: Decimal | None
    tax_total: Decimal | None
    gross_total: Decimal | None
    open_items: tuple[str, ...]
    needs_approval: bool
    caveats: tuple[str, ...]
    rounding: str = ROUNDING

    @property
    def is_complete(self) -> bool:
        """Whether every line has a price."""
        return not self.open_items

    def is_valid_on(self, day: date) -> bool:
        """Whether the quote holds on a day: from the day of the quote until before ``valid_until``."""
        return self.quoted_on <= day < self.valid_until

    def document(self) -> dict[str, Any]:
        """Return the quote as JSON values, money as decimal text; its ``sha256`` seals the content."""
        body = _plain({name: getattr(self, name) for name in self.__slots__})
        text = json.dumps(body, sort_keys=True, ensure_ascii=False)
        return {"schema": "quote", "version": 1, **body, "sha256": hashlib.sha256(text.encode()).hexdigest()}


def _plain(value: Any) -> Any:
    if isinstance(value, TaxBasis):
        return value.value
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, QuoteLine):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    return value


def quote(book: PriceBook, request: QuoteRequest, *, on: date) -> Quote:
    """Return the quote of a request on a day.

    Raises
    ------
    InputProblems
        When the book is not valid on the day, a SKU is unknown, a quantity or discount is out of bounds, or an item may
        not be discounted: all of them at once.
    """
    _check(book, request, on)
    lines = tuple(_line(book, request, sku, quantity) for sku, quantity in request.lines)
    taxed = book.tax_basis is not TaxBasis.UNKNOWN and all(
        line.tax is not None for line in lines if line.offered_amount is not None
    )
    threshold = book.discount_approval_fraction
    return Quote(
        book_id=book.id,
        book_version=book.version,
        book_sha256=book.sha256,
        model_version=request.model_version,
        evidence=MappingProxyType(dict(request.evidence)),
        inputs=MappingProxyType(json.loads(json.dumps(_plain(request.inputs)))),
        currency=book.currency,
        tax_basis=book.tax_basis,
        quoted_on=on,
        valid_until=min(on + timedelta(days=request.valid_days), book.valid_to),
        lines=lines,
        list_total=_sum(lines, "list_amount"),
        discount_total=_sum(lines, "discount_amount"),
        offered_total=_sum(lines, "offered_amount"),
        net_total=_sum(lines, "net") if taxed else None,
        tax_total=_sum(lines, "tax") if taxed else None,
        gross_total=_sum(lines, "gross") if taxed else None,
        open_items=tuple(line.name for line in lines if line.offered_amount is None),
        needs_approval=threshold is not None and any(line.discount_fraction >= threshold for line in lines),
        caveats=() if taxed else ("tax_basis_unknown",),
    )


def _sum(lines: Sequence[QuoteLine], name: str) -> Decimal | None:
    known = [amount for line in lines if (amount := getattr(line, name)) is not None]
    return sum(known, Decimal("0.00")) if known else None


def _check(book: PriceBook, request: QuoteRequest, on: date) -> None:
    with collecting() as check:
        if not book.valid_from <= on_day(on, book.timezone) < book.valid_to:
            check.add("book_not_valid", "quote.on", on.isoformat(), f"from {book.valid_from} until {book.valid_to}")
        if book.status.value != "approved":
            check.add("book_not_approved", "quote.book", book.version, f"an approved version, not {book.status.value}")
        check.number("quote.valid_days", request.valid_days, low=1, high=365, whole=True)
        if not request.lines:
            check.add("empty", "quote.lines", "none", "at least one line")
        for index, (sku, quantity) in enumerate(request.lines):
            check.choice(f"quote.lines[{index}].sku", sku, book.items)
            check.number(f"quote.lines[{index}].quantity", quantity, low=1, high=1e6, whole=True)
        for sku, fraction in request.discounts.items():
            where = f"quote.discounts.{sku}"
            exact(check, where, fraction, low="0", high="1", hint="a fraction from 0 to 1; 15 % is 0.15")
            if sku != "*" and sku in book.items and not book.items[sku].discountable:
                check.add("not_discountable", where, fraction, "an item that may be discounted")
            elif sku != "*" and sku not in {name for name, _ in request.lines}:
                check.add("unknown", where, fraction, "a SKU of the lines, or *")


def _line(book: PriceBook, request: QuoteRequest, sku: str, quantity: int) -> QuoteLine:
    item = book.item(sku)
    general = request.discounts.get("*", Decimal(0)) if item.discountable else Decimal(0)
    fraction = Decimal(request.discounts.get(sku, general))
    price = item.price_of(quantity)
    if not isinstance(price, Fixed):
        empty = dict.fromkeys(("list_amount", "discount_amount", "offered_amount", "net", "tax", "gross"))
        note = getattr(price, "note", "") or "price range"
        return QuoteLine(
            sku=sku,
            name=item.name,
            quantity=quantity,
            discount_fraction=fraction,
            vat_fraction=item.vat_fraction,
            note=note,
            **empty,
        )
    listed = round_half_up(price.money.amount)
    offered = round_half_up(listed * (1 - fraction))
    taxed = None
    if item.vat_fraction is not None and book.tax_basis is not TaxBasis.UNKNOWN:
        taxed = (split if book.tax_basis is TaxBasis.INCL else on_top)(offered, item.vat_fraction)
    return QuoteLine(
        sku=sku,
        name=item.name,
        quantity=quantity,
        list_amount=listed,
        discount_fraction=fraction,
        discount_amount=listed - offered,
        offered_amount=offered,
        vat_fraction=item.vat_fraction,
        net=taxed.net if taxed else None,
        tax=taxed.tax if taxed else None,
        gross=taxed.gross if taxed else None,
        note=item.note,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteChange:
    """How one line differs between two quotes; None where there was or is no price."""

    sku: str
    before: Decimal | None
    after: Decimal | None


def requote(old: Quote, book: PriceBook, request: QuoteRequest, *, on: date) -> tuple[Quote, tuple[QuoteChange, ...]]:
    """Return a new quote and the lines whose offered amount differs from the old one, which stays as it was."""
    if book.currency != old.currency:
        hint = f"a book in {old.currency}; convert on purpose, with a dated rate"
        raise InputProblems([Problem("currency", "quote.book", shown(book.currency), hint)])
    new = quote(book, request, on=on)
    return new, changes(old, new)


def changes(old: Quote, new: Quote) -> tuple[QuoteChange, ...]:
    """Return the lines whose offered amount differs, in the order of the old quote and then of the new."""

    def amounts(of: Quote) -> dict[str, Decimal | None]:
        found: dict[str, Decimal | None] = {}
        for line in of.lines:
            known = found.get(line.sku, Decimal(0))
            both = known is not None and line.offered_amount is not None
            found[line.sku] = known + line.offered_amount if both else None  # type: ignore[operator]
        return found

    before, after = amounts(old), amounts(new)
    return tuple(
        QuoteChange(sku=sku, before=before.get(sku), after=after.get(sku))
        for sku in dict.fromkeys([*before, *after])
        if before.get(sku) != after.get(sku) or (sku in before) != (sku in after)
    )
