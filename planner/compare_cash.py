"""An option against a baseline in cash: incremental NPV, rate of return or why none, payback; and the tax view apart.

Depreciation is no cash flow; it stands only in the profit-and-loss view and as the tax it saves.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from planner.cashflows import checked_flows
from planner.errors import NoResult, collecting
from planner.finance import discounted_payback_years, irr, npv, payback_years

Draws = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class CashComparison:
    """Incremental measures. A payback of None is "never within the horizon"; ``irr`` None has its ``irr_reason``."""

    flows: tuple[Decimal, ...]
    npv: Decimal
    irr: float | None
    irr_reason: str
    irr_roots: str
    payback_years: float | None
    discounted_payback_years: float | None
    horizon_years: int


def against(rate: Decimal, baseline: Sequence[Decimal], option: Sequence[Decimal]) -> CashComparison:
    """Compare two net cash flows (receipts positive, costs negative) year by year, both from t=0.

    Parameters
    ----------
    rate : Decimal
        Discount rate per year.
    baseline, option : sequence of Decimal, same length
        Flows of year 0 … horizon; unequal horizons are refused (use equivalent annual costs instead).
    """
    with collecting() as check:
        if len(baseline) != len(option):
            hint = "the same horizon on both sides; compare unequal lives by equivalent annual cost"
            check.add("horizon", "option", len(option), hint)
    first, second = checked_flows(baseline, least=2), checked_flows(option, least=2)
    flows = tuple(Decimal(b) - Decimal(a) for a, b in zip(first, second, strict=True))
    try:
        value, reason, roots = irr(flows), "", ""
    except NoResult as error:
        value, reason, roots = None, error.code, str(error.figures.get("roots", ""))
    return CashComparison(
        flows=flows,
        npv=npv(rate, flows),
        irr=value,
        irr_reason=reason,
        irr_roots=roots,
        payback_years=payback_years(flows),
        discounted_payback_years=discounted_payback_years(float(rate), flows),
        horizon_years=len(flows) - 1,
    )


def depreciation(
    amount: Decimal, life_years: int, residual_fraction: Decimal, horizon_years: int
) -> tuple[Decimal, ...]:
    """Return straight-line depreciation of the years 0 … horizon: (1 − residual) / life in each year of the life."""
    with collecting() as check:
        check.number("life_years", life_years, low=1, high=50, whole=True)
        check.number("horizon_years", horizon_years, low=1, high=50, whole=True)
        check.number("residual_fraction", float(residual_fraction), low=0, high=1)
    yearly = amount * (1 - residual_fraction) / life_years
    return tuple(yearly if 1 <= year <= life_years else Decimal(0) for year in range(horizon_years + 1))


def tax_shield(
    costs: Sequence[Decimal], depreciated: Sequence[Decimal], tax_fraction: Decimal
) -> tuple[tuple[Decimal, ...], tuple[Decimal, ...]]:
    """Return (tax saved per year, cost after tax per year): (operating cost + depreciation) × rate. A view, not cash.

    ``costs`` are those of year 0 … horizon, the purchase in year 0; only later years are deducted as operating cost.
    """
    with collecting() as check:
        check.number("tax_fraction", float(tax_fraction), low=0, high=1)
        if len(costs) != len(depreciated):
            check.add("horizon", "depreciated", len(depreciated), f"{len(costs)} years as the costs")
    saved = tuple(
        tax_fraction * ((cost if year else Decimal(0)) + worn)
        for year, (cost, worn) in enumerate(zip(costs, depreciated, strict=True))
    )
    return saved, tuple(cost - less for cost, less in zip(costs, saved, strict=True))


def npv_draws(rate: float | Draws, flows: Draws) -> Draws:
    """Return NPVs of many draws at once, in floats: ``flows`` has shape (draws, years), year 0 first, undiscounted.

    ``rate`` is one number or one per draw, above −1. For uncertainty only: quoted figures come from the Decimal path.
    """
    rates = np.asarray(rate, dtype=float)
    with collecting() as check:
        if flows.ndim != 2 or not np.all(np.isfinite(flows)):
            check.add("not_finite", "flows", flows.shape, "finite flows of shape (draws, years)")
        if not np.all(np.isfinite(rates)) or np.any(rates <= -1):
            check.add("out_of_range", "rate", float(np.min(rates)), "rates above -1")
    powers = np.arange(flows.shape[1])
    growth = (1 + rates)[..., np.newaxis] ** powers
    return np.asarray(np.sum(flows / growth, axis=1))
