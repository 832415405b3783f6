"""Log lines of vLLM: the closing line of ``vllm bench throughput``, and the engine's statistics of every ten seconds.

The engine's rates are a moving window: good for plausibility, never a result. They go into ``facts`` only.
"""

import re

from measurements.documents import Document
from measurements.fields import Draft, Reading, number
from planner.runs import Regime, Severity

NAME = "vllm-log"
TITLE = "vLLM log"

_VERSION = re.compile(r"LLM engine \(v(\d[\w.+-]{0,40})\)")
_MODEL = re.compile(r"with config: model='([^'\n]{1,200})'")
_PARALLEL = re.compile(r"\btensor_parallel_size=(\d{1,4})\b")
_THROUGHPUT = re.compile(
    r"^Throughput: ([\d.]+) requests/s, ([\d.]+) total tokens/s, ([\d.]+) output tokens/s", re.MULTILINE
)
_TOKENS = re.compile(r"^Total num (prompt|output) tokens:\s+(\d{1,15})", re.MULTILINE)
_DONE = re.compile(r"Processed prompts: 100%\|[^|\n]*\| (\d+)/(\d+) \[")
_ENGINE = re.compile(
    r"Avg prompt throughput: ([\d.]+) tokens/s, Avg generation throughput: ([\d.]+) tokens/s, "
    r"Running: (\d+) reqs, Waiting: (\d+) reqs"
    r"(?:[^\n]{0,80}?GPU KV cache usage: ([\d.]+)%)?(?:[^\n]{0,80}?Prefix cache hit rate: ([\d.]+)%)?"
    r"(?:[^\n]{0,80}?External prefix cache hit rate: ([\d.]+)%)?"
)
_SIGN = re.compile(r"\bvllm\b|LLM engine|EngineCore", re.IGNORECASE)


def recognise(document: Document) -> float:
    """Return 0.9 for a line this reader can use, 0.2 for any other log of vLLM."""
    if _THROUGHPUT.search(document.text) or _ENGINE.search(document.text):
        return 0.9
    json = document.text.lstrip()[:1] in ("{", "[")
    return 0.2 if document.head is None and not json and _SIGN.search("\n".join(document.first_lines)) else 0.0


def read(document: Document) -> Reading:
    """Return a run for each throughput line; engine statistics are facts of the last, or of a run of their own."""
    reading, text = Reading(), document.text
    drafts: list[Draft] = []
    lines = list(_THROUGHPUT.finditer(text))
    start = 0
    for count, line in enumerate(lines):
        draft = _draft(document, f"block {count + 1}" if len(lines) > 1 else "")
        end = lines[count + 1].start() if count + 1 < len(lines) else len(text)
        _throughput(draft, line, before=text[start : line.start()], after=text[line.end() : end])
        start = line.end()
        drafts.append(draft)
    engine = _ENGINE.findall(text)
    if engine and drafts:
        _engine(drafts[-1], engine)
    elif engine:
        drafts.append(_draft(document, "engine statistics"))
        _engine(drafts[0], engine)
        drafts[0].note(
            "log_rates_only",
            Severity.BLOCKS_SIZING,
            "the engine's log gives rates over a moving window of ten seconds, no result of a benchmark",
            "kept as facts for plausibility; hand in the benchmark's own file",
            lines_count=len(engine),
        )
    for draft in drafts:
        reading.add(draft)
    return reading


def _draft(document: Document, part: str) -> Draft:
    version, model, parallel = (pattern.search(document.text) for pattern in (_VERSION, _MODEL, _PARALLEL))
    draft = Draft(document, NAME, part=part, version=version.group(1) if version else "")
    draft.model = model.group(1) if model else None
    if parallel:
        draft.set(
            "tensor_parallel_count", number(parallel.group(1), "tensor_parallel_size"), found="tensor_parallel_size"
        )
    return draft


def _throughput(draft: Draft, line: re.Match[str], *, before: str, after: str) -> None:
    draft.regime = Regime.BURST
    for value, ours, unit in zip(
        line.groups(),
        ("requests_per_s", "total_tokens_per_s", "output_tokens_per_s"),
        ("req/s", "tok/s", "tok/s"),
        strict=True,
    ):
        draft.set(ours, number(value, ours), unit, found="Throughput:")
    done = _DONE.findall(before)
    tokens = {kind: float(count) for kind, count in _TOKENS.findall(after)}
    if done:
        ok = float(done[-1][0])
        draft.set("requests_ok_count", ok, found="Processed prompts")
        for kind, ours in (("prompt", "prompt_tokens"), ("output", "output_tokens")):
            if ok and kind in tokens:
                draft.set(ours, tokens[kind] / ok, "tokens", found=f"Total num {kind} tokens / Processed prompts")
    if tokens.get("output") and draft.get("output_tokens_per_s"):
        draft.set(
            "duration_s",
            tokens["output"] / draft.values["output_tokens_per_s"],
            "s",
            found="output tokens / output tokens/s",
        )


def _engine(draft: Draft, lines: list[tuple[str, ...]]) -> None:
    names = (
        "prompt_tokens_per_s",
        "generation_tokens_per_s",
        "running",
        "waiting",
        "kv_cache_usage",
        "prefix_hit",
        "external_prefix_hit",
    )
    columns = dict(zip(names, zip(*lines, strict=True), strict=True))
    for name in names:
        values = [value for value in (number(cell, f"log {name}") for cell in columns[name]) if value is not None]
        scale = 0.01 if name in ("kv_cache_usage", "prefix_hit", "external_prefix_hit") else 1.0
        if values:
            draft.fact(f"log_{name}_max", max(values) * scale)
            draft.fact(f"log_{name}_last", values[-1] * scale)
    draft.fact("log_lines_count", float(len(lines)))
