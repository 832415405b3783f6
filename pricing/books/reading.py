"""Reads one price-book file: every field checked, all problems at once, printed prices compared with the items."""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from types import MappingProxyType
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from planner.errors import Checker, InputProblems, Problem, collecting, shown
from planner.money import Fixed, Money, OnRequest, Price, Range, TaxBasis, round_half_up
from planner.prices import BookStatus, Bundle, PriceBook, PriceItem, Tier, TierRule, per_tb
from planner.provenance import Basis, Source
from planner.runs import Finding, Severity

AMOUNT_MAX = Decimal(10) ** 12
AMOUNT_PLACES = 6
KINDS = frozenset(
    [
        "platform",
        "drive",
        "port",
        "nic",
        "switch-port",
        "optics",
        "cable",
        "rack",
        "install",
        "joint-test",
        "support",
        "software",
        "service",
        "other",
    ]
)
BOOK_FIELDS = frozenset(
    [
        "id",
        "version",
        "title",
        "status",
        "approver",
        "currency",
        "tax_basis",
        "valid_from",
        "valid_to",
        "timezone",
        "note",
        "discount_approval_fraction",
    ]
)
ITEM_FIELDS = frozenset(
    [
        "sku",
        "kind",
        "names",
        "price",
        "unit",
        "basis",
        "vat_fraction",
        "capacity_bytes",
        "discountable",
        "tiers",
        "tier_rule",
        "note",
    ]
)


def amount_of(check: Checker, field: str, value: object, *, high: Decimal = AMOUNT_MAX) -> Decimal | None:
    """Return an exact amount from 0 to ``high``, or note why ``value`` is not one. Floats are refused: not exact."""
    hint = f"an exact amount such as 8800 or 8800.50, from 0 to {high:f}, as text or a whole number"
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        check.add("not_an_amount", field, value, hint)
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        check.add("not_an_amount", field, value, hint)
        return None
    if isinstance(value, str) and not (value.isascii() and value == value.strip() and "_" not in value):
        check.add("not_an_amount", field, value, hint)
    elif not amount.is_finite():
        check.add("not_finite", field, value, hint)
    elif not 0 <= amount <= high or amount.is_signed():
        check.add("out_of_range", field, value, hint)
    elif amount != round_half_up(amount, AMOUNT_PLACES):
        check.add("too_many_places", field, value, f"at most {AMOUNT_PLACES} decimals")
    else:
        return amount
    return None


def price_of(check: Checker, field: str, raw: object, *, currency: str, tax_basis: TaxBasis) -> Price | None:
    """Return a price from ``{fixed}``, ``{low, high}`` or ``{on_request}``, or note what is wrong with it."""
    hint = '{ fixed = "8800" }, { low = "8000", high = "9000" } or { on_request = "why" }'
    if not isinstance(raw, Mapping) or set(raw) not in ({"fixed"}, {"low", "high"}, {"on_request"}):
        check.add("not_a_price", field, raw, hint)
        return None
    if "on_request" in raw:
        return OnRequest(str(raw["on_request"]))
    amounts = {name: amount_of(check, f"{field}.{name}", value) for name, value in raw.items()}
    if any(amount is None for amount in amounts.values()):
        return None
    money = {name: Money(amount, currency, tax_basis) for name, amount in amounts.items() if amount is not None}
    if "fixed" in money:
        if not money["fixed"].amount:
            check.add("zero_price", field, raw, "a price above 0; a price that is not known is on_request")
            return None
        return Fixed(money["fixed"])
    if money["low"].amount > money["high"].amount:
        check.add("range_reversed", field, raw, "low is at most high")
        return None
    return Range(money["low"], money["high"])


