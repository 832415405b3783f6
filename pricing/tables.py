"""Price-book items as CSV and XLSX: export, import into a draft, and the difference to preview before it is approved.

A table is data, never formulas: a text cell that a spreadsheet would run (``=``, ``+``, ``-``, ``@``, tab, return in
front) is refused on import and written with an apostrophe on export. Amounts are plain digits with a point; grouping
(1,234.56 or 1.234,56) is refused, since the two read differently.
"""

import csv
import hashlib
import io
import re
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from xml.etree.ElementTree import ParseError

from planner.errors import Checker, InputProblems, Problem, collecting, shown
from planner.money import Fixed, OnRequest, Price, Range
from planner.prices import PriceBook, PriceItem
from pricing.books.reading import build_book

COLUMNS = (
    "sku",
    "kind",
    "name_en",
    "name_zh-hans",
    "name_ko",
    "price_kind",
    "price",
    "price_high",
    "unit",
    "vat_fraction",
    "capacity",
    "discountable",
    "tier_rule",
    "tiers",
    "basis",
    "note",
)
REQUIRED = frozenset({"sku", "kind", "price_kind"})
ROWS_MAX = 200_000
PROBLEMS_MAX = 200
UNPACKED_MAX_BYTES = 500_000_000
FORMULA = ("=", "+", "-", "@", "\t", "\r")
_PLAIN = re.compile(r"\d+(\.\d+)?")
_CAPACITY = re.compile(r"(\d+(?:\.\d+)?) (TB|GB)")
_BYTES = {"TB": 10**12, "GB": 10**9}


def safe_cell(text: str) -> str:
    """Return a text that a spreadsheet shows and does not run."""
    return "'" + text if text.startswith(FORMULA) else text


def _row_of(item: PriceItem) -> dict[str, str]:
    kind, low, high = _price_cells(item.price)
    capacity = "" if item.capacity_bytes is None else f"{(item.capacity_bytes / 10**12).normalize():f} TB"
    note = item.price.note if isinstance(item.price, OnRequest) else item.note
    return {
        "sku": safe_cell(item.sku),
        "kind": item.kind,
        "name_en": safe_cell(item.names.get("en", "")),
        "name_zh-hans": safe_cell(item.names.get("zh-hans", "")),
        "name_ko": safe_cell(item.names.get("ko", "")),
        "price_kind": kind,
        "price": low,
        "price_high": high,
        "unit": safe_cell(item.unit),
        "vat_fraction": "" if item.vat_fraction is None else f"{item.vat_fraction:f}",
        "capacity": capacity,
        "discountable": "true" if item.discountable else "false",
        "tier_rule": item.tier_rule.value,
        "tiers": "; ".join(f"{tier.from_quantity}: {tier.price:f}" for tier in item.tiers),
        "basis": item.basis.value,
        "note": safe_cell(note),
    }


def _price_cells(price: Price) -> tuple[str, str, str]:
    if isinstance(price, Fixed):
        return "fixed", f"{price.money.amount:f}", ""
    if isinstance(price, Range):
        return "range", f"{price.low.amount:f}", f"{price.high.amount:f}"
    return "on_request", "", ""


def export_csv(book: PriceBook) -> bytes:
    """Return the items as CSV in UTF-8 with a byte-order mark, so that spreadsheets read Chinese."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(_row_of(item) for item in book.items.values())
    return out.getvalue().encode("utf-8-sig")


def export_xlsx(book: PriceBook) -> bytes:
    """Return the items as XLSX: every cell is text, none a formula."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell

    workbook = Workbook(write_only=True)
    sheet = workbook.create_sheet("items")
    for row in [dict(zip(COLUMNS, COLUMNS, strict=True)), *(_row_of(item) for item in book.items.values())]:
        cells: list[Any] = []
        for name in COLUMNS:
            cell = WriteOnlyCell(sheet, value=row[name]) if row[name] else None
            if cell is not None:
                cell.data_type = "s"
            cells.append(cell)
        sheet.append(cells)
    out = io.BytesIO()
    workbook.save(out)
    return out.getvalue()


def _refuse(code: str, field: str, value: object, hint: str, file: str) -> InputProblems:
    return InputProblems([Problem(code, field, shown(value), hint, file)])


