"""Drive wear and failure over the horizon, as cost lines: when drives are worn out, how many fail, at which price.

Drive writes per day = host bytes/day × write amplification / capacity; life = warranty years × rated DWPD / DWPD.
A set of drives is replaced at each full life inside the horizon: max(0, ceil(T / life) − 1) times. Prices may rise.
"""

from dataclasses import dataclass
from decimal import Decimal
from math import ceil, exp

from planner.cost_terms import HORIZON_MAX_YEARS, ExtraLine, exact
from planner.errors import collecting
from planner.provenance import Basis

HOURS_PER_YEAR_MEAN = 8766
DAYS_PER_YEAR = 365
LIVES_EXACT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Wear:
    """What wears the drives of an array, and what a new one costs.

    ``write_amplification_ratio`` is WAF (≥ 1); ``price_change_fraction_per_year`` may be positive: prices rise too.
    """

    drives_count: int
    capacity_bytes: float
    host_bytes_per_day: float
    write_amplification_ratio: float
    rated_drive_writes_per_day: float
    warranty_years: float
    drive_price: Decimal
    price_change_fraction_per_year: Decimal = Decimal(0)
    annual_failure_fraction: float = 0.0
    warranty_replaces_failures: bool = True
    basis: Basis = Basis.ASSUMED

    def __post_init__(self) -> None:
        with collecting() as check:
            check.number("wear.drives_count", self.drives_count, low=1, high=1e6, whole=True)
            check.number("wear.capacity_bytes", self.capacity_bytes, low=1e9, high=1e18)
            check.number("wear.host_bytes_per_day", self.host_bytes_per_day, low=0, high=1e21)
            check.number("wear.write_amplification_ratio", self.write_amplification_ratio, low=1, high=100)
            check.number("wear.rated_drive_writes_per_day", self.rated_drive_writes_per_day, low=0.01, high=1000)
            check.number("wear.warranty_years", self.warranty_years, low=0.1, high=20)
            check.number("wear.annual_failure_fraction", self.annual_failure_fraction, low=0, high=1)
            for name, low in (("drive_price", "0"), ("price_change_fraction_per_year", "-0.9")):
                number = exact(check, f"wear.{name}", getattr(self, name), low=low, high="1e9", hint=f"from {low}")
                object.__setattr__(self, name, number)

    @property
    def drive_writes_per_day(self) -> float:
        """Return the writes per day that the load makes, in drive capacities; spread evenly over the drives."""
        return self.host_bytes_per_day * self.write_amplification_ratio / (self.capacity_bytes * self.drives_count)

    @property
    def life_years(self) -> float | None:
        """Return the years until the rated writes are used up; None when nothing is written."""
        dwpd = self.drive_writes_per_day
        return None if dwpd == 0 else self.warranty_years * self.rated_drive_writes_per_day / dwpd

    def price_in(self, year: int) -> Decimal:
        """Return the price of a drive in a year, along the price path."""
        return self.drive_price * (1 + self.price_change_fraction_per_year) ** year


def endurance_bytes(capacity_bytes: float, drive_writes_per_day: float, years: float) -> float:
    """Return the rated writes (TBW in bytes): capacity × DWPD × 365 × years.

    >>> endurance_bytes(7.68e12, 1, 5) / 1e12
    14016.0
    """
    return capacity_bytes * drive_writes_per_day * DAYS_PER_YEAR * years


def annual_failure_fraction(mttf_hours: float) -> float:
    """Return AFR = 1 − exp(−8766 / MTTF).

    >>> round(annual_failure_fraction(2e6), 5)
    0.00437
    """
    with collecting() as check:
        check.number("mttf_hours", mttf_hours, low=1, high=1e12)
    return 1 - exp(-HOURS_PER_YEAR_MEAN / mttf_hours)


def stripe_loss_fraction(annual_failure: float, drives_count: int, years: float = 1) -> float:
    """Return the probability that a stripe without redundancy (RAID0) loses its data: 1 − (1 − AFR)^(n·years)."""
    with collecting() as check:
        check.number("annual_failure_fraction", annual_failure, low=0, high=1)
        check.number("drives_count", drives_count, low=1, high=1e6, whole=True)
        check.number("years", years, low=0, high=100)
    return float(1 - (1 - annual_failure) ** (drives_count * years))


def replacements_count(horizon_years: float, life_years: float | None) -> int:
    """Return how often the set is replaced inside the horizon: max(0, ceil(T / life) − 1); never without writes."""
    if life_years is None:
        return 0
    return max(0, ceil(horizon_years / life_years - LIVES_EXACT) - 1)


def wear_lines(wear: Wear, horizon_years: int) -> tuple[ExtraLine, ...]:
    """Return the cost lines of worn-out and failed drives, per year 0 … horizon.

    A worn-out set is bought in the year its life ends. Failed drives are bought in each year after the warranty (or in
    every year, where the warranty does not replace them).
    """
    with collecting() as check:
        check.number("horizon_years", horizon_years, low=1, high=HORIZON_MAX_YEARS, whole=True)
    worn = [Decimal(0)] * (horizon_years + 1)
    life = wear.life_years
    count = replacements_count(horizon_years, life)
    for index in range(1, count + 1):
        year = min(horizon_years, max(1, ceil(index * (life or 0) - LIVES_EXACT)))
        worn[year] += wear.drives_count * wear.price_in(year)
    failed = [Decimal(0)] * (horizon_years + 1)
    for year in range(1, horizon_years + 1):
        if not wear.warranty_replaces_failures or year > wear.warranty_years:
            expected = Decimal(repr(float(wear.annual_failure_fraction))) * wear.drives_count
            failed[year] = expected * wear.price_in(year)
    shown = "never worn out" if life is None else f"life {life:.2f} years"
    path = f"price {wear.drive_price:,} × (1 + {wear.price_change_fraction_per_year})^year"
    return (
        ExtraLine(
            code="drive_wear",
            amounts=tuple(worn),
            formula=f"{wear.drive_writes_per_day:.3f} DWPD of {wear.rated_drive_writes_per_day:g}, {shown}: "
            f"{count} × {wear.drives_count} drives, {path}",
            basis=wear.basis,
        ),
        ExtraLine(
            code="drive_failure",
            amounts=tuple(failed),
            formula=f"{wear.annual_failure_fraction:.4f} × {wear.drives_count} drives after {wear.warranty_years:g} "
            f"years, {path}",
            basis=wear.basis,
        ),
    )
