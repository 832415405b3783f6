"""The inputs form as the template shows it: sections of controls, rows of arrays, datasets."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

import measurements
from planner.fields import fields
from planner.hardware import catalog
from webapp.scenarios.controls import Control, control
from webapp.scenarios.inputs_form import CANDIDATES, CELLS, DATASETS, ROWS_COUNT_MAX, InputsForm, single_fields

RARE = frozenset(
    {
        "model.weight_dtype",
        "workload.regime",
        "promise.ttft_percentile",
        "promise.tpot_s",
        "money.book",
        "money.discount_fraction_per_year",
        "money.released_use_fraction",
        "money.support_fraction_per_year",
        "money.array_power_w",
        "money.pue_ratio",
        "money.tariff_cny_per_kwh",
        "money.residual_fraction",
        "money.vat_fraction",
        "money.price_tax_basis",
        "money.network_cny_per_array_port",
        "money.local_drive_cny_per_node",
    }
)
"""Inputs that most cases leave at their defaults; they stand folded at the end of their section."""


@dataclass(frozen=True, kw_only=True)
class SectionView:
    """A section with its controls; ``rare`` ones are folded, unless one of them is wrong."""

    code: str
    title: str
    controls: Sequence[Control]
    rare: Sequence[Control]

    @property
    def rare_is_open(self) -> bool:
        """Say whether a folded control has an error."""
        return any(one.errors for one in self.rare)


@dataclass(frozen=True, kw_only=True)
class CellView:
    """One cell of a row of arrays."""

    name: str
    label: str
    value: str
    placeholder: str
    errors: Sequence[str]
    options: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, kw_only=True)
class FormView:
    """Everything that the template shows of the inputs."""

    sections: Sequence[SectionView]
    rows: Sequence[Sequence[CellView]]
    rows_label: str
    rows_errors: Sequence[str]
    may_add_row: bool
    limits: Sequence[str]
    datasets: Sequence[tuple[str, str, bool]]
    datasets_label: str
    datasets_help: str
    datasets_errors: Sequence[str]
    dropped: Sequence[str]
    other_errors: Sequence[str]
    has_errors: bool


def form_view(form: InputsForm, locale: str) -> FormView:
    """Return what the template shows, in the language of the page."""
    titles = {
        "model": _("Model"),
        "cluster": _("Cluster"),
        "workload": _("Workload"),
        "promise": _("Promise"),
        "storage": _("Storage"),
        "money": _("Money"),
    }
    shown = [
        control(record.path, locale, value=form.texts.get(record.path, ""), errors=form.errors, with_default=True)
        for record in single_fields()
    ]
    sections = []
    for code, title in titles.items():
        members = [one for one in shown if one.record.section == code]
        rare = [one for one in members if one.path in RARE]
        common = [one for one in members if one.path not in RARE]
        sections.append(SectionView(code=code, title=title, controls=common, rare=rare))
    rows = [_row(form, number, row) for number, row in enumerate(form.rows)]
    placed = {one.path for one in shown} | {CANDIDATES, DATASETS} | {cell.name for row in rows for cell in row}
    records = fields()
    return FormView(
        sections=sections,
        rows=rows,
        rows_label=records[CANDIDATES].label[locale],
        rows_errors=form.errors.get(CANDIDATES, ()),
        may_add_row=len(rows) < ROWS_COUNT_MAX,
        limits=[_limits(name) for name in catalog().arrays],
        datasets=_datasets(form),
        datasets_label=records[DATASETS].label[locale],
        datasets_help=records[DATASETS].help.get(locale, ""),
        datasets_errors=form.errors.get(DATASETS, ()),
        dropped=form.dropped,
        other_errors=[
            f"{place}: {text}" for place, texts in form.errors.items() if place not in placed for text in texts
        ],
        has_errors=bool(form.errors),
    )


def _row(form: InputsForm, number: int, row: Mapping[str, str]) -> Sequence[CellView]:
    labels = {
        "id": _("Array"),
        "ports_count": _("Ports"),
        "drives_count": _("Drives"),
        "nodes_per_array_count": _("Nodes per array"),
    }
    arrays = [(name, array.name) for name, array in catalog().arrays.items()]
    array = catalog().arrays.get(row["id"])
    places = {"ports_count": "1", "drives_count": str(array.bays_count) if array else "", "nodes_per_array_count": "1"}
    if row["id"] not in dict(arrays):
        arrays = [(row["id"], row["id"] or _("choose")), *arrays]
    return [
        CellView(
            name=f"row-{number}-{cell}",
            label=labels[cell],
            value=row[cell],
            placeholder=places.get(cell, ""),
            errors=form.errors.get(f"row-{number}-{cell}", ()),
            options=arrays if cell == "id" else (),
        )
        for cell in CELLS
    ]


def _limits(array_id: str) -> str:
    array = catalog().arrays[array_id]
    words = _("%(name)s: up to %(ports)d ports of %(rate)d Gbit/s, %(drives)d drives")
    rate = round(array.port_bits_per_s / 1e9)
    return words % {"name": array.name, "ports": array.ports_count_max, "rate": rate, "drives": array.bays_count}


def _datasets(form: InputsForm) -> Sequence[tuple[str, str, bool]]:
    """Return the datasets as (id, title, whether chosen); what is chosen and does not exist is shown as it is."""
    known = [(name, measurements.load_dataset(name).source.title) for name in measurements.list_datasets()]
    strange = [(name, name) for name in form.datasets if name not in dict(known)]
    return [(name, title, name in form.datasets) for name, title in [*known, *strange]]