def read_book(content: bytes, *, file: str = "") -> PriceBook:
    """Return the price book of a TOML file, with the findings on it.

    Raises
    ------
    InputProblems
        Every problem of the file at once: field, value and what would be right.
    """
    try:
        raw = tomllib.loads(content.decode("utf-8"), parse_float=Decimal)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputProblems([Problem("not_toml", "file", shown(str(error)), "a TOML file in UTF-8", file)]) from error
    return build_book(raw, sha256=hashlib.sha256(content).hexdigest(), file=file)


def build_book(raw: Mapping[str, Any], *, sha256: str, file: str = "") -> PriceBook:
    """Return the price book of plain values (TOML, an imported table), or raise all its problems."""
    with collecting(file) as check:
        terms = _terms(check, raw.get("book"))
        currency, tax_basis = terms["currency"], terms["tax_basis"]
        items: dict[str, PriceItem] = {}
        for index, record in enumerate(_tables(check, raw, "item")):
            item = _item(check, f"item[{index}]", record, currency=currency, tax_basis=tax_basis)
            if item is not None and item.sku in items:
                check.add("duplicate_sku", f"item[{index}].sku", item.sku, "each SKU once")
            elif item is not None:
                items[item.sku] = item
        if not items and not check.problems:
            check.add("empty_book", "item", "none", "at least one item")
        bundles = _bundles(check, _tables(check, raw, "bundle"), items)
        source = _source(check, raw.get("source"))
        for name in sorted(set(raw) - {"book", "item", "bundle", "source"}):
            check.add("unknown_field", name, raw[name], "book, source, item or bundle")
    book = PriceBook(
        **terms, items=MappingProxyType(items), source=source, bundles=MappingProxyType(bundles), sha256=sha256
    )
    return _with_findings(book)


def _tables(check: Checker, raw: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    records = raw.get(name, [])
    if isinstance(records, list) and all(isinstance(record, Mapping) for record in records):
        return records
    check.add("not_a_table", name, records, f"[[{name}]] tables")
    return []


def _terms(check: Checker, raw: object) -> dict[str, Any]:
    terms: dict[str, Any] = {"currency": "XXX", "tax_basis": TaxBasis.UNKNOWN}
    if not isinstance(raw, Mapping):
        check.add("missing", "book", raw, "a [book] table")
        return terms
    for name in sorted(set(raw) - BOOK_FIELDS):
        check.add("unknown_field", f"book.{name}", raw[name], "one of " + ", ".join(sorted(BOOK_FIELDS)))
    for name in ("id", "version", "currency"):
        text = raw.get(name)
        if not isinstance(text, str) or not text or len(text) > 100 or not text.isprintable():
            check.add("missing", f"book.{name}", text, "a short text")
        else:
            terms[name] = text
    if not (len(terms["currency"]) == 3 and terms["currency"].isascii() and terms["currency"].isupper()):
        check.add("currency", "book.currency", terms["currency"], "three capital letters (ISO 4217)")
        terms["currency"] = "XXX"
    status = check.choice("book.status", raw.get("status"), [member.value for member in BookStatus])
    terms["status"] = BookStatus(status) if status else BookStatus.DRAFT
    basis = check.choice("book.tax_basis", raw.get("tax_basis"), [member.value for member in TaxBasis])
    terms["tax_basis"] = TaxBasis(basis) if basis else TaxBasis.UNKNOWN
    _validity(check, raw, terms)
    for name in ("title", "approver", "note"):
        terms[name] = str(raw.get(name, ""))
    if "discount_approval_fraction" in raw:
        field = "book.discount_approval_fraction"
        terms["discount_approval_fraction"] = amount_of(
            check, field, raw["discount_approval_fraction"], high=Decimal(1)
        )
    if terms["status"] is BookStatus.APPROVED and not terms["approver"]:
        check.add("missing", "book.approver", "", "who approved the version")
    return terms


def _validity(check: Checker, raw: Mapping[str, Any], terms: dict[str, Any]) -> None:
    for name in ("valid_from", "valid_to"):
        day = raw.get(name)
        if isinstance(day, datetime) or not isinstance(day, date):
            check.add("not_a_date", f"book.{name}", day, "a day such as 2026-07-01")
        else:
            terms[name] = day
    if {"valid_from", "valid_to"} <= set(terms) and terms["valid_from"] >= terms["valid_to"]:
        check.add("validity", "book.valid_to", terms["valid_to"].isoformat(), "a day after valid_from (half-open)")
    zone = raw.get("timezone", "Asia/Shanghai")
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, TypeError, OSError):
        check.add("unknown", "book.timezone", zone, "a time zone such as Asia/Shanghai")
    terms["timezone"] = zone


