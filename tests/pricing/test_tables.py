"""Books as CSV and XLSX: round trip, the difference to preview, and hostile cells."""

import io
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from openpyxl import Workbook, load_workbook

import pricing
from planner.errors import InputProblems
from planner.prices import PriceBook
from pricing.tables import COLUMNS, difference, export_csv, export_xlsx, import_table, safe_cell

TERMS: dict[str, Any] = {
    "id": "fx-reference",
    "version": "next",
    "status": "draft",
    "currency": "CNY",
    "tax_basis": "unknown",
    "valid_from": date(2027, 7, 1),
    "valid_to": date(2028, 1, 1),
}
SOURCE = {"id": "upload", "title": "upload"}


@pytest.fixture(scope="module")
def book() -> PriceBook:
    return pricing.load_book("fx-reference", on="2026-12-01")


def csv_of(*rows: str, header: str = "sku,kind,price_kind,price,capacity,note") -> bytes:
    return "\n".join([header, *rows]).encode()


def read(content: bytes) -> PriceBook:
    return import_table(content, terms=TERMS, source=SOURCE, file="up.csv")


def codes(content: bytes) -> set[str]:
    with pytest.raises(InputProblems) as caught:
        read(content)
    return {problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("export", [export_csv, export_xlsx])
def test_a_round_trip_changes_nothing_but_the_terms(book: PriceBook, export: Any) -> None:
    again = read(export(book))
    assert again.items.keys() == book.items.keys()
    assert {change.field for change in difference(book, again)} == {"version", "status", "valid_from", "valid_to"}


def test_the_preview_names_prices_that_change_with_their_fraction(book: PriceBook) -> None:
    changed = read(export_csv(book).replace(b",8800,", b",9680,"))
    rows = [change for change in difference(book, changed) if change.sku]
    assert [(row.sku, row.field, row.before, row.after, row.fraction) for row in rows] == [
        ("drive-gen4-7.68tb", "price", "8800", "9680", Decimal("0.1"))
    ]
    fewer = read(csv_of("fx100-platform,platform,fixed,160000,,"))
    gone = {change.sku for change in difference(book, fewer) if change.field == "item" and change.after is None}
    assert len(gone) == 6


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("=1+1,drive,fixed,1,,", "formula"),
        ("a,drive,fixed,1,,@SUM(A1)", "formula"),
        ("a,drive,fixed,1,,+cmd", "formula"),
        ("a,drive,fixed,-5,,", "formula"),
        ('a,drive,fixed,"\t5",,', "formula"),
        ('a,drive,fixed,"1,234.56",,', "ambiguous_number"),
        ('a,drive,fixed,"1.234,56",,', "ambiguous_number"),
        ("a,drive,fixed,1.234.567,,", "ambiguous_number"),
        ("a,drive,fixed,１２３,,", "not_an_amount"),
        ("a,drive,fixed,1e30,,", "not_an_amount"),
        ("a,drive,fixed,,,", "not_an_amount"),
        ("a,drive,fixed,0,,", "zero_price"),
        ("a,drive,on_request,5,,", "price_on_request"),
        ("a,drive,free,5,,", "unknown"),
        ("a,drive,fixed,5,7.68 TiB,", "unit"),
        ("a,boat,fixed,5,,", "unknown"),
        ("a,drive,fixed,5,,,extra", "too_many_cells"),
    ],
)
def test_it_refuses_hostile_and_ambiguous_cells(row: str, code: str) -> None:
    assert code in codes(csv_of(row))


def test_it_refuses_tables_that_are_none() -> None:
    assert codes(b"") == {"empty_book"}
    assert codes(csv_of()) == {"empty_book"}
    assert codes(b"\xff\xfe\x00") == {"not_utf8"}
    assert codes(b"PK\x03\x04broken") == {"not_xlsx"}
    assert codes(b"sku,kind\na,drive") == {"missing_column"}
    assert codes(csv_of("a,drive,fixed,1,,", header="sku,kind,price_kind,price,hidden,note")) == {"unknown_column"}


def test_problems_name_row_and_column() -> None:
    with pytest.raises(InputProblems) as caught:
        read(csv_of("a,drive,fixed,5,,", 'b,drive,fixed,"1,5",,'))
    assert [(problem.field, problem.file) for problem in caught.value.problems] == [("row 3, price", "up.csv")]


def test_it_refuses_a_formula_in_a_workbook() -> None:
    workbook = Workbook()
    workbook.active.append(["sku", "kind", "price_kind", "price"])
    workbook.active.append(["a", "drive", "fixed", "=1+1"])
    out = io.BytesIO()
    workbook.save(out)
    assert codes(out.getvalue()) == {"formula"}


def test_numbers_of_a_workbook_are_taken_exactly() -> None:
    workbook = Workbook()
    workbook.active.append(["sku", "kind", "price_kind", "price", "capacity"])
    workbook.active.append(["a", "drive", "fixed", 8800.1, "7.68 TB"])
    out = io.BytesIO()
    workbook.save(out)
    item = read(out.getvalue()).item("a")
    assert item.price.money.amount == Decimal("8800.1")  # type: ignore[union-attr]
    assert item.capacity_bytes == 7_680_000_000_000


def test_exported_text_never_runs(book: PriceBook) -> None:
    assert [safe_cell(text) for text in ("=1", "+1", "-1", "@a", "\ta", "a=1")] == [
        "'=1",
        "'+1",
        "'-1",
        "'@a",
        "'\ta",
        "a=1",
    ]
    sheet = load_workbook(io.BytesIO(export_xlsx(book))).worksheets[0]
    rows = list(sheet.iter_rows())
    assert [cell.value for cell in rows[0]] == list(COLUMNS)
    assert {cell.data_type for row in rows for cell in row if cell.value} == {"s"}
