"""What stands on the cover of a proposal, in every format."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from planner.evaluation import Evaluation
from planner.proposal.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What the evaluation does not know: for whom, under which number and class. Empty values are left out."""

    customer: str = ""
    recipient: str = ""
    serial: str = ""
    data_class: str = "public"
    watermark: str = ""


def cover_lines(evaluation: Evaluation, locale: str, cover: Cover) -> Sequence[tuple[str, str]]:
    """Return the lines of the cover as (label, value); the book's end is excluded, so the day before is named."""
    words = Words(locale)
    last_day = date.fromisoformat(evaluation.prices_valid_to) - timedelta(days=1)
    lines = (
        (words("customer"), cover.customer),
        (words("recipient"), cover.recipient),
        (words("serial"), cover.serial),
        (words("date"), evaluation.inputs["money"]["book_date"]),
        (words("book"), evaluation.inputs["money"]["book"]),
        (words("valid_until"), last_day.isoformat()),
        (words("data_class"), words(f"class_{cover.data_class}")),
    )
    return tuple(line for line in lines if line[1])
