"""evalscope perf: ``benchmark_summary.json`` (labels as keys), ``benchmark_percentile.json``. Units are in the labels.

TTFT is in milliseconds in 1.x and in seconds before; both labels say so. A rate of -1 is unlimited: ``parallel``
users in a closed loop. The percentile rule changed between versions and the file does not tell the version: it stays
unknown.
"""

import re
from collections.abc import Mapping
from typing import Any

from measurements.documents import Document, Refused
from measurements.fields import Draft, Reading, number
from planner.errors import shown
from planner.runs import Regime

NAME = "evalscope"
TITLE = "evalscope perf"

LABELS = {
    "test duration": "duration_s",
    "time taken for tests": "duration_s",
    "concurrency": "concurrency_count",
    "number of concurrency": "concurrency_count",
    "request rate": "request_rate_per_s",
    "success requests": "requests_ok_count",
    "succeed requests": "requests_ok_count",
    "failed requests": "requests_failed_count",
    "output throughput": "output_tokens_per_s",
    "output token throughput": "output_tokens_per_s",
    "total throughput": "total_tokens_per_s",
    "total token throughput": "total_tokens_per_s",
    "req throughput": "requests_per_s",
    "request throughput": "requests_per_s",
    "avg latency": "e2e_s.mean",
    "average latency": "e2e_s.mean",
    "ttft": "ttft_s.mean",
    "average time to first token": "ttft_s.mean",
    "tpot": "tpot_s.mean",
    "average time per output token": "tpot_s.mean",
    "itl": "itl_s.mean",
    "average inter-token latency": "itl_s.mean",
    "avg input tokens": "prompt_tokens",
    "average input tokens per request": "prompt_tokens",
    "avg output tokens": "output_tokens",
    "average output tokens per request": "output_tokens",
    "测试总时长": "duration_s",
    "并发数": "concurrency_count",
    "成功请求数": "requests_ok_count",
    "失败请求数": "requests_failed_count",
    "输出吞吐量": "output_tokens_per_s",
    "总吞吐量": "total_tokens_per_s",
    "请求吞吐量": "requests_per_s",
    "平均延迟": "e2e_s.mean",
    "平均首token时延": "ttft_s.mean",
    "平均每输出token时延": "tpot_s.mean",
    "平均输入token数": "prompt_tokens",
    "平均输出token数": "output_tokens",
}
PERCENTILE_LABELS = {"ttft": "ttft_s", "itl": "itl_s", "tpot": "tpot_s", "latency": "e2e_s"}
UNITS = {"s": "s", "秒": "s", "ms": "ms", "毫秒": "ms", "tok/s": "tok/s", "req/s": "req/s", "": ""}
LEVELS = {"50%": "p50", "90%": "p90", "95%": "p95", "99%": "p99"}
TIMES = ("duration_s", "ttft_s", "tpot_s", "itl_s", "e2e_s")

_LABEL = re.compile(r"([^()（）]{1,80}?)\s*(?:[（(]([^()（）]{1,20})[)）])?")


def recognise(document: Document) -> float:
    """Return 1 for the summary's labels or the list of percentiles."""
    head = document.head
    if isinstance(head, list) and head and isinstance(head[0], dict):
        return 1.0 if "Percentiles" in head[0] else 0.0
    if not isinstance(head, dict):
        return 0.0
    known = {LABELS.get(_split(key)[0]) for key in head}
    return (
        0.95 if {"requests_ok_count", "concurrency_count"} <= known and known & {"ttft_s.mean", "e2e_s.mean"} else 0.0
    )


def _split(label: str) -> tuple[str, str]:
    match = _LABEL.fullmatch(label.strip())
    return (match[1].strip().lower(), (match[2] or "").strip().lower()) if match else (label.lower(), "")


def read(document: Document) -> Reading:
    """Return one run: the summary, or the percentiles."""
    reading = Reading()
    draft = Draft(document, NAME)
    if isinstance(document.head, list):
        _percentiles(draft, [item for item in document.head if isinstance(item, dict)])
    elif isinstance(document.head, dict):
        _summary(draft, document.head)
    if draft.values:
        reading.add(draft)
    return reading


def _unit(label: str, unit: str, ours: str) -> str:
    if unit not in UNITS or (ours.split(".")[0] in TIMES and UNITS[unit] not in ("s", "ms")):
        raise Refused("unknown_unit", f"{shown(label)}: no known unit in the label")
    return UNITS[unit]


def _summary(draft: Draft, record: Mapping[str, Any]) -> None:
    for label, value in record.items():
        name, unit = _split(label)
        ours = LABELS.get(name)
        if ours is None:
            continue
        amount = number(value, label)
        if ours == "request_rate_per_s" and amount is not None and amount < 0:
            draft.fact("request_rate", "unlimited")
            draft.found[ours] = f"{label} = {amount:g}"
            draft.regime = Regime.CLOSED
        else:
            draft.set(ours, amount, _unit(label, unit, ours), found=label)
    if draft.get("request_rate_per_s"):
        draft.regime = Regime.OPEN


def _percentiles(draft: Draft, rows: list[Mapping[str, Any]]) -> None:
    for row in rows:
        level = LEVELS.get(str(row.get("Percentiles", "")))
        if level is None:
            continue
        for label, value in row.items():
            name, unit = _split(label)
            ours = PERCENTILE_LABELS.get(name)
            if ours:
                draft.set(f"{ours}.{level}", number(value, label), _unit(label, unit, ours), found=label)
