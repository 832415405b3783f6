"""A CSV of points made by a person: headers name quantity, statistic and unit, or are our own field names.

A latency column without a unit is refused: there is no default. Rule and regime are unknown unless a column
``regime`` or ``percentile_rule`` says them. See docs/csv-template.md.
"""

import re
from collections.abc import Mapping

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, is_unlimited, number, text_of
from planner.errors import shown
from planner.runs import PercentileRule, Regime, Rig, Severity

NAME = "serving-table"
TITLE = "table of serving results (CSV)"

PLAIN: Mapping[str, tuple[str, str]] = {
    "concurrency": ("concurrency_count", ""),
    "conc": ("concurrency_count", ""),
    "max_concurrency": ("concurrency_count", ""),
    "rate": ("request_rate_per_s", "req/s"),
    "qps": ("request_rate_per_s", "req/s"),
    "request_rate": ("request_rate_per_s", "req/s"),
    "req/s": ("requests_per_s", "req/s"),
    "request_throughput": ("requests_per_s", "req/s"),
    "out_tok/s": ("output_tokens_per_s", "tok/s"),
    "output_tok/s": ("output_tokens_per_s", "tok/s"),
    "total_tok/s": ("total_tokens_per_s", "tok/s"),
    "isl": ("prompt_tokens", "tokens"),
    "input_len": ("prompt_tokens", "tokens"),
    "osl": ("output_tokens", "tokens"),
    "output_len": ("output_tokens", "tokens"),
    "tp": ("tensor_parallel_count", ""),
}
OWN = (
    "concurrency_count request_rate_per_s requests_per_s prompt_tokens output_tokens hit_fraction requests_ok_count "
    "requests_failed_count duration_s output_tokens_per_s total_tokens_per_s tensor_parallel_count read_bytes_per_s "
    "write_bytes_per_s read_iops write_iops block_bytes queue_depth_count"
)
TEXTS = ("model", "gpu", "regime", "percentile_rule", "tier", "path_version")
RIG = ("ports_count", "drives_count", "nodes_count", "instances_count")
TIERS = ("fx100", "fx200", "fx300", "fx400", "local-nvme", "host-dram", "recompute")
OWN_LEAST_COUNT = 3
QUANTITIES = {
    "ttft": "ttft_s",
    "tpot": "tpot_s",
    "itl": "itl_s",
    "e2e": "e2e_s",
    "e2el": "e2e_s",
    "latency": "e2e_s",
    "e2e latency": "e2e_s",
    "read latency": "read_latency_s",
    "write latency": "write_latency_s",
}
STATISTICS = {"mean": "mean", "avg": "mean", "median": "p50", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
UNITS = ("ms", "us", "s")
LEAST_TTFT_S = 1e-3
LABELS_MAX_COUNT = 2

_WORDS = re.compile(r"[a-z0-9]+")


def recognise(document: Document) -> float:
    """Return 0.5 (below every tool's own CSV) for three known columns, a latency or our own fields among them."""
    if document.head is not None or not document.first_lines:
        return 0.0
    first = document.first_lines[0]
    header = [_column(cell.strip().strip('"')) for cell in re.split(r"[,;\t]", first)]
    known = [column for column in header if column is not None]
    own = sum(ours in OWN.split() or ours.endswith(("_s.p50", "_s.p99", "_s.mean")) for ours, _ in known)
    return (
        0.5
        if len(known) >= OWN_LEAST_COUNT and (own >= OWN_LEAST_COUNT or any("." in ours for ours, _ in known))
        else 0.0
    )


def _column(title: str) -> tuple[str, str] | None:
    """Return (our field, unit) of a header, the unit "?" where a latency has none; None for other columns."""
    lowered = title.lower()
    if lowered in PLAIN:
        return PLAIN[lowered]
    if lowered in OWN.split():
        return lowered, ""
    if re.fullmatch(r"(?:ttft|tpot|itl|e2e|read_latency|write_latency)_s\.(?:mean|p50|p90|p95|p99)", lowered):
        return lowered, "s"
    words = _WORDS.findall(lowered)
    statistic = next((STATISTICS[word] for word in words if word in STATISTICS), None)
    unit = next((word for word in words if word in UNITS), "?")
    rest = " ".join(word for word in words if word not in STATISTICS and word not in UNITS)
    return (f"{QUANTITIES[rest]}.{statistic}", unit) if rest in QUANTITIES and statistic else None


def read(document: Document) -> Reading:
    """Return one run per row."""
    rows = document.rows()
    titles = next(rows)
    columns = [_column(title) for title in titles]
    if bare := [title for title, column in zip(titles, columns, strict=True) if column and column[1] == "?"]:
        raise Refused("no_unit", f"the columns {', '.join(bare)} do not say their unit: write ms or s into the header")
    reading = Reading()
    for line, row in enumerate(rows, 2):
        if not any(row):
            continue
        if len(row) != len(titles):
            raise Refused("truncated", f"line {line} has {len(row)} of {len(titles)} columns")
        draft = Draft(document, NAME, part=f"row {_label(titles, columns, row) or line}")
        _fill(draft, titles, columns, row)
        reading.add(draft)
    return reading


def _label(titles: list[str], columns: list[tuple[str, str] | None], row: list[str]) -> str:
    """Name the row by its free text columns and the load it was run at, as far as it has them."""
    cells = zip(titles, columns, row, strict=True)
    texts = [cell for title, column, cell in cells if column is None and cell and title.lower() not in (*TEXTS, *RIG)][
        :LABELS_MAX_COUNT
    ]
    loads = [
        cell
        for column, cell in zip(columns, row, strict=True)
        if column and column[0] in ("request_rate_per_s", "concurrency_count")
    ]
    return "/".join([*texts, *filter(None, loads)])


def _fill(draft: Draft, titles: list[str], columns: list[tuple[str, str] | None], row: list[str]) -> None:
    for title, column, cell in zip(titles, columns, row, strict=True):
        if column is None:
            _text(draft, title.lower(), cell)
        elif column[0] == "request_rate_per_s" and is_unlimited(cell):
            draft.fact("request_rate", "unlimited")
            draft.found[column[0]] = f"{title} = {cell}"
        else:
            draft.set(column[0], number(cell, title), column[1], found=title)
    draft.rig = _rig({title.lower(): cell for title, cell in zip(titles, row, strict=True)})
    first = draft.get("ttft_s.p50") or draft.get("ttft_s.mean")
    if first is not None and first < LEAST_TTFT_S:
        latencies = [key for key in draft.values if "." in key]
        draft.withhold(*latencies)
        draft.note(
            "time_unit_doubtful",
            Severity.BLOCKS_SIZING,
            f"TTFT would be {first * 1e6:.0f} µs by the header: less than a network round trip and a forward pass take",
            "all latencies of the row are left missing; the values are probably seconds: ask who made the table",
            ttft_s_as_stated=first,
        )


def _rig(cells: Mapping[str, str]) -> Rig | None:
    """Return what was under test; without a tier nothing can be said of it."""
    tier = cells.get("tier", "")
    if not tier:
        return None
    if tier not in TIERS:
        raise Refused("unknown_value", f"tier = {shown(tier)}: one of {', '.join(TIERS)}")
    counts = {name: number(cells.get(name), name) for name in RIG}
    known = {name: round(value) for name, value in counts.items() if value is not None}
    return Rig(
        tier=tier,
        ports_count=known.get("ports_count"),
        drives_count=known.get("drives_count"),
        nodes_count=known.get("nodes_count", 1),
        instances_count=known.get("instances_count", 1),
        path_version=cells.get("path_version", ""),
    )


def _text(draft: Draft, title: str, cell: str) -> None:
    if title == "model":
        draft.model = text_of(cell)
    elif title == "gpu":
        draft.gpu = text_of(cell)
    elif title in ("regime", "percentile_rule") and cell:
        allowed = [member.value for member in (Regime if title == "regime" else PercentileRule)]
        if cell not in allowed:
            raise Refused("unknown_value", f"{title} = {shown(cell)}: one of {', '.join(allowed)}")
        if title == "regime":
            draft.regime = Regime(cell)
        else:
            draft.rule = PercentileRule(cell)
