"""``sglang.bench_serving``: one JSON object per line, always appended. Throughput in tok/s, latencies in milliseconds.

Percentiles are numpy's default (linear); failures are not recorded by the tool, so they stay unknown.
"""

from typing import Any

from measurements import detailed_lists
from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, mapping, number, text_of
from planner.runs import PercentileRule, Severity

NAME = "sglang-bench-serving"
TITLE = "SGLang bench_serving"
STREAMS = True

KEYS = (
    Key("request_rate", "request_rate_per_s", "req/s"),
    Key("max_concurrency", "concurrency_count"),
    Key("completed", "requests_ok_count"),
    Key("duration", "duration_s", "s"),
    Key("request_throughput", "requests_per_s", "req/s"),
    Key("output_throughput", "output_tokens_per_s", "tok/s"),
    Key("total_throughput", "total_tokens_per_s", "tok/s"),
    Key("mean_ttft_ms", "ttft_s.mean", "ms"),
    Key("median_ttft_ms", "ttft_s.p50", "ms"),
    Key("p90_ttft_ms", "ttft_s.p90", "ms"),
    Key("p95_ttft_ms", "ttft_s.p95", "ms"),
    Key("p99_ttft_ms", "ttft_s.p99", "ms"),
    Key("mean_tpot_ms", "tpot_s.mean", "ms"),
    Key("median_tpot_ms", "tpot_s.p50", "ms"),
    Key("p99_tpot_ms", "tpot_s.p99", "ms"),
    Key("mean_itl_ms", "itl_s.mean", "ms"),
    Key("median_itl_ms", "itl_s.p50", "ms"),
    Key("p90_itl_ms", "itl_s.p90", "ms"),
    Key("p95_itl_ms", "itl_s.p95", "ms"),
    Key("p99_itl_ms", "itl_s.p99", "ms"),
    Key("mean_e2e_latency_ms", "e2e_s.mean", "ms"),
    Key("median_e2e_latency_ms", "e2e_s.p50", "ms"),
    Key("p90_e2e_latency_ms", "e2e_s.p90", "ms"),
    Key("p99_e2e_latency_ms", "e2e_s.p99", "ms"),
)
SAME_LENGTH_FRACTION = 0.1
FACTS = (
    "concurrency",
    "accept_length",
    "total_output_tokens_retokenized",
    "random_input_len",
    "random_output_len",
    "random_range_ratio",
)


def recognise(document: Document) -> float:
    """Return 1 for an object with the counts of re-tokenised output that only this tool writes."""
    head = document.head
    if not isinstance(head, dict):
        return 0.0
    if "total_output_tokens_retokenized" in head:
        return 1.0
    return 0.8 if {"backend", "dataset_name", "median_e2e_latency_ms", "completed"} <= head.keys() else 0.0


def read(document: Document) -> Reading:
    """Return one run per object."""
    reading, before = Reading(), None
    for part in document.parts():
        if not isinstance(part.value, dict) or "completed" not in part.value:
            continue
        draft = Draft(document, NAME, part=f"line {part.line}")
        _fill(draft, part.value)
        before = _compare(draft, before)
        reading.add(draft)
    return reading


def _compare(draft: Draft, before: float | None) -> float | None:
    """Note that the prompt length changed from the line before: the tool appends, and old runs stay in the file."""
    length = draft.get("prompt_tokens")
    if length is not None and before is not None and abs(length - before) > SAME_LENGTH_FRACTION * before:
        draft.note(
            "mixed_workloads",
            Severity.INFO,
            f"the mean prompt is {length:.0f} tokens, on the line before {before:.0f}: the tool appends to old files",
            "do not draw one curve through all lines of the file",
            prompt_tokens=length,
            prompt_tokens_before=before,
        )
    return length


def _fill(draft: Draft, record: dict[str, Any]) -> None:
    draft.take(record, KEYS)
    draft.rule = PercentileRule.LINEAR
    info = mapping(record.get("server_info"))
    draft.model = text_of(info.get("model_path")) or text_of(info.get("model_id"))
    draft.set("tensor_parallel_count", number(info.get("tp_size"), "server_info.tp_size"), found="server_info.tp_size")
    ok, duration = draft.get("requests_ok_count"), draft.get("duration_s")
    tokens_in = number(record.get("total_input_tokens"), "total_input_tokens")
    tokens_out = number(record.get("total_output_tokens"), "total_output_tokens")
    if ok:
        draft.set(
            "prompt_tokens", tokens_in / ok if tokens_in is not None else None, found="total_input_tokens / completed"
        )
        draft.set(
            "output_tokens",
            tokens_out / ok if tokens_out is not None else None,
            found="total_output_tokens / completed",
        )
    if duration and draft.get("total_tokens_per_s") is None and tokens_in is not None and tokens_out is not None:
        found = "(total_input_tokens + total_output_tokens) / duration"
        draft.set("total_tokens_per_s", (tokens_in + tokens_out) / duration, "tok/s", found=found)
    if duration and ok and draft.get("requests_per_s") is None:
        draft.set("requests_per_s", ok / duration, "req/s", found="completed / duration")
    draft.arrivals(record.get("request_rate"))
    for name in FACTS:
        if isinstance(record.get(name), (int, float)):
            draft.fact(name, number(record[name], name))
    if str(record.get("backend", "")).endswith("-chat") and draft.get("tpot_s.p50") is not None:
        draft.note(
            "tpot_by_asked_length",
            Severity.INFO,
            "for chat backends some versions of the tool divide by the asked output length",
            "TPOT is too small where answers ended early; compare (end-to-end time - TTFT) / (output tokens - 1)",
        )
    detailed_lists.fill(draft, record)
