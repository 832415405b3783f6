"""The bill and the cost terms of one option of a scenario, for the cost model in ``planner.cost``."""

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

from planner.cost import Bill, BillItem, CostTerms, Tco, tco
from planner.evaluation import CostLine
from planner.hardware import array
from planner.money import Fixed, Money, TaxBasis
from planner.prices import PriceBook, per_tb, per_tib
from planner.provenance import Basis
from planner.scenario import Candidate, Scenario

LINE_OF_KIND: Mapping[str, str] = MappingProxyType({"drive": "drives"})
"""Code of a cost line by the kind of its item, where the two differ."""


def array_lines(candidate: Candidate) -> tuple[tuple[str, int], ...]:
    """Return the (SKU, quantity) lines of one array with its drives."""
    record = array(candidate.id)
    return ((record.platform_sku, 1), (record.drive_sku, candidate.drives_count))


def units_count(scenario: Scenario, candidate: Candidate) -> int:
    """Return the arrays that the cluster needs."""
    return -(-scenario.cluster.nodes_count // candidate.nodes_per_array_count)


def _items(scenario: Scenario, candidate: Candidate, prices: PriceBook, assumed: Decimal | None) -> list[BillItem]:
    units, name = units_count(scenario, candidate), array(candidate.id).name
    if assumed is not None:
        price = Fixed(Money(assumed, prices.currency, prices.tax_basis))
        return [BillItem(sku="assumed", name=name, quantity=units, price=price, kind="platform", basis=Basis.ASSUMED)]
    items = []
    for kind, (sku, count) in zip(("platform", "drive"), array_lines(candidate), strict=True):
        items.append(
            BillItem(
                sku=sku,
                name=f"{name} {kind}",
                quantity=count * units,
                price=prices.price(sku),
                kind=kind,
                source=prices.source.id,
            )
        )
    return items


def _terms(scenario: Scenario, *, power_w: float) -> CostTerms:
    money = scenario.money
    return CostTerms(
        horizon_years=money.horizon_years,
        discount_fraction_per_year=Decimal(str(money.discount_fraction_per_year)),
        price_tax_basis=TaxBasis(money.price_tax_basis),
        vat_fraction=Decimal(str(money.vat_fraction)),
        support_fraction_per_year=Decimal(str(money.support_fraction_per_year)),
        power_w=Decimal(str(power_w)),
        pue_ratio=Decimal(str(money.pue_ratio)),
        tariff=Decimal(str(money.tariff_cny_per_kwh)),
        residual_fraction=Decimal(str(money.residual_fraction)),
    )


def _own(name: str, kind: str, quantity: int, unit_cny: float, prices: PriceBook) -> BillItem:
    price = Fixed(Money(Decimal(str(unit_cny)), prices.currency, prices.tax_basis))
    return BillItem(sku=kind, name=name, quantity=quantity, price=price, kind=kind, basis=Basis.ASSUMED)


def array_tco(
    scenario: Scenario, candidate: Candidate, prices: PriceBook, *, assumed_price: Decimal | None = None
) -> Tco:
    """Return the cost of an array option for the whole cluster.

    Parameters
    ----------
    scenario, candidate, prices : Scenario, Candidate, PriceBook
        The case, the array with its configuration, and the price book.
    assumed_price : Decimal, optional
        A price for one whole array instead of the book's: a what-if for break-evens, never stored in a book.
    """
    units = units_count(scenario, candidate)
    items = _items(scenario, candidate, prices, assumed_price)
    port = scenario.money.network_cny_per_array_port
    if port is not None:
        items.append(_own("network port", "network", units * candidate.ports_count, port, prices))
    raw = array(candidate.id).raw_bytes(candidate.drives_count)
    bill = Bill(
        items=tuple(items),
        currency=prices.currency,
        tax_basis=prices.tax_basis,
        raw_bytes=None if raw is None else Decimal(int(raw)) * units,
    )
    return tco(bill, _terms(scenario, power_w=scenario.money.array_power_w * units))


def local_tco(scenario: Scenario, prices: PriceBook, *, uses_drive: bool) -> Tco:
    """Return the cost of an option without an array: nothing, or the local drives where they are priced."""
    price = scenario.money.local_drive_cny_per_node
    items: tuple[BillItem, ...] = ()
    if uses_drive and price is not None:
        items = (_own("local drive", "local_drive", scenario.cluster.nodes_count, price, prices),)
    bill = Bill(items=items, currency=prices.currency, tax_basis=prices.tax_basis)
    return tco(bill, _terms(scenario, power_w=0))


def not_counted(scenario: Scenario, candidate: Candidate | None, *, uses_drive: bool) -> tuple[str, ...]:
    """Return the codes of costs that the case leaves out by assumption."""
    if candidate is not None:
        return ("network",) if scenario.money.network_cny_per_array_port is None else ()
    return ("local_drive",) if uses_drive and scenario.money.local_drive_cny_per_node is None else ()


def cost_lines(found: Tco) -> tuple[CostLine, ...]:
    """Return the lines with amounts to the fen that add up to the totals of their year."""
    shown = found.shown()
    lines = []
    for line in found.lines:
        kind = line.code.partition(":")[0]
        amounts = shown[line.code]
        lines.append(
            CostLine(
                code=LINE_OF_KIND.get(kind, kind),
                formula=line.formula,
                basis=line.basis.value,
                amounts=None
                if amounts is None
                else tuple(Money(amount, found.currency, found.tax_basis) for amount in amounts),
            )
        )
    return tuple(lines)


def price_per_tb(candidate: Candidate, prices: PriceBook) -> Mapping[str, Money | None]:
    """Return the printed price of one array with its drives per TB and per TiB raw; None while a part is on request."""
    sum_ = (
        prices.total(array_lines(candidate)) if all(sku in prices.items for sku, _ in array_lines(candidate)) else None
    )
    raw = array(candidate.id).raw_bytes(candidate.drives_count)
    if sum_ is None or raw is None:
        return MappingProxyType({"raw": None, "raw_tib": None})
    found = {"raw": per_tb(sum_, Decimal(int(raw))), "raw_tib": per_tib(sum_, Decimal(int(raw)))}
    return MappingProxyType({name: None if money is None else money.rounded() for name, money in found.items()})


def list_price(candidate: Candidate, prices: PriceBook) -> Decimal | None:
    """Return the printed price of one array with its drives, or None where a part is on request."""
    known = Decimal(0)
    for sku, quantity in array_lines(candidate):
        price = prices.price(sku)
        if not isinstance(price, Fixed):
            return None
        known += price.money.amount * quantity
    return known
