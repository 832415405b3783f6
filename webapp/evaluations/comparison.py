"""Evaluations side by side: scenarios, or versions of one, with what differs in inputs and headline figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from planner.errors import InputProblems, NoResult
from planner.evaluation import Evaluation
from planner.fields import Field, fields
from planner.hardware import catalog
from webapp.evaluations.presentation import Headline, headline
from webapp.evaluations.services import evaluate_inputs
from webapp.scenarios.controls import choices
from webapp.scenarios.inputs import as_text, get_at

COLUMNS_COUNT_MAX = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One column: what it is called, where it leads, and its inputs."""

    title: str
    url: str
    inputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the comparison; ``differs`` when not all cells say the same."""

    label: str
    cells: Sequence[str]
    unit: str = ""

    @property
    def differs(self) -> bool:
        """Say whether any cell differs from the first."""
        return len(set(self.cells)) > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Sides with their headline figures, the inputs that differ and those that are the same in all."""

    sides: Sequence[Side]
    figures: Sequence[Row]
    different: Sequence[Row]
    same: Sequence[Row]


def compare(sides: Sequence[Side], locale: str) -> Comparison:
    """Set one to six sides beside each other; a side without a result says so in its cells."""
    results = [_result(side.inputs) for side in sides]
    inputs = [
        result.inputs if isinstance(result, Evaluation) else side.inputs
        for result, side in zip(results, sides, strict=True)
    ]
    rows = [
        Row(
            label=record.label[locale],
            unit=record.unit,
            cells=[input_text(record, get_at(each, record.path), locale) for each in inputs],
        )
        for record in fields().values()
    ]
    return Comparison(
        sides=sides,
        figures=_figures(results, locale),
        different=[row for row in rows if row.differs],
        same=[row for row in rows if not row.differs],
    )


def _result(inputs: Mapping[str, Any]) -> Evaluation | str:
    try:
        return evaluate_inputs(inputs)
    except InputProblems:
        return _("inputs to be corrected")
    except NoResult as error:
        return error.message


def _figures(results: Sequence[Evaluation | str], locale: str) -> Sequence[Row]:
    lines: list[Headline | str] = [each if isinstance(each, str) else headline(each, locale) for each in results]
    rows = [Row(label=_("Verdict"), cells=[each if isinstance(each, str) else each.verdict for each in lines])]
    known = next((each for each in lines if isinstance(each, Headline)), None)
    for number, (label, _value) in enumerate(known.figures if known else ()):
        cells = ["–" if isinstance(each, str) else each.figures[number][1] for each in lines]
        rows.append(Row(label=label, cells=cells))
    return rows


def input_text(record: Field, value: Any, locale: str) -> str:
    """Return an input in words; what is not known says so."""
    if value is None:
        return _("not known") if record.optional else as_text(record.default)
    if record.kind == "candidates" and isinstance(value, list | tuple):
        return "\n".join(_array_text(row) for row in value)
    if record.kind == "list" and isinstance(value, list | tuple):
        return ", ".join(str(name) for name in value)
    words = dict(choices(record, locale))
    return words.get(str(value), as_text(value))


def _array_text(row: Mapping[str, Any]) -> str:
    array = catalog().arrays.get(str(row.get("id")))
    words = _("%(name)s: %(ports)s ports, %(drives)s drives, %(nodes)s nodes per array")
    return words % {
        "name": array.name if array else row.get("id"),
        "ports": row.get("ports_count", 1),
        "drives": row.get("drives_count", array.bays_count if array else ""),
        "nodes": row.get("nodes_per_array_count", 1),
    }
