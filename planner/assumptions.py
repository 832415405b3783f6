"""The assumptions of a case, each with its value, basis and what follows if it is wrong."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from planner.evaluation import Option
from planner.fields import fields
from planner.money import TaxBasis
from planner.prices import PriceBook
from planner.scenario import Scenario

STATED = (
    "workload.output_tokens",
    "workload.hit_fraction",
    "money.gpu_cny_per_hour",
    "money.cold_share_fraction",
    "money.released_use_fraction",
    "money.support_fraction_per_year",
    "money.array_power_w",
    "money.pue_ratio",
    "money.tariff_cny_per_kwh",
    "money.residual_fraction",
    "money.discount_fraction_per_year",
    "money.price_tax_basis",
)


def input_basis(scenario: Scenario) -> Mapping[str, str]:
    """Return the basis of every input: ``assumed`` where the user gave it, ``default`` where the product did."""
    return MappingProxyType({path: "assumed" if path in scenario.given else "default" for path in fields()})


def assumptions(scenario: Scenario, options: Sequence[Option], prices: PriceBook) -> tuple[Mapping[str, Any], ...]:
    """Return the assumptions; ``if_wrong`` is a code that the wording spells out."""
    rows: list[Mapping[str, Any]] = [
        {
            "code": path,
            "value": scenario.value(path),
            "unit": fields()[path].unit,
            "basis": "assumed" if path in scenario.given else "default",
            "if_wrong": f"if_wrong.{path}",
        }
        for path in STATED
    ]
    not_counted = sorted({item for option in options for item in option.cost.not_counted})
    rows += [
        {
            "code": f"not_counted.{item}",
            "value": None,
            "unit": "",
            "basis": "assumed",
            "if_wrong": f"if_wrong.not_counted.{item}",
        }
        for item in not_counted
    ]
    doubts = {"tax_basis": prices.tax_basis is TaxBasis.UNKNOWN, "validity": bool(prices.note)}
    rows += [
        {"code": f"book.{name}", "value": None, "unit": "", "basis": "assumed", "if_wrong": f"if_wrong.book.{name}"}
        for name, applies in doubts.items()
        if applies
    ]
    model_form = (
        "model.identical_requests",
        "model.no_overlap",
        "model.decode_independent_of_tier",
        "model.port_efficiency_carries_over",
    )
    rows += [
        {"code": name, "value": None, "unit": "", "basis": "estimated", "if_wrong": f"if_wrong.{name}"}
        for name in model_form
    ]
    return tuple(rows)
