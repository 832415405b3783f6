"""Price books as the planner takes them: what an item costs, on which terms, and what is not known.

A ``PriceBook`` is read by ``pricing.load_book`` and is immutable. A price is fixed, a range or on request; an item on
request never becomes 0, it stays in ``Total.open_items``.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from enum import StrEnum

from planner.errors import InputProblems, Problem, shown
from planner.money import Fixed, Money, OnRequest, Price, Range, TaxBasis, Total, total
from planner.provenance import Basis, Source
from planner.runs import Finding

BYTES_PER_TB = Decimal(10**12)
BYTES_PER_TIB = Decimal(2**40)


class BookStatus(StrEnum):
    """Life of a book version. Only an approved one prices anything."""

    DRAFT = "draft"
    APPROVED = "approved"
    RETIRED = "retired"


class TierRule(StrEnum):
    """How quantity tiers apply: one price for the whole quantity (slab), or each part at its own tier (graduated)."""

    SLAB = "slab"
    GRADUATED = "graduated"


@dataclass(frozen=True, slots=True)
class Tier:
    """From this quantity on, one unit costs ``price``."""

    from_quantity: int
    price: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceItem:
    """One line of a book. ``price`` is per unit; ``tiers`` (ascending) replace it from their quantity on."""

    sku: str
    names: Mapping[str, str]
    kind: str
    price: Price
    unit: str = "piece"
    basis: Basis = Basis.VENDOR
    vat_fraction: Decimal | None = None
    capacity_bytes: Decimal | None = None
    discountable: bool = True
    tiers: tuple[Tier, ...] = ()
    tier_rule: TierRule = TierRule.SLAB
    note: str = ""

    @property
    def name(self) -> str:
        """Return the English name, or the SKU where the book has none."""
        return self.names.get("en", self.sku)

    def price_of(self, quantity: int) -> Price:
        """Return the price of ``quantity`` units together; on request and ranges stay what they are.

        Slab: all units at the tier of the whole quantity. Graduated: units within a tier at that tier's price.
        """
        _whole_quantity(quantity)
        if not isinstance(self.price, Fixed):
            return self.price if quantity == 1 else _scaled(self.price, quantity)
        money = self.price.money
        steps = (Tier(1, money.amount), *self.tiers)
        reached = [tier for tier in steps if tier.from_quantity <= quantity]
        if self.tier_rule is TierRule.SLAB:
            return Fixed(Money(reached[-1].price * quantity, money.currency, money.tax_basis))
        amount = Decimal(0)
        for index, tier in enumerate(reached):
            end = reached[index + 1].from_quantity - 1 if index + 1 < len(reached) else quantity
            amount += tier.price * (end - tier.from_quantity + 1)
        return Fixed(Money(amount, money.currency, money.tax_basis))


def _scaled(price: Price, quantity: int) -> Price:
    return Range(price.low * quantity, price.high * quantity) if isinstance(price, Range) else price


def _whole_quantity(quantity: int) -> None:
    if isinstance(quantity, bool) or not isinstance(quantity, int) or not 1 <= quantity <= 10**9:
        hint = "a whole number from 1 to 1000000000"
        raise InputProblems([Problem("quantity", "quantity", shown(quantity), hint)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A full configuration: (SKU, quantity) lines, and what its source prints for it (to be checked, not used)."""

    id: str
    lines: tuple[tuple[str, int], ...]
    printed: Mapping[str, Decimal] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """One version of a price book: valid from ``valid_from`` until the day before ``valid_to`` in ``timezone``."""

    id: str
    version: str
    status: BookStatus
    currency: str
    tax_basis: TaxBasis
    valid_from: date
    valid_to: date
    items: Mapping[str, PriceItem]
    source: Source
    bundles: Mapping[str, Bundle] = field(default_factory=dict)
    timezone: str = "Asia/Shanghai"
    title: str = ""
    approver: str = ""
    note: str = ""
    discount_approval_fraction: Decimal | None = None
    sha256: str = ""
    findings: tuple[Finding, ...] = ()

    def item(self, sku: str) -> PriceItem:
        """Return an item; ``InputProblems`` names the SKUs of the book when there is none of this name."""
        if sku not in self.items:
            hint = "one of " + ", ".join(list(self.items)[:20])
            raise InputProblems([Problem("unknown_sku", f"prices.{self.id}", shown(sku), hint)])
        return self.items[sku]

    def price(self, sku: str) -> Price:
        """Return the price of one unit: ``Fixed``, ``Range`` or ``OnRequest``; what the book lacks is on request."""
        found = self.items.get(sku)
        return OnRequest("not in the price book") if found is None else found.price

    @property
    def zero(self) -> Money:
        """Return no money in the book's currency and tax basis."""
        return Money(Decimal(0), self.currency, self.tax_basis)

    def total(self, lines: tuple[tuple[str, int], ...]) -> Total:
        """Sum (SKU, quantity) lines with their tiers; items on request are listed, not counted."""
        return total([(sku, 1, self.item(sku).price_of(quantity)) for sku, quantity in lines], self.zero)

    def bundle(self, bundle_id: str) -> Bundle:
        """Return a configuration; ``InputProblems`` names those of the book when there is none of this id."""
        if bundle_id not in self.bundles:
            hint = "one of " + ", ".join(self.bundles)
            raise InputProblems([Problem("unknown_bundle", f"prices.{self.id}", shown(bundle_id), hint)])
        return self.bundles[bundle_id]

    def raw_bytes(self, lines: tuple[tuple[str, int], ...]) -> Decimal | None:
        """Return the raw capacity of (SKU, quantity) lines, or None where a drive's capacity is not published."""
        raw = Decimal(0)
        for sku, quantity in lines:
            item = self.item(sku)
            if item.capacity_bytes is None:
                if item.kind == "drive":
                    return None
                continue
            raw += item.capacity_bytes * quantity
        return raw or None


def per_tb(price: Total, raw_bytes: Decimal | None) -> Money | None:
    """Return the price per decimal TB raw, exact; None where an item is on request or the capacity is not known.

    >>> per_tb(Total(Money(Decimal(371_200))), 24 * Decimal("7.68e12")).rounded().amount
    Decimal('2013.89')
    """
    return _per(price, raw_bytes, BYTES_PER_TB)


def per_tib(price: Total, raw_bytes: Decimal | None) -> Money | None:
    """Return the price per binary TiB raw: 2^40 bytes, about 10 % more than per TB."""
    return _per(price, raw_bytes, BYTES_PER_TIB)


def _per(price: Total, raw_bytes: Decimal | None, unit_bytes: Decimal) -> Money | None:
    if not price.is_complete or not raw_bytes:
        return None
    known = price.known
    return Money(known.amount * unit_bytes / raw_bytes, known.currency, known.tax_basis)
