"""Sizes and colours of the proposal. Lengths are points."""

from dataclasses import dataclass

from reportlab.lib.colors import Color, HexColor
from reportlab.lib.pagesizes import A4

PAGE_WIDTH, PAGE_HEIGHT = A4
MARGIN_LEFT = MARGIN_RIGHT = 54.0
MARGIN_TOP, MARGIN_BOTTOM = 68.0, 60.0
BODY_WIDTH = PAGE_WIDTH - MARGIN_LEFT - MARGIN_RIGHT

INK = HexColor("#1b2733")
MUTED = HexColor("#5b6b7b")
FAINT = HexColor("#d8e0e8")
PALE = HexColor("#f3f6f9")
ACCENT = HexColor("#0b5cad")
GOOD = HexColor("#1a7f4b")
BAD = HexColor("#b3372f")
OPEN = HexColor("#9a6a00")
WHITE = HexColor("#ffffff")
SERIES = tuple(HexColor(code) for code in ("#0b5cad", "#d55e00", "#1a7f4b", "#a03d8f", "#5b6b7b", "#b58900"))
"""Colours told apart under the common kinds of colour blindness (after Okabe and Ito)."""

ANSWER_COLOURS = {"pays": GOOD, "does_not_pay": BAD, "not_known": OPEN}


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set: weight name, size and line distance in points, colour, space before and after."""

    weight: str = "regular"
    size: float = 9.5
    leading: float = 14.0
    colour: Color = INK
    before: float = 0.0
    after: float = 5.0
    align: str = "left"


BODY = Style()
SMALL = Style(size=8, leading=11.5, colour=MUTED, after=3)
CELL = Style(size=8, leading=11, after=0)
CELL_BOLD = Style(weight="bold", size=8, leading=11, after=0)
CELL_RIGHT = Style(size=8, leading=11, after=0, align="right")
CODE = Style(size=7.5, leading=11, colour=MUTED, after=4)
HEADING = {
    1: Style(weight="bold", size=15, leading=20, colour=ACCENT, before=14, after=7),
    2: Style(weight="bold", size=11, leading=15, colour=INK, before=8, after=4),
}
LEAD = Style(weight="regular", size=12, leading=18.5, after=8)
TITLE = Style(weight="bold", size=25, leading=33, colour=INK, after=12)
COVER = Style(size=11, leading=17, colour=MUTED, after=2)
CARD_LABEL = Style(size=7.5, leading=10, colour=MUTED, after=0)
CARD_VALUE = Style(weight="bold", size=13, leading=17, colour=INK, after=0)
CARD_NOTE = Style(size=7, leading=9.5, colour=MUTED, after=0)
