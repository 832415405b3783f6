"""The proposal's own words in one language."""

import json
from collections.abc import Mapping
from typing import Any

from planner.wording import Wording, catalogue


class Words:
    """Looks up the texts under ``word.`` of the catalog."""

    def __init__(self, locale: str) -> None:
        self._say = Wording(locale)
        self._terms = [code for code in catalogue(locale) if code.startswith("term.")]

    def __call__(self, code: str, **values: Any) -> str:
        """Return the text of a code with the values put in."""
        return self._say.text(f"word.{code}", **values)

    def term_codes(self) -> list[str]:
        """Return the codes of the glossary's terms."""
        return self._terms

    @staticmethod
    def scenario_lines(inputs: Mapping[str, Any]) -> list[str]:
        """Return the scenario as JSON, a line a section: what the reproduction command takes."""
        lines = ["{"]
        names = list(inputs)
        for name in names:
            text = json.dumps(inputs[name], ensure_ascii=False)
            lines.append(f' "{name}": {text}' + ("," if name != names[-1] else ""))
        return [*lines, "}"]
