"""vLLM's multi-turn benchmark: a pandas ``describe()`` table on the console, milliseconds, two significant decimals.

``--num-clients`` is the concurrency; a request rate is per client. Percentiles are pandas' (linear).
"""

import re

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, number
from planner.runs import PercentileRule, Regime

NAME = "vllm-multi-turn"
TITLE = "vLLM multi-turn benchmark"

ROWS = {"ttft_ms": ("ttft_s", "ms"), "tpot_ms": ("tpot_s", "ms"), "latency_ms": ("e2e_s", "ms")}
LENGTHS = {"input_num_tokens": "prompt_tokens", "output_num_tokens": "output_tokens"}
COLUMNS = {"mean": "mean", "50%": "p50", "90%": "p90", "95%": "p95", "99%": "p99"}

_HEADER = re.compile(r"^[ \t]*count[ \t]+mean[ \t]+std[ \t]+min[ \t]+25%.*$", re.MULTILINE)
_SCALAR = re.compile(r"\b(runtime_sec|requests_per_sec)[ \t]*[=:][ \t]*([\d.]+)")
_CLIENTS = re.compile(r"(?:num[_-]clients|Number of clients)[ \t]*[=:, ][ \t]*(\d+)")


def recognise(document: Document) -> float:
    """Return 1 for a ``describe()`` header followed by a TTFT row in milliseconds."""
    header = _HEADER.search(document.text)
    return (
        1.0 if header and re.search(r"^[ \t]*ttft_ms[ \t]+[\d.]", document.text[header.end() :], re.MULTILINE) else 0.0
    )


def read(document: Document) -> Reading:
    """Return the run of the last table: earlier ones (warm-up, per-client) are intermediate."""
    headers = list(_HEADER.finditer(document.text))
    if not headers:
        raise Refused("not_recognised", "no table with count, mean, std, min, 25% …")
    header = headers[-1]
    columns = header.group(0).split()
    draft = Draft(document, NAME)
    draft.rule = PercentileRule.LINEAR
    for line in document.text[header.end() :].splitlines()[1:]:
        cells = line.split()
        if len(cells) != len(columns) + 1:
            if cells:
                break
            continue
        _row(draft, cells[0], dict(zip(columns, cells[1:], strict=True)))
    for name, value in _SCALAR.findall(document.text):
        ours, unit = ("duration_s", "s") if name == "runtime_sec" else ("requests_per_s", "req/s")
        draft.set(ours, number(value, name), unit, found=name)
    clients = _CLIENTS.findall(document.text)
    if clients:
        draft.set("concurrency_count", number(clients[-1], "num_clients"), found="num_clients")
    if not re.search(r"request[_-]rate[ \t]*[=:, ][ \t]*[1-9]", document.text):
        draft.regime = Regime.CLOSED
    reading = Reading()
    reading.add(draft)
    return reading


def _row(draft: Draft, name: str, cells: dict[str, str]) -> None:
    if name in LENGTHS:
        draft.set(LENGTHS[name], number(cells["mean"], name), "tokens", found=f"{name}.mean")
    if name not in ROWS:
        return
    ours, unit = ROWS[name]
    for column, statistic in COLUMNS.items():
        draft.set(f"{ours}.{statistic}", number(cells.get(column), f"{name}.{column}"), unit, found=f"{name}.{column}")
    if name == "ttft_ms":
        draft.set("requests_ok_count", number(cells["count"], "ttft_ms.count"), found="ttft_ms.count")
