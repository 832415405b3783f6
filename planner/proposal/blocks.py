"""The content of a document as plain values, apart from how it is set. All texts are literal, never markup."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from planner.proposal.plots import Chart


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 or 2; it stands in the outline and, at level 1, in the contents."""

    text: str
    level: int = 1


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph. ``kind`` names a style: body, lead, small or code."""

    text: str
    kind: str = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where one figure comes from, in words; a page shows it beside the figure, a document in its own sections."""

    figure: str
    formula: str
    basis: str
    grade: str = ""
    sources: Sequence[str] = ()
    changes_with: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """A table: ``right`` are the columns of figures, ``widths`` shares of the width, ``origins`` by (row, column)."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    widths: Sequence[float]
    right: frozenset[int] = frozenset()
    bold_rows: frozenset[int] = frozenset()
    origins: Mapping[tuple[int, int], Origin] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Card:
    """A headline figure with its label and a note beneath."""

    label: str
    value: str
    note: str = ""
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards side by side."""

    cards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class Callout:
    """A box with a bold line and a text; ``tone`` is pays, does_not_pay or not_known."""

    title: str
    text: str
    tone: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its caption, which says in words what it shows."""

    chart: Chart
    caption: str


@dataclass(frozen=True, slots=True)
class NewPage:
    """The next block starts a page."""


Block = Heading | Text | Table | Cards | Callout | Figure | NewPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Meta:
    """What stands on the cover and on every page."""

    title: str
    subtitle: str
    locale: str
    cover_lines: Sequence[tuple[str, str]] = ()
    serial: str = ""
    data_class: str = ""
    contents_title: str = ""
    page_of: str = "{page} / {pages}"
    watermark: str = ""
    footer: str = ""
    author: str = "FX Planner"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole document: cover and blocks."""

    meta: Meta
    blocks: Sequence[Block] = field(default_factory=tuple)


def texts(document: Document) -> Iterator[str]:
    """Yield every text of the document, so that its characters can be collected."""
    meta = document.meta
    yield from (meta.title, meta.subtitle, meta.serial, meta.data_class, meta.contents_title, meta.page_of)
    yield from (meta.watermark, meta.footer)
    for label, value in meta.cover_lines:
        yield from (label, value)
    for block in document.blocks:
        yield from _block_texts(block)


def _block_texts(block: Block) -> Iterator[str]:
    match block:
        case Heading() | Text():
            yield block.text
        case Table():
            yield from block.header
            for row in block.rows:
                yield from row
        case Cards():
            for card in block.cards:
                yield from (card.label, card.value, card.note)
        case Callout():
            yield from (block.title, block.text)
        case Figure():
            yield block.caption
            yield from block.chart.texts()
        case NewPage():
            return
