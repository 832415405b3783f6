"""Lines of a trace file with their numbers, and the checks that every format shares."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path

from planner.errors import InputProblems, Problem, shown

LINE_MAX_BYTES = 64 * 1024 * 1024
TOKENS_MAX = 1_000_000_000
SECONDS_MAX = 1e12
ID_LOW, ID_HIGH = -(2**63), 2**64


class BadLine(Exception):
    """One line that cannot be used: the field, its value and what would be right."""

    def __init__(self, code: str, name: str, value: object, hint: str) -> None:
        self.code, self.name, self.value, self.hint = code, name, value, hint
        super().__init__(hint)


@dataclass(slots=True)
class Request:
    """One request of a trace as read; ``hashes`` is None when the format has no prefix ids."""

    arrival_s: float
    input_tokens: int
    output_tokens: int
    hashes: list[int] | None = field(default=None)


def refusal(file: str, code: str, value: object, hint: str) -> InputProblems:
    """Return the refusal of a whole file."""
    return InputProblems([Problem(code, "file", shown(value), hint, file)])


def lines_of(path: Path) -> Iterator[tuple[int, str | BadLine]]:
    """Iterate over the lines that are not empty, numbered from 1, without their ends; UTF-8 or UTF-16 with BOM."""
    with path.open("rb") as file:
        head = file.read(4096)
        file.seek(0)
        if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
            yield from _utf16_lines(path)
            return
        if b"\0" in head:
            raise refusal(path.name, "binary", head[:16], "a text file: JSON Lines or CSV")
        number = 0
        while raw := file.readline(LINE_MAX_BYTES):
            number += 1
            if len(raw) == LINE_MAX_BYTES:
                raise refusal(path.name, "too_large", f"line {number}", f"lines below {LINE_MAX_BYTES} bytes")
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError:
                yield number, BadLine("encoding", "text", raw[:20], "UTF-8")
                continue
            if text:
                yield number, text


def _utf16_lines(path: Path) -> Iterator[tuple[int, str | BadLine]]:
    try:
        with path.open(encoding="utf-16") as file:
            for number, text in enumerate(file, 1):
                if text.strip():
                    yield number, text.strip()
    except UnicodeError:
        raise refusal(path.name, "encoding", "broken UTF-16", "UTF-8, or whole UTF-16 with a byte order mark") from None


def json_object(text: str) -> dict[str, object]:
    """Return the object of a JSON line, or raise ``BadLine``."""
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise BadLine("not_json", "line", text[:60], "one JSON object a line, without NaN or Infinity") from None
    if not isinstance(value, dict):
        raise BadLine("not_json", "line", text[:60], "one JSON object a line")
    return value


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadLine("duplicate_key", twice, "twice", "each key once")
    return found


def seconds(name: str, value: object, per_second: float = 1.0) -> float:
    """Return a time in seconds from a number or the text of one."""
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else float("nan")
    except (ValueError, OverflowError):
        number = float("nan")
    if not isfinite(number) or not 0 <= number / per_second <= SECONDS_MAX:
        raise BadLine("not_a_time", name, value, "a finite time of at least 0")
    return number / per_second  # division: 0.001 has no exact binary value and would move window edges


def tokens(name: str, value: object, *, low: int) -> int:
    """Return a token count from a whole number or the decimal text of one."""
    if isinstance(value, str) and len(value) < 20 and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadLine("not_whole", name, value, "a whole number of tokens")
    if not low <= value <= TOKENS_MAX:
        raise BadLine("out_of_range", name, value, f"{low} to {TOKENS_MAX} tokens")
    return value


def ids(name: str, value: object) -> list[int]:
    """Return block ids as signed 64-bit integers; floats are refused, because they merge neighbouring ids."""
    if not isinstance(value, list):
        raise BadLine("missing", name, value, "a list of whole numbers, one a block")
    for item in value:
        if isinstance(item, bool) or not isinstance(item, int) or not ID_LOW <= item < ID_HIGH:
            raise BadLine(
                "not_an_id", name, item, "whole numbers of at most 64 bits; a float would merge different ids"
            )
    if len(set(value)) != len(value):
        raise BadLine("duplicate_id", name, "an id twice", "chained ids: a block occurs once in a prompt")
    return [item if item < 2**63 else item - 2**64 for item in value]
