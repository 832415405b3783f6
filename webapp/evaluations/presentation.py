"""Sections of an evaluation -> what the templates show. Nothing is computed here: the blocks are the proposal's own."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Any

from planner.evaluation import Evaluation
from planner.proposal.blocks import Block, Callout, Cards, Figure, Heading, NewPage, Origin, Table, Text
from planner.proposal.content import Content
from planner.proposal.sections import SECTIONS, section_blocks
from webapp.evaluations.charts import chart_option, chart_table

OPEN = frozenset({"summary", "prediction", "options", "cost", "comparison", "sensitivity"})
"""Sections that are shown at once; the others are there to be looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a table; ``id`` names the note on its origin where it has one."""

    text: str
    right: bool = False
    bold: bool = False
    origin: Origin | None = None
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One block as a template shows it."""

    template: str
    block: Any = None
    id: str = ""
    rows: Sequence[Sequence[Cell]] = ()
    lines: Sequence[str] = ()
    cards: Sequence[tuple[str, Any]] = ()
    option: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A section of the result: its code, which is its anchor, its heading and its parts."""

    code: str
    title: str
    parts: Sequence[Part] = field(default_factory=tuple)
    is_open: bool = True


def result_sections(evaluation: Evaluation, locale: str) -> tuple[Section, ...]:
    """Return the sections of the result page in one language."""
    found = []
    for code, blocks in section_blocks(evaluation, locale).items():
        heading, rest = blocks[0], blocks[1:]
        assert isinstance(heading, Heading)
        parts = tuple(_parts(code, rest, locale))
        found.append(Section(code=code, title=heading.text, parts=parts, is_open=code in OPEN))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The verdict and the headline figures, to set two evaluations side by side."""

    verdict: str
    figures: Sequence[tuple[str, str]]


def headline(evaluation: Evaluation, locale: str) -> Headline:
    """Return the headline of an evaluation in one language."""
    blocks = tuple(SECTIONS["summary"](Content(evaluation, locale)))
    verdict = next(block.title for block in blocks if isinstance(block, Callout))
    cards = next(block.cards for block in blocks if isinstance(block, Cards))
    return Headline(verdict=verdict, figures=tuple((card.label, card.value) for card in cards))


def _parts(code: str, blocks: Sequence[Block], locale: str) -> Iterator[Part]:
    numbers = count(1)
    for kind, group in groupby(blocks, key=_kind):
        if kind == "code":
            lines = tuple(block.text for block in group if isinstance(block, Text))
            yield Part(template="evaluations/_code.html", lines=lines)
            continue
        for block in group:
            if not isinstance(block, NewPage):
                yield _part(f"{code}-{next(numbers)}", block, locale)


def _kind(block: Block) -> str:
    return "code" if isinstance(block, Text) and block.kind == "code" else ""


def _part(name: str, block: Block, locale: str) -> Part:
    match block:
        case Heading():
            return Part(template="evaluations/_heading.html", block=block)
        case Text():
            return Part(template="evaluations/_text.html", block=block)
        case Callout():
            return Part(template="evaluations/_callout.html", block=block)
        case Cards():
            cards = tuple((f"{name}-{index}", card) for index, card in enumerate(block.cards, 1))
            return Part(template="evaluations/_cards.html", block=block, cards=cards)
        case Figure():
            header, rows = chart_table(block.chart, locale)
            cells = tuple(tuple(Cell(text=text, right=column > 0) for column, text in enumerate(row)) for row in rows)
            figure = Table(header, tuple(rows), (1,) * len(header), frozenset(range(1, len(header))))
            return Part(
                template="evaluations/_figure.html",
                block=block,
                id=name,
                option=chart_option(block.chart),
                rows=(_header(figure), *cells),
            )
        case Table():
            return Part(template="evaluations/_table.html", block=block, rows=(_header(block), *_rows(name, block)))
    raise TypeError(block)


def _header(table: Table) -> tuple[Cell, ...]:
    return tuple(Cell(text=text, right=column in table.right) for column, text in enumerate(table.header))


def _rows(name: str, table: Table) -> Iterator[tuple[Cell, ...]]:
    for number, row in enumerate(table.rows):
        yield tuple(
            Cell(
                text=text,
                right=column in table.right,
                bold=number in table.bold_rows,
                origin=table.origins.get((number, column)),
                id=f"{name}-{number}-{column}",
            )
            for column, text in enumerate(row)
        )
