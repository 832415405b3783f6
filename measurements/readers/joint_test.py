"""Per-request lines of the joint test, ``REQ sid=3 ttft=11.832 e2e=13.310 ntok=64 tpot_ms=23.5``, and closing lines.

The closing line ``[p8000] n=16 wall=13.7s … outtok/s=74.9`` names an instance by its port. Instances that close before
one of them closes again ran side by side: their requests are pooled into percentiles of the whole machine under
sorted[ceil(q*n)-1], and the wall time is the longest of theirs. All requests of a wave start together (a burst).
"""

import re
from dataclasses import dataclass, field

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, number
from measurements.percentiles import percentile, quantiles
from planner.runs import PercentileRule, Regime, Severity

NAME = "joint-test"
TITLE = "per-request lines of the joint test"

KEYS = (
    Key("ttft", "ttft_s", "s"),
    Key("e2e", "e2e_s", "s"),
    Key("tpot_ms", "tpot_s", "ms"),
)
"""Key of a request line to the quantity whose percentiles are taken."""

RULE = PercentileRule.CEIL
PRINTED_FRACTION = 0.002

_PAIR = re.compile(r"\b(sid|ttft|e2e|ntok|tpot_ms)=([^\s,|]{1,40})")
_REQUEST = re.compile(r"^.{0,200}?\bREQ (sid=[^\n]{1,400})$", re.MULTILINE)
_CLOSING = re.compile(
    r"\[([\w.:-]{1,40})\][ \t]+n=(\d{1,7})[ \t]+wall=([\d.]{1,20})s\s+TTFT[ \t]+([^|\n]{1,200})"
    r"(?:\|[ \t]*TPOT_ms[ \t]+([^|\n]{1,200}))?(?:\|[ \t]*outtok/s=([\d.]{1,20}))?"
)
_PRINTED = re.compile(r"\b(p50|p90|p95|p99|mean)=([\d.]{1,20})")


@dataclass(slots=True)
class Wave:
    """What belongs together: requests and closing lines of the instances that ran side by side."""

    requests: list[dict[str, str]] = field(default_factory=list)
    closings: list[re.Match[str]] = field(default_factory=list)


def recognise(document: Document) -> float:
    """Return 1 for a request line or a closing line."""
    text = document.text[: 1 << 20]
    return 1.0 if _CLOSING.search(text) or re.search(r"\bREQ sid=\S+ ttft=", text) else 0.0


def read(document: Document) -> Reading:
    """Return one run per wave."""
    reading, waves = Reading(), _waves(document.text)
    for count, wave in enumerate(waves, start=1):
        draft = Draft(document, NAME, part=f"wave {count}" if len(waves) > 1 else "")
        draft.regime = Regime.BURST
        _fill(draft, wave)
        if draft.values:
            reading.add(draft)
    return reading


def _waves(text: str) -> list[Wave]:
    """Split at the first closing line of an instance that has closed already: its requests came before it."""
    found = sorted([*_REQUEST.finditer(text), *_CLOSING.finditer(text)], key=lambda match: match.start())
    waves, current, pending = [], Wave(), list[dict[str, str]]()
    for match in found:
        if match.re is _REQUEST:
            pending.append(dict(_PAIR.findall(match.group(1))))
            continue
        if match.group(1) in {closing.group(1) for closing in current.closings}:
            waves.append(current)
            current = Wave()
        current.requests += pending
        current.closings.append(match)
        pending = []
    current.requests += pending
    return [*waves, current] if current.requests or current.closings else waves


