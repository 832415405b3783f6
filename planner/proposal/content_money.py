"""Sections on money: price lines, cost of ownership, comparison, sensitivity and break-even."""

from collections.abc import Iterator, Mapping

from planner.evaluation import Option
from planner.fields import fields
from planner.proposal.blocks import Block, Heading, Origin, Table, Text
from planner.proposal.content import Content

RIGHT = frozenset


def price(c: Content) -> Iterator[Block]:
    """Price lines of each array at year 0, and the price per TB."""
    yield c.heading("price")
    rows, bold = [], set()
    for option in c.evaluation.options:
        if not option.sizing.units:
            continue
        for line in option.cost.lines:
            if line.code not in {"platform", "drives", "network"}:
                continue
            amount = c.say.text("on_request") if line.amounts is None else c.form.money(line.amounts[0])
            rows.append((c.name(option), c.say.text(f"line.{line.code}"), line.formula, amount))
        bold.add(len(rows))
        per_tb = f"{c.say.text('term.raw_tb')}: {c.form.money(option.cost.per_tb['raw'])}"
        rows.append((c.name(option), c.words("total"), per_tb, c.capital(option)))
    header = tuple(c.words(f"column.{name}") for name in ("option", "item", "rule", "amount"))
    yield Table(header, tuple(rows), (2.2, 2.2, 5, 2.8), RIGHT({3}), frozenset(bold))
    basis = c.evaluation.inputs["money"]["price_tax_basis"]
    yield Text(c.words(f"tax.{basis}"), "small")


def cost(c: Content) -> Iterator[Block]:
    """Cost of ownership by line and year."""
    yield c.heading("cost")
    years = c.evaluation.inputs["money"]["horizon_years"]
    rate = c.form.percent(c.evaluation.inputs["money"]["discount_fraction_per_year"], 1)
    yield Text(c.words("convention", years=years, rate=rate), "small")
    option = c.spoken
    if option.cost.npv is None:
        yield Text(c.say.text("verdict.price_on_request", items=", ".join(option.cost.open_items)))
    else:
        header = (c.name(option), *(str(year) for year in range(years + 1)))
        rows = [
            (c.say.text(f"line.{line.code}"), *(c.form.yuan(money.amount) for money in line.amounts or ()))
            for line in option.cost.lines
        ]
        yield Table(
            header,
            tuple(rows),
            (2.4, *([1.6] * (years + 1))),
            RIGHT(range(1, years + 2)),
            origins=_line_origins(c, option),
        )
        yield _measures(c, option)
    for code in option.cost.not_counted:
        yield Text(c.words("not_counted", item=c.say.text(f"assumption.not_counted.{code}")), "small")


def _line_origins(c: Content, option: Option) -> Mapping[tuple[int, int], Origin]:
    """Return the origin of each amount of the cost lines: the formula of its line."""
    found: dict[tuple[int, int], Origin] = {}
    for row, line in enumerate(option.cost.lines):
        figure = f"{c.name(option)} · {c.say.text(f'line.{line.code}')}"
        origin = Origin(figure=figure, formula=line.formula, basis=c.say.text(f"basis.{line.basis}"))
        found |= {(row, column): origin for column, money in enumerate(line.amounts or (), 1) if money.amount}
    return found


def _measures(c: Content, option: Option) -> Table:
    figures = (
        ("tco", c.words("tco"), option.cost.tco),
        ("cost_npv", c.words("npv_costs"), option.cost.npv),
        ("equivalent_annual_cost", c.say.text("term.eac"), option.cost.equivalent_annual_cost),
        ("per_tb_raw_per_month", c.words("per_tb_month"), option.cost.per_tb["raw_per_month"]),
    )
    origins = {(row, 1): c.origin(option, key, label) for row, (key, label, _value) in enumerate(figures)}
    return Table(
        (c.words("column.measure"), c.words("column.amount")),
        tuple((label, c.form.money(value)) for _key, label, value in figures),
        (5, 3),
        RIGHT({1}),
        origins={place: origin for place, origin in origins.items() if origin is not None},
    )


