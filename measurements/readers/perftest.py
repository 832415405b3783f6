"""perftest (``ib_write_bw``, ``ib_read_lat`` …): text tables and JSON, which old versions write without quotes.

JSON names no unit: MiB/s, or Gbit/s with ``--report_gbits``. It follows from message rate × size, or is unknown.
"""

import re

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number
from measurements.storage_fields import refuse_deep
from planner.runs import Severity

NAME = "perftest"
TITLE = "perftest (RDMA bandwidth and latency)"

KEYS = (
    Key("t_typical", "latency_s.p50", "us"),
    Key("t_avg", "latency_s.mean", "us"),
    Key("percentile_99", "latency_s.p99", "us"),
    Key("99% percentile", "latency_s.p99", "us"),
)
UNITS = {"MB/sec": "MiB/s", "MiB/sec": "MiB/s", "Gb/sec": "Gb/s"}
AGREES_FRACTION = 0.05

_NUMBERS = r"MsgSize|n_iterations|BW_peak|BW_average|MsgRate|t_min|t_max|t_typical|t_avg|t_stdev|percentile_99"
_COLUMNS = r"#bytes|#iterations|BW peak|BW average|MsgRate|t_min|t_max|t_typical|t_avg|t_stdev"
_COLUMNS += r"|99\.9% percentile|99% percentile"
_TEST = re.compile(r"\b(?:RDMA_Write|RDMA_Read|Send|Atomic)[ _A-Za-z]{0,60}?(?:BW|Latency)")
_HEADER = re.compile(r"^[ \t]*#bytes[ \t]+#iterations[^\n]*$", re.MULTILINE)
_COLUMN = re.compile(rf"({_COLUMNS})(?:\[([^\]\s]{{1,10}})\])?")
_PAIR = re.compile(rf'^[ \t]*"?({_NUMBERS})"?[ \t]*:[ \t]*([^\s,}}]{{1,40}})', re.MULTILINE)
_RESULTS = re.compile(r'"?results"?\s*:\s*\{')


def recognise(document: Document) -> float:
    """Return 1 for the table's header or for results with a message size."""
    text = document.text[: 1 << 20]
    found = _HEADER.search(text) or (_RESULTS.search(text) and re.search(r'"?MsgSize"?\s*:', text))
    return 1.0 if found else 0.0


def read(document: Document) -> Reading:
    """Return one run per row of the table, or the one of the JSON."""
    reading, columns = Reading(), list[tuple[str, str]]()
    test = _TEST.search(document.text[: 1 << 20])
    name = " ".join(test.group(0).split())[:60] if test else "RDMA"
    both = re.search(r"bidirectional", document.text[: 1 << 16], re.IGNORECASE) is not None
    for line in document.text.split("\n"):
        cells = line.split()
        if _HEADER.match(line):
            columns = [(match.group(1), match.group(2) or "") for match in _COLUMN.finditer(line)]
        elif not columns or not cells or not cells[0].isdigit():
            columns = []
        elif len(cells) != len(columns):
            raise Refused("malformed", f"a row has {len(cells)} numbers, its header {len(columns)}")
        else:
            record = {column: cell for (column, _), cell in zip(columns, cells, strict=True)}
            _keep(reading, _draft(document, name, record, dict(columns), both))
    if not reading.runs and (start := _RESULTS.search(document.text)):
        refuse_deep(document)
        record = dict(_PAIR.findall(document.text[start.end() : start.end() + (1 << 16)]))
        _keep(reading, _draft(document, name, record, {}, both))
    return reading


def _keep(reading: Reading, draft: Draft) -> None:
    if draft.values.keys() - {"block_bytes"}:
        reading.add(draft)
    else:
        reading.findings.extend(draft.findings)


def _draft(document: Document, name: str, record: dict[str, str], units: dict[str, str], both: bool) -> Draft:
    size = number(record.get("MsgSize", record.get("#bytes")), "message size")
    side = "read" if "Read" in name else "write"
    draft = Draft(document, NAME, part=f"{name} {size or 0:g} B")
    draft.set("block_bytes", size, found="message size [B]")
    for key in KEYS:
        if key.theirs in record:
            draft.set(f"{side}_{key.ours}", number(record[key.theirs], key.theirs), key.unit, found=key.theirs)
    _bandwidth(draft, side, record, units)
    if both:
        draft.note("bidirectional", Severity.WARNING, "a bidirectional test", "the rate is the sum of both directions")
    return draft


def _bandwidth(draft: Draft, side: str, record: dict[str, str], units: dict[str, str]) -> None:
    average = number(record.get("BW_average", record.get("BW average")), "BW average")
    if average is None:
        return
    messages, size = number(record.get("MsgRate"), "MsgRate"), draft.get("block_bytes")
    from_messages = messages * 1e6 * size if messages and size else None
    unit = UNITS.get(units.get("BW average", ""), "")
    if not unit:
        unit = _unit_that_agrees(average, from_messages)
    if not unit:
        draft.note(
            "unit_unknown",
            Severity.BLOCKS_SIZING,
            f"BW_average {average:g}: no unit, and message rate x size is neither MiB/s nor Gbit/s",
            "the bandwidth is left missing: ask whether --report_gbits was used",
            printed=average,
        )
        return
    draft.set(f"{side}_bytes_per_s", average, unit, found="BW average")
    if messages is not None:
        draft.set(f"{side}_iops", messages * 1e6, "IOPS", found="MsgRate [Mpps]")
    if number(record.get("BW_peak", record.get("BW peak")), "BW peak") == 0:
        draft.note(
            "peak_not_measured", Severity.INFO, "the peak is printed as 0", "it was not measured; the mean counts"
        )


def _unit_that_agrees(average: float, bytes_per_s: float | None) -> str:
    if not bytes_per_s:
        return ""
    factors = {"MiB/s": 2.0**20, "Gb/s": 1e9 / 8}
    return next(
        (unit for unit, factor in factors.items() if abs(average * factor / bytes_per_s - 1) < AGREES_FRACTION), ""
    )