def _fill(draft: Draft, wave: Wave) -> None:
    names = sorted({closing.group(1) for closing in wave.closings})
    asked = sum(int(closing.group(2)) for closing in wave.closings)
    walls = [float(closing.group(3)) for closing in wave.closings]
    if walls:
        draft.set("concurrency_count", float(asked), found="n, all instances")
        draft.set("duration_s", max(walls), "s", found="wall, the longest")
    samples = {key: _samples(wave, key.theirs) for key in KEYS}
    for key, values in samples.items():
        if statistics := quantiles(values, RULE):
            for level in ("p50", "p90", "p95", "p99", "mean"):
                draft.set(
                    f"{key.ours}.{level}", getattr(statistics, level), key.unit, found=f"{key.theirs} of each REQ"
                )
    tokens = _samples(wave, "ntok")
    if wave.requests:
        draft.rule = RULE
        draft.fact("pooled_rule", f"{len(wave.requests)} requests of {max(len(names), 1)} instances, {RULE.value}")
        done = len(samples[KEYS[0]])
        draft.set("requests_ok_count", float(done), found="REQ lines")
        if asked:
            draft.set("requests_failed_count", float(max(asked - done, 0)), found="n - REQ lines")
        if tokens:
            draft.set("output_tokens", sum(tokens) / len(tokens), "tokens", found="mean ntok")
        if walls and tokens:
            draft.set("output_tokens_per_s", sum(tokens) / max(walls), "tok/s", found="sum of ntok / longest wall")
        for name in names if len(names) > 1 else ():
            draft.fact(f"instance_{name}_printed", _printed_text(wave, name))
        _compare(draft, wave, samples[KEYS[0]])
    elif len(wave.closings) == 1:
        _closing_only(draft, wave.closings[0])
    else:
        draft.note(
            "instances_not_pooled",
            Severity.WARNING,
            f"{len(wave.closings)} instances closed, without lines of their requests",
            "percentiles of a machine cannot be formed from percentiles of its instances: hand in the REQ lines",
            instances_count=len(wave.closings),
        )
        _summed_rate(draft, wave)


def _samples(wave: Wave, name: str) -> list[float]:
    values = (number(request.get(name), name) for request in wave.requests)
    return [value for value in values if value is not None and value > 0]


def _printed_text(wave: Wave, name: str) -> str:
    closing = next(closing for closing in wave.closings if closing.group(1) == name)
    return f"n={closing.group(2)} wall={closing.group(3)}s TTFT {closing.group(4).strip()}"


def _summed_rate(draft: Draft, wave: Wave) -> None:
    rates = [number(closing.group(6), "outtok/s") for closing in wave.closings]
    known = [rate for rate in rates if rate is not None]
    if len(known) == len(rates):
        draft.set("output_tokens_per_s", sum(known), "tok/s", found="sum of outtok/s")


def _closing_only(draft: Draft, closing: re.Match[str]) -> None:
    """Without request lines the printed percentiles count; which rule they follow is not known."""
    for text, ours, unit in ((closing.group(4), "ttft_s", "s"), (closing.group(5), "tpot_s", "ms")):
        for level, value in _PRINTED.findall(text or ""):
            draft.set(f"{ours}.{level}", number(value, level), unit, found=f"{ours} {level} as printed")
    draft.set("output_tokens_per_s", number(closing.group(6), "outtok/s"), "tok/s", found="outtok/s")


def _compare(draft: Draft, wave: Wave, ttfts: list[float]) -> None:
    """Where one instance closed, its printed median tells which rule the client used."""
    if len(wave.closings) != 1 or not ttfts:
        return
    printed = dict(_PRINTED.findall(wave.closings[0].group(4)))
    median = number(printed.get("p50"), "p50")
    if median is None:
        return
    computed = {rule: percentile(ttfts, 0.5, rule) for rule in (PercentileRule.CEIL, PercentileRule.FLOOR)}
    fits = [
        rule.value for rule, value in computed.items() if abs(value - median) <= max(PRINTED_FRACTION * value, 0.006)
    ]
    draft.fact("printed_rule", " or ".join(fits) or "neither rule")
    if RULE.value not in fits:
        draft.note(
            "printed_percentile_differs",
            Severity.WARNING if not fits else Severity.INFO,
            f"TTFT p50 is {median:g} s as printed and {computed[RULE]:g} s under {RULE.value}"
            + (f"; the client took {fits[0]}" if fits else ""),
            "percentiles here are formed anew from the requests under the stated rule",
            printed_s=median,
            computed_s=computed[RULE],
        )