def comparison(c: Content) -> Iterator[Block]:
    """Each option against the baseline, in money."""
    yield c.heading("comparison")
    names = ("option", "reduction", "hours", "npv", "payback", "irr", "probability")
    rows = []
    compared = [option for option in c.evaluation.options if option.against_baseline is not None]
    for option in compared:
        against = option.against_baseline
        if against is None:
            continue
        reduction = against.ttft_reduction_fraction
        npv = against.npv
        span = "" if npv is None else f"\n({c.form.yuan(npv.p10)} – {c.form.yuan(npv.p90)})"
        rows.append(
            (
                c.name(option),
                c.form.not_known if reduction is None else c.form.percent(reduction.p50, 1),
                c.form.band(against.gpu_hours_avoided_per_year, 0),
                c.form.not_known if npv is None else c.form.yuan(npv.p50) + span,
                c.payback(against.payback_years, known=npv is not None),
                c.form.percent(against.irr, 1) if against.irr is not None else "—",
                c.form.percent(against.pays_fraction, 0),
            )
        )
    header = tuple(c.words(f"column.{name}") for name in names)
    figures = {1: "ttft_reduction_fraction", 2: "gpu_hours_avoided_per_year", 3: "npv", 4: "payback_years", 5: "irr"}
    yield Table(
        header,
        tuple(rows),
        (2.2, 1.9, 2.2, 3.6, 2.2, 1.5, 1.7),
        RIGHT({1, 2, 3, 4, 5, 6}),
        origins=c.origins(compared, {**figures, 6: "pays_fraction"}, header),
    )
    yield Text(c.words("released_time"), "small")
    yield Heading(c.say.text("section.methods"), 2)
    methods = [
        (
            c.say.text(f"case.{case['name']}"),
            c.form.percent(case["uplift_fraction"], 0),
            c.form.percent(case["cold_share_fraction"], 0),
            c.form.number(case["gpu_equivalents_count"], 1),
            c.form.number(case["roi_ratio"], 3),
            c.form.number(case["break_even_nodes_per_array_count"], 1),
        )
        for case in c.evaluation.methods
    ]
    header = tuple(c.words(f"column.{name}") for name in ("case", "uplift", "share", "gpus", "roi", "break_even_nodes"))
    yield Text(c.say.text("method.vendor_roi"))
    yield Table(header, tuple(methods), (2, 2, 2, 2, 2, 2.6), RIGHT({1, 2, 3, 4, 5}))
    left_out = [c.say.text(f"leaves_out.{code}") for code in c.evaluation.methods[0]["leaves_out"]]
    yield Text(c.words("leaves_out", items=c.form.join(left_out)), "small")


def sensitivity(c: Content) -> Iterator[Block]:
    """Answer length, nodes per array, break-evens."""
    yield c.heading("sensitivity")
    shown = [option for option in c.evaluation.options if option.sizing.units]
    rows, bold = [], set()
    for number, row in enumerate(c.evaluation.output_sensitivity):
        if row["asked"]:
            bold.add(number)
        cells = [c.form.percent(row["uplift_fraction"].get(option.id), 1, signed=True) for option in shown]
        rows.append((c.form.number(row["output_tokens"], 0), *cells))
    header = (fields()["workload.output_tokens"].label[c.locale], *(c.name(option) for option in shown))
    yield Table(header, tuple(rows), (2.4, *([2.0] * len(shown))), RIGHT(range(len(shown) + 1)), frozenset(bold))
    yield Text(c.words("length_note", baseline=c.name(c.baseline)), "small")
    yield from _fan_in(c)
    break_even = c.spoken.against_baseline.break_even if c.spoken.against_baseline else {}
    for option in c.evaluation.options:
        price = option.against_baseline.break_even.get("array_price") if option.against_baseline else None
        if price is not None:
            yield Text(c.words("break_even_price", option=c.name(option), price=c.form.yuan(price)))
    for code in ("gpu_cny_per_hour", "cold_share_fraction"):
        value = break_even.get(code)
        text = c.form.percent(value, 1) if code == "cold_share_fraction" else c.form.yuan(value, 2)
        subject = c.words("break_even", option=c.name(c.spoken))
        yield Text(f"{subject} {c.say.text(f'break_even.{code}')}: {text}")


def _fan_in(c: Content) -> Iterator[Block]:
    if not c.evaluation.fan_in["rows"]:
        return
    names = ("nodes_per_array", "units", "limit", "ttft", "uplift", "npv")
    rows = [
        (
            str(row["nodes_per_array_count"]),
            str(row["units"]),
            c.say.text(f"constraint.{row['binding_constraint']}"),
            c.form.band(row["ttft_s"], 1),
            c.form.not_known
            if row["uplift_fraction"] is None
            else c.form.percent(row["uplift_fraction"].p50, 1, signed=True),
            c.form.not_known if row["npv"] is None else c.form.yuan(row["npv"].p50),
        )
        for row in c.evaluation.fan_in["rows"]
    ]
    yield Heading(c.words("fan_in", option=c.name(c.spoken)), 2)
    header = tuple(c.words(f"column.{name}") for name in names)
    yield Table(header, tuple(rows), (2, 1.5, 3, 2, 2, 2.4), RIGHT({0, 1, 3, 4, 5}))
