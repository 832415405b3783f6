"""Price books: versioned, with a validity; what is expired or not approved is refused at the quote date."""

import tomllib
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from planner.errors import InputProblems, Problem, shown
from planner.money import Fixed, Money, OnRequest, TaxBasis, round_half_up
from planner.prices import PriceBook, PriceItem, PrintedPrice
from planner.provenance import Source
from planner.runs import Finding, Severity


def _book(content: bytes) -> PriceBook:
    raw = tomllib.loads(content.decode("utf-8"))
    basis = TaxBasis(raw["tax_basis"])
    items = {record["sku"]: _item(record, raw["currency"], basis) for record in raw["item"]}
    printed = tuple(
        PrintedPrice(
            platform=record["platform"],
            drive=record["drive"],
            drives_count=record["drives_count"],
            drive_tb=Decimal(record["drive_tb"]),
            cny_per_tb=Decimal(record["cny_per_tb"]),
        )
        for record in raw.get("printed", ())
    )
    return PriceBook(
        id=raw["id"],
        version=raw["version"],
        title=raw["title"],
        currency=raw["currency"],
        tax_basis=basis,
        valid_from=raw["valid_from"],
        valid_to=raw["valid_to"],
        status=raw["status"],
        source=Source(f"{raw['id']}@{raw['version']}", raw["source"]["title"], raw["source"]["date"]),
        sha256=sha256(content).hexdigest(),
        items=MappingProxyType(items),
        printed=printed,
        notes=MappingProxyType(dict(raw.get("notes", {}))),
    )


def _item(record: dict[str, Any], currency: str, basis: TaxBasis) -> PriceItem:
    if "price" in record:
        price: Fixed | OnRequest = Fixed(Money(Decimal(record["price"]), currency, basis))
    else:
        price = OnRequest(record["on_request"])
    return PriceItem(
        sku=record["sku"], name=record["name"], kind=record["kind"], price=price, note=record.get("note", "")
    )


@cache
def _shipped() -> tuple[PriceBook, ...]:
    folder = files("pricing").joinpath("books")
    return tuple(
        sorted(
            (_book(entry.read_bytes()) for entry in folder.iterdir() if entry.name.endswith(".toml")),
            key=lambda book: (book.id, book.version),
        )
    )


def list_books() -> tuple[PriceBook, ...]:
    """Return every version of every shipped book."""
    return _shipped()


def load_book(book_id: str, on: date) -> PriceBook:
    """Return the approved version of a book that is valid on a day in Asia/Shanghai.

    Raises
    ------
    InputProblems
        ``unknown_book``; or ``book_not_valid`` with the validity of the versions that exist.
    """
    versions = [book for book in _shipped() if book.id == book_id]
    if not versions:
        hint = "one of " + ", ".join(sorted({book.id for book in _shipped()}))
        raise InputProblems([Problem("unknown_book", "money.book", shown(book_id), hint)])
    valid = [
        book for book in versions if book.status == "approved" and book.valid_from <= on.isoformat() < book.valid_to
    ]
    if not valid:
        spans = "; ".join(f"{book.version}: {book.valid_from} to before {book.valid_to}" for book in versions)
        raise InputProblems(
            [
                Problem(
                    "book_not_valid", "money.book_date", on.isoformat(), f"a day on which the book is valid ({spans})"
                )
            ]
        )
    newest = max(valid, key=lambda book: book.valid_from)
    return replace(newest, findings=check_book(newest))


def check_book(book: PriceBook) -> tuple[Finding, ...]:
    """Return findings on a book: printed prices per TB that its own items do not give, and an unknown tax basis."""
    found = [finding for printed in book.printed if (finding := _printed(book, printed)) is not None]
    if book.tax_basis is TaxBasis.UNKNOWN:
        found.append(
            Finding(
                code="tax_basis_unknown",
                severity=Severity.WARNING,
                message=f"{book.title}: the source does not say whether VAT is included",
                consequence="Totals may be up to 13 % lower net of VAT: settle it before a contract.",
                figures={"book": book.id},
            )
        )
    return tuple(found)


def _printed(book: PriceBook, printed: PrintedPrice) -> Finding | None:
    platform, drive = book.price(printed.platform), book.price(printed.drive)
    if not (isinstance(platform, Fixed) and isinstance(drive, Fixed)):
        return None
    full = platform.money.amount + printed.drives_count * drive.money.amount
    computed = round_half_up(full / (printed.drives_count * printed.drive_tb))
    if round_half_up(computed, 0) == printed.cny_per_tb:
        return None
    return Finding(
        code="printed_price_rounding",
        severity=Severity.INFO,
        message=f"{printed.platform}: the vendor prints ¥{printed.cny_per_tb:,}/TB, the items give ¥{computed:,}/TB",
        consequence="The computed figure is used.",
        figures={"printed": str(printed.cny_per_tb), "computed": str(computed), "item": printed.platform},
    )
