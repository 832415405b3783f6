"""SGLang HiCache ``bench_multiturn.py``: printed summary and JSON Lines. Seconds, though no unit is printed.

The median is sorted[n//2] and p90 sorted[int(0.9 n)]. "at N requests per second" is the asked rate; the achieved one
is printed below. Requests of later rounds wait for earlier answers, so the arrival regime is neither open nor closed:
it stays unknown.
"""

import re
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, mapping, number, text_of
from planner.runs import PercentileRule

NAME = "sglang-hicache"
TITLE = "SGLang HiCache multi-turn benchmark"

KEYS = (
    Key("total_requests", "requests_ok_count"),
    Key("request_rate", "request_rate_per_s", "req/s"),
    Key("average_prompt_len", "prompt_tokens", "tokens"),
    Key("average_output_len", "output_tokens", "tokens"),
    Key("average_ttft", "ttft_s.mean", "s"),
    Key("median_ttft", "ttft_s.p50", "s"),
    Key("p90_ttft", "ttft_s.p90", "s"),
    Key("p99_ttft", "ttft_s.p99", "s"),
    Key("average_itl", "itl_s.mean", "s"),
    Key("median_itl", "itl_s.p50", "s"),
    Key("p90_itl", "itl_s.p90", "s"),
    Key("p99_itl", "itl_s.p99", "s"),
    Key("average_latency", "e2e_s.mean", "s"),
    Key("median_latency", "e2e_s.p50", "s"),
    Key("p90_latency", "e2e_s.p90", "s"),
    Key("p99_latency", "e2e_s.p99", "s"),
    Key("output_token_throughput", "output_tokens_per_s", "tok/s"),
    Key("throughput", "requests_per_s", "req/s"),
    Key("cache_hit_rate", "hit_fraction"),
)
LABELS = {
    "average prompt length": "average_prompt_len",
    "average output length": "average_output_len",
    "input token throughput": "input_token_throughput",
    "output token throughput": "output_token_throughput",
    "request throughput": "throughput",
    "cache hit rate": "cache_hit_rate",
    **{
        f"{statistic} {what}": f"{statistic}_{what}"
        for statistic in ("average", "median", "p90", "p99")
        for what in ("ttft", "itl", "latency")
    },
}

_HEADING = re.compile(r"^[ \t]*Performance metrics summary:[ \t]*$", re.MULTILINE)
_TOTAL = re.compile(r"Total requests: (\d+) at ([\d.]+|inf) requests per second")
_LINE = re.compile(
    r"^[ \t]+([A-Za-z][A-Za-z0-9 ]+?): ([-+]?[\d.]+(?:[eE][-+]?\d+)?|nan)(?: [a-z ]+)?[ \t]*$", re.MULTILINE
)


def recognise(document: Document) -> float:
    """Return 1 for the printed heading or a JSON line with its summary."""
    summary = mapping(mapping(document.head).get("summary"))
    if {"average_ttft", "median_ttft"} <= summary.keys():
        return 1.0
    return 1.0 if _HEADING.search(document.text) and _TOTAL.search(document.text) else 0.0


def read(document: Document) -> Reading:
    """Return one run per summary."""
    reading = Reading()
    if document.head is not None and "summary" in mapping(document.head):
        for part in document.parts():
            summary = mapping(mapping(part.value).get("summary"))
            if not summary:
                continue
            draft = Draft(document, NAME, part=f"line {part.line}")
            draft.fact("tag", text_of(part.value.get("tag")))
            _fill(draft, summary)
            reading.add(draft)
        return reading
    headings = list(_HEADING.finditer(document.text))
    for count, heading in enumerate(headings):
        end = headings[count + 1].start() if count + 1 < len(headings) else len(document.text)
        block = document.text[heading.end() : end].split("Per-round metrics:")[0]
        record: dict[str, Any] = {LABELS[m[1].lower()]: m[2] for m in _LINE.finditer(block) if m[1].lower() in LABELS}
        if total := _TOTAL.search(block):
            record |= {"total_requests": total[1], "request_rate": total[2]}
        draft = Draft(document, NAME, part=f"block {count + 1}" if len(headings) > 1 else "")
        _fill(draft, record)
        reading.add(draft)
    return reading


def _fill(draft: Draft, record: Any) -> None:
    draft.take(record, KEYS)
    draft.rule = PercentileRule.FLOOR
    rate_in = number(record.get("input_token_throughput"), "input_token_throughput")
    rate_out, requests = draft.get("output_tokens_per_s"), draft.get("requests_per_s")
    if rate_in is not None and rate_out is not None:
        found = "input_token_throughput + output_token_throughput"
        draft.set("total_tokens_per_s", rate_in + rate_out, "tok/s", found=found)
    if requests:
        if draft.get("prompt_tokens") is None and rate_in is not None:
            draft.set("prompt_tokens", rate_in / requests, "tokens", found="input_token_throughput / throughput")
        if draft.get("output_tokens") is None and rate_out is not None:
            draft.set("output_tokens", rate_out / requests, "tokens", found="output_token_throughput / throughput")
