"""From a tool's keys to the fields of a run: one table per reader, numbers checked, units kept as they were found."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from measurements.documents import Document, Refused
from measurements.hints import suggestions
from measurements.jsonscan import RepeatedKeys
from planner.errors import shown
from planner.runs import Finding, PercentileRule, Quantiles, Regime, Rig, Run, RunSource, Severity
from planner.units import FACTORS

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MISSING = frozenset(
    {"", "-", "—", "nan", "-nan", "+nan", "null", "none", "n/a", "na", "inf", "+inf", "-inf", "infinity", "-infinity"}
)
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+", re.ASCII)
_LATENCIES = ("ttft_s", "tpot_s", "itl_s", "e2e_s", "read_latency_s", "write_latency_s")
RATE_REACHED_FRACTION = 0.95
LARGEST = 1e30
"""Larger than any quantity of a benchmark (epoch nanoseconds are 2e18), and small enough that sums do not overflow."""
_COUNTS = ("concurrency_count", "requests_ok_count", "requests_failed_count", "tensor_parallel_count")


@dataclass(frozen=True, slots=True)
class Key:
    """One line of a reader's table: the tool's key, our field (``ttft_s.p50``, ``duration_s``) and the tool's unit."""

    theirs: str
    ours: str
    unit: str = ""


def number(value: Any, key: str = "value", *, thousands: bool = False) -> float | None:
    """Return ``value`` as a finite float, None where the tool wrote nothing, NaN or infinity.

    Numbers written as text are read; ``thousands`` admits "1,234.5" for tools known to write it.

    Raises
    ------
    Refused
        For text that is no number ("0x10", "1_000"), a decimal comma, or a value that is no number at all.

    Examples
    --------
    >>> number("24.5"), number("-nan"), number("1,234.5", thousands=True)
    (24.5, None, 1234.5)
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise Refused("not_a_number", f"{key} = {shown(value)}: a number is expected here")
    if isinstance(value, str):
        return _number_from_text(value.strip(), key, thousands)
    return _bounded(value, key)


def _bounded(value: float, key: str) -> float | None:
    try:
        result = float(value)
    except OverflowError:
        result = LARGEST * 10
    if not isfinite(result):
        return None
    if abs(result) > LARGEST:
        raise Refused("out_of_range", f"{key} = {shown(value)}: no quantity is this large")
    return result


def _number_from_text(text: str, key: str, thousands: bool) -> float | None:
    if text.lower() in _MISSING:
        return None
    if _NUMBER.fullmatch(text):
        return _bounded(float(text), key)
    if thousands and _THOUSANDS.fullmatch(text):
        return float(text.replace(",", ""))
    if _DECIMAL_COMMA.fullmatch(text):
        raise Refused(
            "decimal_comma", f"{key} = {shown(text)}: write the number with a decimal point and no thousands separator"
        )
    raise Refused("not_a_number", f"{key} = {shown(text)}: a number such as 24.5 is expected here")


def is_unlimited(value: Any) -> bool:
    """Return whether a rate or concurrency is written as infinite ("inf", ``Infinity``)."""
    if isinstance(value, str):
        return value.strip().lower() in ("inf", "+inf", "infinity", ".inf")
    return isinstance(value, float) and value == float("inf")


def text_of(value: Any) -> str | None:
    """Return a non-empty text (at most 200 characters), or None."""
    if not isinstance(value, str) or not value.strip():
        return None
    return value.strip()[:200]


def mapping(value: Any) -> Mapping[str, Any]:
    """Return ``value`` if it is an object, else an empty one: absent and ill-typed sub-objects hold no measurement."""
    return value if isinstance(value, dict) else {}


def finding(code: str, severity: Severity, message: str, consequence: str, **figures: float | str) -> Finding:
    """Return a finding that does not belong to a run yet (``Draft`` and ``Reading`` number it)."""
    return Finding(code=code, severity=severity, message=message, consequence=consequence, figures=figures)


@dataclass
class Reading:
    """What a reader returns: runs and findings; ``add`` numbers a draft's findings with its run."""

    runs: list[Run] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, draft: "Draft") -> None:
        """Take over the run of ``draft`` and its findings; a draft without any figure is no measurement."""
        if not draft.values and all(name.startswith("suggested_") for name in draft.facts):
            return
        run, index = draft.build(), len(self.runs)
        self.runs.append(run)
        for note in draft.findings:
            self.findings.append(
                Finding(
                    code=note.code,
                    severity=note.severity,
                    message=note.message,
                    consequence=note.consequence,
                    figures=note.figures,
                    run=index,
                )
            )


