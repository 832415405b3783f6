"""fio's report for people: "IOPS=16.0k, BW=2002MiB/s (2099MB/s)(6023MiB/3008msec)". Three or four digits only."""

import re

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number
from measurements.storage_fields import size_bytes
from planner.errors import shown
from planner.runs import PercentileRule, Severity

NAME = "fio-text"
TITLE = "fio report for people"

KEYS = (Key("BW", "bytes_per_s", "B/s"), Key("IOPS", "iops", "IOPS"))
LEVELS = {"50.00": "p50", "90.00": "p90", "95.00": "p95", "99.00": "p99"}
UNITS = {"nsec": "ns", "usec": "us", "msec": "ms", "sec": "s"}
THOUSANDS = {"": 1.0, "k": 1e3, "M": 1e6}

_JOB = re.compile(r"^([^\n:]{1,200}): \(groupid=\d+, jobs=(\d+)\): err=\s*(\d+)", re.MULTILINE)
_SIDE = re.compile(
    r"^\s+(read|write)\s*: IOPS=([\d.]+)([kM]?), BW=([\d.]+)([KMGT]?i?B)/s[^\n]*?\(([\d.]+)([KMGT]?i?B)/(\d+)msec\)",
    re.MULTILINE,
)
_OLD = re.compile(r"^\s+(?:read|write)\s*:\s*io=", re.MULTILINE)
_MEAN = re.compile(
    r"^\s+(clat|lat) \((nsec|usec|msec|sec)\)\s*: min=[^,\n]+, max=[^,\n]+, avg=\s*([\d.]+)([kM]?),", re.MULTILINE
)
_PERCENTILES = re.compile(
    r"^\s+(?:clat|lat) percentiles \((nsec|usec|msec|sec)\):\n((?:\s+\|[^\n]*\n?)+)", re.MULTILINE
)
_LEVEL = re.compile(r"([\d.]+)th=\[\s*([\d.]+)\]")
_HEADER = re.compile(
    r"^([^\n:]{1,200}): \(g=\d+\): rw=([a-z]+), bs=\(R\) (\d+)([KMG]?i?B)-[^\n]*?ioengine=(\w+), iodepth=(\d+)",
    re.MULTILINE,
)
_VERSION = re.compile(r"^(fio-\d[^\s]{0,30})$", re.MULTILINE)
_ERROR = re.compile(r"^fio: (?:pid=\d+, )?err=[^\n]*$", re.MULTILINE)


def recognise(document: Document) -> float:
    """Return 0.9 for a job line (JSON beside it is better), 0.8 for error lines alone."""
    text = document.text[: 4 << 20]
    if _JOB.search(text):
        return 0.9
    return 0.8 if _ERROR.search(text) else 0.0


def read(document: Document) -> Reading:
    """Return one run per job."""
    jobs, reading = list(_JOB.finditer(document.text)), Reading()
    errors = _ERROR.findall(document.text)
    if not jobs:
        raise Refused("tool_failed", f"fio failed and wrote no result: {shown(errors[0] if errors else '')}")
    version = _VERSION.search(document.text)
    headers = {match.group(1).strip(): match for match in _HEADER.finditer(document.text)}
    for count, job in enumerate(jobs):
        end = jobs[count + 1].start() if count + 1 < len(jobs) else len(document.text)
        draft = Draft(document, NAME, part=f"job {job.group(1).strip()}", version=version.group(1) if version else "")
        _fill(draft, document.text[job.end() : end])
        if not draft.values and _OLD.search(document.text, job.end(), end):
            raise Refused("old_version", "the text report of fio 2: hand in its JSON (--output-format=json)")
        _header(draft, headers.get(job.group(1).strip()))
        if int(job.group(3)) or errors:
            code = float(job.group(3))
            draft.note(
                "job_failed",
                Severity.BLOCKS_SIZING,
                f"the job ended with an error ({code:g})",
                "the run failed",
                error=code,
            )
        if draft.get("read_bytes_per_s") or draft.get("write_bytes_per_s"):
            reading.add(draft)
    return reading


def _header(draft: Draft, match: re.Match[str] | None) -> None:
    if match is not None:
        draft.set("block_bytes", size_bytes(match.group(3) + match.group(4)), found="bs")
        draft.set("queue_depth_count", float(match.group(6)), found="iodepth")
        draft.fact("rw", match.group(2))
        draft.fact("ioengine", match.group(5))


def _fill(draft: Draft, block: str) -> None:
    sides, seconds = list(_SIDE.finditer(block)), 0.0
    for count, side in enumerate(sides):
        name, iops, scale, rate, unit, _, _, runtime = side.groups()
        draft.set(f"{name}_iops", (number(iops, "IOPS") or 0.0) * THOUSANDS[scale], "IOPS", found=f"{name} IOPS")
        draft.set(f"{name}_bytes_per_s", number(rate, "BW"), f"{unit}/s", found=f"{name} BW")
        seconds = max(seconds, float(runtime) / 1000)
        part = block[side.end() : sides[count + 1].start() if count + 1 < len(sides) else len(block)]
        _latency(draft, name, part)
    if seconds:
        draft.set("duration_s", seconds, "s", found="msec")
    draft.rule = PercentileRule.BUCKET


def _latency(draft: Draft, side: str, text: str) -> None:
    if mean := next((match for match in _MEAN.finditer(text)), None):
        value = (number(mean.group(3), "avg") or 0.0) * THOUSANDS[mean.group(4)]
        draft.set(f"{side}_latency_s.mean", value, UNITS[mean.group(2)], found=f"{mean.group(1)} avg")
    if table := _PERCENTILES.search(text):
        for level, value in _LEVEL.findall(table.group(2)):
            if level in LEVELS:
                ours = f"{side}_latency_s.{LEVELS[level]}"
                draft.set(ours, number(value, level), UNITS[table.group(1)], found=f"{level}th")
