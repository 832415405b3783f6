"""Sections on what was asked and what is predicted: summary, workload, charts, options, what binds."""

from collections.abc import Iterator, Sequence

from planner.evaluation import Option
from planner.fields import fields
from planner.predict import Prediction
from planner.proposal.blocks import Block, Callout, Card, Cards, Figure, Table, Text
from planner.proposal.content import Content
from planner.proposal.plots import BarChart, LineChart, Series
from planner.uncertainty import Band

RIGHT = frozenset


def summary(c: Content) -> Iterator[Block]:
    """The sentence, the verdict and the cards."""
    evaluation, spoken = c.evaluation, c.spoken
    yield c.heading("summary")
    verdict = c.say.text(f"answer.{evaluation.headline.answer}")
    sentence = c.say.text(evaluation.headline.reason, **evaluation.headline.figures)
    yield Callout(f"{c.name(spoken)} · {verdict}", sentence, evaluation.headline.answer)
    yield Cards(tuple(_cards(c)))
    code = evaluation.recommendation["code"]
    chosen = evaluation.recommendation.get("option") or evaluation.recommendation.get("nearest")
    tier = {option.id: option.candidate for option in evaluation.options}.get(chosen or "", chosen)
    yield Text(c.say.text(code, option=tier))
    yield Text(c.say.text(spoken.verdict.reason, **spoken.verdict.figures))
    yield Text(c.words("bands_note"), "small")


def _cards(c: Content) -> Iterator[Card]:
    at, cost, form = c.spoken.at, c.spoken.cost, c.form
    grade = c.words("grade")
    yield Card(
        "TTFT p50",
        form.band(at.ttft_s, 1, unit=" s"),
        f"{form.between(at.ttft_s, 1)} · {grade} {at.grade}",
        c.origin(c.spoken, "ttft_s", "TTFT p50"),
    )
    rate = at.output_tokens_per_s
    label = c.say.text("term.output_rate")
    yield Card(
        label,
        form.band(rate, 1, unit=" tok/s"),
        f"{form.between(rate, 1)} · {grade} {at.rate_grade}",
        c.origin(c.spoken, "output_tokens_per_s", label),
    )
    output = cost.per_mtok["output"]
    work = c.evaluation.inputs["workload"]
    ratio = f"{form.number(work['prompt_tokens'], 0)} : {form.number(work['output_tokens'], 0)}"
    processed = f"{c.words('processed')} {form.band(cost.per_mtok['processed'], 2)}"
    yield Card(
        c.words("per_mtok_output"),
        "¥" + form.band(output, 2) if output else form.not_known,
        f"{ratio} · {processed}",
        c.origin(c.spoken, "per_mtok_output", c.words("per_mtok_output")),
    )
    month = cost.per_tb["raw_per_month"]
    raw = form.money(cost.per_tb["raw"])
    yield Card(
        c.words("per_tb_month"),
        form.money(month),
        f"{c.say.text('term.raw_tb')}: {raw}",
        c.origin(c.spoken, "per_tb_raw_per_month", c.words("per_tb_month")),
    )


def workload(c: Content) -> Iterator[Block]:
    """Every input with its unit and basis."""
    yield c.heading("workload")
    rows = []
    for path, record in fields().items():
        if record.section in {"money", "storage", "evidence"}:
            continue
        section, name = path.split(".")
        value = c.evaluation.inputs[section][name]
        basis = c.say.text(f"basis.{c.evaluation.input_basis[path]}")
        rows.append((record.label[c.locale], c.value(value), record.unit, basis))
    kv = c.form.number(c.evaluation.kv_bytes_per_token, 0)
    request = f"{c.form.number(c.evaluation.request_bytes / 1e9, 3)}"
    rows.append((c.words("kv_per_token"), kv, "B/token", c.say.text("basis.public")))
    rows.append((c.words("kv_per_request"), request, "GB", c.say.text("basis.estimated")))
    header = (c.words("input"), c.words("value"), c.words("unit"), c.words("basis"))
    yield Table(header, tuple(rows), (4, 3, 2, 2), RIGHT({1}))


def prediction(c: Content) -> Iterator[Block]:
    """Charts over concurrency with measured points and bands, and where the time goes."""
    yield c.heading("prediction")
    charts = (
        ("ttft_s", "ttft_p50_s", "TTFT p50 (s)", True),
        ("output_tokens_per_s", "output_tokens_per_s", "tok/s", False),
    )
    for field, measured, title, log_y in charts:
        series = tuple(_series(c, option, field, measured) for option in _charted(c))
        if any(item.points for item in series):
            chart = LineChart(
                x_title=c.words("concurrency_axis"), y_title=title, series=series, log_y=log_y, log2_x=True
            )
            yield Figure(chart, c.words("chart_caption", quantity=title))
    yield from _time(c)


