"""Summary table of the MLCommons KV-cache benchmark: one row per trial; "GB" is GiB, latencies are end to end."""

from itertools import count

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number
from planner.runs import Severity

NAME = "mlc-kvcache-table"
TITLE = "MLCommons KV-cache benchmark, summary table"

KEYS = (
    Key("Wall-Clock Throughput (tokens/sec)", "total_tokens_per_s", "tok/s"),
    Key("Wall-Clock Requests/sec", "requests_per_s", "req/s"),
    Key("Total Requests", "requests_ok_count"),
    Key("E2E Latency Mean (ms)", "e2e_s.mean", "ms"),
    Key("E2E Latency P50 (ms)", "e2e_s.p50", "ms"),
    Key("E2E Latency P95 (ms)", "e2e_s.p95", "ms"),
    Key("E2E Latency P99 (ms)", "e2e_s.p99", "ms"),
)
MOVED = (("Total Read (GB)", "read_bytes_per_s"), ("Total Write (GB)", "write_bytes_per_s"))
GIB = 1 << 30


def recognise(document: Document) -> float:
    """Return 1 for the header of the table."""
    first = document.first_lines[0] if document.first_lines else ""
    return 1.0 if "Wall-Clock Throughput (tokens/sec)" in first and "Storage Requests/sec" in first else 0.0


def read(document: Document) -> Reading:
    """Return one run per row."""
    rows, reading = document.rows(), Reading()
    header = next(rows, [])
    for index, cells in zip(count(1), rows, strict=False):
        if not any(cells):
            continue
        if len(cells) != len(header):
            raise Refused("malformed", f"row {index} has {len(cells)} cells, the header {len(header)}")
        record = dict(zip(header, cells, strict=True))
        draft = Draft(document, NAME, part=f"row {index}")
        draft.take(record, KEYS)
        draft.fact("trial", record.get("Filename", "").replace("\\", "/").rsplit("/", 1)[-1][:200] or None)
        _rates(draft, record)
        reading.add(draft)
    return reading


def _rates(draft: Draft, record: dict[str, str]) -> None:
    tokens, rate = number(record.get("Total Tokens"), "Total Tokens"), draft.get("total_tokens_per_s")
    if not tokens or not rate:
        draft.note("no_duration", Severity.WARNING, "no tokens or no rate: the wall time is not known", "no bandwidth")
        return
    seconds = tokens / rate
    draft.set("duration_s", seconds, "s", found="Total Tokens / Wall-Clock Throughput")
    for theirs, ours in MOVED:
        moved = number(record.get(theirs), theirs)
        draft.set(ours, None if not moved else moved * GIB / seconds, "B/s", found=f"{theirs} [GiB] / wall time")