def _csv_rows(content: bytes, file: str) -> Iterable[list[Any]]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _refuse("not_utf8", "file", str(error), "CSV in UTF-8", file) from error
    try:
        yield from csv.reader(io.StringIO(text, newline=""), strict=True)
    except csv.Error as error:
        raise _refuse("not_csv", "file", str(error), "comma-separated values with quotes closed", file) from error


def _xlsx_rows(content: bytes, file: str) -> Iterable[list[Any]]:
    from openpyxl import load_workbook

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > UNPACKED_MAX_BYTES:
            raise _refuse("too_large", "file", unpacked, f"at most {UNPACKED_MAX_BYTES} bytes unpacked", file)
        workbook = load_workbook(io.BytesIO(content), read_only=True, data_only=False)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError) as error:
        if isinstance(error, InputProblems):
            raise
        raise _refuse("not_xlsx", "file", str(error), "an XLSX workbook", file) from error
    try:
        # Formulas arrive as text with "=" in front, array formulas as objects: both are refused as formulas later.
        for row in workbook.worksheets[0].iter_rows(values_only=True):
            yield [cell if cell is None or isinstance(cell, (str, int, float)) else f"={cell}" for cell in row]
    except (ParseError, KeyError, IndexError, TypeError, ValueError) as error:
        raise _refuse("not_xlsx", "file", str(error), "an XLSX workbook with a sheet of items", file) from error


def _text(value: Any) -> str:
    """Return a cell as text; a number as its shortest exact text, a whole float without its point."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{Decimal(repr(value)).normalize():f}"
    return str(value)


def import_table(content: bytes, *, terms: Mapping[str, Any], source: Mapping[str, str], file: str = "") -> PriceBook:
    """Return a book from a CSV or XLSX table; which of them it is, its first bytes say.

    Parameters
    ----------
    content : bytes
        The file. The first row names the columns (``COLUMNS``; sku, kind and price_kind are needed).
    terms, source : mapping
        The ``[book]`` and ``[source]`` tables: id, version, status, currency, tax basis, validity.

    Raises
    ------
    InputProblems
        The problems of all rows at once, at most 200 of them, each with the row and the column.
    """
    rows = _xlsx_rows(content, file) if content.startswith(b"PK") else _csv_rows(content, file)
    items = _records(rows, file)
    raw = {"book": dict(terms), "source": dict(source), "item": items}
    try:
        return build_book(raw, sha256=hashlib.sha256(content).hexdigest(), file=file)
    except InputProblems as error:
        raise InputProblems(error.problems[:PROBLEMS_MAX]) from error


def _records(rows: Iterable[list[Any]], file: str) -> list[dict[str, Any]]:
    with collecting(file) as check:
        records: list[dict[str, Any]] = []
        header: list[str] | None = None
        for number, cells in enumerate(rows, start=1):
            texts = [_text(cell) for cell in cells]
            if header is None:
                header = [text.strip() for text in texts]
                _check_header(check, header)
                if check.problems:
                    break
                continue
            if not any(texts):
                continue
            if len(texts) > len(header) and any(texts[len(header) :]):
                check.add("too_many_cells", f"row {number}", len(texts), f"{len(header)} cells as the first row")
            filled = texts + [""] * (len(header) - len(texts))
            records.append(_record(check, f"row {number}", dict(zip(header, filled, strict=False))))
            if len(check.problems) >= PROBLEMS_MAX or len(records) > ROWS_MAX:
                break
        if len(records) > ROWS_MAX:
            check.add("too_many_rows", "file", len(records), f"at most {ROWS_MAX} rows")
        if header is None or (not records and not check.problems):
            check.add("empty_book", "file", "no rows", "a first row of column names and at least one item")
    return records


def _check_header(check: Checker, header: list[str]) -> None:
    missing = sorted(REQUIRED - set(header))
    if missing:
        check.add("missing_column", "row 1", ", ".join(header), "the columns " + ", ".join(missing))
    for name in header:
        if name and name not in COLUMNS:
            check.add("unknown_column", "row 1", name, "one of " + ", ".join(COLUMNS))
    if len(set(header)) != len(header):
        check.add("repeated_column", "row 1", ", ".join(header), "each column once")


def _record(check: Checker, where: str, row: Mapping[str, str]) -> dict[str, Any]:
    """Return one row as the record of a book file, noting what is no plain text, amount or capacity."""
    for name, text in row.items():
        if text.startswith(FORMULA):
            check.add("formula", f"{where}, {name}", text, "text or a number; a cell that runs as a formula is refused")
            return {}
    cell = {name: text.strip() for name, text in row.items()}
    record: dict[str, Any] = {"sku": cell["sku"], "kind": cell["kind"]}
    record["names"] = {
        name.removeprefix("name_"): text for name, text in cell.items() if name.startswith("name_") and text
    }
    for name in ("unit", "note", "tier_rule", "basis"):
        if cell.get(name):
            record[name] = cell[name]
    record["price"] = _price(check, where, cell)
    if cell.get("vat_fraction"):
        record["vat_fraction"] = _amount(check, f"{where}, vat_fraction", cell["vat_fraction"])
    if cell.get("capacity"):
        record["capacity_bytes"] = _capacity(check, f"{where}, capacity", cell["capacity"])
    if cell.get("discountable"):
        flags = {"true": True, "false": False, "1": True, "0": False}
        record["discountable"] = flags.get(cell["discountable"].lower(), cell["discountable"])
    if cell.get("tiers"):
        record["tiers"] = _tiers(check, f"{where}, tiers", cell["tiers"])
    return record


def _price(check: Checker, where: str, cell: Mapping[str, str]) -> dict[str, Any]:
    kind = check.choice(f"{where}, price_kind", cell["price_kind"], ("fixed", "range", "on_request"))
    low, high = cell.get("price", ""), cell.get("price_high", "")
    if kind == "on_request":
        if low or high:
            check.add("price_on_request", f"{where}, price", low or high, "no amount: the price is on request")
        return {"on_request": cell.get("note", "")}
    if kind == "range":
        return {
            "low": _amount(check, f"{where}, price", low),
            "high": _amount(check, f"{where}, price_high", high),
        }
    return {"fixed": _amount(check, f"{where}, price", low)}


def _amount(check: Checker, field: str, text: str) -> str | None:
    if "," in text or text.count(".") > 1:
        check.add("ambiguous_number", field, text, "digits with a point and no grouping: 1234.56")
    elif not (text.isascii() and _PLAIN.fullmatch(text)):
        check.add("not_an_amount", field, text, "digits with a point: 1234.56; an unknown price is on_request")
    else:
        return text
    return None


def _capacity(check: Checker, field: str, text: str) -> Decimal | None:
    match = _CAPACITY.fullmatch(text)
    if match is None:
        check.add("unit", field, text, "decimal TB or GB as drives are sold, such as 7.68 TB; TiB is another unit")
        return None
    return Decimal(match.group(1)) * _BYTES[match.group(2)]


def _tiers(check: Checker, field: str, text: str) -> list[dict[str, Any]]:
    tiers = []
    for part in text.split(";"):
        start, colon, amount = part.partition(":")
        if not (colon and start.strip().isascii() and start.strip().isdigit()):
            check.add("not_tiers", field, part, "10: 8500; 50: 8200")
            continue
        tiers.append({"from": int(start), "price": _amount(check, field, amount.strip())})
    return tiers


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One difference: ``sku`` is empty for the terms of the book; None where there was or is nothing."""

    sku: str
    field: str
    before: str | None
    after: str | None
    fraction: Decimal | None = None


