"""Evaluation -> PDF."""

from dataclasses import dataclass

from planner.evaluation import Evaluation
from planner.proposal import content_evidence, content_money, content_prediction
from planner.proposal.blocks import Block, Document, Meta
from planner.proposal.content import Content
from planner.proposal.layout import render
from planner.proposal.words import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What the evaluation does not know: for whom, under which number and class. Empty values are left out."""

    customer: str = ""
    recipient: str = ""
    serial: str = ""
    data_class: str = "public"
    watermark: str = ""


SECTIONS = (
    content_prediction.summary,
    content_prediction.workload,
    content_prediction.prediction,
    content_prediction.options,
    content_prediction.sizing,
    content_money.price,
    content_money.cost,
    content_money.comparison,
    content_money.sensitivity,
    content_evidence.evidence,
    content_evidence.joint_test,
    content_evidence.assumptions,
    content_evidence.sources,
    content_evidence.glossary,
    content_evidence.reproduce,
)
"""The sections in the order of the result page."""


def proposal_blocks(evaluation: Evaluation, locale: str) -> tuple[Block, ...]:
    """Return the content of a proposal as blocks."""
    content = Content(evaluation, locale)
    return tuple(block for section in SECTIONS for block in section(content))


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
    return Document(meta=meta, blocks=proposal_blocks(evaluation, locale))


def proposal_pdf(evaluation: Evaluation, locale: str, cover: Cover | None = None) -> bytes:
    """Return the proposal as PDF bytes; the same evaluation, language and cover give the same bytes."""
    return render(proposal_document(evaluation, locale, cover or Cover()))
