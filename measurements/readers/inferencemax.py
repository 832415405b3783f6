"""InferenceMAX / InferenceX: raw results (a fork of vLLM's benchmark without ``_ms``) and aggregated points. Seconds.

Aggregates give throughput per GPU: total tokens over all GPUs, output tokens over the decode GPUs where prefill is
apart. The benchmark always keeps ``conc`` requests in flight at an unlimited rate: a closed loop.
"""

from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number, text_of
from planner.runs import PercentileRule, Regime

NAME = "inferencemax"
TITLE = "InferenceMAX"

STATISTICS = (("mean", "mean"), ("median", "p50"), ("p90", "p90"), ("p95", "p95"), ("p99", "p99"))
LATENCIES = tuple(
    Key(f"{statistic}_{theirs}", f"{ours}.{name}", "s")
    for theirs, ours in (("ttft", "ttft_s"), ("tpot", "tpot_s"), ("itl", "itl_s"), ("e2el", "e2e_s"))
    for statistic, name in STATISTICS
)
KEYS = (
    Key("request_rate", "request_rate_per_s", "req/s"),
    Key("max_concurrency", "concurrency_count"),
    Key("completed", "requests_ok_count"),
    Key("duration", "duration_s", "s"),
    Key("request_throughput", "requests_per_s", "req/s"),
    Key("output_throughput", "output_tokens_per_s", "tok/s"),
    *LATENCIES,
)
AGGREGATE = (
    Key("conc", "concurrency_count"),
    Key("isl", "prompt_tokens", "tokens"),
    Key("osl", "output_tokens", "tokens"),
    Key("tp", "tensor_parallel_count"),
    *LATENCIES,
)
PARALLEL = ("tp", "pp", "pcp_size")
FACTS = (
    "framework",
    "precision",
    "ep",
    "dp_attention",
    "disagg",
    "spec_decoding",
    "image",
    "num_prefill_gpu",
    "num_decode_gpu",
)


def recognise(document: Document) -> float:
    """Return 1 for the skeleton without ``_ms`` or the aggregate's throughput per GPU."""
    head = document.head[0] if isinstance(document.head, list) and document.head else document.head
    if not isinstance(head, dict):
        return 0.0
    if {"completed", "median_ttft"} <= head.keys() and "median_ttft_ms" not in head:
        return 1.0
    return 1.0 if {"tput_per_gpu", "hw"} <= head.keys() else 0.0


def read(document: Document) -> Reading:
    """Return one run per object."""
    reading = Reading()
    for part in document.parts():
        items = part.value if isinstance(part.value, list) else [part.value]
        for count, item in enumerate(items, 1):
            if not isinstance(item, dict) or not {"completed", "tput_per_gpu"} & item.keys():
                continue
            where = f"item {count}" if len(items) > 1 else f"line {part.line}" if part.number > 1 else ""
            draft = Draft(document, NAME, part=where)
            draft.rule = PercentileRule.LINEAR
            if "tput_per_gpu" in item:
                _aggregate(draft, item)
            else:
                _raw(draft, item)
            reading.add(draft)
    return reading


def _raw(draft: Draft, record: dict[str, Any]) -> None:
    draft.take(record, KEYS)
    draft.model = text_of(record.get("model_id"))
    ok, asked = draft.get("requests_ok_count"), number(record.get("num_prompts"), "num_prompts")
    if ok is not None and asked is not None:
        draft.set("requests_failed_count", max(asked - ok, 0.0), found="num_prompts - completed")
        draft.fact("requests_asked_count", asked)
    for theirs, ours in (("total_input_tokens", "prompt_tokens"), ("total_output_tokens", "output_tokens")):
        total = number(record.get(theirs), theirs)
        draft.set(ours, total / ok if ok and total is not None else None, "tokens", found=f"{theirs} / completed")
    given, output = number(record.get("input_throughput"), "input_throughput"), draft.get("output_tokens_per_s")
    if given is not None and output is not None:
        draft.set("total_tokens_per_s", given + output, "tok/s", found="input_throughput + output_throughput")
    draft.arrivals(record.get("request_rate"))


def _aggregate(draft: Draft, record: dict[str, Any]) -> None:
    draft.take(record, AGGREGATE)
    draft.regime = Regime.CLOSED
    draft.model, draft.gpu = text_of(record.get("model")), text_of(record.get("hw"))
    for name in FACTS:
        value = record.get(name)
        draft.fact(
            name,
            number(value, name) if isinstance(value, (int, float)) and not isinstance(value, bool) else text_of(value),
        )
    prefill, decode = (number(record.get(key), key) for key in ("num_prefill_gpu", "num_decode_gpu"))
    if prefill is not None and decode is not None:
        gpus, output_gpus = prefill + decode, decode or prefill + decode
        found = "num_prefill_gpu + num_decode_gpu"
    else:
        gpus = 1.0
        for key in PARALLEL:
            gpus *= number(record.get(key), key) or 1.0
        output_gpus, found = gpus, "tp"
        if number(record.get("tp"), "tp") is None:
            return
    draft.fact("gpus_count", gpus)
    for key, ours, count in (
        ("tput_per_gpu", "total_tokens_per_s", gpus),
        ("output_tput_per_gpu", "output_tokens_per_s", output_gpus),
    ):
        value = number(record.get(key), key)
        draft.set(ours, value * count if value is not None else None, "tok/s", found=f"{key} x GPUs ({found})")
