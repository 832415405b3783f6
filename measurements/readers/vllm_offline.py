"""``vllm bench throughput`` and ``vllm bench latency`` JSON: offline, all prompts at once; total tok/s, seconds."""

from typing import Any

from measurements.documents import Document, Refused
from measurements.fields import Draft, Key, Reading, mapping, number
from measurements.percentiles import quantiles
from planner.runs import PercentileRule, Regime

NAME = "vllm-bench-offline"
TITLE = "vLLM bench throughput or latency"

KEYS = (
    Key("elapsed_time", "duration_s", "s"),
    Key("num_requests", "requests_ok_count"),
    Key("requests_per_second", "requests_per_s", "req/s"),
    Key("tokens_per_second", "total_tokens_per_s", "tok/s"),
)
PERCENTILES = (
    Key("50", "e2e_s.p50", "s"),
    Key("90", "e2e_s.p90", "s"),
    Key("95", "e2e_s.p95", "s"),
    Key("99", "e2e_s.p99", "s"),
)


def recognise(document: Document) -> float:
    """Return 0.9 for the keys of the throughput or the latency result."""
    head = document.head
    if not isinstance(head, dict):
        return 0.0
    throughput = {"elapsed_time", "num_requests", "total_num_tokens", "tokens_per_second"} <= head.keys()
    return 0.9 if throughput or {"avg_latency", "latencies", "percentiles"} <= head.keys() else 0.0


def read(document: Document) -> Reading:
    """Return one run per object."""
    reading = Reading()
    for part in document.parts():
        if not isinstance(part.value, dict):
            continue
        draft = Draft(document, NAME, part=f"line {part.line}" if part.number > 1 else "")
        if "avg_latency" in part.value:
            _latency(draft, part.value)
        elif "elapsed_time" in part.value:
            draft.take(part.value, KEYS)
            draft.regime = Regime.BURST
            requests, tokens = (
                draft.get("requests_ok_count"),
                number(part.value.get("total_num_tokens"), "total_num_tokens"),
            )
            draft.fact("tokens_per_request", tokens / requests if tokens is not None and requests else None)
        else:
            continue
        reading.add(draft)
    return reading


def _latency(draft: Draft, record: dict[str, Any]) -> None:
    """A batch is one sample: its latency is that of all its requests, and the batch size is not in the file."""
    samples = record.get("latencies")
    if not isinstance(samples, list):
        raise Refused("malformed", "latencies must be a list of seconds")
    values = [value for value in (number(sample, "latencies") for sample in samples) if value is not None]
    draft.set("e2e_s.mean", number(record["avg_latency"], "avg_latency"), "s", found="avg_latency")
    draft.take(mapping(record.get("percentiles")), PERCENTILES, prefix="percentiles.")
    draft.rule = PercentileRule.LINEAR
    computed = quantiles(values, PercentileRule.LINEAR)
    if computed is not None:
        draft.fact("iterations_count", float(len(values)))
        if draft.get("e2e_s.p95") is None:
            draft.set("e2e_s.p95", computed.p95, "s", found="latencies")
