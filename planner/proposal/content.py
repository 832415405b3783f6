"""The proposal as blocks, made from one Evaluation: nothing is computed here, figures are only worded and formatted."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from planner.evaluation import Evaluation, Option
from planner.fields import fields
from planner.predict import Prediction
from planner.proposal.blocks import Block, Callout, Card, Cards, Figure, Heading, NewPage, Table, Text
from planner.proposal.charts import BarChart, LineChart, Series
from planner.proposal.formats import Formats
from planner.proposal.gates import gate_rows
from planner.proposal.words import Words
from planner.uncertainty import Band
from planner.wording import Wording, finding_text

RIGHT = frozenset


class Content:
    """Builds the blocks of one proposal in one language."""

    def __init__(self, evaluation: Evaluation, locale: str) -> None:
        self.evaluation, self.locale = evaluation, locale
        self.say, self.form, self.words = Wording(locale), Formats(locale), Words(locale)
        by_id = {option.id: option for option in evaluation.options}
        self.baseline = by_id[evaluation.inputs["storage"]["baseline"]]
        recommended = evaluation.recommendation.get("option") or evaluation.recommendation.get("nearest")
        arrays = [option for option in evaluation.options if option.sizing.units]
        self.spoken = by_id.get(recommended or "", arrays[0] if arrays else self.baseline)

    def blocks(self) -> tuple[Block, ...]:
        """Return the whole proposal, in the order of the result page."""
        sections = (
            self.summary,
            self.workload,
            self.prediction,
            self.options,
            self.sizing,
            self.price,
            self.cost,
            self.comparison,
            self.sensitivity,
            self.evidence,
            self.joint_test,
            self.assumptions,
            self.sources,
            self.glossary,
            self.reproduce,
        )
        return tuple(block for section in sections for block in section())

    def heading(self, code: str) -> Heading:
        """Return the heading of a section."""
        return Heading(self.say.text(f"section.{code}"))

    def name(self, option: Option) -> str:
        """Return an option's name, with its configuration where the same array stands twice."""
        base = self.say.text(f"tier.{option.candidate}")
        return base if option.id in (option.candidate, "recompute") else f"{base} ({option.id})"

    def capital(self, option: Option) -> str:
        """Return the purchase, with the items on request named by their number: never 0 for an unknown price."""
        count = len(option.cost.open_items)
        if not count:
            return self.form.money(option.cost.capex)
        if option.cost.capex_known is None:
            return self.say.text("all_on_request", count=count)
        return self.say.text("items_on_request", known=self.form.money(option.cost.capex_known), count=count)

    # ---- sections ----

    def summary(self) -> Iterator[Block]:
        """The sentence, the verdict and the cards."""
        evaluation, spoken = self.evaluation, self.spoken
        yield self.heading("summary")
        verdict = self.say.text(f"answer.{evaluation.headline.answer}")
        sentence = self.say.text(evaluation.headline.reason, **evaluation.headline.figures)
        yield Callout(f"{self.name(spoken)} · {verdict}", sentence, evaluation.headline.answer)
        yield Cards(tuple(self._cards()))
        code = evaluation.recommendation["code"]
        chosen = evaluation.recommendation.get("option") or evaluation.recommendation.get("nearest")
        tier = {option.id: option.candidate for option in evaluation.options}.get(chosen or "", chosen)
        yield Text(self.say.text(code, option=tier))
        yield Text(self.say.text(spoken.verdict.reason, **spoken.verdict.figures))
        yield Text(self.words("bands_note"), "small")

    def _cards(self) -> Iterator[Card]:
        at, cost, form = self.spoken.at, self.spoken.cost, self.form
        grade = self.words("grade")
        yield Card("TTFT p50", form.band(at.ttft_s, 1, unit=" s"), f"{form.between(at.ttft_s, 1)} · {grade} {at.grade}")
        rate = at.output_tokens_per_s
        label = self.say.text("term.output_rate")
        yield Card(label, form.band(rate, 1, unit=" tok/s"), f"{form.between(rate, 1)} · {grade} {at.rate_grade}")
        output = cost.per_mtok["output"]
        work = self.evaluation.inputs["workload"]
        ratio = f"{form.number(work['prompt_tokens'], 0)} : {form.number(work['output_tokens'], 0)}"
        processed = f"{self.words('processed')} {form.band(cost.per_mtok['processed'], 2)}"
        yield Card(
            self.words("per_mtok_output"),
            "¥" + form.band(output, 2) if output else form.not_known,
            f"{ratio} · {processed}",
        )
        month = cost.per_tb["raw_per_month"]
        raw = form.money(cost.per_tb["raw"])
        yield Card(self.words("per_tb_month"), form.money(month), f"{self.say.text('term.raw_tb')}: {raw}")

    def workload(self) -> Iterator[Block]:
        """Every input with its unit and basis."""
        yield self.heading("workload")
        rows = []
        for path, record in fields().items():
            if record.section in {"money", "storage", "evidence"}:
                continue
            section, name = path.split(".")
            value = self.evaluation.inputs[section][name]
            basis = self.say.text(f"basis.{self.evaluation.input_basis[path]}")
            rows.append((record.label[self.locale], self.value(value), record.unit, basis))
        kv = self.form.number(self.evaluation.kv_bytes_per_token, 0)
        request = f"{self.form.number(self.evaluation.request_bytes / 1e9, 3)}"
        rows.append((self.words("kv_per_token"), kv, "B/token", self.say.text("basis.public")))
        rows.append((self.words("kv_per_request"), request, "GB", self.say.text("basis.estimated")))
        header = (self.words("input"), self.words("value"), self.words("unit"), self.words("basis"))
        yield Table(header, tuple(rows), (4, 3, 2, 2), RIGHT({1}))

    def value(self, value: Any) -> str:
        """Return an input as text."""
        if value is None:
            return self.form.not_known
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return str(value)
        return self.form.number(value, 0 if float(value).is_integer() else 3)

    def prediction(self) -> Iterator[Block]:
        """Charts over concurrency with measured points and bands, and where the time goes."""
        yield self.heading("prediction")
        charts = (
            ("ttft_s", "ttft_p50_s", "TTFT p50 (s)", True),
            ("output_tokens_per_s", "output_tokens_per_s", "tok/s", False),
        )
        for field, measured, title, log_y in charts:
            series = tuple(self._series(option, field, measured) for option in self._charted())
            if any(item.points for item in series):
                chart = LineChart(
                    x_title=self.words("concurrency_axis"), y_title=title, series=series, log_y=log_y, log2_x=True
                )
                yield Figure(chart, self.words("chart_caption", quantity=title))
        yield from self._time()

    def _charted(self) -> Sequence[Option]:
        """The spoken-of option, the local drive and recompute: more would not be readable."""
        wanted = [self.spoken.id, "local-nvme", "recompute"]
        found = [option for name in dict.fromkeys(wanted) for option in self.evaluation.options if option.id == name]
        measured = [option for option in self.evaluation.options if option.id == "fx100" and option not in found]
        return [*found[:1], *measured, *found[1:]]

    def _series(self, option: Option, field: str, measured: str) -> Series:
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
            for point in self.evaluation.measured_points
            if point["tier"] == tier and point[measured] is not None and point["concurrency_count"] <= max(reach)
        ]
        return Series(name=self.name(option), points=tuple(points), band=tuple(band), markers=tuple(markers))

    def _time(self) -> Iterator[Block]:
        known = [option for option in self.evaluation.options if option.at.parts_s]
        if not known:
            yield Text(self.form.not_known)
            return
        parts = ("load", "queue", "prefill", "decode")
        chart = BarChart(
            x_title=self.words("seconds"),
            labels=tuple(self.name(option) for option in known),
            parts=tuple(self.say.text(f"part.{part}") for part in parts),
            values=tuple(tuple(option.at.parts_s[part] for part in parts) for option in known),
        )
        yield Figure(chart, self.words("time_caption"))

    def options(self) -> Iterator[Block]:
        """The options side by side."""
        yield self.heading("options")
        header = ("", "units", "ttft", "rate", "uplift", "grade", "capital", "answer")
        rows = [self._option_row(option) for option in self.evaluation.options]
        titles = tuple(self.words(f"column.{name}") if name else "" for name in header)
        yield Table(titles, tuple(rows), (3.0, 1.2, 2.4, 2.6, 2.2, 1.3, 3.0, 2.4), RIGHT({1, 2, 3, 4, 6}))
        work = self.evaluation.inputs["workload"]
        yield Text(
            self.words(
                "uplift_note", tokens=self.form.number(work["output_tokens"], 0), baseline=self.name(self.baseline)
            ),
            "small",
        )
        for option in self.evaluation.options:
            reason = self.say.text(option.verdict.reason, **option.verdict.figures)
            yield Text(f"{self.name(option)}: {reason} {self._axes(option.at)}".strip(), "small")

    def _axes(self, at: Prediction) -> str:
        if not at.axes:
            return ""
        return self.words("outside", axes=self.form.join([self.say.text(f"axis.{axis}") for axis in at.axes]))

    def _option_row(self, option: Option) -> tuple[str, ...]:
        against, at, form = option.against_baseline, option.at, self.form
        uplift = against.throughput_uplift_fraction if against else None
        percent = form.percent(uplift.p50, 1, signed=True) if uplift else ("—" if against is None else form.not_known)
        return (
            self.name(option),
            str(option.sizing.units) if option.sizing.units else "—",
            self.with_range(at.ttft_s, 1),
            self.with_range(at.output_tokens_per_s, 1),
            percent,
            f"{at.grade}/{at.rate_grade}",
            self.capital(option) if option.sizing.units else "—",
            self.words("baseline") if against is None else self.say.text(f"answer.{option.verdict.answer}"),
        )

    def with_range(self, value: Band | None, places: int) -> str:
        """Return an estimate with its range beneath."""
        if value is None:
            return self.form.not_known
        return f"{self.form.band(value, places)}\n({self.form.between(value, places)})"

    def sizing(self) -> Iterator[Block]:
        """What binds, and the slack of the other limits."""
        yield self.heading("sizing")
        rows = []
        for option in self.evaluation.options:
            for limit in sorted(option.sizing.limits, key=lambda limit: limit.bytes_per_s):
                slack = option.sizing.slack[limit.name]
                binds = (
                    self.words("binds")
                    if limit.name == option.sizing.binding_constraint
                    else self.form.percent(slack, 0, signed=True)
                )
                rows.append(
                    (
                        self.name(option),
                        self.say.text(f"constraint.{limit.name}"),
                        limit.rule,
                        binds,
                        self.say.text(f"basis.{limit.basis}"),
                    )
                )
        header = tuple(self.words(f"column.{name}") for name in ("option", "limit", "rule", "slack", "basis"))
        yield Table(header, tuple(rows), (2.2, 2.6, 5, 1.6, 1.4), RIGHT({3}))

    def price(self) -> Iterator[Block]:
        """Price lines of each array at year 0, and the price per TB."""
        yield self.heading("price")
        rows, bold = [], set()
        for option in self.evaluation.options:
            if not option.sizing.units:
                continue
            for line in option.cost.lines:
                if line.code not in {"platform", "drives", "network"}:
                    continue
                amount = self.say.text("on_request") if line.amounts is None else self.form.money(line.amounts[0])
                rows.append((self.name(option), self.say.text(f"line.{line.code}"), line.formula, amount))
            bold.add(len(rows))
            per_tb = f"{self.say.text('term.raw_tb')}: {self.form.money(option.cost.per_tb['raw'])}"
            rows.append((self.name(option), self.words("total"), per_tb, self.capital(option)))
        header = tuple(self.words(f"column.{name}") for name in ("option", "item", "rule", "amount"))
        yield Table(header, tuple(rows), (2.2, 2.2, 5, 2.8), RIGHT({3}), frozenset(bold))
        basis = self.evaluation.inputs["money"]["price_tax_basis"]
        yield Text(self.words(f"tax.{basis}"), "small")

    def cost(self) -> Iterator[Block]:
        """Cost of ownership by line and year."""
        yield self.heading("cost")
        years = self.evaluation.inputs["money"]["horizon_years"]
        rate = self.form.percent(self.evaluation.inputs["money"]["discount_fraction_per_year"], 1)
        yield Text(self.words("convention", years=years, rate=rate), "small")
        option = self.spoken
        if option.cost.npv is None:
            yield Text(self.say.text("verdict.price_on_request", items=", ".join(option.cost.open_items)))
        else:
            header = (self.name(option), *(str(year) for year in range(years + 1)))
            rows = [
                (self.say.text(f"line.{line.code}"), *(self.form.yuan(money.amount) for money in line.amounts or ()))
                for line in option.cost.lines
            ]
            yield Table(header, tuple(rows), (2.4, *([1.6] * (years + 1))), RIGHT(range(1, years + 2)))
            yield Table(
                (self.words("column.measure"), self.words("column.amount")),
                (
                    (self.words("tco"), self.form.money(option.cost.tco)),
                    (self.words("npv_costs"), self.form.money(option.cost.npv)),
                    (self.say.text("term.eac"), self.form.money(option.cost.equivalent_annual_cost)),
                    (self.words("per_tb_month"), self.form.money(option.cost.per_tb["raw_per_month"])),
                ),
                (5, 3),
                RIGHT({1}),
            )
        for code in option.cost.not_counted:
            yield Text(self.words("not_counted", item=self.say.text(f"assumption.not_counted.{code}")), "small")

    def comparison(self) -> Iterator[Block]:
        """Each option against the baseline, in money."""
        yield self.heading("comparison")
        names = ("option", "reduction", "hours", "npv", "payback", "irr", "probability")
        rows = []
        for option in self.evaluation.options:
            against = option.against_baseline
            if against is None:
                continue
            reduction = against.ttft_reduction_fraction
            npv = against.npv
            span = "" if npv is None else f"\n({self.form.yuan(npv.p10)} – {self.form.yuan(npv.p90)})"
            rows.append(
                (
                    self.name(option),
                    self.form.not_known if reduction is None else self.form.percent(reduction.p50, 1),
                    self.form.band(against.gpu_hours_avoided_per_year, 0),
                    self.form.not_known if npv is None else self.form.yuan(npv.p50) + span,
                    self.payback(against.payback_years, known=npv is not None),
                    self.form.percent(against.irr, 1) if against.irr is not None else "—",
                    self.form.percent(against.pays_fraction, 0),
                )
            )
        header = tuple(self.words(f"column.{name}") for name in names)
        yield Table(header, tuple(rows), (2.2, 1.9, 2.2, 3.6, 2.2, 1.5, 1.7), RIGHT({1, 2, 3, 4, 5, 6}))
        yield Text(self.words("released_time"), "small")
        yield Heading(self.say.text("section.methods"), 2)
        methods = [
            (
                self.say.text(f"case.{case['name']}"),
                self.form.percent(case["uplift_fraction"], 0),
                self.form.percent(case["cold_share_fraction"], 0),
                self.form.number(case["gpu_equivalents_count"], 1),
                self.form.number(case["roi_ratio"], 3),
                self.form.number(case["break_even_nodes_per_array_count"], 1),
            )
            for case in self.evaluation.methods
        ]
        header = tuple(
            self.words(f"column.{name}") for name in ("case", "uplift", "share", "gpus", "roi", "break_even_nodes")
        )
        yield Text(self.say.text("method.vendor_roi"))
        yield Table(header, tuple(methods), (2, 2, 2, 2, 2, 2.6), RIGHT({1, 2, 3, 4, 5}))
        left_out = [self.say.text(f"leaves_out.{code}") for code in self.evaluation.methods[0]["leaves_out"]]
        yield Text(self.words("leaves_out", items=self.form.join(left_out)), "small")

    def payback(self, years: float | None, *, known: bool) -> str:
        """Return the payback, or that it never comes within the horizon."""
        if not known:
            return self.form.not_known
        return self.words("never") if years is None else self.words("years", years=self.form.number(years, 1))

    def sensitivity(self) -> Iterator[Block]:
        """Answer length, nodes per array, break-evens."""
        yield self.heading("sensitivity")
        shown = [option for option in self.evaluation.options if option.sizing.units]
        rows, bold = [], set()
        for number, row in enumerate(self.evaluation.output_sensitivity):
            if row["asked"]:
                bold.add(number)
            cells = [self.form.percent(row["uplift_fraction"].get(option.id), 1, signed=True) for option in shown]
            rows.append((self.form.number(row["output_tokens"], 0), *cells))
        header = (fields()["workload.output_tokens"].label[self.locale], *(self.name(option) for option in shown))
        yield Table(header, tuple(rows), (2.4, *([2.0] * len(shown))), RIGHT(range(len(shown) + 1)), frozenset(bold))
        yield Text(self.words("length_note", baseline=self.name(self.baseline)), "small")
        yield from self._fan_in()
        break_even = self.spoken.against_baseline.break_even if self.spoken.against_baseline else {}
        for option in self.evaluation.options:
            price = option.against_baseline.break_even.get("array_price") if option.against_baseline else None
            if price is not None:
                yield Text(self.words("break_even_price", option=self.name(option), price=self.form.yuan(price)))
        for code in ("gpu_cny_per_hour", "cold_share_fraction"):
            value = break_even.get(code)
            text = self.form.percent(value, 1) if code == "cold_share_fraction" else self.form.yuan(value, 2)
            subject = self.words("break_even", option=self.name(self.spoken))
            yield Text(f"{subject} {self.say.text(f'break_even.{code}')}: {text}")

    def _fan_in(self) -> Iterator[Block]:
        if not self.evaluation.fan_in["rows"]:
            return
        names = ("nodes_per_array", "units", "limit", "ttft", "uplift", "npv")
        rows = [
            (
                str(row["nodes_per_array_count"]),
                str(row["units"]),
                self.say.text(f"constraint.{row['binding_constraint']}"),
                self.form.band(row["ttft_s"], 1),
                self.form.not_known
                if row["uplift_fraction"] is None
                else self.form.percent(row["uplift_fraction"].p50, 1, signed=True),
                self.form.not_known if row["npv"] is None else self.form.yuan(row["npv"].p50),
            )
            for row in self.evaluation.fan_in["rows"]
        ]
        yield Heading(self.words("fan_in", option=self.name(self.spoken)), 2)
        header = tuple(self.words(f"column.{name}") for name in names)
        yield Table(header, tuple(rows), (2, 1.5, 3, 2, 2, 2.4), RIGHT({0, 1, 3, 4, 5}))

    def evidence(self) -> Iterator[Block]:
        """Measured points with their conditions, and the findings."""
        yield self.heading("evidence")
        names = ("dataset", "point", "concurrency", "lengths", "ttft", "rate", "rule", "used")
        rows = [
            (
                point["dataset"],
                point["part"],
                str(point["concurrency_count"]),
                f"{self.form.number(point['prompt_tokens'], 0)} / {self.form.number(point['output_tokens'], 0)}",
                self.form.number(point["ttft_p50_s"], 2),
                self.form.number(point["output_tokens_per_s"], 1),
                point["percentile_rule"],
                self.words("yes") if point["excluded"] is None else self.words("no"),
            )
            for point in self.evaluation.measured_points
        ]
        header = tuple(self.words(f"column.{name}") for name in names)
        yield Table(header, tuple(rows), (1.3, 3.4, 1.3, 2.2, 1.5, 1.5, 2.8, 1.2), RIGHT({2, 3, 4, 5}))
        yield Heading(self.say.text("section.findings"), 2)
        seen: Counter[str] = Counter()
        for finding in self.evaluation.findings:
            seen[finding.code] += 1
            if seen[finding.code] <= 2 or finding.severity == "blocks_sizing":
                text = finding_text(self.say, finding.code, finding.figures, finding.message)
                yield Text(f"[{self.say.text(f'severity.{finding.severity}')}] {text}")

    def joint_test(self) -> Iterator[Block]:
        """The four gates and the right to stop."""
        yield self.heading("joint_test")
        yield Text(self.words("joint_test"))
        header = tuple(self.words(f"column.{name}") for name in ("gate", "week", "criteria"))
        yield Table(header, tuple(gate_rows(self.locale)), (2.6, 1, 8))

    def assumptions(self) -> Iterator[Block]:
        """Every assumption with its effect if wrong."""
        yield self.heading("assumptions")
        rows = []
        for row in self.evaluation.assumptions:
            value = (
                ""
                if row["value"] is None and "." in row["code"] and not row["unit"]
                else f"{self.value(row['value'])} {row['unit']}".strip()
            )
            rows.append(
                (
                    self.say.text(f"assumption.{row['code']}"),
                    value,
                    self.say.text(f"basis.{row['basis']}"),
                    self.say.text(row["if_wrong"]),
                )
            )
        header = tuple(self.words(f"column.{name}") for name in ("assumption", "value", "basis", "if_wrong"))
        yield Table(header, tuple(rows), (4, 2.4, 1.4, 4.6))

    def sources(self) -> Iterator[Block]:
        """Where the figures come from, and what the grades mean."""
        yield self.heading("sources")
        header = (self.words("column.source"), self.words("column.title"), self.words("column.date"))
        rows = [
            (s.id, " ".join(p for p in (s.title, s.locator, s.licence) if p), s.date or "—")
            for s in self.evaluation.sources
        ]
        yield Table(header, tuple(rows), (2.6, 8, 1.8))
        for grade in "ABCDX":
            yield Text(self.say.text(f"grade.{grade}"), "small")

    def glossary(self) -> Iterator[Block]:
        """The terms used."""
        yield self.heading("glossary")
        codes = [code.removeprefix("term.") for code in self.words.term_codes()]
        rows = [(self.say.text(f"term.{code}"), self.say.text(f"define.{code}")) for code in codes]
        yield Table((self.words("column.term"), self.words("column.meaning")), tuple(rows), (2.4, 8))

    def reproduce(self) -> Iterator[Block]:
        """The command that gives every figure again, with versions and hashes."""
        yield self.heading("reproduce")
        yield Text(self.words("reproduce"))
        yield Text("python -m planner evaluate scenario.json --json", "code")
        rows = [(name, value) for name, value in self.evaluation.versions.items()]
        yield Table((self.words("column.part"), self.words("column.version")), tuple(rows), (4, 7))
        yield NewPage()
        yield Heading(self.words("scenario"), 2)
        for line in self.words.scenario_lines(self.evaluation.inputs):
            yield Text(line, "code")