def _item(
    check: Checker, field: str, raw: Mapping[str, Any], *, currency: str, tax_basis: TaxBasis
) -> PriceItem | None:
    before = len(check.problems)
    for name in sorted(set(raw) - ITEM_FIELDS):
        check.add("unknown_field", f"{field}.{name}", raw[name], "one of " + ", ".join(sorted(ITEM_FIELDS)))
    sku = raw.get("sku")
    if not isinstance(sku, str) or not sku.strip() or not sku.isprintable() or len(sku) > 100:
        check.add("missing", f"{field}.sku", sku, "a short text")
    names = raw.get("names", {})
    if not isinstance(names, Mapping) or not all(isinstance(text, str) for text in names.values()):
        check.add("not_names", f"{field}.names", names, '{ en = "…", zh-hans = "…", ko = "…" }')
    kind = check.choice(f"{field}.kind", raw.get("kind"), KINDS)
    price = price_of(check, f"{field}.price", raw.get("price"), currency=currency, tax_basis=tax_basis)
    basis = check.choice(f"{field}.basis", raw.get("basis", "vendor"), [member.value for member in Basis])
    rule = check.choice(f"{field}.tier_rule", raw.get("tier_rule", "slab"), [member.value for member in TierRule])
    vat = raw.get("vat_fraction")
    vat_fraction = None if vat is None else amount_of(check, f"{field}.vat_fraction", vat, high=Decimal(1))
    capacity = raw.get("capacity_bytes")
    size = None if capacity is None else amount_of(check, f"{field}.capacity_bytes", capacity, high=Decimal(10) ** 18)
    tiers = _tiers(check, f"{field}.tiers", raw.get("tiers", []), price)
    if not isinstance(raw.get("discountable", True), bool):
        check.add("not_true_or_false", f"{field}.discountable", raw["discountable"], "true or false")
    if len(check.problems) > before or kind is None or price is None or basis is None or rule is None:
        return None
    return PriceItem(
        sku=str(sku),
        names=MappingProxyType(dict(names)),
        kind=kind,
        price=price,
        unit=str(raw.get("unit", "piece")),
        basis=Basis(basis),
        vat_fraction=vat_fraction,
        capacity_bytes=size,
        discountable=raw.get("discountable", True),
        tiers=tiers,
        tier_rule=TierRule(rule),
        note=str(raw.get("note", "")),
    )


def _tiers(check: Checker, field: str, raw: object, price: Price | None) -> tuple[Tier, ...]:
    hint = '[{ from = 10, price = "8500" }], ascending, above 1'
    if not isinstance(raw, list):
        check.add("not_tiers", field, raw, hint)
        return ()
    if raw and not isinstance(price, Fixed):
        check.add("tiers_without_price", field, raw, "tiers only on an item with a fixed price")
    tiers: list[Tier] = []
    for index, record in enumerate(raw):
        known = isinstance(record, Mapping) and set(record) == {"from", "price"}
        if not known or isinstance(record["from"], bool) or not isinstance(record["from"], int):
            check.add("not_tiers", f"{field}[{index}]", record, hint)
            continue
        amount = amount_of(check, f"{field}[{index}].price", record["price"])
        if record["from"] <= (tiers[-1].from_quantity if tiers else 1):
            check.add("tier_order", f"{field}[{index}].from", record["from"], hint)
        elif amount is not None:
            tiers.append(Tier(record["from"], amount))
    return tuple(tiers)


