"""What the storage readers share: sizes with a suffix, directions, and the checks of a direction's own figures."""

import re

from measurements.documents import Document, Refused
from measurements.fields import Draft
from planner.runs import Severity

SIDES = ("read", "write")
SIDE_FRACTION = 0.02

_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgtKMGT]?)(?:i?[bB])?", re.ASCII)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def size_bytes(text: object) -> float | None:
    """Return the bytes of "128k", "1m", "4096" as fio and IOR write block sizes (k = 1,024); None for anything else.

    >>> size_bytes("128k"), size_bytes("4k,8k")
    (131072.0, None)
    """
    if isinstance(text, bool) or not isinstance(text, (str, int)):
        return None
    match = _SIZE.fullmatch(str(text).strip())
    return float(match.group(1)) * 1024.0 ** _POWERS[match.group(2).lower()] if match else None


def check_side(draft: Draft, side: str, moved_bytes: float | None, seconds: float | None) -> None:
    """Note a rate that does not follow from the bytes and the time which the same file gives."""
    rate = draft.get(f"{side}_bytes_per_s")
    if not (rate and moved_bytes and seconds):
        return
    computed = moved_bytes / seconds
    if abs(rate / computed - 1) > SIDE_FRACTION:
        draft.note(
            "contradictory_fields",
            Severity.WARNING,
            f"the {side} rate is {rate:.6g} B/s as printed and {computed:.6g} B/s from bytes and time",
            "the file contradicts itself; the printed rate is kept",
            printed_bytes_per_s=rate,
            computed_bytes_per_s=computed,
            side=side,
        )


def refuse_deep(document: Document) -> None:
    """Refuse what is nested too deeply, before anything is salvaged from broken JSON."""
    _ = document.head
    for line, reason in document.json_problems:
        if "deep" in reason:
            raise Refused("too_deep", f"line {line}: {reason}")
