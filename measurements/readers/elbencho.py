"""elbencho CSV: one row per phase. MiB/s when all workers were done counts ("[last]"); small rates are recomputed.

The command line holds paths and host names and is dropped.
"""

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number
from planner.runs import Severity

NAME = "elbencho"
TITLE = "elbencho CSV"

KEYS = (
    Key("MiB/s [last]", "bytes_per_s", "MiB/s"),
    Key("IOPS [last]", "iops", "IOPS"),
    Key("IO lat us [avg]", "latency_s.mean", "us"),
)
"""Columns of a phase; the direction is put before ours."""

MIXED_KEYS = (
    Key("rwmix read MiB/s [last]", "read_bytes_per_s", "MiB/s"),
    Key("rwmix read IOPS [last]", "read_iops", "IOPS"),
)
SIDES = {"READ": "read", "WRITE": "write", "RWMIX": "write", "RWMIX50": "write"}
PRECISE_FROM_MIB_PER_S = 1000
FIRST_DONE_FRACTION = 0.1
MIB = 1 << 20


def recognise(document: Document) -> float:
    """Return 1 for the header with first and last done."""
    return 1.0 if any(_is_header(line.split(",")) for line in document.first_lines[:50]) else 0.0


def _is_header(cells: list[str]) -> bool:
    return "operation" in cells and "MiB/s [last]" in cells


def read(document: Document) -> Reading:
    """Return one run per phase that moved data; a repeated header is taken as such."""
    reading, header, skipped = Reading(), [""], 0
    for line, cells in enumerate(document.rows(","), start=1):
        if _is_header(cells):
            header = cells
        elif any(cells) and "operation" in header:
            if len(cells) != len(header):
                raise Refused("malformed", f"line {line} has {len(cells)} cells, its header {len(header)}")
            skipped += not _row(document, reading, dict(zip(header, cells, strict=True)), line)
    if skipped and not reading.runs:
        raise Refused("no_measurement", f"{skipped} phases, none of which moved data")
    return reading


def _row(document: Document, reading: Reading, record: dict[str, str], line: int) -> bool:
    operation = record["operation"].upper()
    side = SIDES.get(operation if not operation.startswith("RWMIX") else "RWMIX")
    if side is None or not number(record.get("MiB/s [last]"), "MiB/s [last]"):
        return False
    draft = Draft(document, NAME, part=f"line {line}, {operation}", version=record.get("version", "")[:40])
    draft.take(record, [Key(key.theirs, f"{side}_{key.ours}", key.unit) for key in KEYS])
    draft.take(record, MIXED_KEYS)
    draft.set("block_bytes", number(record.get("block size"), "block size"), "B", found="block size")
    draft.set("duration_s", number(record.get("time ms [last]"), "time ms [last]"), "ms", found="time ms [last]")
    depth, threads, hosts = (number(record.get(name), name) for name in ("IO depth", "threads", "hosts"))
    if depth and threads:
        draft.set("queue_depth_count", depth * threads * (hosts or 1), found="IO depth x threads x hosts")
    draft.fact("label", record.get("label", "")[:80] or None)
    draft.fact("direct", number(record.get("direct IO"), "direct IO"))
    draft.fact("random", number(record.get("random"), "random"))
    _recompute(draft, side, record)
    _first_done(draft, record)
    reading.add(draft)
    return True


def _recompute(draft: Draft, side: str, record: dict[str, str]) -> None:
    """Whole MiB/s are too coarse below 1,000: MiB moved over the time in ms is finer."""
    rate = number(record.get("MiB/s [last]"), "MiB/s [last]") or 0.0
    moved, seconds = number(record.get("MiB [last]"), "MiB [last]"), draft.get("duration_s")
    if rate < PRECISE_FROM_MIB_PER_S and moved and seconds:
        draft.set(f"{side}_bytes_per_s", moved * MIB / seconds, "B/s", found="MiB [last] / time ms [last]")


def _first_done(draft: Draft, record: dict[str, str]) -> None:
    first, last = (number(record.get(f"MiB/s [{which}]"), which) for which in ("first", "last"))
    draft.fact("first_done_bytes_per_s", None if first is None else first * MIB)
    if first and last and abs(first / last - 1) > FIRST_DONE_FRACTION:
        draft.note(
            "stragglers",
            Severity.INFO,
            f"{first:g} MiB/s until the fastest worker ended, {last:g} until all had",
            "the second is taken; workers did not end together",
            first_mib_per_s=first,
            last_mib_per_s=last,
        )
