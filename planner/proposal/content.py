"""The proposal as blocks, made from one Evaluation: nothing is computed here, figures are only worded and formatted."""

from collections.abc import Mapping, Sequence
from typing import Any

from planner.evaluation import Evaluation, Option
from planner.fields import fields
from planner.proposal.blocks import Heading, Origin
from planner.proposal.formats import Formats
from planner.proposal.words import Words
from planner.uncertainty import Band
from planner.wording import Wording


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

    def heading(self, code: str) -> Heading:
        """Return the heading of a section."""
        return Heading(self.say.text(f"section.{code}"))

    def name(self, option: Option) -> str:
        """Return an option's name, with its configuration where the same array stands twice."""
        base = self.say.text(f"tier.{option.candidate}")
        return base if option.id in (option.candidate, "recompute") else f"{base} ({option.id})"

    def origin(self, option: Option, key: str, figure: str) -> Origin | None:
        """Return where a figure of an option comes from, in words; None where the figure is not known."""
        why = option.why.get(key)
        if why is None:
            return None
        titles = {source.id: source.title for source in self.evaluation.sources}
        return Origin(
            figure=f"{self.name(option)} · {figure}",
            formula=why.formula,
            basis=self.say.text(f"basis.{why.basis}"),
            grade=self.say.text(f"grade.{why.grade}"),
            sources=tuple(" · ".join(part for part in (source, titles.get(source)) if part) for source in why.sources),
            changes_with=tuple(fields()[path].label[self.locale] for path in why.changes_with),
        )

    def origins(
        self, options: Sequence[Option], columns: Mapping[int, str], header: Sequence[str]
    ) -> Mapping[tuple[int, int], Origin]:
        """Return the origins in a table with a row per option; ``columns`` names the figure of each column."""
        found = {
            (row, column): self.origin(option, key, header[column])
            for row, option in enumerate(options)
            for column, key in columns.items()
        }
        return {place: origin for place, origin in found.items() if origin is not None}

    def capital(self, option: Option) -> str:
        """Return the purchase, with the items on request named by their number: never 0 for an unknown price."""
        count = len(option.cost.open_items)
        if not count:
            return self.form.money(option.cost.capex)
        if option.cost.capex_known is None:
            return self.say.text("all_on_request", count=count)
        return self.say.text("items_on_request", known=self.form.money(option.cost.capex_known), count=count)

    def value(self, value: Any) -> str:
        """Return an input as text."""
        if value is None:
            return self.form.not_known
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return str(value)
        return self.form.number(value, 0 if float(value).is_integer() else 3)

    def with_range(self, value: Band | None, places: int) -> str:
        """Return an estimate with its range beneath."""
        if value is None:
            return self.form.not_known
        return f"{self.form.band(value, places)}\n({self.form.between(value, places)})"

    def payback(self, years: float | None, *, known: bool) -> str:
        """Return the payback, or that it never comes within the horizon."""
        if not known:
            return self.form.not_known
        return self.words("never") if years is None else self.words("years", years=self.form.number(years, 1))
