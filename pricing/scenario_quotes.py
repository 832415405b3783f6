"""The quote of one array option of a scenario: its lines for the whole cluster, and the quote as text."""

from collections.abc import Mapping
from datetime import date
from decimal import Decimal, InvalidOperation

from planner.errors import InputProblems, Problem, shown
from planner.option_cost import array_lines, units_count
from planner.options import array_option_id
from planner.prices import PriceBook
from planner.report import NOT_KNOWN, table
from planner.scenario import Candidate, Scenario
from planner.version import __version__
from pricing.quotes import VALID_DAYS, Quote, QuoteRequest, quote


def candidate_of(scenario: Scenario, option: str | None) -> Candidate:
    """Return the array of an option by the id that an evaluation gives it; the first candidate where none is named.

    Raises
    ------
    InputProblems
        When the scenario has no array option of that id.
    """
    named: dict[str, Candidate] = {}
    for candidate in scenario.storage.candidates:
        named[array_option_id(candidate, {"recompute", "local-nvme", *named})] = candidate
    if option is None:
        return scenario.storage.candidates[0]
    if option not in named:
        hint = "an array option of the scenario: " + ", ".join(named)
        raise InputProblems([Problem("unknown", "--option", shown(option), hint)])
    return named[option]


def discounts_of(texts: list[str]) -> Mapping[str, Decimal]:
    """Read ``SKU=fraction`` texts; ``*`` stands for every SKU that may be discounted.

    Raises
    ------
    InputProblems
        For every text that is not a SKU and a decimal fraction, or names a SKU twice.
    """
    found: dict[str, Decimal] = {}
    problems = []
    for text in texts:
        sku, _, number = text.partition("=")
        try:
            fraction = Decimal(number)
        except InvalidOperation:
            fraction = Decimal("NaN")
        if not sku.strip() or not fraction.is_finite() or sku.strip() in found:
            hint = "SKU=fraction, each SKU once; 15 % off the drives is drive-gen4-7.68tb=0.15, *=0.15 is on everything"
            problems.append(Problem("not_a_discount", "--discount", shown(text), hint))
            continue
        found[sku.strip()] = fraction
    if problems:
        raise InputProblems(problems)
    return found


def scenario_quote(
    scenario: Scenario,
    book: PriceBook,
    *,
    evidence: Mapping[str, str],
    option: str | None = None,
    discounts: Mapping[str, Decimal] | None = None,
    on: date | None = None,
    valid_days: int = VALID_DAYS,
) -> Quote:
    """Return the quote of one array option for the whole cluster.

    Parameters
    ----------
    scenario, book : Scenario, PriceBook
        The case and its price book.
    evidence : mapping of str to str
        sha256 of each dataset that the scenario rests on, by id.
    option : str, optional
        The option's id; the first candidate of the scenario by default.
    discounts : mapping of str to Decimal, optional
        Fraction off the list price by SKU, or ``*``.
    on : date, optional
        Day of the quote; by default the day on which the scenario reads its price book.
    valid_days : int
        Days of validity, cut at the end of the price book.

    Raises
    ------
    InputProblems
        As ``pricing.quotes.quote``, and for an option that the scenario does not have.
    """
    candidate = candidate_of(scenario, option)
    units = units_count(scenario, candidate)
    request = QuoteRequest(
        lines=tuple((sku, count * units) for sku, count in array_lines(candidate)),
        discounts=discounts or {},
        inputs=scenario.document(),
        model_version=__version__,
        evidence=evidence,
        valid_days=valid_days,
    )
    return quote(book, request, on=on or date.fromisoformat(scenario.money.book_date))


def _amount(value: Decimal | None) -> str:
    return NOT_KNOWN if value is None else f"{value:,.2f}"


def quote_text(found: Quote) -> str:
    """Return a quote for a terminal; a total with open items says so and is never shown as complete."""
    rows = [("item", "quantity", "list", "discount", "offered", "note")]
    rows += [
        (
            line.name,
            f"{line.quantity:,}",
            _amount(line.list_amount) if line.list_amount is not None else "on request",
            _amount(line.discount_amount),
            _amount(line.offered_amount),
            line.note,
        )
        for line in found.lines
    ]
    parts = [] if found.offered_total is None else [f"{found.currency} {_amount(found.offered_total)}"]
    if found.open_items:
        parts.append(f"{len(found.open_items)} on request: " + ", ".join(found.open_items))
    total = " + ".join(parts)
    tax = f"net {_amount(found.net_total)}, VAT {_amount(found.tax_total)}, gross {_amount(found.gross_total)}"
    return "\n".join(
        [
            table(rows),
            f"Total offered: {total}",
            f"Tax basis of the prices: {found.tax_basis.value} ({tax}; rounded {found.rounding})",
            f"Valid from {found.quoted_on} until before {found.valid_until}; "
            f"price book {found.book_id} {found.book_version}",
            *(["A discount of this size needs an approval."] if found.needs_approval else []),
        ]
    )
