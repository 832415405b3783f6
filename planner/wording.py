"""Texts made from an evaluation, in three languages: page, PDF, spreadsheet and command line share them.

The catalog holds a template per code; placeholders take format specs (``{ttft_s:.1f}``). A figure that is None reads
"not known" in the language, whatever its format.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Formatter
from types import MappingProxyType
from typing import Any

from planner.errors import InputProblems, Problem, shown

LOCALES = ("en", "zh-hans", "ko")
NESTED: Mapping[str, str] = MappingProxyType(
    {"binding": "constraint", "option": "tier", "baseline": "tier", "tier": "tier"}
)
"""Placeholders whose value is itself a code, with the family that words it."""


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in table.items():
        name = f"{prefix}{key}"
        found |= {name: value} if isinstance(value, str) else _flat(value, f"{name}.")
    return found


@cache
def catalogue(locale: str) -> Mapping[str, str]:
    """Return every template of a language by its code.

    Raises
    ------
    InputProblems
        When there is no such language.
    """
    if locale not in LOCALES:
        raise InputProblems([Problem("unknown_locale", "locale", shown(locale), "one of " + ", ".join(LOCALES))])
    text = files("planner").joinpath(f"catalog/wording/{locale}.toml").read_text("utf-8")
    return MappingProxyType(_flat(tomllib.loads(text)))


def placeholders(template: str) -> frozenset[str]:
    """Return the names that a template takes."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name)


class _Formatter(Formatter):
    def __init__(self, not_known: str) -> None:
        self.not_known = not_known

    def format_field(self, value: Any, format_spec: str) -> str:
        return (
            self.not_known
            if value is None
            else str(super().format_field(value, "" if isinstance(value, str) else format_spec))
        )


class Wording:
    """The texts of one language.

    >>> Wording("en").text("grade.A")
    'A · measured at this very condition'
    """

    def __init__(self, locale: str) -> None:
        self.locale = locale
        self._texts = catalogue(locale)
        self._formatter = _Formatter(self._texts["not_known"])

    def has(self, code: str) -> bool:
        """Return whether the catalog words ``code``."""
        return code in self._texts

    def text(self, code: str, **values: Any) -> str:
        """Return the text of ``code`` with the values put in; KeyError for a code or a value that is missing."""
        worded = {name: self._nested(name, value) for name, value in values.items()}
        return self._formatter.vformat(self._texts[code], (), worded)

    def _nested(self, name: str, value: Any) -> Any:
        code = f"{NESTED[name]}.{value}" if name in NESTED else ""
        return self._texts.get(code, value)


def finding_text(wording: Wording, code: str, figures: Mapping[str, Any], message: str) -> str:
    """Return a finding in the language, its English message where the catalog does not word it.

    Bytes and bytes/s are offered to the template as decimal GB and GB/s as well (``read_bytes`` as ``read_gb``).
    """
    if not wording.has(f"finding.{code}"):
        return message
    values = dict(figures)
    for name, value in figures.items():
        if isinstance(value, (int, float)):
            if name.endswith("_bytes_per_s"):
                values[name.removesuffix("_bytes_per_s") + "_gb_s"] = value / 1e9
            elif name.endswith("_bytes"):
                values[name.removesuffix("_bytes") + "_gb"] = value / 1e9
    try:
        return wording.text(f"finding.{code}", **values)
    except (KeyError, ValueError):
        return message