class Draft:
    """A run in the making. Values enter in the tool's unit and leave in ours; what was printed is kept beside."""

    def __init__(self, document: Document, tool: str, *, part: str = "", version: str = "") -> None:
        self.source = RunSource(file=document.name, part=part, sha256=document.sha256, tool=tool, tool_version=version)
        self.values: dict[str, float] = {}
        self.found: dict[str, str] = {}
        self.facts: dict[str, float | str] = {}
        self.findings: list[Finding] = []
        self.regime = Regime.UNKNOWN
        self.rule = PercentileRule.UNKNOWN
        self.model: str | None = None
        self.gpu: str | None = None
        self.rig: Rig | None = None
        self.facts.update(suggestions(document.name, document.folder))

    def take(
        self, record: Mapping[str, Any], table: Iterable[Key], *, prefix: str = "", thousands: bool = False
    ) -> None:
        """Read each key of ``table`` that ``record`` has; a key given twice with different values is withheld."""
        disputed = record.contradictory() if isinstance(record, RepeatedKeys) else {}
        for key in table:
            if key.theirs in disputed:
                self._dispute(prefix + key.theirs, key, disputed[key.theirs])
            elif key.theirs in record:
                value = number(record[key.theirs], prefix + key.theirs, thousands=thousands)
                self.set(key.ours, value, key.unit, found=prefix + key.theirs)

    def set(self, ours: str, value: float | None, unit: str = "", *, found: str = "") -> None:
        """Set the field ``ours`` from ``value`` in ``unit``; None leaves it missing."""
        if value is None:
            return
        if not isfinite(amount := value * FACTORS.get(unit, 1.0)):
            raise Refused("out_of_range", f"{found or ours}: no quantity is this large")
        if self._is_none(ours, amount, found):
            return
        self.values[ours] = amount
        if found:
            self.found[ours] = f"{found} [{unit}]" if unit else found

    def fact(self, name: str, value: float | str | None) -> None:
        """Keep a figure that has no field of its own."""
        if isinstance(value, float) and not isfinite(value):
            raise Refused("out_of_range", f"{name}: no quantity is this large")
        if value is not None:
            self.facts[name] = value

    def note(self, code: str, severity: Severity, message: str, consequence: str, **figures: float | str) -> None:
        """Add a finding of this run."""
        self.findings.append(finding(code, severity, message, consequence, **figures))

    def arrivals(self, rate: Any, found: str = "request_rate") -> None:
        """Set the regime from the asked rate: a rate is open; unlimited is a burst, or closed under a limit.

        A rate and a limit together are open as long as the rate was reached; else which one bound is not known.
        """
        limit, asked, achieved = (
            self.values.get(key) for key in ("concurrency_count", "request_rate_per_s", "requests_per_s")
        )
        if is_unlimited(rate):
            self.regime = Regime.CLOSED if limit else Regime.BURST
            self.fact("request_rate", "unlimited")
            self.found["request_rate_per_s"] = f"{found} = {rate}"
        elif asked and (not limit or (achieved is not None and achieved >= RATE_REACHED_FRACTION * asked)):
            self.regime = Regime.OPEN
        elif asked:
            self.note(
                "regime_unclear",
                Severity.WARNING,
                f"a rate of {asked:g} req/s and a limit of {limit:g} requests in flight: the rate was not reached",
                "the arrival regime is unknown: open arrivals or a closed loop at the limit",
                asked_per_s=asked,
                achieved_per_s=achieved if achieved is not None else "unknown",
            )

    def get(self, ours: str) -> float | None:
        """Return the value set for a field, or None."""
        return self.values.get(ours)

    def withhold(self, *prefixes: str) -> dict[str, float]:
        """Take fields out again (all that start with one of ``prefixes``) and return what they held."""
        gone = {ours: value for ours, value in self.values.items() if ours.startswith(prefixes)}
        for ours in gone:
            del self.values[ours]
            self.found.pop(ours, None)
        return gone

    def _dispute(self, theirs: str, key: Key, values: list[Any]) -> None:
        text = " and ".join(shown(value) for value in values[:4])
        self.note(
            "duplicate_key",
            Severity.WARNING,
            f"the file gives {theirs} more than once: {text}",
            f"{key.ours} is left missing, since the file does not say which value holds",
        )

    def _is_none(self, ours: str, value: float, found: str) -> bool:
        """Note a value that cannot be what its field means; such a value stays missing."""
        name, code = found or ours, ""
        if value < 0:
            code, message = "negative_value", f"{name} is {value:g}: it cannot be negative"
        elif value == 0 and ours.split(".")[0] in _LATENCIES:
            if not ours.startswith("ttft_s"):
                return True  # one-token answers have neither TPOT nor ITL, and tools write 0
            code, message = "ttft_zero", f"{name} is 0: tools write 0 where no request gave a first token"
        elif ours == "hit_fraction" and value > 1:
            code, message = "not_a_fraction", f"{name} is {value:g}: a fraction lies between 0 and 1"
        elif ours in _COUNTS and value != round(value):
            code, message = "not_whole", f"{name} is {value:g}: a count is a whole number"
        if not code:
            return False
        if not any(note.code == code for note in self.findings):
            self.note(code, Severity.WARNING, message, f"{ours} is left missing", value=value)
        return True

    def build(self) -> Run:
        """Return the run."""
        groups: dict[str, dict[str, float]] = {}
        plain: dict[str, Any] = {}
        for ours, value in self.values.items():
            name, _, statistic = ours.partition(".")
            if statistic:
                groups.setdefault(name, {})[statistic] = value
            else:
                plain[name] = round(value) if name in _COUNTS else value
        plain |= {name: Quantiles(**values) for name, values in groups.items()}
        return Run(
            source=self.source,
            regime=self.regime,
            percentile_rule=self.rule,
            model=self.model,
            gpu=self.gpu,
            rig=self.rig,
            units_as_found=self.found,
            facts=self.facts,
            **plain,
        )
