"""Evaluation -> PDF."""

from dataclasses import dataclass

from planner.evaluation import Evaluation
from planner.proposal.blocks import Document, Meta
from planner.proposal.layout import render
from planner.proposal.sections import section_blocks
from planner.proposal.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What the evaluation does not know: for whom, under which number and class. Empty values are left out."""

    customer: str = ""
    recipient: str = ""
    serial: str = ""
    data_class: str = "public"
    watermark: str = ""


def proposal_document(evaluation: Evaluation, locale: str, cover: Cover) -> Document:
    """Return the proposal as blocks, before it is set."""
    words = Words(locale)
    data_class = words(f"class_{cover.data_class}")
    lines = [
        (words("customer"), cover.customer),
        (words("recipient"), cover.recipient),
        (words("serial"), cover.serial),
        (words("date"), evaluation.inputs["money"]["book_date"]),
        (words("book"), evaluation.inputs["money"]["book"]),
        (words("valid_until"), evaluation.prices_valid_to),
        (words("data_class"), data_class),
    ]
    meta = Meta(
        title=words("title", title=evaluation.inputs["title"]),
        subtitle=words("subtitle"),
        locale=locale,
        cover_lines=tuple(line for line in lines if line[1]),
        serial=cover.serial,
        data_class=data_class,
        contents_title=words("contents"),
        page_of=words("page_of", page="{page}", pages="{pages}"),
        watermark=cover.watermark,
        footer=words("footer"),
    )
    sections = section_blocks(evaluation, locale)
    return Document(meta=meta, blocks=tuple(block for blocks in sections.values() for block in blocks))


def proposal_pdf(evaluation: Evaluation, locale: str, cover: Cover | None = None) -> bytes:
    """Return the proposal as PDF bytes; the same evaluation, language and cover give the same bytes."""
    return render(proposal_document(evaluation, locale, cover or Cover()))
