"""Whether an option pays: GPU time released against the baseline, as incremental cash flows with a band.

A faster tier does the same recoveries in less GPU time. Released time per year is
``share × nodes × GPUs × 8,760 h × use × (1 − X_base / X_option)`` with the output rates X of the two options;
it is worth the GPU's cost per hour, and only as far as other work uses it. The
cash flows of the two options' costs are added.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from planner.errors import NoResult
from planner.finance import discounted_payback_years, irr, payback_years
from planner.scenario import Scenario

Draws = NDArray[np.float64]

HOURS_PER_YEAR = 8760
PAYS_FROM = 0.8
"""An option pays when at least this share of the draws has a positive NPV, and does not when at most 1 − this has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incremental:
    """Incremental economics of an option: draws of hours and NPV, and the central case's rate of return and payback."""

    hours_per_year: Draws
    npv: Draws
    flows: tuple[float, ...]
    irr: float | None
    irr_reason: str
    payback_years: float | None
    discounted_payback_years: float | None
    pays_fraction: float


def gpu_hours(scenario: Scenario) -> float:
    """Return the GPU hours per year that the baseline spends on the workload and whose release is used."""
    cluster, money = scenario.cluster, scenario.money
    fleet = cluster.nodes_count * cluster.node_record.gpus_count * HOURS_PER_YEAR
    return fleet * money.cold_share_fraction * money.released_use_fraction


def annuity_factor(rate: float, years: int) -> float:
    """Return the present value of 1 per year at year end."""
    return float(years) if rate == 0 else (1 - (1 + rate) ** -years) / rate


def incremental(
    scenario: Scenario, extra_cost: Sequence[Decimal], baseline_rate: Draws, option_rate: Draws
) -> Incremental:
    """Return the economics of an option against the baseline.

    Parameters
    ----------
    scenario : Scenario
        Its GPU cost per hour must be known.
    extra_cost : sequence of Decimal, shape (horizon + 1,)
        Cost of the option less that of the baseline in each year, year 0 first, in the scenario's currency.
    baseline_rate, option_rate : array, shape (draws,)
        Output tokens/s per node.
    """
    money = scenario.money
    hours = gpu_hours(scenario) * (1 - baseline_rate / option_rate)
    value = hours * float(money.gpu_cny_per_hour or 0)
    costs = np.array([float(amount) for amount in extra_cost])
    powers = (1 + money.discount_fraction_per_year) ** np.arange(len(costs))
    annuity = annuity_factor(money.discount_fraction_per_year, money.horizon_years)
    npv = value * annuity - float(np.sum(costs / powers))
    flows = tuple(float(np.median(value)) * (year > 0) - cost for year, cost in enumerate(costs))
    rate, reason = _rate_of_return(flows)
    return Incremental(
        hours_per_year=hours,
        npv=npv,
        flows=flows,
        irr=rate,
        irr_reason=reason,
        payback_years=payback_years(flows),
        discounted_payback_years=discounted_payback_years(money.discount_fraction_per_year, flows),
        pays_fraction=float(np.mean(npv > 0)),
    )


def _rate_of_return(flows: Sequence[float]) -> tuple[float | None, str]:
    try:
        return float(irr(flows)), ""
    except NoResult as error:
        return None, error.code
