"""Vector charts of the proposal: lines with measured points and bands, and stacked bars. No foreign chart library."""

import math
from collections.abc import Sequence

from reportlab.graphics.shapes import Circle, Drawing, Line, Polygon, PolyLine, Rect, String
from reportlab.lib.colors import Color
from reportlab.pdfbase.pdfmetrics import stringWidth

from planner.proposal import theme
from planner.proposal.plots import BarChart, Chart, LineChart

HEIGHT = 190.0
PAD_LEFT, PAD_RIGHT, PAD_BOTTOM, PAD_TOP = 46.0, 12.0, 34.0, 30.0
LABEL_SIZE = 7.5
TICKS_WANTED = 5


def nice_ticks(low: float, high: float) -> list[float]:
    """Return about five round ticks that cover [low, high]."""
    span = max(high - low, 1e-12)
    raw = span / TICKS_WANTED
    power = 10 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= raw)
    first = math.floor(low / step)
    count = math.ceil(high / step - 1e-9) - first
    return [round((first + index) * step, 12) for index in range(count + 1)]


def log_ticks(low: float, high: float) -> list[float]:
    """Return the powers of ten, with 2 and 5 between where the range is short, that cover [low, high]."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    factors = (1,) if last - first > 3 else (1, 2, 5)
    ticks = [factor * 10.0**power for power in range(first, last + 1) for factor in factors]
    below = max((tick for tick in ticks if tick <= low), default=ticks[0])
    above = min((tick for tick in ticks if tick >= high), default=ticks[-1])
    return [tick for tick in ticks if below <= tick <= above]


def number(value: float) -> str:
    """Return a tick label with thousands separators and no needless zeros."""
    text = f"{value:,.10f}".rstrip("0").rstrip(".")
    return text if text not in {"-0", ""} else "0"


class _Axes:
    """Maps data to the drawing and draws the grid."""

    def __init__(self, chart: LineChart, width: float, fonts: dict[str, str]) -> None:
        self.chart, self.fonts = chart, fonts
        xs = [x for s in chart.series for x, *_ in (*s.points, *s.band, *s.markers)]
        ys = [y for s in chart.series for _, y in s.points] + [
            y for s in chart.series for _, *pair in s.band for y in pair
        ]
        ys += [y for s in chart.series for _, y, _ in s.markers]
        self.x_low, self.x_high = min(xs), max(xs)
        self.y_ticks = log_ticks(min(ys), max(ys)) if chart.log_y else nice_ticks(0, max(ys))
        self.left, self.right = PAD_LEFT, width - PAD_RIGHT
        self.bottom, self.top = PAD_BOTTOM, HEIGHT - PAD_TOP
        self.xs = sorted(set(xs))

    def x(self, value: float) -> float:
        scale = math.log2 if self.chart.log2_x else float
        low, high = scale(self.x_low), scale(self.x_high)
        return self.left + (scale(value) - low) / ((high - low) or 1) * (self.right - self.left)

    def y(self, value: float) -> float:
        scale = math.log10 if self.chart.log_y else float
        low, high = scale(self.y_ticks[0]), scale(self.y_ticks[-1])
        return self.bottom + (scale(value) - low) / ((high - low) or 1) * (self.top - self.bottom)

    def draw(self, drawing: Drawing) -> None:
        for tick in self.y_ticks:
            y = self.y(tick)
            drawing.add(Line(self.left, y, self.right, y, strokeColor=theme.FAINT, strokeWidth=0.5))
            _label(drawing, self.fonts, self.left - 4, y - 2.5, number(tick), anchor="end")
        ticks = self._x_ticks()
        for tick in ticks:
            x = self.x(tick)
            drawing.add(Line(x, self.bottom, x, self.bottom - 3, strokeColor=theme.MUTED, strokeWidth=0.5))
            _label(drawing, self.fonts, x, self.bottom - 12, number(tick), anchor="middle")
        drawing.add(Line(self.left, self.bottom, self.right, self.bottom, strokeColor=theme.MUTED, strokeWidth=0.7))
        _label(drawing, self.fonts, (self.left + self.right) / 2, 8, self.chart.x_title, anchor="middle")
        _label(drawing, self.fonts, 2, HEIGHT - 10, self.chart.y_title)

    def _x_ticks(self) -> list[float]:
        if not self.chart.log2_x:
            return [tick for tick in nice_ticks(self.x_low, self.x_high) if self.x_low <= tick <= self.x_high]
        count = math.floor(math.log2(self.x_high / self.x_low)) if self.x_high > self.x_low else 0
        start = 2 ** math.ceil(math.log2(self.x_low))
        return [start * 2**index for index in range(count + 1) if start * 2**index <= self.x_high]


def _label(
    drawing: Drawing,
    fonts: dict[str, str],
    x: float,
    y: float,
    text: str,
    *,
    anchor: str = "start",
    colour: Color = theme.MUTED,
) -> None:
    drawing.add(String(x, y, text, fontName=fonts["regular"], fontSize=LABEL_SIZE, fillColor=colour, textAnchor=anchor))


def _legend(drawing: Drawing, fonts: dict[str, str], names: Sequence[str], width: float) -> None:
    x, y = PAD_LEFT, HEIGHT - 22
    for index, name in enumerate(names):
        size = stringWidth(name, fonts["regular"], LABEL_SIZE)
        if x + size + 14 > width and x > PAD_LEFT:
            return
        drawing.add(Rect(x, y + 1, 8, 4, fillColor=theme.SERIES[index % len(theme.SERIES)], strokeColor=None))
        _label(drawing, fonts, x + 11, y, name, colour=theme.INK)
        x += size + 24


def _marker(drawing: Drawing, index: int, x: float, y: float, *, used: bool) -> None:
    """Draw a measured point: its shape tells the series, hollow says that it did not feed the model."""
    colour = theme.SERIES[index % len(theme.SERIES)]
    fill = colour if used else theme.WHITE
    if index % 3 == 0:
        drawing.add(Circle(x, y, 2.6, fillColor=fill, strokeColor=colour, strokeWidth=1))
    elif index % 3 == 1:
        drawing.add(Rect(x - 2.4, y - 2.4, 4.8, 4.8, fillColor=fill, strokeColor=colour, strokeWidth=1))
    else:
        drawing.add(
            Polygon([x, y + 3.2, x - 3, y - 2.2, x + 3, y - 2.2], fillColor=fill, strokeColor=colour, strokeWidth=1)
        )


def _line_chart(chart: LineChart, width: float, fonts: dict[str, str]) -> Drawing:
    drawing = Drawing(width, HEIGHT)
    axes = _Axes(chart, width, fonts)
    axes.draw(drawing)
    for index, series in enumerate(chart.series):
        colour = theme.SERIES[index % len(theme.SERIES)]
        if series.band:
            outline = [(axes.x(x), axes.y(high)) for x, _, high in series.band]
            outline += [(axes.x(x), axes.y(low)) for x, low, _ in reversed(series.band)]
            tint = Color(colour.red, colour.green, colour.blue, alpha=0.16)
            drawing.add(Polygon([value for point in outline for value in point], fillColor=tint, strokeColor=None))
        if len(series.points) > 1:
            flat = [value for x, y in series.points for value in (axes.x(x), axes.y(y))]
            drawing.add(PolyLine(flat, strokeColor=colour, strokeWidth=1.4))
        for x, y, used in series.markers:
            _marker(drawing, index, axes.x(x), axes.y(y), used=used)
    _legend(drawing, fonts, [series.name for series in chart.series], width)
    return drawing


def _bar_chart(chart: BarChart, width: float, fonts: dict[str, str]) -> Drawing:
    row = 22.0
    height = PAD_BOTTOM + PAD_TOP + row * len(chart.labels)
    drawing = Drawing(width, height)
    left = 8 + max(stringWidth(label, fonts["regular"], LABEL_SIZE) for label in chart.labels)
    ticks = nice_ticks(0, max(sum(values) for values in chart.values) or 1)
    scale = (width - left - PAD_RIGHT - 30) / ticks[-1]
    for tick in ticks:
        x = left + tick * scale
        drawing.add(Line(x, PAD_BOTTOM, x, height - PAD_TOP, strokeColor=theme.FAINT, strokeWidth=0.5))
        _label(drawing, fonts, x, PAD_BOTTOM - 11, number(tick), anchor="middle")
    for index, (label, values) in enumerate(zip(chart.labels, chart.values, strict=True)):
        y = height - PAD_TOP - row * (index + 1) + 5
        _label(drawing, fonts, left - 5, y + 3, label, anchor="end", colour=theme.INK)
        x = left
        for part, value in enumerate(values):
            drawing.add(
                Rect(x, y, value * scale, 12, fillColor=theme.SERIES[part % len(theme.SERIES)], strokeColor=None)
            )
            x += value * scale
        _label(drawing, fonts, x + 3, y + 3, number(round(sum(values), 1)))
    _label(drawing, fonts, left, 8, chart.x_title)
    x = left
    for part, name in enumerate(chart.parts):
        drawing.add(Rect(x, height - 15, 8, 5, fillColor=theme.SERIES[part % len(theme.SERIES)], strokeColor=None))
        _label(drawing, fonts, x + 11, height - 15, name, colour=theme.INK)
        x += stringWidth(name, fonts["regular"], LABEL_SIZE) + 24
    return drawing


def draw(chart: Chart, width: float, fonts: dict[str, str]) -> Drawing:
    """Return the drawing of a chart, ``width`` points wide."""
    return _line_chart(chart, width, fonts) if isinstance(chart, LineChart) else _bar_chart(chart, width, fonts)
