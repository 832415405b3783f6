"""What a chart shows, as plain values, apart from how it is drawn: the PDF and the page draw the same ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A named line. ``points`` are (x, y); ``band`` are (x, low, high); ``markers`` are measured (x, y, used)."""

    name: str
    points: Sequence[tuple[float, float]] = ()
    band: Sequence[tuple[float, float, float]] = ()
    markers: Sequence[tuple[float, float, bool]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LineChart:
    """Lines over a numeric axis; ``log_y`` sets a logarithmic axis, ``log2_x`` a doubling one."""

    x_title: str
    y_title: str
    series: Sequence[Series]
    log_y: bool = False
    log2_x: bool = False

    def texts(self) -> Iterator[str]:
        """Yield the texts of the chart."""
        yield from (self.x_title, self.y_title, *(series.name for series in self.series))


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Stacked horizontal bars: one per label, one part per name; ``values[label][part]``."""

    x_title: str
    labels: Sequence[str]
    parts: Sequence[str]
    values: Sequence[Sequence[float]]

    def texts(self) -> Iterator[str]:
        """Yield the texts of the chart."""
        yield from (self.x_title, *self.labels, *self.parts)


Chart = LineChart | BarChart
