"""What an option costs over the horizon: lines by year, total, NPV, equivalent annual cost, ¥/TB and ¥/token.

Convention, printed wherever a figure is: t=0 undiscounted, flows at year end, effective yearly rate; amounts of each
line and year are rounded half up to the fen, sums are of rounded amounts. Costs are positive, the residual negative.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType

from planner.evaluation import CostLine
from planner.hardware import array
from planner.money import Fixed, Money, OnRequest, Price, TaxBasis, round_half_up
from planner.prices import PriceBook
from planner.provenance import Basis
from planner.scenario import Candidate, MoneyTerms, Scenario

HOURS_PER_YEAR = 8760
BYTES_PER_TB = 10**12
BYTES_PER_TIB = 2**40


@dataclass(frozen=True, slots=True, kw_only=True)
class Tco:
    """The cost of one option. ``flows`` are the yearly sums, year 0 first; None while an item has no price."""

    lines: tuple[CostLine, ...]
    capex: Money
    flows: tuple[Decimal, ...] | None
    open_items: tuple[str, ...]
    not_counted: tuple[str, ...]

    @property
    def total(self) -> Decimal | None:
        """Return the undiscounted sum of all years."""
        return None if self.flows is None else sum(self.flows, Decimal(0))

    def npv(self, rate: float) -> Decimal | None:
        """Return the present value of the costs, rounded half up to the fen."""
        if self.flows is None:
            return None
        growth = 1 + Decimal(str(rate))
        return round_half_up(sum((flow / growth**year for year, flow in enumerate(self.flows)), Decimal(0)))


def equivalent_annual_cost(npv: Decimal, rate: float, years: int) -> Decimal:
    """Return ``NPV · r(1+r)^n / ((1+r)^n − 1)``, rounded half up to the fen (NPV / n at r = 0)."""
    if rate == 0:
        return round_half_up(npv / years)
    exact = Decimal(str(rate))
    growth = (1 + exact) ** years
    return round_half_up(npv * exact * growth / (growth - 1))


class _Lines:
    """Collects cost lines of one option over the years 0 … horizon."""

    def __init__(self, years: int, currency: str, basis: TaxBasis) -> None:
        self.years, self.currency, self.basis = years, currency, basis
        self.lines: list[CostLine] = []
        self.open_items: list[str] = []

    def add(self, code: str, formula: str, basis: Basis, amount: Callable[[int], Decimal]) -> None:
        amounts = tuple(Money(round_half_up(amount(year)), self.currency, self.basis) for year in range(self.years + 1))
        self.lines.append(CostLine(code=code, formula=formula, basis=basis.value, amounts=amounts))

    def open(self, code: str, formula: str, item: str) -> None:
        self.lines.append(CostLine(code=code, formula=formula, basis=Basis.VENDOR.value, amounts=None))
        self.open_items.append(item)

    def flows(self) -> tuple[Decimal, ...] | None:
        if self.open_items:
            return None
        return tuple(
            sum((line.amounts[year].amount for line in self.lines if line.amounts), Decimal(0))
            for year in range(self.years + 1)
        )


def net_price(amount: Decimal, terms: MoneyTerms, book_basis: TaxBasis) -> tuple[Decimal, TaxBasis]:
    """Return a price net of VAT where it is known to include it, else as printed, with the basis that results."""
    stated = TaxBasis(terms.price_tax_basis) if terms.price_tax_basis != "unknown" else book_basis
    if stated is TaxBasis.INCL:
        return round_half_up(amount / (1 + Decimal(str(terms.vat_fraction)))), TaxBasis.EXCL
    return amount, stated


def purchase(candidate: Candidate, prices: PriceBook, assumed: Decimal | None) -> tuple[tuple[str, int, Price], ...]:
    """Return (name, quantity, unit price) of one array: its platform and drives, or one assumed price for the whole."""
    record = array(candidate.id)
    if assumed is not None:
        return ((f"{record.name} (assumed price)", 1, Fixed(Money(assumed, prices.currency, prices.tax_basis))),)
    return (
        (f"{record.name} platform", 1, prices.price(record.platform_sku)),
        (f"{record.name} drive", candidate.drives_count, prices.price(record.drive_sku)),
    )


def _purchase_lines(
    lines: _Lines, scenario: Scenario, candidate: Candidate, prices: PriceBook, units: int, assumed: Decimal | None
) -> Decimal:
    """Add the purchase and return its net sum; items without a price become open items."""
    capital = Decimal(0)
    for code, (name, quantity, price) in zip(
        ("platform", "drives"), purchase(candidate, prices, assumed), strict=False
    ):
        if isinstance(price, Fixed):
            net, _ = net_price(price.money.amount, scenario.money, prices.tax_basis)
            amount = round_half_up(net * quantity * units)
            capital += amount
            lines.add(
                code,
                f"{units} × {quantity} × ¥{net:,}",
                Basis.VENDOR,
                lambda year, amount=amount: amount if year == 0 else Decimal(0),
            )
        else:
            note = price.note if isinstance(price, OnRequest) else "price range"
            lines.open(code, f"{units} × {quantity} × ({note})", name)
    return capital


def _running_lines(lines: _Lines, terms: MoneyTerms, capital: Decimal, units: int) -> None:
    support = Decimal(str(terms.support_fraction_per_year))
    lines.add(
        "support",
        f"{support:.2%} × ¥{capital:,}",
        Basis.ASSUMED,
        lambda year: capital * support if year else Decimal(0),
    )
    kwh = Decimal(str(terms.array_power_w)) / 1000 * HOURS_PER_YEAR * Decimal(str(terms.pue_ratio)) * units
    tariff = Decimal(str(terms.tariff_cny_per_kwh))
    lines.add(
        "energy",
        f"{units} × {terms.array_power_w:g} W × {HOURS_PER_YEAR} h × PUE {terms.pue_ratio:g} × ¥{tariff}/kWh",
        Basis.ASSUMED,
        lambda year: kwh * tariff if year else Decimal(0),
    )
    residual = Decimal(str(terms.residual_fraction))
    lines.add(
        "residual",
        f"−{residual:.2%} × ¥{capital:,}",
        Basis.ASSUMED,
        lambda year: -capital * residual if year == terms.horizon_years else Decimal(0),
    )


def array_tco(
    scenario: Scenario, candidate: Candidate, prices: PriceBook, *, assumed_price: Decimal | None = None
) -> Tco:
    """Return the cost of an array option for the whole cluster.

    Parameters
    ----------
    scenario, candidate, prices : Scenario, Candidate, PriceBook
        The case, the array with its configuration, and the price book.
    assumed_price : Decimal, optional
        A price for one whole array instead of the book's: a what-if, used for break-evens and never stored in a book.
    """
    terms = scenario.money
    units = -(-scenario.cluster.nodes_count // candidate.nodes_per_array_count)
    _, basis = net_price(Decimal(0), terms, prices.tax_basis)
    lines = _Lines(terms.horizon_years, prices.currency, basis)
    capital = _purchase_lines(lines, scenario, candidate, prices, units, assumed_price)
    not_counted = []
    if terms.network_cny_per_array_port is None:
        not_counted.append("network")
    else:
        port = Decimal(str(terms.network_cny_per_array_port))
        ports = units * candidate.ports_count
        lines.add(
            "network", f"{ports} × ¥{port:,}", Basis.ASSUMED, lambda year: port * ports if year == 0 else Decimal(0)
        )
    if not lines.open_items:
        _running_lines(lines, terms, capital, units)
    bought = sum((line.amounts[0].amount for line in lines.lines if line.amounts), Decimal(0))
    return Tco(
        lines=tuple(lines.lines),
        capex=Money(bought, prices.currency, basis),
        flows=lines.flows(),
        open_items=tuple(lines.open_items),
        not_counted=tuple(not_counted),
    )


def local_tco(scenario: Scenario, prices: PriceBook, *, uses_drive: bool) -> Tco:
    """Return the cost of an option without an array: nothing, or a local drive in each node where its price is given."""
    terms = scenario.money
    _, basis = net_price(Decimal(0), terms, prices.tax_basis)
    lines = _Lines(terms.horizon_years, prices.currency, basis)
    not_counted: tuple[str, ...] = ()
    if uses_drive and terms.local_drive_cny_per_node is None:
        not_counted = ("local_drive",)
    elif uses_drive:
        price, nodes = Decimal(str(terms.local_drive_cny_per_node)), scenario.cluster.nodes_count
        lines.add(
            "local_drive",
            f"{nodes} × ¥{price:,}",
            Basis.ASSUMED,
            lambda year: price * nodes if year == 0 else Decimal(0),
        )
    flows = lines.flows() or ()
    capex = flows[0] if flows else Decimal(0)
    return Tco(
        lines=tuple(lines.lines),
        capex=Money(capex, prices.currency, basis),
        flows=flows,
        open_items=(),
        not_counted=not_counted,
    )


def per_tb(
    purchase_sum: Decimal, annual: Decimal | None, raw_bytes: float | None, currency: str, basis: TaxBasis
) -> Mapping[str, Money | None]:
    """Return ¥ per decimal TB and per TiB of raw capacity (purchase), and per TB and month (equivalent annual cost / 12)."""
    if not raw_bytes:
        return MappingProxyType({"raw": None, "raw_tib": None, "raw_per_month": None})
    tb, tib = Decimal(int(raw_bytes)) / BYTES_PER_TB, Decimal(int(raw_bytes)) / BYTES_PER_TIB

    def money(amount: Decimal) -> Money:
        return Money(round_half_up(amount), currency, basis)

    return MappingProxyType(
        {
            "raw": money(purchase_sum / tb),
            "raw_tib": money(purchase_sum / tib),
            "raw_per_month": None if annual is None else money(annual / 12 / tb),
        }
    )


def list_price(candidate: Candidate, prices: PriceBook) -> Decimal | None:
    """Return the printed price of one array with its drives, or None where a part is on request."""
    known = Decimal(0)
    for _, quantity, price in purchase(candidate, prices, None):
        if not isinstance(price, Fixed):
            return None
        known += price.money.amount * quantity
    return known
