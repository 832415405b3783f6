"""Filling in the form of a scenario as a browser would send it."""

from typing import Any

from webapp.scenarios.form_view import FormView


def filled(context: Any, **changes: str) -> dict[str, Any]:
    """Return what a browser would send of the form on a page, with some fields typed over.

    ``changes`` are named as the fields are, with "__" for the dot.
    """
    view: FormView = context["inputs"]
    sent: dict[str, Any] = {}
    for section in view.sections:
        sent |= {control.path: control.value for control in (*section.controls, *section.rare)}
    sent |= {cell.name: cell.value for row in view.rows for cell in row}
    sent["evidence.datasets"] = [name for name, _title, chosen in view.datasets if chosen]
    form = context["form"]
    sent |= {name: form[name].value() for name in form.fields if form[name].value() is not None}
    return sent | {name.replace("__", "."): value for name, value in changes.items()}
