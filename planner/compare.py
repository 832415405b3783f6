"""One option against the baseline: reduction, uplift, released GPU time, NPV, and what would make the answer turn."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from planner.cost import Tco
from planner.economics import Incremental, annuity_factor, gpu_hours, incremental
from planner.evaluation import Against
from planner.option_cost import array_tco
from planner.options import Technical
from planner.prices import PriceBook
from planner.scenario import Scenario
from planner.uncertainty import band

Draws = NDArray[np.float64]

PROBE_PRICE = Decimal(1_000_000)
"""Any price: the costs are linear in it, so two of them give the break-even."""


def against(
    scenario: Scenario, prices: PriceBook, option: Technical, tco: Tco, baseline: Technical, base_tco: Tco
) -> Against:
    """Compare an option with the baseline; what a missing price or prediction prevents is None."""
    reduction = uplift = hours = economics = None
    if option.at.ttft_draws is not None and baseline.at.ttft_draws is not None:
        reduction = 1 - option.at.ttft_draws / baseline.at.ttft_draws
    if option.at.rate_draws is not None and baseline.at.rate_draws is not None:
        uplift = option.at.rate_draws / baseline.at.rate_draws - 1
        hours = gpu_hours(scenario) * (1 - baseline.at.rate_draws / option.at.rate_draws)
        if tco.yearly is not None and base_tco.yearly is not None and scenario.money.gpu_cny_per_hour is not None:
            extra = [cost - base for cost, base in zip(tco.yearly, base_tco.yearly, strict=True)]
            economics = incremental(scenario, extra, baseline.at.rate_draws, option.at.rate_draws)
    return Against(
        baseline=baseline.id,
        ttft_reduction_fraction=None if reduction is None else band(reduction),
        throughput_uplift_fraction=None if uplift is None else band(uplift),
        gpu_hours_avoided_per_year=None if hours is None else band(hours),
        npv=None if economics is None else band(economics.npv),
        irr=None if economics is None else economics.irr,
        irr_reason="not_available" if economics is None else economics.irr_reason,
        payback_years=None if economics is None else economics.payback_years,
        discounted_payback_years=None if economics is None else economics.discounted_payback_years,
        pays_fraction=None if economics is None else economics.pays_fraction,
        break_even=_break_even(scenario, prices, option, base_tco, hours, economics),
    )


def _present(flows: Sequence[Decimal], rate: float) -> float:
    return float(sum(float(flow) / (1 + rate) ** year for year, flow in enumerate(flows)))


def _break_even(
    scenario: Scenario,
    prices: PriceBook,
    option: Technical,
    base_tco: Tco,
    hours: Draws | None,
    economics: Incremental | None,
) -> Mapping[str, Any]:
    """Return the value of one input at which the NPV is zero, all else as it is; None where no such value exists."""
    found: dict[str, Any] = {"array_price": None, "gpu_cny_per_hour": None, "cold_share_fraction": None}
    money = scenario.money
    if hours is None or option.array is None or base_tco.yearly is None:
        return MappingProxyType(found)
    years, rate = money.horizon_years, money.discount_fraction_per_year
    annuity, middle = annuity_factor(rate, years), float(np.median(hours))
    base = _present(base_tco.yearly, rate)
    if money.gpu_cny_per_hour is not None:
        value = middle * money.gpu_cny_per_hour * annuity
        free = _present(array_tco(scenario, option.array, prices, assumed_price=Decimal(0)).yearly or (), rate)
        probe = _present(array_tco(scenario, option.array, prices, assumed_price=PROBE_PRICE).yearly or (), rate)
        price = (value + base - free) / ((probe - free) / float(PROBE_PRICE))
        found["array_price"] = price if price > 0 else None
    if economics is None:
        return MappingProxyType(found)
    cost = -(float(np.median(economics.npv)) - middle * float(money.gpu_cny_per_hour or 0) * annuity)
    if middle > 0 and cost > 0:
        found["gpu_cny_per_hour"] = cost / (middle * annuity)
        share = money.cold_share_fraction * found["gpu_cny_per_hour"] / float(money.gpu_cny_per_hour or 1)
        found["cold_share_fraction"] = share if share <= 1 else None
    return MappingProxyType(found)