def difference(before: PriceBook, after: PriceBook) -> tuple[Change, ...]:
    """Return what a new version changes: terms, items that go, come or differ, with the relative change of a price."""
    changes = []
    for name in ("version", "status", "currency", "tax_basis", "valid_from", "valid_to"):
        old, new = _shown(getattr(before, name)), _shown(getattr(after, name))
        if old != new:
            changes.append(Change(sku="", field=name, before=old, after=new))
    for sku in dict.fromkeys([*before.items, *after.items]):
        first, second = before.items.get(sku), after.items.get(sku)
        if first is None or second is None:
            rows = [None if item is None else item.name for item in (first, second)]
            changes.append(Change(sku=sku, field="item", before=rows[0], after=rows[1]))
            continue
        old_row, new_row = _row_of(first), _row_of(second)
        for name in COLUMNS:
            if old_row[name] != new_row[name]:
                fraction = _fraction(first.price, second.price) if name == "price" else None
                changes.append(
                    Change(sku=sku, field=name, before=old_row[name], after=new_row[name], fraction=fraction)
                )
    return tuple(changes)


def _shown(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)


def _fraction(before: Price, after: Price) -> Decimal | None:
    if isinstance(before, Fixed) and isinstance(after, Fixed):
        return after.money.amount / before.money.amount - 1
    return None
