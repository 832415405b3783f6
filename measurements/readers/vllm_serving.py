"""``vllm bench serve`` and its forebear ``benchmark_serving.py``: JSON (also appended, as a list, or as a sweep's CSV).

Latencies are milliseconds, in the per-request lists of ``--save-detailed`` seconds; throughput is tok/s. Percentiles
are numpy's default (linear). ``max_concurrent_requests`` and ``max_output_tokens_per_s`` are peaks of one second, no
averages.
"""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from measurements import detailed_lists
from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, number, text_of
from planner.errors import shown
from planner.runs import PercentileRule, Severity

NAME = "vllm-bench-serve"
TITLE = "vLLM bench serve"

STATISTICS = (("mean", "mean"), ("median", "p50"), ("p50", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"))
QUANTITIES = (("ttft", "ttft_s"), ("tpot", "tpot_s"), ("itl", "itl_s"), ("e2el", "e2e_s"))
KEYS = (
    Key("request_rate", "request_rate_per_s", "req/s"),
    Key("max_concurrency", "concurrency_count"),
    Key("completed", "requests_ok_count"),
    Key("failed", "requests_failed_count"),
    Key("duration", "duration_s", "s"),
    Key("request_throughput", "requests_per_s", "req/s"),
    Key("output_throughput", "output_tokens_per_s", "tok/s"),
    Key("total_token_throughput", "total_tokens_per_s", "tok/s"),
    Key("tensor_parallel_size", "tensor_parallel_count"),
    Key("tp", "tensor_parallel_count"),
    *(Key(f"{s}_{q}_ms", f"{ours}.{stat}", "ms") for q, ours in QUANTITIES for s, stat in STATISTICS),
)
PEAKS = ("max_output_tokens_per_s", "max_concurrent_requests", "burstiness")
GPU_KEYS = ("gpu", "gpu_type", "gpu_name", "accelerator")
VERSION_KEYS = ("vllm_version", "version")
_OWN = frozenset(
    [
        "date",
        "endpoint_type",
        "backend",
        "label",
        "model_id",
        "tokenizer_id",
        "num_prompts",
        "request_goodput",
        "request_goodput:",
        "total_input_tokens",
        "total_output_tokens",
        "rtfx",
        "run_number",
        "input_throughput",
        "good_completed",
        "max_output_tokens_per_s",
        "max_concurrent_requests",
        "burstiness",
    ]
) | {key.theirs for key in KEYS}
META_MAX_COUNT = 40
HUD_KEYS = {"benchmark", "model", "metric"}


def recognise(document: Document) -> float:
    """Return 1 for the skeleton of a serve result, as an object, a list of them or a CSV header."""
    head = document.head
    if isinstance(head, list):
        head = next((item for item in head if isinstance(item, dict)), None)
        if head is not None and head.keys() >= HUD_KEYS:
            return 0.5
    if isinstance(head, dict):
        keys: set[str] = set(head)
    elif document.head is None and document.first_lines:
        keys = set(document.first_lines[0].split(","))
    else:
        return 0.0
    if {"completed", "median_ttft_ms"} <= keys and keys & {
        "total_token_throughput",
        "input_throughput",
        "tokenizer_id",
    }:
        return 0.0 if "total_output_tokens_retokenized" in keys else 1.0
    return 0.5 if {"error_type", "error"} <= keys and len(keys) > 2 else 0.0


def read(document: Document) -> Reading:
    """Return one run per result; a sweep's warm-up is skipped, a failed run is refused."""
    reading = Reading()
    for where, record in _records(document):
        if record.keys() >= HUD_KEYS:
            raise Refused(
                "side_file", "records for the PyTorch HUD that lie beside a result: hand in the result itself"
            )
        if "error_type" in record and "completed" not in record:
            raise Refused(
                "failed_run", f"the benchmark failed: {shown(record['error_type'])}: {shown(record.get('error'))}"
            )
        if "completed" not in record or number(record.get("run_number"), "run_number") == -1:
            continue
        draft = Draft(
            document,
            NAME,
            part=where,
            version=next((str(record[k]) for k in VERSION_KEYS if text_of(record.get(k))), ""),
        )
        _fill(draft, record)
        reading.add(draft)
    return reading


def _records(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if document.head is None:
        yield from _rows(document)
        return
    parts = document.parts()
    first = next(parts)
    second = next(parts, None)
    several = second is not None
    for part in chain([first], [second] if second else [], parts):
        items = part.value if isinstance(part.value, list) else [part.value]
        for count, item in enumerate(items, 1):
            if isinstance(item, dict):
                entry = f"item {count}" if len(items) > 1 else ""
                yield " ".join(filter(None, (f"line {part.line}" if several else "", entry))), item


def _rows(document: Document) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = document.rows()
    header = next(rows)
    for count, row in enumerate(rows, 1):
        if any(row):
            yield f"row {count}", {name: cell for name, cell in zip(header, row, strict=False) if name and cell}


def _fill(draft: Draft, record: Mapping[str, Any]) -> None:
    draft.take(record, KEYS)
    draft.rule = PercentileRule.LINEAR
    draft.model = text_of(record.get("model_id"))
    draft.gpu = next((text_of(record[key]) for key in GPU_KEYS if text_of(record.get(key))), None)
    _failures(draft, number(record.get("num_prompts"), "num_prompts"))
    ok, duration = draft.get("requests_ok_count"), draft.get("duration_s")
    totals = {key: number(record.get(key), key) for key in ("total_input_tokens", "total_output_tokens")}
    if ok:
        for key, ours in zip(totals, ("prompt_tokens", "output_tokens"), strict=True):
            total = totals[key]
            draft.set(ours, total / ok if total is not None else None, "tokens", found=f"{key} / completed")
    before_2024_09 = number(record.get("input_throughput"), "input_throughput")
    output = draft.get("output_tokens_per_s")
    if draft.get("total_tokens_per_s") is None and before_2024_09 is not None and output is not None:
        draft.set("total_tokens_per_s", before_2024_09 + output, "tok/s", found="input_throughput + output_throughput")
    if duration and ok and draft.get("requests_per_s") is None:
        draft.set("requests_per_s", ok / duration, "req/s", found="completed / duration")
    draft.arrivals(record.get("request_rate"))
    for name in PEAKS:
        draft.fact(name, number(record.get(name), name))
    _metadata(draft, record)
    detailed_lists.fill(draft, record)


def _failures(draft: Draft, asked: float | None) -> None:
    ok, failed = draft.get("requests_ok_count"), draft.get("requests_failed_count")
    if asked is None or ok is None:
        return
    draft.fact("requests_asked_count", asked)
    if failed is None:
        draft.set("requests_failed_count", max(asked - ok, 0.0), found="num_prompts - completed")
    elif failed != asked - ok:
        draft.note(
            "contradictory_fields",
            Severity.WARNING,
            f"failed is {failed:g}, but num_prompts - completed is {asked - ok:g}",
            "the larger count of failures is kept",
            failed=failed,
            asked=asked,
            completed=ok,
        )
        draft.set("requests_failed_count", max(failed, asked - ok), found="max(failed, num_prompts - completed)")


def _metadata(draft: Draft, record: Mapping[str, Any]) -> None:
    """Keep what ``--metadata`` or a sweep added as further top-level keys."""
    extra = [key for key in record if key not in _OWN and not key.endswith("_ms") and key not in detailed_lists.LISTS]
    for key in extra[:META_MAX_COUNT]:
        value = record[key]
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            draft.fact(f"meta.{key[:60]}", number(value, key))
        else:
            draft.fact(f"meta.{key[:60]}", text_of(value))
