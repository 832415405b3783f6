"""JSON as benchmark tools really leave it: text before and after, several documents, JSON Lines, NaN, repeated keys.

Objects with repeated keys become ``RepeatedKeys``, so that a reader can refuse the keys concerned. ``NaN`` becomes
None and ``Infinity`` the float, which ``measurements.fields`` never lets into a run.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from typing import Any

BROKEN_MAX_COUNT = 100
"""Broken documents after which the scan ends: each costs a pass over the text, and no tool writes such a file."""

OBJECTS_MAX_COUNT = 400_000
LISTS_MAX_COUNT = 2_000_000
VALUES_MAX_COUNT = 6_000_000
"""Objects in one document, lists and values in a text: tiny ones take ten to thirty times the memory of their text."""

_START = re.compile(r"^[ \t]*(?:(\{)\s*[\"}]|(\[)\s*[\[{])", re.MULTILINE)
_INLINE = re.compile(r"(\{)\s*\"|^[ \t]*(?:(\{)\s*\}|(\[)\s*[\[{])", re.MULTILINE)
_BARE_NUMBER = re.compile(r"(?<=[:\[,\s])([-+]?)(nan|inf(?:inity)?)(?=\s*[,\]}\r\n])", re.IGNORECASE)
_CONSTANTS = {"NaN": None, "Infinity": inf, "-Infinity": -inf}


class RepeatedKeys(dict[str, Any]):
    """An object whose text names a key more than once: it holds the first value, ``repeated`` holds all of them."""

    repeated: dict[str, list[Any]]

    def contradictory(self) -> dict[str, list[Any]]:
        """Return the repeated keys whose values differ."""
        return {key: values for key, values in self.repeated.items() if any(value != values[0] for value in values)}


@dataclass(frozen=True, slots=True)
class JsonPart:
    """One JSON document of a file: its value, the 1-based line it starts on and its 1-based number in the file."""

    value: Any
    line: int
    number: int
    repeated_keys: tuple[str, ...] = ()


@dataclass(slots=True)
class JsonScan:
    """Iterates over the JSON documents of a text; what could not be read is noted in ``problems`` (line, reason).

    Each ``{`` or ``[`` at the start of a line (or ``{"`` anywhere) may begin a document. Where a document is broken,
    the scan goes on behind the break, and only at lines indented no deeper, so that inner objects are not taken for
    documents.
    """

    text: str
    problems: list[tuple[int, str]] = field(default_factory=list)
    _repeated: list[str] = field(default_factory=list)
    _tolerant: bool = False
    _objects_count: int = 0

    def __iter__(self) -> Iterator[JsonPart]:
        decoder = json.JSONDecoder(object_pairs_hook=self._object, parse_constant=_CONSTANTS.__getitem__)
        position, line, counted, number = 0, 1, 0, 0
        pattern, indent_limit = _INLINE, None
        for sign, limit, what in (("[", LISTS_MAX_COUNT, "lists"), (",", VALUES_MAX_COUNT, "values")):
            if self.text.count(sign) > limit:
                self.problems.append((1, f"more than {limit:,} {what}"))
                return
        while match := pattern.search(self.text, position):
            start = match.start(match.lastindex or 0)
            indent = start - match.start()
            if indent_limit is not None and indent > indent_limit:
                position = match.end()
                continue
            line += self.text.count("\n", counted, start)
            counted = start
            self._repeated.clear()
            self._objects_count = 0
            try:
                value, end = decoder.raw_decode(self.text, start)
            except RecursionError:
                self.problems.append((line, "nested too deeply"))
                return
            except json.JSONDecodeError as error:
                if self._mend(error.pos):
                    yield from self._resumed(start, line, number)
                    return
                stop, reason = error.pos, error.msg
                if not self.text[stop:].strip():
                    self.problems.append((line, "the file ends inside this document"))
                    return
            except ValueError as error:  # an integer of more digits than Python converts, or too many objects
                self.problems.append((line, str(error).split(":")[0]))
                return
            else:
                position, pattern, indent_limit = end, _INLINE, None
                if isinstance(value, dict) or (
                    isinstance(value, list) and any(isinstance(v, (dict, list)) for v in value)
                ):
                    number += 1
                    yield JsonPart(value, line, number, tuple(self._repeated))
                continue
            if len(self.problems) >= BROKEN_MAX_COUNT:
                self.problems.append((line, "too many broken documents; the rest is not read"))
                return
            position, pattern, indent_limit = self._after_break(start, stop, indent)
            self.problems.append((line + self.text.count("\n", start, stop), reason))

    def _after_break(self, start: int, stop: int, indent: int) -> tuple[int, re.Pattern[str], int | None]:
        same_line = "\n" not in self.text[start:stop]
        if not same_line:
            return stop, _START, indent
        if self.text[start] == "[":
            return max(stop, start + 1), _INLINE, None
        end_of_line = self.text.find("\n", stop)
        return (len(self.text) if end_of_line < 0 else end_of_line), _INLINE, None

    def _mend(self, position: int) -> bool:
        """Turn ``nan``, ``-nan`` and ``inf`` as C prints them into JSON, once, when they stopped the decoder."""
        if self._tolerant or self.text[position : position + 4].lstrip("+-").lower()[:2] not in ("na", "in"):
            return False
        self.text = _BARE_NUMBER.sub(lambda m: "null" if m[2][0] in "nN" else f"{m[1].strip('+')}Infinity", self.text)
        self._tolerant = True
        return True

    def _resumed(self, start: int, line: int, number: int) -> Iterator[JsonPart]:
        rest = JsonScan(self.text[start:], self.problems, _tolerant=True)
        for part in rest:
            yield JsonPart(part.value, part.line + line - 1, part.number + number, part.repeated_keys)

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        self._objects_count += 1
        if self._objects_count > OBJECTS_MAX_COUNT:
            raise ValueError(f"more than {OBJECTS_MAX_COUNT:,} objects in one document")
        plain = dict(pairs)
        if len(plain) == len(pairs):
            return plain
        seen: dict[str, list[Any]] = {}
        for key, value in pairs:
            seen.setdefault(key, []).append(value)
        found = RepeatedKeys({key: values[0] for key, values in seen.items()})
        found.repeated = {key: values for key, values in seen.items() if len(values) > 1}
        self._repeated.extend(found.repeated)
        return found
