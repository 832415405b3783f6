"""Blocks as reportlab flowables, set with our own line breaking."""

from collections.abc import Sequence
from typing import Any

from reportlab.lib.colors import Color
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, LongTable, TableStyle

from planner.proposal import theme
from planner.proposal.linebreak import lines
from planner.proposal.theme import Style

ASCENT = 0.88
"""Height of the first base line below the top of a line, in ems: ideographs then sit in the middle of the line."""


class TextBlock(Flowable):
    """A literal text in one style; splits between lines."""

    def __init__(self, text: str, style: Style, fonts: dict[str, str]) -> None:
        super().__init__()
        self.text, self.style, self.fonts = text, style, fonts
        self.rows: list[str] = []
        self.spaceBefore, self.spaceAfter = style.before, style.after

    def wrap(self, available_width: float, _available_height: float) -> tuple[float, float]:
        """Break the text to the width."""
        font = self.fonts[self.style.weight]
        self.width = available_width
        self.rows = lines(self.text, available_width, lambda text: float(stringWidth(text, font, self.style.size)))
        self.height = len(self.rows) * self.style.leading
        return self.width, self.height

    def split(self, available_width: float, available_height: float) -> list[Flowable]:
        """Split after the last line that fits."""
        self.wrap(available_width, available_height)
        fitting = int(available_height // self.style.leading)
        if fitting >= len(self.rows):
            return [self]
        if fitting < 1:
            return []
        first = _Rows(self.rows[:fitting], self.style, self.fonts)
        rest = TextBlock("\n".join(self.rows[fitting:]), self.style, self.fonts)
        return [first, rest]

    def draw(self) -> None:
        """Draw the lines; as text, so that it can be copied in reading order."""
        _draw_rows(self.canv, self.rows, self.style, self.fonts, self.width, self.height)


class _Rows(TextBlock):
    """Lines that are broken already."""

    def __init__(self, rows: list[str], style: Style, fonts: dict[str, str]) -> None:
        super().__init__("\n".join(rows), style, fonts)


def _draw_rows(
    canvas: Any, rows: Sequence[str], style: Style, fonts: dict[str, str], width: float, height: float
) -> None:
    canvas.setFillColor(style.colour)
    font, y = fonts[style.weight], height - style.leading * 0.5 - style.size * (ASCENT - 0.5) + style.size * 0.02
    for row in rows:
        canvas.setFont(font, style.size)
        if style.align == "right":
            canvas.drawRightString(width, y, row)
        elif style.align == "center":
            canvas.drawCentredString(width / 2, y, row)
        else:
            canvas.drawString(0, y, row)
        y -= style.leading


class HeadingBlock(TextBlock):
    """A heading that enters the outline and, at level 1, the contents."""

    def __init__(self, text: str, level: int, key: str, fonts: dict[str, str]) -> None:
        super().__init__(text, theme.HEADING[level], fonts)
        self.level, self.key = level, key
        self.keepWithNext = True

    def split(self, available_width: float, available_height: float) -> list[Flowable]:
        """Keep a heading whole."""
        return [self] if self.wrap(available_width, available_height)[1] <= available_height else []

    def draw(self) -> None:
        """Draw it and mark the place."""
        self.canv.bookmarkPage(self.key)
        self.canv.addOutlineEntry(self.text, self.key, self.level - 1, closed=False)
        super().draw()


class ChartBlock(Flowable):
    """A drawing with its caption beneath, never parted."""

    def __init__(self, drawing: Any, caption: TextBlock) -> None:
        super().__init__()
        self.drawing, self.caption = drawing, caption
        self.spaceBefore, self.spaceAfter = 4, 8

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        """Return the size of drawing and caption together."""
        _, self.caption_height = self.caption.wrap(available_width, available_height)
        self.width, self.height = available_width, self.drawing.height + 3 + self.caption_height
        return self.width, self.height

    def draw(self) -> None:
        """Draw the chart above its caption."""
        self.drawing.drawOn(self.canv, 0, self.caption_height + 3)
        self.caption.drawOn(self.canv, 0, 0)


class Box(Flowable):
    """Texts in a tinted box with a coloured edge at the left."""

    def __init__(self, parts: Sequence[TextBlock], fill: Color, edge: Color, padding: float = 10.0) -> None:
        super().__init__()
        self.parts, self.fill, self.edge, self.padding = parts, fill, edge, padding
        self.spaceBefore, self.spaceAfter = 4, 10

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        """Return the size with padding."""
        inner = available_width - 2 * self.padding - 4
        self.heights = [part.wrap(inner, available_height)[1] for part in self.parts]
        self.width, self.height = available_width, sum(self.heights) + 2 * self.padding
        return self.width, self.height

    def draw(self) -> None:
        """Draw box, edge and texts."""
        canvas = self.canv
        canvas.setFillColor(self.fill)
        canvas.rect(0, 0, self.width, self.height, stroke=0, fill=1)
        canvas.setFillColor(self.edge)
        canvas.rect(0, 0, 4, self.height, stroke=0, fill=1)
        y = self.height - self.padding
        for part, height in zip(self.parts, self.heights, strict=True):
            y -= height
            part.drawOn(canvas, self.padding + 4, y)


class CardRow(Flowable):
    """Cards of equal width side by side."""

    GAP = 8.0
    PADDING = 8.0

    def __init__(self, cards: Sequence[Sequence[TextBlock]]) -> None:
        super().__init__()
        self.cards = cards
        self.spaceBefore, self.spaceAfter = 4, 10

    def wrap(self, available_width: float, available_height: float) -> tuple[float, float]:
        """Give each card its share, all the height of the tallest."""
        self.card_width = (available_width - self.GAP * (len(self.cards) - 1)) / len(self.cards)
        inner = self.card_width - 2 * self.PADDING
        self.heights = [[part.wrap(inner, available_height)[1] for part in card] for card in self.cards]
        self.width = available_width
        self.height = max(sum(heights) for heights in self.heights) + 2 * self.PADDING
        return self.width, self.height

    def draw(self) -> None:
        """Draw the cards."""
        for index, (card, heights) in enumerate(zip(self.cards, self.heights, strict=True)):
            x = index * (self.card_width + self.GAP)
            self.canv.setFillColor(theme.PALE)
            self.canv.roundRect(x, 0, self.card_width, self.height, 4, stroke=0, fill=1)
            y = self.height - self.PADDING
            for part, height in zip(card, heights, strict=True):
                y -= height
                part.drawOn(self.canv, x + self.PADDING, y)


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    widths: Sequence[float],
    right: frozenset[int],
    bold_rows: frozenset[int],
    fonts: dict[str, str],
) -> Flowable:
    """Return a table that splits over pages, within rows too, and repeats its header."""

    def cell(text: str, column: int, *, bold: bool) -> TextBlock:
        weight = "bold" if bold else "regular"
        align = "right" if column in right else "left"
        return TextBlock(text, Style(weight=weight, size=8, leading=11, after=0, align=align), fonts)

    content = [[cell(text, column, bold=True) for column, text in enumerate(header)]]
    content += [
        [cell(text, column, bold=number in bold_rows) for column, text in enumerate(row)]
        for number, row in enumerate(rows)
    ]
    total = sum(widths)
    style = TableStyle(
        [
            ("LINEBELOW", (0, 0), (-1, 0), 0.8, theme.ACCENT),
            ("LINEBELOW", (0, 1), (-1, -1), 0.3, theme.FAINT),
            ("BACKGROUND", (0, 0), (-1, 0), theme.PALE),
            ("VALIGN", (0, 0), (-1, -1), "TOP"),
            ("LEFTPADDING", (0, 0), (-1, -1), 4),
            ("RIGHTPADDING", (0, 0), (-1, -1), 4),
            ("TOPPADDING", (0, 0), (-1, -1), 3),
            ("BOTTOMPADDING", (0, 0), (-1, -1), 3),
        ]
    )
    column_widths = [theme.BODY_WIDTH * width / total for width in widths]
    made = LongTable(content, colWidths=column_widths, repeatRows=1, splitInRow=1, style=style)
    made.spaceBefore, made.spaceAfter = 2, 10
    return made
