"""The guided form of a scenario's inputs: every field of the planner's table, arrays in rows, evidence as boxes.

The planner alone decides what is right: the form turns texts into values and puts each problem beside its field.
Only what differs from the defaults, or was given before, is stored; the rest stays a default and says so.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.http import QueryDict

from planner.errors import InputProblems, NoResult, Problem
from planner.fields import Field, fields
from planner.hardware import catalog
from webapp.evaluations.services import evaluate_inputs
from webapp.scenarios.inputs import as_text, get_at, set_at, typed_value
from webapp.scenarios.problems import NUMBER_CODES, problem_text, whole_number_text

CANDIDATES, DATASETS = "storage.candidates", "evidence.datasets"
CELLS = ("id", "ports_count", "drives_count", "nodes_per_array_count")
NEW_ROW = {"id": "", "ports_count": "1", "drives_count": "", "nodes_per_array_count": "1"}
ROWS_COUNT_MAX = 12
NODES_PER_ARRAY_MAX = 10_000
TEXT_CHARACTERS = 200
ROW = re.compile(r"storage\.candidates\[(\d+)\](?:\.(\w+))?")


def single_fields() -> Sequence[Field]:
    """Return the fields that hold one value."""
    return [record for path, record in fields().items() if path not in (CANDIDATES, DATASETS)]


@dataclass(frozen=True, kw_only=True)
class InputsForm:
    """What stands in the form: texts by path, rows of arrays, chosen datasets, and what is wrong with them.

    ``given`` are the paths that were stored before; ``dropped`` is what is stored and has no place in the form.
    """

    texts: Mapping[str, str]
    rows: Sequence[Mapping[str, str]]
    datasets: Sequence[str]
    given: frozenset[str] = frozenset()
    dropped: Sequence[str] = ()
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of_inputs(cls, inputs: Mapping[str, Any]) -> "InputsForm":
        """Show stored inputs; whatever they hold, the form opens."""
        texts, given, known = {}, set(), {"schema", "version", "title"}
        for record in single_fields():
            value = get_at(inputs, record.path)
            if isinstance(value, (str, int, float)) and not isinstance(value, bool):
                texts[record.path] = as_text(value)[:TEXT_CHARACTERS]
                given.add(record.path)
                known.add(record.path)
            elif value is None:
                known.add(record.path)
        rows, datasets = get_at(inputs, CANDIDATES), get_at(inputs, DATASETS)
        if _is_rows(rows):
            given.add(CANDIDATES)
            known.add(CANDIDATES)
        if isinstance(datasets, (list, tuple)) and all(isinstance(name, str) for name in datasets):
            given.add(DATASETS)
            known.add(DATASETS)
        shown = rows if CANDIDATES in given else fields()[CANDIDATES].default
        return cls(
            texts=texts,
            rows=tuple({cell: as_text(row.get(cell)) for cell in CELLS} for row in shown),
            datasets=tuple(datasets if DATASETS in given else fields()[DATASETS].default),
            given=frozenset(given),
            dropped=tuple(_places(inputs, known)),
        )

    @classmethod
    def of_post(cls, sent: QueryDict, given: frozenset[str]) -> "InputsForm":
        """Show what was sent, as it was typed."""
        texts = {record.path: _text(sent.get(record.path, "")) for record in single_fields()}
        rows: list[Mapping[str, str]] = []
        while len(rows) <= ROWS_COUNT_MAX and f"row-{len(rows)}-id" in sent:
            rows.append({cell: _text(sent.get(f"row-{len(rows)}-{cell}", "")) for cell in CELLS})
        datasets = tuple(_text(name) for name in sent.getlist(DATASETS)[:100])
        return cls(texts=texts, rows=tuple(rows), datasets=datasets, given=given)

    def changed_rows(self, sent: Mapping[str, str]) -> "InputsForm | None":
        """Return the form with a row more or less when that button was pressed, otherwise None."""
        if "add_row" in sent:
            return replace(self, rows=(*self.rows, NEW_ROW)[:ROWS_COUNT_MAX])
        if "remove_row" in sent:
            return replace(self, rows=tuple(r for i, r in enumerate(self.rows) if str(i) != sent["remove_row"]))
        return None

    def inputs(self) -> dict[str, Any]:
        """Return the inputs to store: what was typed, and neither more nor less."""
        inputs: dict[str, Any] = {"schema": "scenario", "version": 1}
        for record in single_fields():
            if text := self.texts.get(record.path, "").strip():
                inputs = set_at(inputs, record.path, typed_value(record, text))
        records = fields()
        rows = [{cell: _cell(cell, row[cell]) for cell in CELLS if row[cell].strip()} for row in self.rows]
        for path, value in ((CANDIDATES, rows), (DATASETS, list(self.datasets))):
            if path in self.given or value != records[path].default:
                inputs = set_at(inputs, path, value)
        return inputs

    def checked(self, title: str) -> "InputsForm":
        """Return the form with every problem that the planner finds, all at once; a case without a result is none."""
        try:
            evaluate_inputs({**self.inputs(), "title": title})
        except InputProblems as problems:
            return replace(self, errors=self._by_place(problems.problems))
        except NoResult:
            pass
        return self

    def _by_place(self, problems: Iterable[Problem]) -> Mapping[str, Sequence[str]]:
        errors: dict[str, list[str]] = {}
        for problem in problems:
            place, text = problem.field, problem_text(problem)
            row = ROW.fullmatch(problem.field)
            if row and row[2] and int(row[1]) < len(self.rows):
                place = f"row-{row[1]}-{row[2]}"
                if problem.code in NUMBER_CODES:
                    text = whole_number_text(1, _cell_limit(row[2], self.rows[int(row[1])]["id"]))
            errors.setdefault(place, []).append(text)
        return errors


def _text(value: str) -> str:
    return value.replace("\x00", "")[:TEXT_CHARACTERS]


def _is_rows(value: object) -> bool:
    if not isinstance(value, (list, tuple)) or len(value) > ROWS_COUNT_MAX:
        return False
    return all(isinstance(row, Mapping) and set(row) <= set(CELLS) for row in value)


def _cell(name: str, text: str) -> Any:
    return text.strip() if name == "id" else typed_value(fields()["cluster.nodes_count"], text)


def _cell_limit(name: str, array_id: str) -> int:
    array = catalog().arrays[array_id]
    limits = {"ports_count": array.ports_count_max, "drives_count": array.bays_count}
    return limits.get(name, NODES_PER_ARRAY_MAX)


def _places(inputs: Mapping[str, Any], known: set[str]) -> Iterable[str]:
    """Yield what is stored and has no place in the form, as "path = value" cut short."""
    for section, table in inputs.items():
        members = table.items() if isinstance(table, Mapping) else [(None, table)]
        for name, value in members:
            path = section if name is None else f"{section}.{name}"
            if path not in known:
                yield f"{path} = {value!r}"[:80]
