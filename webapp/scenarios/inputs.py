"""Reading and changing single values of stored inputs by their dotted path, and text -> value of a field."""

from collections.abc import Mapping
from math import isfinite
from typing import Any

from planner.fields import Field


def get_at(inputs: Mapping[str, Any], path: str) -> Any:
    """Return the value at ``section.name``, or None where the inputs do not give it."""
    section, _, name = path.partition(".")
    table = inputs.get(section)
    return table.get(name) if isinstance(table, Mapping) else None


def set_at(inputs: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of the inputs with the value at ``section.name`` replaced."""
    section, _, name = path.partition(".")
    table = inputs.get(section)
    return {**inputs, section: {**(table if isinstance(table, Mapping) else {}), name: value}}


def as_text(value: object) -> str:
    """Return a value of an input as a control shows it; a value that is not known is empty."""
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def typed_value(record: Field, text: str) -> Any:
    """Return what a text stands for in this field; what is no number stays a text, for the planner to refuse.

    An empty text is None: not known where the field is optional, refused where it is not.
    """
    text = text.strip()
    if not text:
        return None
    if record.kind == "whole" and text.lstrip("+-").isascii() and text.lstrip("+-").isdecimal():
        return int(text) if len(text) <= 30 else text
    if record.kind in {"number", "whole"} and text.isascii() and "_" not in text:
        try:
            number = float(text)
        except ValueError:
            return text
        return number if isfinite(number) else text
    return text