def _charted(c: Content) -> Sequence[Option]:
    """The spoken-of option, the local drive and recompute: more would not be readable."""
    wanted = [c.spoken.id, "local-nvme", "recompute"]
    found = [option for name in dict.fromkeys(wanted) for option in c.evaluation.options if option.id == name]
    measured = [option for option in c.evaluation.options if option.id == "fx100" and option not in found]
    return [*found[:1], *measured, *found[1:]]


def _series(c: Content, option: Option, field: str, measured: str) -> Series:
    points: list[tuple[float, float]] = []
    band: list[tuple[float, float, float]] = []
    for prediction in option.prediction:
        value: Band | None = getattr(prediction, field)
        if value is not None:
            points.append((prediction.concurrency_count, value.p50))
            band.append((prediction.concurrency_count, value.p10, value.p90))
    tier = "recompute" if option.candidate == "nothing" else option.candidate
    reach = {prediction.concurrency_count for prediction in option.prediction}
    markers = [
        (point["concurrency_count"], point[measured], point["excluded"] is None)
        for point in c.evaluation.measured_points
        if point["tier"] == tier and point[measured] is not None and point["concurrency_count"] <= max(reach)
    ]
    return Series(name=c.name(option), points=tuple(points), band=tuple(band), markers=tuple(markers))


def _time(c: Content) -> Iterator[Block]:
    known = [option for option in c.evaluation.options if option.at.parts_s]
    if not known:
        yield Text(c.form.not_known)
        return
    parts = ("load", "queue", "prefill", "decode")
    chart = BarChart(
        x_title=c.words("seconds"),
        labels=tuple(c.name(option) for option in known),
        parts=tuple(c.say.text(f"part.{part}") for part in parts),
        values=tuple(tuple(option.at.parts_s[part] for part in parts) for option in known),
    )
    yield Figure(chart, c.words("time_caption"))


def options(c: Content) -> Iterator[Block]:
    """The options side by side."""
    yield c.heading("options")
    header = ("", "units", "ttft", "rate", "uplift", "grade", "capital", "answer")
    rows = [_option_row(c, option) for option in c.evaluation.options]
    titles = tuple(c.words(f"column.{name}") if name else "" for name in header)
    columns = {2: "ttft_s", 3: "output_tokens_per_s", 4: "throughput_uplift_fraction", 6: "capex"}
    yield Table(
        titles,
        tuple(rows),
        (3.0, 1.2, 2.4, 2.6, 2.2, 1.3, 3.0, 2.4),
        RIGHT({1, 2, 3, 4, 6}),
        origins=c.origins(c.evaluation.options, columns, titles),
    )
    work = c.evaluation.inputs["workload"]
    yield Text(
        c.words("uplift_note", tokens=c.form.number(work["output_tokens"], 0), baseline=c.name(c.baseline)),
        "small",
    )
    for option in c.evaluation.options:
        reason = c.say.text(option.verdict.reason, **option.verdict.figures)
        yield Text(f"{c.name(option)}: {reason} {_axes(c, option.at)}".strip(), "small")


def _axes(c: Content, at: Prediction) -> str:
    if not at.axes:
        return ""
    return c.words("outside", axes=c.form.join([c.say.text(f"axis.{axis}") for axis in at.axes]))


def _option_row(c: Content, option: Option) -> tuple[str, ...]:
    against, at, form = option.against_baseline, option.at, c.form
    uplift = against.throughput_uplift_fraction if against else None
    percent = form.percent(uplift.p50, 1, signed=True) if uplift else ("—" if against is None else form.not_known)
    binds = option.sizing.binding_constraint
    return (
        f"{c.name(option)}\n{c.words('binding', limit=c.say.text(f'constraint.{binds}'))}" if binds else c.name(option),
        str(option.sizing.units) if option.sizing.units else "—",
        c.with_range(at.ttft_s, 1),
        c.with_range(at.output_tokens_per_s, 1),
        percent,
        f"{at.grade}/{at.rate_grade}",
        c.capital(option) if option.sizing.units else "—",
        c.words("baseline") if against is None else c.say.text(f"answer.{option.verdict.answer}"),
    )


def sizing(c: Content) -> Iterator[Block]:
    """What binds, and the slack of the other limits."""
    yield c.heading("sizing")
    rows = []
    for option in c.evaluation.options:
        for limit in sorted(option.sizing.limits, key=lambda limit: limit.bytes_per_s):
            slack = option.sizing.slack[limit.name]
            binds = (
                c.words("binds")
                if limit.name == option.sizing.binding_constraint
                else c.form.percent(slack, 0, signed=True)
            )
            rows.append(
                (
                    c.name(option),
                    c.say.text(f"constraint.{limit.name}"),
                    limit.rule,
                    binds,
                    c.say.text(f"basis.{limit.basis}"),
                )
            )
    header = tuple(c.words(f"column.{name}") for name in ("option", "limit", "rule", "slack", "basis"))
    yield Table(header, tuple(rows), (2.2, 2.6, 5, 1.6, 1.4), RIGHT({3}))
