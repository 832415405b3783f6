"""The offline JSON of a KV-cache tier validation with LMCache: generated tokens only, no latency."""

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number, text_of
from planner.runs import Regime, Severity

NAME = "lmcache-validation"
TITLE = "LMCache tier validation"

KEYS = (
    Key("num_prompts", "requests_ok_count"),
    Key("elapsed_time", "duration_s", "s"),
    Key("tokens_per_second", "output_tokens_per_s", "tok/s"),
    Key("requests_per_second", "requests_per_s", "req/s"),
)


def recognise(document: Document) -> float:
    """Return 1 for its keys."""
    head = document.head
    return (
        1.0
        if isinstance(head, dict) and {"tier", "num_prompts", "total_tokens", "tokens_per_second"} <= head.keys()
        else 0.0
    )


def read(document: Document) -> Reading:
    """Return one run per object."""
    reading = Reading()
    for part in document.parts():
        if not isinstance(part.value, dict) or "tier" not in part.value:
            continue
        draft = Draft(document, NAME, part=f"document {part.number}" if part.number > 1 else "")
        draft.take(part.value, KEYS)
        draft.regime = Regime.BURST
        draft.fact("cache_tier", text_of(part.value["tier"]))
        draft.fact("backend", text_of(part.value.get("backend")))
        memory = number(part.value.get("cpu_mem_gb"), "cpu_mem_gb")
        draft.fact("host_memory_gb_as_found", memory)
        draft.note(
            "output_tokens_only",
            Severity.INFO,
            "tokens_per_second counts generated tokens; vLLM's throughput benchmark counts input too under that name",
            "compare output with output: kept as output_tokens_per_s, total is unknown",
        )
        reading.add(draft)
    return reading
