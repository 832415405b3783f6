"""The table of scenario inputs: kind, unit, bounds, default, basis and help of every field, read from the catalog."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from planner.hardware import catalog


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One input of a scenario. ``choices`` is a list of values or the name of a catalog that supplies them."""

    path: str
    kind: str
    unit: str = ""
    low: float = 0.0
    high: float = 0.0
    default: Any = None
    optional: bool = False
    hint: str = ""
    basis: str = "assumed"
    choices: tuple[str, ...] | str = ()
    label: Mapping[str, str] = field(default_factory=dict)
    help: Mapping[str, str] = field(default_factory=dict)

    @property
    def section(self) -> str:
        """Return the table of the scenario file that holds the field."""
        return self.path.partition(".")[0]

    @property
    def name(self) -> str:
        """Return the key inside its section."""
        return self.path.partition(".")[2]

    def allowed(self) -> tuple[str, ...]:
        """Return the values a choice may take."""
        if self.choices == "models":
            from planner.llm import list_models

            return tuple(list_models())
        if self.choices == "nodes":
            return tuple(catalog().nodes)
        return tuple(self.choices)


@cache
def fields() -> Mapping[str, Field]:
    """Return every scenario field by its dotted path, in the order of the form."""
    raw = tomllib.loads(files("planner").joinpath("catalog/fields.toml").read_text("utf-8"))["field"]
    table: dict[str, Field] = {}
    for record in raw:
        if isinstance(record.get("choices"), list):
            record["choices"] = tuple(record["choices"])
        table[record["path"]] = Field(**record)
    return MappingProxyType(table)
