"""fio terse output, versions 3 and 5: fields by position, KiB, KiB/s, ms and µs, percentiles as "99.000000%=69"."""

import re

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number
from measurements.storage_fields import check_side
from planner.runs import PercentileRule, Severity

NAME = "fio-terse"
TITLE = "fio terse output"

KEYS = (
    Key("1", "bytes_per_s", "KiB/s"),
    Key("2", "iops", "IOPS"),
    Key("10", "latency_s.mean", "us"),
)
"""Position within a direction's block (0 is the KiB moved, 3 the run time in ms) to our field."""

BLOCKS = {"3": (("read", 5), ("write", 46)), "5": (("read", 5), ("write", 52))}
"""Version -> first field (from 0) of each direction: version 5 has six more fields a block."""

PERCENTILES_AT, PERCENTILES_COUNT = 12, 20
LEAST_FIELDS = {"3": 88, "5": 99}
NAMES = {"50.000000%": "p50", "90.000000%": "p90", "95.000000%": "p95", "99.000000%": "p99"}

_LINE = re.compile(r"^([35]);(fio-[^;\n]{1,40});[^\n]*$", re.MULTILINE)


def recognise(document: Document) -> float:
    """Return 1 for a line that begins as terse output does."""
    return 1.0 if _LINE.search(document.text[: 1 << 20]) else 0.0


def read(document: Document) -> Reading:
    """Return one run per line."""
    reading, lines = Reading(), list(_LINE.finditer(document.text))
    line, counted = 1, 0
    for match in lines:
        fields = match.group(0).split(";")
        version = match.group(1)
        line, counted = line + document.text.count("\n", counted, match.start()), match.start()
        if len(fields) < LEAST_FIELDS[version]:
            raise Refused("truncated", f"line {line}: {len(fields)} fields, terse output has {LEAST_FIELDS[version]}")
        name = f"job {fields[2][:80]}"
        draft = Draft(document, NAME, part=f"line {line}, {name}" if len(lines) > 1 else name, version=match.group(2))
        _fill(draft, fields, version)
        if draft.values:
            reading.add(draft)
    return reading


def _fill(draft: Draft, fields: list[str], version: str) -> None:
    seconds = []
    for side, start in BLOCKS[version]:
        moved, runtime = (number(fields[start + offset], f"field {start + offset + 1}") for offset in (0, 3))
        if not moved:
            continue
        for key in KEYS:
            place = start + int(key.theirs)
            found = f"field {place + 1}"
            draft.set(f"{side}_{key.ours}", number(fields[place], found), key.unit, found=found)
        for field in fields[start + PERCENTILES_AT : start + PERCENTILES_AT + PERCENTILES_COUNT]:
            level, _, value = field.partition("=")
            if level in NAMES:
                draft.set(f"{side}_latency_s.{NAMES[level]}", number(value, level), "us", found=level)
        check_side(draft, side, moved * 1024, (runtime or 0.0) / 1000)
        seconds.append(runtime or 0.0)
    draft.rule = PercentileRule.BUCKET
    if seconds and max(seconds) > 0:
        draft.set("duration_s", max(seconds), "ms", found="runtime")
    if code := number(fields[4], "field 5"):
        draft.note(
            "job_failed",
            Severity.BLOCKS_SIZING,
            f"the job ended with an error ({code:g})",
            "the run failed",
            error=code,
        )
