"""llmperf: ``*_summary.json`` and ``*_individual_responses.json``. Seconds; percentiles are pandas' (linear).

``inter_token_latency`` is end-to-end time divided by output tokens (TTFT inside): kept as ITL, never as TPOT.
``request_output_throughput`` is per request, not the system's.
"""

from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number, text_of
from measurements.percentiles import quantiles
from planner.runs import PercentileRule, Regime, Severity

NAME = "llmperf"
TITLE = "llmperf"

KEYS = (
    Key("num_concurrent_requests", "concurrency_count"),
    Key("results_num_completed_requests", "requests_ok_count"),
    Key("results_number_errors", "requests_failed_count"),
    Key("results_number_input_tokens_mean", "prompt_tokens", "tokens"),
    Key("results_number_output_tokens_mean", "output_tokens", "tokens"),
    Key("results_mean_output_throughput_token_per_s", "output_tokens_per_s", "tok/s"),
    *(
        Key(f"results_{theirs}_s_{statistic}", f"{ours}.{name}", "s")
        for theirs, ours in (("ttft", "ttft_s"), ("inter_token_latency", "itl_s"), ("end_to_end_latency", "e2e_s"))
        for statistic, name in (
            ("mean", "mean"),
            ("quantiles_p50", "p50"),
            ("quantiles_p90", "p90"),
            ("quantiles_p95", "p95"),
            ("quantiles_p99", "p99"),
        )
    ),
)
RESPONSE_KEYS = (("ttft_s", "ttft_s"), ("inter_token_latency_s", "itl_s"), ("end_to_end_latency_s", "e2e_s"))


def recognise(document: Document) -> float:
    """Return 1 for a flat summary, 0.95 for a list of responses."""
    head = document.head
    if isinstance(head, dict) and "results_ttft_s_quantiles_p50" in head:
        return 1.0
    if isinstance(head, list) and head and isinstance(head[0], dict):
        return 0.95 if {"ttft_s", "end_to_end_latency_s", "number_output_tokens"} <= head[0].keys() else 0.0
    return 0.0


def read(document: Document) -> Reading:
    """Return one run."""
    reading = Reading()
    draft = Draft(
        document, NAME, version=str(document.head.get("version", ""))[:40] if isinstance(document.head, dict) else ""
    )
    draft.rule = PercentileRule.LINEAR
    draft.regime = Regime.CLOSED
    if isinstance(document.head, dict):
        _summary(draft, document.head)
    else:
        _responses(draft, document.head)
    draft.fact("itl_definition", "end-to-end time / output tokens")
    reading.add(draft)
    return reading


def _summary(draft: Draft, record: dict[str, Any]) -> None:
    draft.take(record, KEYS)
    draft.model = text_of(record.get("model"))
    per_minute = number(record.get("results_num_completed_requests_per_min"), "results_num_completed_requests_per_min")
    if per_minute is not None:
        draft.set("requests_per_s", per_minute / 60, "req/s", found="results_num_completed_requests_per_min [1/min]")
    draft.fact(
        "requests_asked_count", number(record.get("results_num_requests_started"), "results_num_requests_started")
    )
    draft.fact("error_codes", text_of(record.get("results_error_code_frequency")))


def _responses(draft: Draft, records: list[Any]) -> None:
    objects = [record for record in records if isinstance(record, dict)]
    good = [record for record in objects if not record.get("error_code")]
    draft.set("requests_ok_count", float(len(good)), found="records without error_code")
    draft.set("requests_failed_count", float(len(objects) - len(good)), found="records with error_code")
    for theirs, ours in RESPONSE_KEYS:
        samples = [value for value in (number(record.get(theirs), theirs) for record in good) if value]
        computed = quantiles(samples, PercentileRule.LINEAR)
        for statistic in ("mean", "p50", "p90", "p95", "p99"):
            draft.set(f"{ours}.{statistic}", getattr(computed, statistic) if computed else None, "s", found=theirs)
    for theirs, ours in (("number_input_tokens", "prompt_tokens"), ("number_output_tokens", "output_tokens")):
        counts = [value for value in (number(record.get(theirs), theirs) for record in good) if value is not None]
        draft.set(ours, sum(counts) / len(counts) if counts else None, "tokens", found=f"mean of {theirs}")
    if any("generated_text" in record or "error_msg" in record for record in objects):
        draft.note(
            "payload_dropped",
            Severity.INFO,
            "the file may hold answers or error texts",
            "they are not imported; the measurements are",
        )
