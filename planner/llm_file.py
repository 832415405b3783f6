"""Reading the text of a ``config.json``: from a path or pasted, with every way in which it may be broken told apart."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

from planner.errors import InputProblems, Problem, shown

CONFIG_BYTES_MAX = 4 * 1024 * 1024
DEPTH_MAX = 60
HINT = "a Hugging Face config.json: one JSON object"


def _refuse(code: str, value: object, hint: str, file: str) -> NoReturn:
    raise InputProblems([Problem(code, "config", shown(value), hint, file)])


def read_config(path: Path) -> dict[str, Any]:
    """Return the object in a config file.

    Raises
    ------
    InputProblems
        When the file cannot be read, is too large, empty, not text or not one JSON object.
    """
    name = path.name
    try:
        with path.open("rb") as stream:
            data = stream.read(CONFIG_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the path cannot be opened"
        raise InputProblems([Problem("not_readable", "config", shown(name), f"{HINT}; {reason}", name)]) from error
    return parse_config(data, file=name)


def parse_config(data: bytes | str, *, file: str = "") -> dict[str, Any]:
    """Return the object in the text of a config; duplicate keys, deep nesting and what is not JSON are refused."""
    if len(data) > CONFIG_BYTES_MAX:
        _refuse(
            "too_large", f"more than {CONFIG_BYTES_MAX:,} bytes", f"{HINT} of at most {CONFIG_BYTES_MAX:,} bytes", file
        )
    text = _decoded(data, file)
    if not text.strip():
        _refuse("empty", "", HINT, file)
    if _depth(text) > DEPTH_MAX:
        _refuse("too_deep", text[:40], f"{HINT}, nested at most {DEPTH_MAX} deep", file)
    duplicates: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in items:
            if key in found:
                duplicates.append(key)
            found[key] = value
        return found

    try:
        document = json.loads(text, object_pairs_hook=pairs)
    except (ValueError, RecursionError) as error:
        raise InputProblems([Problem("not_json", "config", shown(text[:40]), f"{HINT}; {error}", file)]) from error
    if duplicates:
        hint = "each key once; which of the values holds is not known"
        raise InputProblems(
            [Problem("duplicate_key", key, "given twice", hint, file) for key in dict.fromkeys(duplicates)]
        )
    return checked_mapping(document, file)


def checked_mapping(document: object, file: str = "") -> dict[str, Any]:
    """Return ``document`` if it is an object with text keys."""
    if not isinstance(document, Mapping) or not all(isinstance(key, str) for key in document):
        _refuse("not_a_mapping", document, HINT, file)
    return dict(document)


def _decoded(data: bytes | str, file: str) -> str:
    if isinstance(data, str):
        return data
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        hint = f"{HINT} in UTF-8"
        raise InputProblems([Problem("not_text", "config", shown(data[:20]), hint, file)]) from error


def _depth(text: str) -> int:
    depth = deepest = 0
    quoted = escaped = False
    for character in text:
        if quoted:
            if escaped:
                escaped = False
            elif character == "\\":
                escaped = True
            elif character == '"':
                quoted = False
        elif character == '"':
            quoted = True
        elif character in "{[":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "}]":
            depth -= 1
    return deepest
