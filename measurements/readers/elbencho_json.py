"""elbencho JSON (appended, one object per phase): bytes/s, unlike the CSV; numbers may be text; "last_done" counts."""

from collections.abc import Mapping
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, mapping, number, text_of

NAME = "elbencho-json"
TITLE = "elbencho JSON"

KEYS = (Key("bytes/s", "bytes_per_s", "B/s"), Key("iops", "iops", "IOPS"))
"""Keys of ``last_done``; the direction is put before ours."""

SIDES = {"READ": "read", "WRITE": "write"}


def recognise(document: Document) -> float:
    """Return 1 for a phase with first and last done."""
    return 1.0 if {"operation", "last_done"} <= mapping(document.head).keys() else 0.0


def read(document: Document) -> Reading:
    """Return one run per phase that moved data."""
    reading = Reading()
    for part in document.parts():
        phase = mapping(part.value)
        side = SIDES.get((text_of(phase.get("operation")) or "").upper())
        done = mapping(phase.get("last_done"))
        if side is None or not number(done.get("bytes/s"), "bytes/s"):
            continue
        draft = Draft(document, NAME, part=f"object {part.number}, {side}", version=text_of(phase.get("version")) or "")
        draft.take(done, [Key(key.theirs, f"{side}_{key.ours}", key.unit) for key in KEYS], prefix="last_done.")
        elapsed = phase.get("elapsed_time_ms", done.get("elapsed_time_ms"))
        draft.set("duration_s", number(elapsed, "elapsed_time_ms"), "ms", found="elapsed_time_ms")
        _latency(draft, side, phase)
        draft.set("block_bytes", number(phase.get("block_size"), "block_size"), "B", found="block_size")
        first = number(mapping(phase.get("first_done")).get("bytes/s"), "first_done.bytes/s")
        draft.fact("first_done_bytes_per_s", first)
        reading.add(draft)
    return reading


def _latency(draft: Draft, side: str, phase: Mapping[str, Any]) -> None:
    latency = mapping(mapping(phase.get("latency")).get("IO"))
    draft.take(latency, [Key("avg_us", f"{side}_latency_s.mean", "us")], prefix="latency.IO.")
