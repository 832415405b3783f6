"""``iostat -x 1``: rates of each device by interval. iostat's kB is 1,024 B. The first report, since boot, is dropped.

The rate of a run is its largest interval; the mean over the busy intervals and their number are facts.
"""

import re
from dataclasses import dataclass, field

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number
from planner.runs import Severity

NAME = "iostat"
TITLE = "iostat -x"

KEYS = (
    Key("rkB/s", "read_bytes_per_s", "KiB/s"),
    Key("wkB/s", "write_bytes_per_s", "KiB/s"),
    Key("rMB/s", "read_bytes_per_s", "MiB/s"),
    Key("wMB/s", "write_bytes_per_s", "MiB/s"),
    Key("r/s", "read_iops", "IOPS"),
    Key("w/s", "write_iops", "IOPS"),
)
AWAIT = {"r_await": "read", "w_await": "write"}
BUSY_FRACTION = 0.1
"""An interval counts as busy from a tenth of the peak on."""

_HEADER = re.compile(r"^Device:?\s+(?=.*\s[rw](?:k|M)B/s)")


@dataclass(slots=True)
class Device:
    """Rates of one device, interval by interval, in the units of their columns."""

    columns: dict[str, list[float]] = field(default_factory=dict)


def recognise(document: Document) -> float:
    """Return 1 for the header of the extended report."""
    return 1.0 if any(_HEADER.match(line) for line in document.first_lines) else 0.0


def read(document: Document) -> Reading:
    """Return one run per device that moved data."""
    devices = _intervals(document)
    if not devices:
        raise Refused("no_measurement", "only the report since boot: iostat needs an interval, as in 'iostat -x 1'")
    reading = Reading()
    for name, device in devices.items():
        draft = Draft(document, NAME, part=f"device {name}")
        _fill(draft, device)
        if draft.get("read_bytes_per_s") or draft.get("write_bytes_per_s"):
            reading.add(draft)
    return reading


def _intervals(document: Document) -> dict[str, Device]:
    devices: dict[str, Device] = {}
    header: list[str] = []
    reports = 0
    for line_number, line in enumerate(document.text.split("\n"), start=1):
        if _HEADER.match(line):
            header, reports = line.replace(":", " ").split(), reports + 1
            continue
        cells = line.split()
        if cells and cells[0] == "Linux":  # the banner: a log appended by another start of iostat
            header, reports = [], 0
        elif cells and cells[0] == "avg-cpu:":
            header = []
        if not cells or not header:
            header = header if cells else []
            continue
        if len(cells) != len(header):
            if line_number > document.text.count("\n") - 1:  # the last line may have been cut off
                continue
            raise Refused("malformed", f"line {line_number} has {len(cells)} columns, its header {len(header)}")
        if reports > 1:
            columns = devices.setdefault(cells[0][:80], Device()).columns
            for name, cell in zip(header[1:], cells[1:], strict=True):
                columns.setdefault(name, []).append(number(cell, name) or 0.0)
    return devices


def _fill(draft: Draft, device: Device) -> None:
    for key in KEYS:
        values = device.columns.get(key.theirs, [])
        peak = max(values, default=0.0)
        if peak <= 0:
            continue
        draft.set(key.ours, peak, key.unit, found=f"{key.theirs}, largest interval")
        if key.ours.endswith("bytes_per_s"):
            side = key.ours.split("_", 1)[0]
            busy = [value for value in values if value >= BUSY_FRACTION * peak]
            factor = 1024.0 if key.unit == "KiB/s" else 1024.0**2
            draft.fact(f"{side}_busy_mean_bytes_per_s", sum(busy) / len(busy) * factor)
            draft.fact(f"{side}_busy_intervals_count", float(len(busy)))
            draft.fact(f"{side}_busy_threshold_bytes_per_s", BUSY_FRACTION * peak * factor)
            draft.fact(f"{side}_bytes_by_intervals", sum(values) * factor)
    for name, side in AWAIT.items():
        _latency(draft, device.columns, name, side)
    draft.fact("intervals_count", float(max((len(values) for values in device.columns.values()), default=0)))
    draft.note(
        "iostat_unit",
        Severity.INFO,
        "iostat's kB is 1,024 bytes and its MB 1,048,576",
        "rates are converted; busy intervals are seconds where iostat ran with an interval of 1",
        factor=1.024,
    )


def _latency(draft: Draft, columns: dict[str, list[float]], name: str, side: str) -> None:
    """Mean over the requests, not over the intervals."""
    waits, rates = columns.get(name, []), columns.get(f"{side[0]}/s", [])
    total = sum(rates)
    if total > 0 and len(waits) == len(rates):
        mean = sum(wait * rate for wait, rate in zip(waits, rates, strict=True)) / total
        draft.set(f"{side}_latency_s.mean", mean, "ms", found=f"{name} weighted by requests")
