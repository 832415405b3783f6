"""The result block that ``vllm bench serve`` and ``sglang.bench_serving`` print: milliseconds, tok/s, two decimals.

Several runs may follow each other in one log; what stands before a block (asked rate, model) belongs to it.
"""

import re

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number
from planner.runs import PercentileRule

NAME = "serving-console"
TITLE = "console output of vLLM or SGLang serving benchmarks"

KEYS = (
    Key("request rate configured (rps)", "request_rate_per_s", "req/s"),
    Key("traffic request rate", "request_rate_per_s", "req/s"),
    Key("maximum request concurrency", "concurrency_count"),
    Key("max request concurrency", "concurrency_count"),
    Key("successful requests", "requests_ok_count"),
    Key("failed requests", "requests_failed_count"),
    Key("benchmark duration (s)", "duration_s", "s"),
    Key("request throughput (req/s)", "requests_per_s", "req/s"),
    Key("output token throughput (tok/s)", "output_tokens_per_s", "tok/s"),
    Key("total token throughput (tok/s)", "total_tokens_per_s", "tok/s"),
    *(
        Key(f"{statistic} {quantity} (ms)", f"{field}.{ours}", "ms")
        for quantity, field in (
            ("ttft", "ttft_s"),
            ("tpot", "tpot_s"),
            ("itl", "itl_s"),
            ("e2el", "e2e_s"),
            ("e2e latency", "e2e_s"),
        )
        for statistic, ours in (
            ("mean", "mean"),
            ("median", "p50"),
            ("p50", "p50"),
            ("p90", "p90"),
            ("p95", "p95"),
            ("p99", "p99"),
        )
    ),
)
FACTS = {
    "peak output token throughput (tok/s)": "max_output_tokens_per_s",
    "peak concurrent requests": "max_concurrent_requests",
    "concurrency": "mean_concurrency",
}

_HEADING = re.compile(r"^=+ Serving Benchmark Result =+\s*$", re.MULTILINE)
_LINE = re.compile(
    r"^[ \t]*([A-Za-z][^:\n]{2,60}?):[ \t]+([-+]?[\d.]+(?:[eE][-+]?\d+)?|inf|nan|None)[ \t]*$", re.MULTILINE
)
_MODEL = re.compile(r"\bmodel='([^'\n]{1,200})'")
_ASKED = re.compile(r"\bnum_prompts=(\d+)")


def recognise(document: Document) -> float:
    """Return 1 for the heading of the result block."""
    return 1.0 if _HEADING.search(document.text) else 0.0


def read(document: Document) -> Reading:
    """Return one run per result block."""
    reading = Reading()
    headings = list(_HEADING.finditer(document.text))
    for count, heading in enumerate(headings):
        before = document.text[headings[count - 1].end() if count else 0 : heading.start()]
        end = headings[count + 1].start() if count + 1 < len(headings) else len(document.text)
        block = document.text[heading.end() : end]
        close = block.find("\n======")
        draft = Draft(document, NAME, part=f"block {count + 1}" if len(headings) > 1 else "")
        _fill(draft, before, block[:close] if close >= 0 else block)
        reading.add(draft)
    return reading


def _fill(draft: Draft, before: str, block: str) -> None:
    lines = {m.group(1).strip().lower(): m.group(2) for m in _LINE.finditer(before)}
    lines |= {m.group(1).strip().lower(): m.group(2) for m in _LINE.finditer(block)}
    draft.take(lines, KEYS)
    draft.rule = PercentileRule.LINEAR
    if model := _last(_MODEL, before):
        draft.model = model
    ok = draft.get("requests_ok_count")
    for label, ours in (("total input tokens", "prompt_tokens"), ("total generated tokens", "output_tokens")):
        total = number(lines.get(label), label)
        draft.set(
            ours, total / ok if ok and total is not None else None, "tokens", found=f"{label} / successful requests"
        )
    asked = number(_last(_ASKED, before), "num_prompts")
    if ok is not None and asked is not None and draft.get("requests_failed_count") is None:
        draft.set("requests_failed_count", max(asked - ok, 0.0), found="num_prompts - successful requests")
    rate = lines.get("request rate configured (rps)", lines.get("traffic request rate"))
    draft.arrivals(rate, "request rate")
    for label, name in FACTS.items():
        draft.fact(name, number(lines.get(label), label))


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.findall(text)
    return found[-1] if found else None
