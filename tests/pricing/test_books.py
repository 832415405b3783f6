"""The shipped reference book, its validity, and what is refused in a book file."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import pytest

import pricing
from planner.errors import InputProblems
from planner.money import OnRequest, TaxBasis, round_half_up
from planner.prices import PriceBook, per_tb, per_tib

DAY = date(2026, 12, 1)

BOOK = """
[book]
id = "test"
version = "{version}"
status = "{status}"
approver = "x"
currency = "CNY"
tax_basis = "excl"
valid_from = {start}
valid_to = {end}
[source]
id = "s"
title = "t"
[[item]]
sku = "a"
kind = "platform"
price = {{ {price} }}
{more}
"""


def text(**changed: str) -> bytes:
    terms = {
        "version": "1",
        "status": "approved",
        "start": "2026-01-01",
        "end": "2027-01-01",
        "price": 'fixed = "100"',
        "more": "",
    }
    return BOOK.format(**terms | changed).encode()


def folder_with(tmp_path: Path, *books: bytes) -> Path:
    (tmp_path / "test").mkdir()
    for index, content in enumerate(books):
        (tmp_path / "test" / f"{index}.toml").write_bytes(content)
    return tmp_path


def codes(content: bytes) -> set[str]:
    with pytest.raises(InputProblems) as caught:
        pricing.read_book(content)
    return {problem.code for problem in caught.value.problems}


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return pricing.load_book("fx-reference", on=DAY)


@pytest.mark.parametrize(
    ("bundle", "total", "tb", "tib"),
    [
        ("fx100-full", 371_200, "2013.89", "2214.29"),  # 160,000 + 24 × 8,800 over 184.32 TB
        ("fx200-full", 331_200, "1796.88", "1975.68"),
        ("fx300-full", 924_000, "5013.02", "5511.87"),  # 600,000 + 24 × 13,500
    ],
)
def test_reference_prices(book: PriceBook, bundle: str, total: int, tb: str, tib: str) -> None:
    lines = book.bundle(bundle).lines
    known, raw = book.total(lines), book.raw_bytes(lines)
    assert known.is_complete and known.known.amount == total
    assert raw == Decimal("184.32e12")
    each, binary = per_tb(known, raw), per_tib(known, raw)
    assert each is not None and round_half_up(each.amount) == Decimal(tb)
    assert binary is not None and round_half_up(binary.amount) == Decimal(tib)
    assert each.tax_basis is TaxBasis.UNKNOWN


def test_fx400_is_on_request_everywhere(book: PriceBook) -> None:
    lines = book.bundle("fx400-full").lines
    known = book.total(lines)
    assert isinstance(book.price("fx400-platform"), OnRequest)
    assert len(known.open_items) == 2 and not known.is_complete
    assert per_tb(known, book.raw_bytes(lines)) is None


def test_what_a_book_lacks_is_on_request_and_asked_for_by_item_refused(book: PriceBook) -> None:
    assert isinstance(book.price("fx900"), OnRequest)
    with pytest.raises(InputProblems):
        book.item("fx900")


def test_findings_name_the_printed_price_that_does_not_follow_and_the_tax_basis(book: PriceBook) -> None:
    found = {finding.code: finding for finding in book.findings}
    assert set(found) == {"printed_price_rounding", "tax_basis_unknown"}
    figures = found["printed_price_rounding"].figures
    assert (figures["bundle"], figures["printed"], figures["computed"]) == ("fx300-full", 5014, 5013.02)


@pytest.mark.parametrize(
    ("on", "code"),
    [
        ("2026-06-30", "book_not_yet_valid"),
        ("2027-07-01", "book_expired"),  # half-open: the first day after
        ("tomorrow", "not_a_date"),
        ("2026-12-01T00:00:00", "no_time_zone"),
    ],
)
def test_it_refuses_days_outside_the_validity(on: str, code: str) -> None:
    with pytest.raises(InputProblems) as caught:
        pricing.load_book("fx-reference", on=on)
    assert caught.value.problems[0].code == code


def test_boundary_days_are_those_of_shanghai() -> None:
    first = datetime(2026, 6, 30, 16, 0, tzinfo=UTC)  # midnight of 1 July in Shanghai
    assert pricing.load_book("fx-reference", on=first).version == "2026-08"
    assert pricing.load_book("fx-reference", on="2027-06-30").version == "2026-08"
    with pytest.raises(InputProblems):
        pricing.load_book("fx-reference", on=first.replace(hour=15))


def test_it_refuses_unknown_books_and_paths() -> None:
    for name in ("fx", "../books/fx-reference", ""):
        with pytest.raises(InputProblems):
            pricing.load_book(name, on=DAY)


def test_books_are_listed() -> None:
    listing = pricing.list_books()
    assert [(entry.id, entry.version, entry.items_count) for entry in listing] == [("fx-reference", "2026-08", 7)]


@pytest.mark.parametrize(
    ("books", "code"),
    [
        ((text(), text(version="2", start="2026-06-01")), "book_overlap"),
        ((text(end="2026-06-01"), text(version="2", start="2027-01-01", end="2028-01-01")), "book_gap"),
        ((text(status="draft"),), "book_not_approved"),
        ((text(status="retired"),), "book_retired"),
    ],
)
def test_it_refuses_gaps_overlaps_drafts_and_retired_books(tmp_path: Path, books: tuple[bytes, ...], code: str) -> None:
    with pytest.raises(InputProblems) as caught:
        pricing.load_book("test", on=DAY, folder=folder_with(tmp_path, *books))
    assert caught.value.problems[0].code == code


def test_the_version_of_the_day_is_taken(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, text(end="2026-06-01"), text(version="2", start="2026-06-01"))
    assert pricing.load_book("test", on="2026-05-31", folder=folder).version == "1"
    assert pricing.load_book("test", on="2026-06-01", folder=folder).version == "2"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (text(price='fixed = "0"'), "zero_price"),
        (text(price='fixed = "-1"'), "out_of_range"),
        (text(price='fixed = "1e30"'), "out_of_range"),
        (text(price='fixed = "NaN"'), "not_finite"),
        (text(price='fixed = "1,234.56"'), "not_an_amount"),
        (text(price='low = "9", high = "8"'), "range_reversed"),
        (text(price='amount = "9"'), "not_a_price"),
        (text(more='vat = "0.13"'), "unknown_field"),
        (text(more='[[item]]\nsku = "a"\nkind = "drive"\nprice = { fixed = "1" }'), "duplicate_sku"),
        (text(more='tiers = [{ from = 1, price = "90" }]'), "tier_order"),
        (text(end="2026-01-01"), "validity"),
        (b"not toml", "not_toml"),
        (b"\xff", "not_toml"),
        (b"", "missing"),
    ],
)
def test_it_refuses_bad_book_files(content: bytes, code: str) -> None:
    assert code in codes(content)


def test_it_refuses_an_empty_book() -> None:
    content = text()
    assert codes(content[: content.index(b"[[item]]")]) == {"empty_book"}


def test_tiers_as_slab_and_graduated_by_hand() -> None:
    tiers = 'tiers = [{ from = 10, price = "90" }, { from = 20, price = "80" }]'
    slab = pricing.read_book(text(more=tiers))
    graduated = pricing.read_book(text(more=tiers + '\ntier_rule = "graduated"'))
    amounts = [[book.total((("a", quantity),)).known.amount for quantity in (9, 10, 25)] for book in (slab, graduated)]
    assert amounts == [[900, 900, 2000], [900, 990, 900 + 900 + 480]]  # 9 × 100 + 10 × 90 + 6 × 80
    with pytest.raises(InputProblems):
        slab.total((("a", 0),))
