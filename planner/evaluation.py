"""The result of one evaluation, as frozen values, and its JSON document. Page, PDF, XLSX, REST and CLI show this."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from typing import Any

import numpy as np

from planner.money import Money
from planner.predict import Prediction
from planner.provenance import Source
from planner.runs import Finding
from planner.tiers import Limit
from planner.uncertainty import Band

VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Where one figure comes from: the formula with its values, basis, grade, sources, and what would change it."""

    formula: str
    basis: str
    grade: str
    sources: tuple[str, ...]
    changes_with: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """What is bought, what binds it, and the slack of the others. None: does not apply, or is not known."""

    units: int
    ports: int | None
    drives: int | None
    nodes_per_array: int | None
    raw_bytes: float | None
    binding_constraint: str
    limits: tuple[Limit, ...]
    slack: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class CostLine:
    """One line of cost: what it is, its formula with values, base and basis, and the amounts of each year (0 first)."""

    code: str
    formula: str
    basis: str
    amounts: tuple[Money, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Total cost of ownership of an option. A figure that an open item prevents is None; ``open_items`` names them.

    ``capex_known`` is the part of the purchase that has a price, None where none has.
    """

    lines: tuple[CostLine, ...]
    capex: Money | None
    capex_known: Money | None
    tco: Money | None
    npv: Money | None
    equivalent_annual_cost: Money | None
    per_tb: Mapping[str, Money | None]
    per_mtok: Mapping[str, Band | None]
    open_items: tuple[str, ...]
    not_counted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Against:
    """An option against the baseline. None where not available; ``irr_reason`` says why there is no rate of return."""

    baseline: str
    ttft_reduction_fraction: Band | None
    throughput_uplift_fraction: Band | None
    gpu_hours_avoided_per_year: Band | None
    npv: Band | None
    irr: float | None
    irr_reason: str
    payback_years: float | None
    discounted_payback_years: float | None
    pays_fraction: float | None
    break_even: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """``answer`` is pays, does_not_pay or not_known; ``reason`` is a code with the figures that word it."""

    answer: str
    reason: str
    figures: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One candidate. ``candidate`` is the array, ``local-nvme`` or ``nothing`` (everything is recomputed)."""

    id: str
    candidate: str
    name: str
    maturity: str
    sizing: Sizing
    prediction: tuple[Prediction, ...]
    at: Prediction
    cost: Cost
    against_baseline: Against | None
    verdict: Verdict
    why: Mapping[str, Why]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """Everything that is shown. ``headline`` is the code and the figures of the sentence that leads the page."""

    inputs: Mapping[str, Any]
    input_basis: Mapping[str, str]
    options: tuple[Option, ...]
    recommendation: Mapping[str, Any]
    headline: Verdict
    kv_bytes_per_token: float
    request_bytes: float
    output_sensitivity: tuple[Mapping[str, Any], ...]
    fan_in: Mapping[str, Any]
    answer_length: Mapping[str, Any]
    measured_points: tuple[Mapping[str, Any], ...]
    methods: tuple[Mapping[str, Any], ...]
    assumptions: tuple[Mapping[str, Any], ...]
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    versions: Mapping[str, str]
    prices_valid_to: str

    def option(self, option_id: str) -> Option:
        """Return the option with this id; KeyError when there is none."""
        return {option.id: option for option in self.options}[option_id]

    def document(self) -> dict[str, Any]:
        """Return the JSON document of the command line: plain values, missing as null, never NaN or Infinity."""
        body = {name: plain(getattr(self, name)) for name in self.__slots__}
        return {"schema": "evaluation", "version": VERSION, **body}


HIDDEN = frozenset({"rate_draws", "ttft_draws"})


def plain(value: Any) -> Any:
    """Return ``value`` as JSON values: bands and money as objects, non-finite numbers as null, draws left out."""
    if isinstance(value, Band):
        return value.document()
    if isinstance(value, Money):
        return {"amount": str(value.amount), "currency": value.currency, "tax_basis": str(value.tax_basis)}
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (float, np.floating)):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.integer):
        return int(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (tuple, list, frozenset, set)):
        return [plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__ if name not in HIDDEN}
    return value
