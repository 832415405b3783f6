"""What is wrong with an input, in the reader's language and beside the field."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from planner.errors import Problem
from planner.fields import Field, fields
from webapp.home.templatetags.fx import number

NUMBER_CODES = frozenset({"not_a_number", "not_finite", "not_whole", "out_of_range"})


def bound(value: float) -> str:
    """Write a bound of a range with as many decimals as it has."""
    return number(value, len(f"{value:.10f}".rstrip("0").partition(".")[2]))


def range_text(low: float, high: float, unit: str = "") -> str:
    """Return the values that a number may take, with its unit."""
    return (_("%(low)s to %(high)s %(unit)s") % {"low": bound(low), "high": bound(high), "unit": unit}).strip()


def whole_number_text(low: float, high: float, unit: str = "") -> str:
    """Return what a whole number must be."""
    return _("Enter a whole number, %(range)s.") % {"range": range_text(low, high, unit)}


def _number_text(record: Field) -> str:
    if record.kind == "whole":
        return whole_number_text(record.low, record.high, record.unit)
    text = _("Enter a number, %(range)s.") % {"range": range_text(record.low, record.high, record.unit)}
    if not record.unit.startswith("fraction"):
        return text
    example = _("As a fraction: 0.3 is thirty percent.")
    return f"{text} {example}"


def problem_text(problem: Problem) -> str:
    """Return what to change, in the language of the page; a problem without words of its own keeps its hint."""
    record = fields().get(problem.field)
    if record is not None and record.kind in {"number", "whole"} and problem.code in NUMBER_CODES:
        return _number_text(record)
    not_valid = _("No approved version of the price book holds on this day: %(hint)s.") % {"hint": problem.hint}
    texts = {
        "unknown": _("This is not one of the choices."),
        "unknown_dataset": _("There is no such dataset."),
        "unknown_book": _("There is no such price book."),
        "not_a_date": _("Enter a date as YYYY-MM-DD."),
        "book_not_yet_valid": not_valid,
        "book_not_valid": not_valid,
        "does_not_divide": _("Use a divisor of the node's number of GPUs."),
    }
    return texts.get(problem.code, problem.hint)


def problems_by_field(problems: Iterable[Problem]) -> dict[str, list[str]]:
    """Return the texts by the dotted path of the field."""
    found: dict[str, list[str]] = {}
    for problem in problems:
        found.setdefault(problem.field, []).append(problem_text(problem))
    return found
