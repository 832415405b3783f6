"""A document set on A4: cover, contents, header and footer, outline, watermark. The same input, the same bytes."""

from dataclasses import replace
from io import BytesIO
from typing import Any

from reportlab.platypus import BaseDocTemplate, Flowable, Frame, NextPageTemplate, PageBreak, PageTemplate, Spacer
from reportlab.platypus.tableofcontents import TableOfContents

from planner.proposal import fonts as font_subsets
from planner.proposal import theme
from planner.proposal.blocks import Block, Callout, Cards, Document, Figure, Heading, Meta, NewPage, Table, Text, texts
from planner.proposal.charts import draw
from planner.proposal.flowables import Box, CardRow, ChartBlock, HeadingBlock, TextBlock, table
from planner.proposal.theme import Style

TEXT_STYLES = {"body": theme.BODY, "lead": theme.LEAD, "small": theme.SMALL, "code": theme.CODE}
PASSES_MAX = 5


def render(document: Document) -> bytes:
    """Return the document as PDF bytes; equal documents give equal bytes."""
    document = _printable(document)
    characters = frozenset(character for text in texts(document) for character in text)
    fonts = font_subsets.register(document.meta.locale, characters)
    buffer = BytesIO()
    template = _Template(buffer, document.meta, fonts)
    template.multiBuild(_story(document, fonts), maxPasses=PASSES_MAX)
    return buffer.getvalue()


def _printable(document: Document) -> Document:
    """Return the document with every text as the fonts can show it."""
    locale = document.meta.locale

    def shown(value: Any) -> Any:
        if isinstance(value, str):
            return font_subsets.printable(value, locale)
        if isinstance(value, (tuple, list)):
            return type(value)(shown(item) for item in value)
        if isinstance(value, frozenset) or not hasattr(value, "__dataclass_fields__"):
            return value
        return replace(value, **{name: shown(getattr(value, name)) for name in value.__dataclass_fields__})

    meta = replace(shown(document.meta), locale=locale)
    return Document(meta=meta, blocks=tuple(shown(block) for block in document.blocks))


class _Contents(TableOfContents):
    """Contents set with our fonts: title, dots, page."""

    def __init__(self, fonts: dict[str, str]) -> None:
        super().__init__()
        self.fonts = fonts

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        self.width = available_width
        self.height = 17.0 * max(len(self._lastEntries), 1)
        return self.width, self.height

    def split(self, _available_width: float, _available_height: float) -> list[Flowable]:
        return []

    def drawOn(self, canvas: Any, x: float, y: float, _sW: float = 0) -> None:
        canvas.setFont(self.fonts["regular"], 10)
        for index, (_, text, page, key) in enumerate(self._lastEntries):
            line = y + self.height - 17.0 * (index + 1) + 5
            canvas.setFillColor(theme.INK)
            canvas.drawString(x, line, text)
            canvas.setFillColor(theme.MUTED)
            canvas.drawRightString(x + self.width, line, str(page))
            canvas.setStrokeColor(theme.FAINT)
            canvas.setLineWidth(0.4)
            canvas.line(x, line - 4, x + self.width, line - 4)
            canvas.linkRect("", key, (x, line - 4, x + self.width, line + 11), relative=1, thickness=0)