def _bundles(check: Checker, records: list[Mapping[str, Any]], items: Mapping[str, PriceItem]) -> dict[str, Bundle]:
    bundles: dict[str, Bundle] = {}
    for index, record in enumerate(records):
        field, before = f"bundle[{index}]", len(check.problems)
        name, raw_lines, raw_printed = record.get("id"), record.get("lines"), record.get("printed", {})
        if not isinstance(name, str) or not name or name in bundles:
            check.add("bundle_id", f"{field}.id", name, "a text that no other bundle has")
        lines: list[tuple[str, int]] = []
        for line in raw_lines if isinstance(raw_lines, list) and raw_lines else [None]:
            if isinstance(line, list) and len(line) == 2 and line[0] in items and type(line[1]) is int and line[1] > 0:
                lines.append((line[0], line[1]))
            else:
                check.add("bundle_line", f"{field}.lines", line, '["sku of this book", quantity from 1]')
        printed = {key: amount_of(check, f"{field}.printed.{key}", value) for key, value in dict(raw_printed).items()}
        if len(check.problems) == before:
            kept = {key: value for key, value in printed.items() if value is not None}
            bundles[str(name)] = Bundle(id=str(name), lines=tuple(lines), printed=MappingProxyType(kept))
    return bundles


def _source(check: Checker, raw: object) -> Source:
    fields = {"id", "title", "date", "locator", "licence"}
    if not isinstance(raw, Mapping) or not {"id", "title"} <= set(raw) <= fields:
        check.add("missing", "source", raw, "a [source] table with id and title, and date, locator, licence")
        return Source("", "")
    return Source(**{name: str(value) for name, value in raw.items()})


def _with_findings(book: PriceBook) -> PriceBook:
    return replace(book, findings=(*printed_findings(book), *_caveats(book)))


def printed_findings(book: PriceBook) -> tuple[Finding, ...]:
    """Compare what the source prints for each bundle with its items: totals exactly, ¥/TB to the printed decimals."""
    found: list[Finding] = []
    for bundle in book.bundles.values():
        total = book.total(bundle.lines)
        each = per_tb(total, book.raw_bytes(bundle.lines))
        computed = {"total": total.known.amount if total.is_complete else None, "per_tb": each.amount if each else None}
        for key, printed in bundle.printed.items():
            exact = computed.get(key)
            exponent = printed.as_tuple().exponent
            places = max(0, -exponent) if isinstance(exponent, int) else 0
            if exact is None or round_half_up(exact, places) == printed:
                continue
            code = "printed_price_rounding" if key == "per_tb" else "printed_total_differs"
            figures: dict[str, float | str] = {
                "printed": float(printed),
                "computed": float(round_half_up(exact, 2)),
                "bundle": bundle.id,
            }
            found.append(
                Finding(
                    code=code,
                    severity=Severity.INFO if key == "per_tb" else Severity.WARNING,
                    message=f"{bundle.id}: the source prints {printed} for {key}, its items give {figures['computed']}",
                    consequence="the computed value is used, the printed one is only shown",
                    figures=figures,
                )
            )
    return tuple(found)


def _caveats(book: PriceBook) -> tuple[Finding, ...]:
    if book.tax_basis is not TaxBasis.UNKNOWN:
        return ()
    rates = [item.vat_fraction for item in book.items.values() if item.vat_fraction is not None]
    swing = max(rates, default=Decimal(0))
    return (
        Finding(
            code="tax_basis_unknown",
            severity=Severity.WARNING,
            message=f"{book.id}: the source does not say whether its prices include VAT",
            consequence=f"every amount from this book may differ by {swing:.0%}",
            figures={"vat_fraction": float(swing)},
        ),
    )
