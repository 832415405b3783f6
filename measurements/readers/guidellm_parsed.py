"""A flat summary made from a GuideLLM report by a third-party parser, which calls seconds ``request_latency_mean_ms``.

GuideLLM's request latency is in seconds; the parser only renamed it. That is decided by TTFT + (O-1) x ITL, not by
size.
"""

from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number, text_of
from planner.runs import PercentileRule, Regime, Severity

NAME = "guidellm-parsed"
TITLE = "parsed GuideLLM summary"

KEYS = (
    Key("successful_requests", "requests_ok_count"),
    Key("errored_requests", "requests_failed_count"),
    Key("duration", "duration_s", "s"),
    Key("rate", "request_rate_per_s", "req/s"),
    Key("prompt_tokens", "prompt_tokens", "tokens"),
    Key("output_tokens", "output_tokens", "tokens"),
    Key("ttft_mean_ms", "ttft_s.mean", "ms"),
    Key("ttft_p99_ms", "ttft_s.p99", "ms"),
    Key("itl_mean_ms", "itl_s.mean", "ms"),
    Key("itl_p99_ms", "itl_s.p99", "ms"),
    Key("time_per_output_token_mean_ms", "tpot_s.mean", "ms"),
    Key("time_per_output_token_p99_ms", "tpot_s.p99", "ms"),
    Key("throughput_mean_rps", "requests_per_s", "req/s"),
    Key("tokens_per_second_mean", "total_tokens_per_s", "tok/s"),
    Key("output_tokens_per_second_mean", "output_tokens_per_s", "tok/s"),
)
LATENCY = (("request_latency_mean_ms", "e2e_s.mean"), ("request_latency_p99_ms", "e2e_s.p99"))
AGREEMENT_FRACTION = 0.25


def recognise(document: Document) -> float:
    """Return 1 for the parser's flat keys."""
    head = document.head[0] if isinstance(document.head, list) and document.head else document.head
    wanted = {"benchmark_id", "ttft_mean_ms", "throughput_mean_rps", "successful_requests"}
    return 1.0 if isinstance(head, dict) and wanted <= head.keys() else 0.0


def read(document: Document) -> Reading:
    """Return one run per object."""
    reading = Reading()
    for part in document.parts():
        items = part.value if isinstance(part.value, list) else [part.value]
        for count, item in enumerate(items, 1):
            if isinstance(item, dict) and "benchmark_id" in item:
                draft = Draft(document, NAME, part=f"item {count}" if len(items) > 1 else "")
                _fill(draft, item)
                reading.add(draft)
    return reading


def _fill(draft: Draft, record: dict[str, Any]) -> None:
    draft.take(record, KEYS)
    draft.rule = PercentileRule.CEIL
    draft.model = text_of(record.get("backend_model"))
    if record.get("strategy") in ("constant", "poisson", "async"):
        draft.regime = Regime.OPEN
    draft.fact("requests_incomplete_count", number(record.get("incomplete_requests"), "incomplete_requests"))
    draft.fact("lengths", "prompt_tokens and output_tokens are the asked values, not measured ones")
    first, gap, output = (draft.get(key) for key in ("ttft_s.mean", "itl_s.mean", "output_tokens"))
    stated = number(record.get("request_latency_mean_ms"), "request_latency_mean_ms")
    if stated is None or first is None or gap is None or output is None:
        return
    expected = first + (output - 1) * gap
    unit = next(
        (u for u, size in (("ms", 1e-3), ("s", 1.0)) if abs(stated * size - expected) <= AGREEMENT_FRACTION * expected),
        "",
    )
    if not unit:
        consequence = "end-to-end latency is left missing"
    elif unit == "s":
        consequence = "it is read as seconds, GuideLLM's unit"
    else:
        consequence = ""
    if consequence:
        draft.note(
            "unit_mislabelled",
            Severity.WARNING,
            f"request_latency_mean_ms = {stated:g}, while TTFT + (O-1) x ITL = {expected:.3f} s",
            consequence,
            stated=stated,
            expected_s=expected,
        )
    if unit:
        for theirs, ours in LATENCY:
            draft.set(ours, number(record.get(theirs), theirs), unit, found=theirs)
