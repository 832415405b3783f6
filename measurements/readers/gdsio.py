"""gdsio: one line per direction, GiB/s and KiB, mean latency only. Compatibility mode of GPUD is not visible."""

import re

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number
from measurements.storage_fields import check_side

NAME = "gdsio"
TITLE = "gdsio (GPUDirect Storage)"

KEYS = (
    Key("Throughput", "bytes_per_s", "GiB/s"),
    Key("Avg_Latency", "latency_s.mean", "us"),
    Key("total_time", "duration_s", "s"),
)

_RUN = re.compile(
    r"IoType:\s*(READ|WRITE|RANDREAD|RANDWRITE)\s+XferType:\s*(\w{1,40})\s+Threads:\s*(\d{1,6})\s+"
    r"DataSetSize:\s*(\d{1,18})(?:/\d{1,18})?\(KiB\)\s+IOSize:\s*(\d{1,12})((?:-\d{1,12})*)\(KiB\)\s+"
    r"Throughput:\s*([\d.]{1,20})\s*GiB/sec,?\s*Avg_Latency:\s*([\d.]{1,20})\s*usecs?\s+"
    r"ops:\s*(\d{1,15})\s+total_time\s*([\d.]{1,20})\s*secs?"
)


def recognise(document: Document) -> float:
    """Return 1 for a result line, wrapped or not."""
    return 1.0 if _RUN.search(document.text[: 1 << 20]) else 0.0


def read(document: Document) -> Reading:
    """Return one run per result."""
    reading = Reading()
    for count, match in enumerate(_RUN.finditer(document.text), start=1):
        kind, transfer, threads, moved_kib, io_kib, spread, rate, latency, operations, seconds = match.groups()
        side = kind.lower().removeprefix("rand")
        draft = Draft(document, NAME, part=f"result {count}, {kind} {transfer}")
        table = {"Throughput": rate, "Avg_Latency": latency, "total_time": seconds}
        for key in KEYS:
            ours = key.ours if key.ours == "duration_s" else f"{side}_{key.ours}"
            draft.set(ours, number(table[key.theirs], key.theirs), key.unit, found=key.theirs)
        if not spread:  # a-b-c is a range of sizes
            draft.set("block_bytes", float(io_kib), "KiB", found="IOSize")
        draft.set("queue_depth_count", float(threads), found="Threads")
        draft.fact("transfer", transfer)
        elapsed = draft.get("duration_s")
        if elapsed:
            draft.set(f"{side}_iops", float(operations) / elapsed, "IOPS", found="ops / total_time")
        check_side(draft, side, float(moved_kib) * 1024, elapsed)
        reading.add(draft)
    return reading
