"""IOR JSON (MiB/s, seconds): means over the repetitions of each test; what is broken gives its maxima, and says so."""

import re
from collections.abc import Mapping
from typing import Any

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, mapping, number, text_of
from measurements.storage_fields import SIDES, refuse_deep
from planner.runs import Severity

NAME = "ior"
TITLE = "IOR JSON"

KEYS = (Key("bwMiB", "bytes_per_s", "MiB/s"), Key("iops", "iops", "IOPS"), Key("latency", "latency_s.mean", "s"))
"""Keys of one result; the direction is put before ours."""

MAXIMA = (Key("readMiB", "read_bytes_per_s", "MiB/s"), Key("writeMiB", "write_bytes_per_s", "MiB/s"))

_IS_IOR = re.compile(r'"bwMiB"|"writeMiB"|"bwMaxMIB"')
_MAXIMA = re.compile(r'"max"\s*:\s*\{([^{}]{1,2000})\}')
_PAIR = re.compile(r'"(readMiB|writeMiB)"\s*:\s*([^\s,}]{1,40})')


def recognise(document: Document) -> float:
    """Return 1 for an object with IOR's results, 0.95 for its keys in something broken."""
    if isinstance(mapping(document.head).get("tests"), list) and _IS_IOR.search(document.text):
        return 1.0
    return 0.95 if _IS_IOR.search(document.text[: 4 << 20]) and "ior" in document.text[: 4 << 20].lower() else 0.0


def read(document: Document) -> Reading:
    """Return one run per test; from a broken file one with the maxima."""
    content = next((mapping(part.value) for part in document.parts() if "tests" in mapping(part.value)), {})
    version = text_of(content.get("Version")) or ""
    reading = Reading()
    for test in content.get("tests", ()) if isinstance(content.get("tests"), list) else ():
        _test(document, reading, mapping(test), version)
    return reading if reading.runs else _salvaged(document)


def _test(document: Document, reading: Reading, test: Mapping[str, Any], version: str) -> None:
    draft = Draft(
        document, NAME, part=f"test {text_of(str(test.get('TestID', ''))) or len(reading.runs)}", version=version
    )
    results = [result for result in _flat(test.get("Results")) if isinstance(result, dict)]
    for side in SIDES:
        ones = [result for result in results if result.get("access") == side]
        for key in KEYS:
            values = [value for one in ones if (value := number(one.get(key.theirs), key.theirs)) is not None]
            if values:
                found = f"{side} {key.theirs}, mean of {len(values)}"
                draft.set(f"{side}_{key.ours}", sum(values) / len(values), key.unit, found=found)
        if ones:
            size = number(ones[0].get("xferKiB"), "xferKiB")
            draft.set("block_bytes", size, "KiB", found="xferKiB")
            seconds = [value for one in ones if (value := number(one.get("totalTime"), "totalTime"))]
            draft.set("duration_s", max(seconds, default=None), "s", found=f"{side} totalTime")
            draft.fact(f"{side}_repetitions_count", float(len(ones)))
    maxima = mapping(test.get("max"))
    for key in MAXIMA:
        value = number(maxima.get(key.theirs), key.theirs)
        draft.fact(f"max_{key.ours}", None if value is None else value * 2**20)
        if draft.get(key.ours) is None and value:
            draft.set(key.ours, value, key.unit, found=f"max {key.theirs}")
    if any(draft.get(key.ours) for key in MAXIMA):
        reading.add(draft)


def _flat(value: Any) -> list[Any]:
    if not isinstance(value, list):
        return [value]
    return [inner for item in value for inner in (item if isinstance(item, list) else [item])]


def _salvaged(document: Document) -> Reading:
    refuse_deep(document)
    reading = Reading()
    broken_at = next((line for line, _ in document.json_problems), 1)
    for match in _MAXIMA.finditer(document.text):
        draft = Draft(document, NAME, part="max")
        draft.take(dict(_PAIR.findall(match.group(1))), MAXIMA, prefix="max.")
        draft.note(
            "incomplete_file",
            Severity.WARNING,
            f"the JSON is broken at line {broken_at}: only the maxima could be read",
            "they are the best of the repetitions, not the mean",
            line=broken_at,
        )
        if draft.values:
            reading.add(draft)
    if not reading.runs:
        problems = "".join(f"; line {line}: {reason}" for line, reason in document.json_problems[:1])
        raise Refused("broken_json", f"the JSON of IOR is broken and holds no maxima{problems}")
    return reading
