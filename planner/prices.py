"""Price books as the planner takes them: frozen items with a price, a source and a validity."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from planner.money import OnRequest, Price, TaxBasis
from planner.provenance import Source
from planner.runs import Finding


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceItem:
    """One priced thing. ``kind`` is platform or drive."""

    sku: str
    name: str
    kind: str
    price: Price
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedPrice:
    """A price per TB as the vendor prints it for a full configuration: kept to be checked, never used."""

    platform: str
    drive: str
    drives_count: int
    drive_tb: Decimal
    cny_per_tb: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceBook:
    """One version of a price book. Validity is half-open [valid_from, valid_to) in Asia/Shanghai."""

    id: str
    version: str
    title: str
    currency: str
    tax_basis: TaxBasis
    valid_from: str
    valid_to: str
    status: str
    source: Source
    sha256: str
    items: Mapping[str, PriceItem]
    printed: tuple[PrintedPrice, ...] = ()
    notes: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    def price(self, sku: str) -> Price:
        """Return the price of an item; one that the book lacks is on request, never 0."""
        item = self.items.get(sku)
        return item.price if item else OnRequest("not in the price book")
