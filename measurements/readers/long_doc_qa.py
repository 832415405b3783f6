"""LMCache ``long_doc_qa``: round means on the console, one JSON line with ``--json-output``. Seconds, means only."""

import re
from collections.abc import Mapping
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Reading, mapping, number

NAME = "long-doc-qa"
TITLE = "LMCache long-document QA"

_LINE = re.compile(
    r"^(Warmup|Query) round (mean TTFT|time|prompt count|successful prompt count): ([\d.]{1,20})s?[ \t]*$", re.MULTILINE
)
FIELDS = {
    "mean TTFT": ("ttft_s.mean", "s"),
    "time": ("duration_s", "s"),
    "prompt count": ("", ""),
    "successful prompt count": ("", ""),
}


def recognise(document: Document) -> float:
    """Return 1 for the printed lines, 0.95 for the JSON line alone."""
    if any(kind == "Query" for kind, _, _ in _LINE.findall(document.text)):
        return 1.0
    return 0.95 if {"query_ttft_per_prompt", "query_round_time_per_prompt"} <= mapping(document.head).keys() else 0.0


def read(document: Document) -> Reading:
    """Return the warm-up round (cold) and the query round (prompts seen before)."""
    lines = {(kind, what): value for kind, what, value in _LINE.findall(document.text)}
    summary: Mapping[str, Any] = next(
        (mapping(part.value) for part in document.parts() if "query_ttft_per_prompt" in mapping(part.value)), {}
    )
    reading = Reading()
    for kind in ("Warmup", "Query"):
        draft = Draft(document, NAME, part=f"{kind.lower()} round")
        for what, (ours, unit) in FIELDS.items():
            if ours:
                found = f"{kind} round {what}"
                draft.set(ours, number(lines.get((kind, what)), found), unit, found=found)
        asked = number(lines.get((kind, "prompt count")), "prompt count")
        ok = number(lines.get((kind, "successful prompt count")), "successful prompt count")
        if ok is not None and asked is not None:
            draft.set("requests_ok_count", ok, found="successful prompt count")
            draft.set("requests_failed_count", max(asked - ok, 0.0), found="prompt count - successful prompt count")
        draft.fact("prompts_count", asked)
        if kind == "Query" and draft.get("ttft_s.mean") is None:
            draft.set(
                "ttft_s.mean",
                number(summary.get("query_ttft_per_prompt"), "query_ttft_per_prompt"),
                "s",
                found="query_ttft_per_prompt",
            )
        per_prompt = number(summary.get(f"{kind.lower()}_round_time_per_prompt"), "round_time_per_prompt")
        draft.fact("round_time_per_prompt_s", per_prompt)
        if per_prompt and draft.get("requests_per_s") is None:
            draft.set("requests_per_s", 1 / per_prompt, "req/s", found="1 / round_time_per_prompt")
        if draft.values:
            reading.add(draft)
    return reading
