"""A chart's plain values -> the option that ``js/charts.js`` draws, and the same values as a table."""

from collections.abc import Sequence
from typing import Any

from planner.proposal.formats import Formats
from planner.proposal.plots import BarChart, Chart, LineChart, Series

USED, EXCLUDED = "circle", "emptyCircle"
MARKER_SIZE = 9


def chart_option(chart: Chart) -> dict[str, Any]:
    """Return the chart as an ECharts option in JSON values, with the additions that ``js/charts.js`` knows."""
    return _lines(chart) if isinstance(chart, LineChart) else _bars(chart)


def _lines(chart: LineChart) -> dict[str, Any]:
    series = [drawn for index, item in enumerate(chart.series) for drawn in _series(item, index)]
    concurrency = sorted({x for item in chart.series for x, *_rest in (*item.points, *item.band, *item.markers)})
    x_axis: dict[str, Any] = {"type": "value", "name": chart.x_title}
    if chart.log2_x:
        x_axis |= {"type": "log", "logBase": 2}
    if concurrency:
        x_axis |= {"min": concurrency[0], "max": concurrency[-1]}
    y_axis: dict[str, Any] = {"type": "log" if chart.log_y else "value", "name": chart.y_title} | {
        "nameLocation": "end",
        "nameGap": 12,
        "nameTextStyle": {"align": "left"},
    }
    return {"xAxis": x_axis, "yAxis": y_axis, "series": series, "fx": {"digits": 1}, "tooltip": {"trigger": "item"}}


def _series(item: Series, index: int) -> list[dict[str, Any]]:
    """Return the band, the line and the measured points of one series; all three share name and colour."""
    shared = {"name": item.name, "colorIndex": index}
    line = {"type": "line", "symbol": "none", "data": [list(point) for point in item.points], "z": 2}
    drawn: list[dict[str, Any]] = [
        {**shared, **line},  # first: the legend takes the colour of the first of a name
        {**shared, "type": "band", "data": [list(row) for row in item.band]},
    ]
    for used, symbol in ((True, USED), (False, EXCLUDED)):
        points = [[x, y] for x, y, fed in item.markers if fed == used]
        if points:
            marks = {"type": "scatter", "symbol": symbol, "symbolSize": MARKER_SIZE, "data": points, "z": 3}
            drawn.append({**shared, **marks})
    return drawn


def _bars(chart: BarChart) -> dict[str, Any]:
    return {
        "xAxis": {"type": "value", "name": chart.x_title},
        "yAxis": {"type": "category", "inverse": True, "data": list(chart.labels)},
        "series": [
            {"type": "bar", "stack": "all", "name": part, "data": [values[index] for values in chart.values]}
            for index, part in enumerate(chart.parts)
        ],
        "fx": {"digits": 1, "unit": "s"},
    }


def chart_table(chart: Chart, locale: str) -> tuple[Sequence[str], Sequence[Sequence[str]]]:
    """Return the chart's values as header and rows, for reading aloud and for those who want the figures."""
    form = Formats(locale)
    if isinstance(chart, BarChart):
        rows = [
            (label, *(form.number(value, 1) for value in values))
            for label, values in zip(chart.labels, chart.values, strict=True)
        ]
        return ("", *chart.parts), rows
    header = (chart.x_title, *(f"{item.name}, {chart.y_title}" for item in chart.series))
    values = [{x: (y, *_range(item, x)) for x, y in item.points} for item in chart.series]
    counts = sorted({x for points in values for x in points})
    return header, [(form.number(x, 0), *(_cell(form, points.get(x)) for points in values)) for x in counts]


def _range(item: Series, x: float) -> tuple[float, ...]:
    return next(((low, high) for at, low, high in item.band if at == x), ())


def _cell(form: Formats, values: tuple[float, ...] | None) -> str:
    if values is None:
        return "–"
    middle, *around = (form.number(value, 1) for value in values)
    return f"{middle} ({'–'.join(around)})" if around else middle