class _Template(BaseDocTemplate):
    def __init__(self, target: BytesIO, meta: Meta, fonts: dict[str, str]) -> None:
        super().__init__(
            target,
            pagesize=(theme.PAGE_WIDTH, theme.PAGE_HEIGHT),
            leftMargin=theme.MARGIN_LEFT,
            rightMargin=theme.MARGIN_RIGHT,
            topMargin=theme.MARGIN_TOP,
            bottomMargin=theme.MARGIN_BOTTOM,
            title=meta.title,
            subject=meta.subtitle,
            author=meta.author,
            lang=meta.locale,
            invariant=1,
        )
        self.meta, self.fonts, self.pages_count = meta, fonts, 0
        height = theme.PAGE_HEIGHT - theme.MARGIN_TOP - theme.MARGIN_BOTTOM
        frame = Frame(theme.MARGIN_LEFT, theme.MARGIN_BOTTOM, theme.BODY_WIDTH, height, 0, 0, 0, 0, id="body")
        self.addPageTemplates(
            [PageTemplate("cover", [frame], onPage=self._cover), PageTemplate("body", [frame], onPage=self._page)]
        )

    def afterFlowable(self, flowable: Flowable) -> None:
        """Enter headings of level 1 into the contents."""
        if isinstance(flowable, HeadingBlock) and flowable.level == 1:
            self.notify("TOCEntry", (0, flowable.text, self.page, flowable.key))

    def _allSatisfied(self) -> bool:
        """Build again until the number of pages that stands on each page is right, as the contents must be."""
        settled = self.pages_count == self.page
        self.pages_count = self.page
        return bool(super()._allSatisfied()) and settled

    def _cover(self, canvas: Any, _document: Any) -> None:
        canvas.setFillColor(theme.ACCENT)
        canvas.rect(0, theme.PAGE_HEIGHT - 14, theme.PAGE_WIDTH, 14, stroke=0, fill=1)
        self._watermark(canvas)
        self._footer(canvas)

    def _page(self, canvas: Any, _document: Any) -> None:
        self._watermark(canvas)
        y = theme.PAGE_HEIGHT - 38
        canvas.setFont(self.fonts["regular"], 7.5)
        canvas.setFillColor(theme.MUTED)
        canvas.drawString(theme.MARGIN_LEFT, y, self.meta.serial)
        canvas.drawRightString(theme.PAGE_WIDTH - theme.MARGIN_RIGHT, y, self.meta.data_class)
        canvas.setStrokeColor(theme.FAINT)
        canvas.setLineWidth(0.5)
        canvas.line(theme.MARGIN_LEFT, y - 6, theme.PAGE_WIDTH - theme.MARGIN_RIGHT, y - 6)
        self._footer(canvas)

    def _footer(self, canvas: Any) -> None:
        canvas.setFont(self.fonts["regular"], 7.5)
        canvas.setFillColor(theme.MUTED)
        canvas.drawString(theme.MARGIN_LEFT, 34, self.meta.footer)
        text = self.meta.page_of.format(page=self.page, pages=max(self.pages_count, self.page))
        canvas.drawRightString(theme.PAGE_WIDTH - theme.MARGIN_RIGHT, 34, text)

    def _watermark(self, canvas: Any) -> None:
        if not self.meta.watermark:
            return
        canvas.saveState()
        canvas.setFont(self.fonts["bold"], 60)
        canvas.setFillColor(theme.FAINT)
        canvas.setFillAlpha(0.35)
        canvas.translate(theme.PAGE_WIDTH / 2, theme.PAGE_HEIGHT / 2)
        canvas.rotate(38)
        canvas.drawCentredString(0, 0, self.meta.watermark)
        canvas.restoreState()


def _story(document: Document, fonts: dict[str, str]) -> list[Flowable]:
    meta = document.meta
    story: list[Flowable] = [
        Spacer(1, 130),
        TextBlock(meta.title, theme.TITLE, fonts),
        TextBlock(meta.subtitle, Style(size=13, leading=20, colour=theme.MUTED, after=40), fonts),
    ]
    story += [TextBlock(f"{label}  {value}", theme.COVER, fonts) for label, value in meta.cover_lines]
    story += [NextPageTemplate("body"), PageBreak()]
    if meta.contents_title:
        story += [TextBlock(meta.contents_title, theme.HEADING[1], fonts), _Contents(fonts), PageBreak()]
    for number, block in enumerate(document.blocks):
        story.append(_flowable(block, number, fonts))
    return story


def _flowable(block: Block, number: int, fonts: dict[str, str]) -> Flowable:
    match block:
        case Heading():
            return HeadingBlock(block.text, block.level, f"h{number}", fonts)
        case Text():
            return TextBlock(block.text, TEXT_STYLES[block.kind], fonts)
        case Table():
            return table(block.header, block.rows, block.widths, block.right, block.bold_rows, fonts)
        case Cards():
            styles = (theme.CARD_LABEL, theme.CARD_VALUE, theme.CARD_NOTE)
            return CardRow(
                [
                    [
                        TextBlock(t, s, fonts)
                        for t, s in zip((card.label, card.value, card.note), styles, strict=True)
                        if t
                    ]
                    for card in block.cards
                ]
            )
        case Callout():
            tone = theme.ANSWER_COLOURS[block.tone]
            parts = [TextBlock(block.title, Style(weight="bold", size=12, leading=18, colour=tone, after=0), fonts)]
            parts.append(TextBlock(block.text, theme.LEAD, fonts))
            return Box(parts, theme.PALE, tone)
        case Figure():
            drawing = draw(block.chart, theme.BODY_WIDTH, fonts)
            return ChartBlock(drawing, TextBlock(block.caption, theme.SMALL, fonts))
        case NewPage():
            return PageBreak()
