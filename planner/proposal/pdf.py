"""Evaluation -> PDF."""

from planner.evaluation import Evaluation
from planner.proposal.blocks import Document, Meta
from planner.proposal.cover import Cover, cover_lines
from planner.proposal.layout import render
from planner.proposal.sections import section_blocks
from planner.proposal.words import Words


def proposal_document(evaluation: Evaluation, locale: str, cover: Cover) -> Document:
    """Return the proposal as blocks, before it is set."""
    words = Words(locale)
    meta = Meta(
        title=words("title", title=evaluation.inputs["title"]),
        subtitle=words("subtitle"),
        locale=locale,
        cover_lines=cover_lines(evaluation, locale, cover),
        serial=cover.serial,
        data_class=words(f"class_{cover.data_class}"),
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
