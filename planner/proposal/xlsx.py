"""Evaluation -> XLSX: figures as numbers, yearly totals and NPV as live formulas. Texts stay texts, never formulas."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import xlsxwriter
from xlsxwriter.utility import xl_rowcol_to_cell

from planner.evaluation import Evaluation, Option
from planner.proposal.cover import Cover, cover_lines
from planner.proposal.words import Words
from planner.uncertainty import Band
from planner.wording import Wording, finding_text

EPOCH = datetime(2026, 1, 1, tzinfo=UTC).replace(tzinfo=None)
"""A fixed date of creation: the same evaluation gives the same bytes."""

NAME_CHARACTERS_MAX = 31


class Workbook:
    """One proposal's workbook in one language."""

    def __init__(self, evaluation: Evaluation, locale: str, cover: Cover) -> None:
        self.evaluation, self.say, self.words, self.locale = evaluation, Wording(locale), Words(locale), locale
        self.cover, self.buffer = cover, BytesIO()
        options = {
            "in_memory": True,
            "strings_to_formulas": False,
            "strings_to_urls": False,
            "strings_to_numbers": False,
        }
        self.book = xlsxwriter.Workbook(self.buffer, options)
        self.book.set_properties({"title": evaluation.inputs["title"], "created": EPOCH})
        self.bold = self.book.add_format({"bold": True, "bottom": 1, "text_wrap": True, "valign": "top"})
        self.wrap = self.book.add_format({"text_wrap": True, "valign": "top"})
        self.money = self.book.add_format({"num_format": "¥#,##0.00;[Red]-¥#,##0.00"})
        self.figure = self.book.add_format({"num_format": "#,##0.00"})
        self.percent = self.book.add_format({"num_format": "0.0%"})

    def bytes(self) -> bytes:
        """Return the workbook."""
        self._summary()
        self._options()
        self._prediction()
        self._cost()
        self._evidence()
        self._assumptions()
        self.book.close()
        return self.buffer.getvalue()

    def _sheet(self, code: str, header: Sequence[str], widths: Sequence[int]) -> Any:
        sheet = self.book.add_worksheet(self.say.text(f"section.{code}")[:NAME_CHARACTERS_MAX])
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        for column, text in enumerate(header):
            sheet.write_string(0, column, text, self.bold)
        sheet.freeze_panes(1, 0)
        return sheet

    def _text(self, sheet: Any, row: int, column: int, text: object) -> None:
        sheet.write_string(row, column, str(text), self.wrap)

    def _number(self, sheet: Any, row: int, column: int, value: float | None, style: Any) -> None:
        if value is None:
            sheet.write_string(row, column, self.say.text("not_known"))
        else:
            sheet.write_number(row, column, value, style)

    def _band(self, sheet: Any, row: int, column: int, value: Band | None, style: Any) -> None:
        for offset, part in enumerate((None, None, None) if value is None else tuple(value)):
            self._number(sheet, row, column + offset, part, style)

    def _name(self, option: Option) -> str:
        base = self.say.text(f"tier.{option.candidate}")
        return base if option.id in (option.candidate, "recompute") else f"{base} ({option.id})"

    def _summary(self) -> None:
        sheet = self._sheet("summary", (self.evaluation.inputs["title"],), (110,))
        headline = self.evaluation.headline
        lines = [f"{label}: {value}" for label, value in cover_lines(self.evaluation, self.locale, self.cover)]
        lines += [self.say.text(headline.reason, **headline.figures), self.words("bands_note"), self.words("footer")]
        lines += [f"{name}: {value}" for name, value in self.evaluation.versions.items()]
        for row, line in enumerate(lines, start=1):
            self._text(sheet, row, 0, line)

    def _options(self) -> None:
        names = (
            "option",
            "units",
            "ttft",
            "rate",
            "uplift",
            "grade",
            "capital",
            "npv",
            "payback",
            "probability",
            "answer",
        )
        titles: list[str] = []
        for name in names:
            title = self.words(f"column.{name}")
            titles += (
                [f"{title} P10", f"{title} P50", f"{title} P90"]
                if name in {"ttft", "rate", "uplift", "npv"}
                else [title]
            )
        sheet = self._sheet("options", titles, [22, *([13] * (len(titles) - 2)), 60])
        for row, option in enumerate(self.evaluation.options, start=1):
            against = option.against_baseline
            self._text(sheet, row, 0, self._name(option))
            self._number(sheet, row, 1, option.sizing.units, None)
            self._band(sheet, row, 2, option.at.ttft_s, self.figure)
            self._band(sheet, row, 5, option.at.output_tokens_per_s, self.figure)
            self._band(sheet, row, 8, against.throughput_uplift_fraction if against else None, self.percent)
            self._text(sheet, row, 11, f"{option.at.grade}/{option.at.rate_grade}")
            capex = option.cost.capex
            if capex is None:
                self._text(sheet, row, 12, self.say.text("all_on_request", count=len(option.cost.open_items)))
            else:
                sheet.write_number(row, 12, float(capex.amount), self.money)
            self._band(sheet, row, 13, against.npv if against else None, self.money)
            self._number(sheet, row, 16, against.payback_years if against else None, self.figure)
            self._number(sheet, row, 17, against.pays_fraction if against else None, self.percent)
            self._text(sheet, row, 18, self.say.text(option.verdict.reason, **option.verdict.figures))

    def _prediction(self) -> None:
        titles = [self.words("column.option"), self.words("column.concurrency")]
        titles += [f"{name} {part}" for name in ("TTFT p50 s", "TPOT p50 s", "tok/s") for part in ("P10", "P50", "P90")]
        sheet = self._sheet("prediction", [*titles, self.words("column.grade")], [22, *([12] * 11)])
        row = 0
        for option in self.evaluation.options:
            for point in option.prediction:
                row += 1
                self._text(sheet, row, 0, self._name(option))
                sheet.write_number(row, 1, point.concurrency_count)
                self._band(sheet, row, 2, point.ttft_s, self.figure)
                self._band(sheet, row, 5, point.tpot_s, self.book.add_format({"num_format": "0.0000"}))
                self._band(sheet, row, 8, point.output_tokens_per_s, self.figure)
                self._text(sheet, row, 11, f"{point.grade}/{point.rate_grade}")

    def _cost(self) -> None:
        """Write cost lines by year; sums and NPV follow a change of any amount or of the rate."""
        years = self.evaluation.inputs["money"]["horizon_years"]
        titles = [
            self.words("column.option"),
            self.words("column.item"),
            self.words("column.rule"),
            *map(str, range(years + 1)),
        ]
        sheet = self._sheet("cost", titles, [22, 20, 46, *([14] * (years + 1))])
        rate_row, row = 1, 2
        self._text(sheet, rate_row, 1, self.say.text("assumption.money.discount_fraction_per_year"))
        sheet.write_number(rate_row, 3, self.evaluation.inputs["money"]["discount_fraction_per_year"], self.percent)
        rate = xl_rowcol_to_cell(rate_row, 3, row_abs=True, col_abs=True)
        for option in self.evaluation.options:
            if option.sizing.units:
                row = self._option_cost(sheet, row + 1, option, years, rate)

    def _option_cost(self, sheet: Any, row: int, option: Option, years: int, rate: str) -> int:
        first = row
        for line in option.cost.lines:
            self._text(sheet, row, 0, self._name(option))
            self._text(sheet, row, 1, self.say.text(f"line.{line.code}"))
            self._text(sheet, row, 2, line.formula)
            if line.amounts is None:
                self._text(sheet, row, 3, self.say.text("on_request"))
            for year, amount in enumerate(line.amounts or ()):
                sheet.write_number(row, 3 + year, float(amount.amount), self.money)
            row += 1
        if option.cost.npv is None:
            return row
        self._text(sheet, row, 1, self.words("total"))
        for year in range(years + 1):
            top, end = xl_rowcol_to_cell(first, 3 + year), xl_rowcol_to_cell(row - 1, 3 + year)
            value = sum(float(line.amounts[year].amount) for line in option.cost.lines if line.amounts)
            sheet.write_formula(row, 3 + year, f"=SUM({top}:{end})", self.money, value)
        start, later, last = (xl_rowcol_to_cell(row, column) for column in (3, 4, 3 + years))
        self._text(sheet, row + 1, 1, self.words("npv_costs"))
        sheet.write_formula(
            row + 1, 3, f"={start}+NPV({rate},{later}:{last})", self.money, float(option.cost.npv.amount)
        )
        self._text(sheet, row + 2, 1, self.say.text("term.eac"))
        annual = float(option.cost.equivalent_annual_cost.amount) if option.cost.equivalent_annual_cost else 0.0
        npv_cell = xl_rowcol_to_cell(row + 1, 3)
        sheet.write_formula(row + 2, 3, f"=-PMT({rate},{years},{npv_cell})", self.money, annual)
        return row + 3

    def _evidence(self) -> None:
        names = ("dataset", "point", "concurrency", "ttft", "rate", "rule", "used")
        sheet = self._sheet("evidence", [self.words(f"column.{name}") for name in names], [14, 34, 12, 14, 14, 26, 10])
        row = 0
        for point in self.evaluation.measured_points:
            row += 1
            self._text(sheet, row, 0, point["dataset"])
            self._text(sheet, row, 1, point["part"])
            sheet.write_number(row, 2, point["concurrency_count"])
            self._number(sheet, row, 3, point["ttft_p50_s"], self.figure)
            self._number(sheet, row, 4, point["output_tokens_per_s"], self.figure)
            self._text(sheet, row, 5, point["percentile_rule"])
            self._text(sheet, row, 6, self.words("yes" if point["excluded"] is None else "no"))
        for finding in self.evaluation.findings:
            row += 1
            self._text(sheet, row + 1, 0, self.say.text(f"severity.{finding.severity}"))
            self._text(sheet, row + 1, 1, finding_text(self.say, finding.code, finding.figures, finding.message))

    def _assumptions(self) -> None:
        header = [self.words(f"column.{name}") for name in ("assumption", "value", "basis", "if_wrong")]
        sheet = self._sheet("assumptions", header, [46, 16, 12, 70])
        for row, item in enumerate(self.evaluation.assumptions, start=1):
            self._text(sheet, row, 0, self.say.text(f"assumption.{item['code']}"))
            self._value(sheet, row, item)
            self._text(sheet, row, 2, self.say.text(f"basis.{item['basis']}"))
            self._text(sheet, row, 3, self.say.text(item["if_wrong"]))

    def _value(self, sheet: Any, row: int, item: Mapping[str, Any]) -> None:
        value = item["value"]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            sheet.write_number(row, 1, value)
        elif value is not None:
            self._text(sheet, row, 1, value)


def proposal_xlsx(evaluation: Evaluation, locale: str, cover: Cover | None = None) -> bytes:
    """Return the evaluation as a workbook; the same evaluation, language and cover give the same bytes."""
    return Workbook(evaluation, locale, cover or Cover()).bytes()
