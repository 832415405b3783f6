"""What an option consists of (``Bill``) and the terms on which its cost is counted (``CostTerms``), validated."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from decimal import Decimal, InvalidOperation
from types import MappingProxyType

from planner.cost_energy import Tariff
from planner.errors import Checker, collecting
from planner.money import Fixed, Money, Price, Range, TaxBasis
from planner.prices import PriceBook
from planner.provenance import Basis

HORIZON_MAX_YEARS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class BillItem:
    """One line of a bill: ``price`` is of one unit; ``line_price`` of the whole line where quantity tiers apply.

    ``list_price`` is the unit price before a discount (support may be charged on it). ``vat_fraction`` None uses the
    rate of the terms.
    """

    sku: str
    name: str
    quantity: int
    price: Price
    kind: str
    vat_fraction: Decimal | None = None
    line_price: Price | None = None
    list_price: Money | None = None
    basis: Basis = Basis.VENDOR
    source: str = ""

    @property
    def amount(self) -> Money | None:
        """Return the price of the line, or None where it is not one fixed amount."""
        price = self.price if self.line_price is None else self.line_price
        if not isinstance(price, Fixed):
            return None
        return price.money * self.quantity if self.line_price is None else price.money

    def bound(self, which: str) -> Money | None:
        """Return the ``low`` or ``high`` bound of the line; both are the amount where it is fixed."""
        price = self.price if self.line_price is None else self.line_price
        if not isinstance(price, Range):
            return self.amount
        money = price.low if which == "low" else price.high
        return money * self.quantity if self.line_price is None else money


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What is bought at t=0, with the capacity it brings. A capacity that is not known is None."""

    items: tuple[BillItem, ...]
    currency: str = "CNY"
    tax_basis: TaxBasis = TaxBasis.UNKNOWN
    raw_bytes: Decimal | None = None
    usable_bytes: Decimal | None = None

    def __post_init__(self) -> None:
        with collecting() as check:
            for index, item in enumerate(self.items):
                check.number(f"bill.items[{index}].quantity", item.quantity, low=1, high=1e9, whole=True)
                for money in (item.bound("low"), item.bound("high"), item.list_price):
                    if money is not None and (money.currency, money.tax_basis) != (self.currency, self.tax_basis):
                        hint = f"{self.currency}, tax basis {self.tax_basis.value}, as the bill"
                        check.add(
                            "mixed_money", f"bill.items[{index}].price", f"{money.currency}/{money.tax_basis}", hint
                        )
                    elif money is not None and money.amount < 0:
                        check.add("out_of_range", f"bill.items[{index}].price", money.amount, "a price from 0")

    @property
    def open_items(self) -> tuple[str, ...]:
        """Return the names of the items without one fixed price."""
        return tuple(item.name for item in self.items if item.amount is None)

    def assuming(self, prices: Mapping[str, Decimal]) -> "Bill":
        """Return the bill with unit prices that the user assumes (SKU → amount); their basis is ``assumed``.

        A what-if of the scenario: it is never written to a price book.
        """
        changed = []
        for item in self.items:
            if item.sku in prices:
                money = Money(prices[item.sku], self.currency, self.tax_basis)
                changed.append(replace(item, price=Fixed(money), line_price=None, basis=Basis.ASSUMED, source="user"))
            else:
                changed.append(item)
        return replace(self, items=tuple(changed))

    def at_bound(self, which: str) -> "Bill":
        """Return the bill with every range at its ``low`` or ``high`` bound."""
        changed = []
        for item in self.items:
            bound = item.bound(which)
            changed.append(item if bound is None or item.amount else replace(item, line_price=Fixed(bound)))
        return replace(self, items=tuple(changed))


def bill_of(book: PriceBook, lines: tuple[tuple[str, int], ...], *, usable_bytes: Decimal | None = None) -> Bill:
    """Return the bill of (SKU, quantity) lines of a price book, with its quantity tiers."""
    items = []
    for sku, quantity in lines:
        item = book.item(sku)
        items.append(
            BillItem(
                sku=sku,
                name=item.name,
                quantity=quantity,
                price=item.price,
                line_price=item.price_of(quantity) if item.tiers else None,
                kind=item.kind,
                vat_fraction=item.vat_fraction,
                basis=item.basis,
                source=book.source.id,
            )
        )
    raw = book.raw_bytes(lines)
    return Bill(
        items=tuple(items), currency=book.currency, tax_basis=book.tax_basis, raw_bytes=raw, usable_bytes=usable_bytes
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtraLine:
    """A cost line worked out elsewhere (drive wear, failures): amounts per year 0 … horizon, in the bill's currency."""

    code: str
    amounts: tuple[Decimal, ...]
    formula: str
    basis: Basis
    source: str = ""


BOUNDS: Mapping[str, tuple[str, str, str]] = MappingProxyType(
    {
        "discount_fraction_per_year": ("0", "1", "a fraction from 0 to 1; 8 % is 0.08"),
        "vat_fraction": ("0", "0.5", "a fraction from 0 to 0.5; 13 % is 0.13"),
        "support_fraction_per_year": ("0", "1", "a fraction from 0 to 1; 6 % is 0.06"),
        "power_w": ("0", "10000000", "watts from 0 to 10,000,000"),
        "pue_ratio": ("1", "3", "a ratio from 1 to 3; PUE is never below 1"),
        "demand_cny_per_kw_month": ("0", "1000", "from 0 to 1,000 per kW and month"),
        "residual_fraction": ("0", "1", "a fraction from 0 to 1; 5 % is 0.05"),
        "decommission_cny": ("0", "1000000000", "an amount from 0 to 1,000,000,000"),
        "staff_cny_per_year": ("0", "1000000000", "an amount from 0 to 1,000,000,000"),
        "software_cny_per_year": ("0", "1000000000", "an amount from 0 to 1,000,000,000"),
        "hours_per_year": ("1", "8784", "hours from 1 to 8,784; 8,760 is a common year"),
    }
)
CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "convention": ("end-year", "mid-year", "monthly"),
        "tax_treatment": ("net", "gross", "as-printed"),
        "support_base": ("net", "list"),
    }
)


def exact(check: Checker, field: str, value: object, *, low: str, high: str, hint: str) -> Decimal | None:
    """Return ``value`` as an exact Decimal within [low, high] (a float by its shortest text), or note the problem."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        check.add("not_a_number", field, value, hint)
        return None
    try:
        number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    except InvalidOperation:
        check.add("not_a_number", field, value, hint)
        return None
    if not number.is_finite():
        check.add("not_finite", field, value, hint)
    elif not Decimal(low) <= number <= Decimal(high):
        check.add("out_of_range", field, value, hint)
    else:
        return number
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class CostTerms:
    """Terms of a total cost of ownership; rates are nominal. Numbers may be given as int, float, text or Decimal.

    Convention: t=0 undiscounted; ``end-year`` discounts yearly amounts at year end, ``mid-year`` half a year earlier
    (residual and decommissioning stay at the end), ``monthly`` at each month's end with the effective monthly rate.
    ``tax_treatment`` compares ``net`` or ``gross`` of VAT, or ``as-printed``; ``price_tax_basis`` says what prices of
    an unknown basis include. Support is charged on the net or the list price from ``support_from_year`` on (4 after a
    three-year warranty). ``tariff`` is a flat price per kWh or a load-weighted ``Tariff`` table.

    Raises
    ------
    InputProblems
        All fields out of their bounds at once.
    """

    horizon_years: int = 5
    discount_fraction_per_year: Decimal = Decimal("0.08")
    convention: str = "end-year"
    tax_treatment: str = "net"
    price_tax_basis: TaxBasis = TaxBasis.UNKNOWN
    vat_fraction: Decimal = Decimal("0.13")
    support_fraction_per_year: Decimal = Decimal(0)
    support_base: str = "net"
    support_from_year: int = 1
    power_w: Decimal = Decimal(0)
    pue_ratio: Decimal = Decimal(1)
    tariff: Decimal | Tariff = Decimal(0)
    demand_cny_per_kw_month: Decimal = Decimal(0)
    hours_per_year: Decimal = Decimal(8760)
    residual_fraction: Decimal = Decimal(0)
    decommission_cny: Decimal = Decimal(0)
    staff_cny_per_year: Decimal = Decimal(0)
    software_cny_per_year: Decimal = Decimal(0)
    extra_lines: tuple[ExtraLine, ...] = ()

    def __post_init__(self) -> None:
        with collecting() as check:
            for name, (low, high, hint) in BOUNDS.items():
                number = exact(check, f"money.{name}", getattr(self, name), low=low, high=high, hint=hint)
                if number is not None:
                    object.__setattr__(self, name, number)
            for name, allowed in CHOICES.items():
                check.choice(f"money.{name}", getattr(self, name), allowed)
            basis = check.choice("money.price_tax_basis", self.price_tax_basis, [member.value for member in TaxBasis])
            object.__setattr__(self, "price_tax_basis", TaxBasis(basis or "unknown"))
            for name in ("horizon_years", "support_from_year"):
                check.number(f"money.{name}", getattr(self, name), low=1, high=HORIZON_MAX_YEARS, whole=True)
            if not isinstance(self.tariff, Tariff):
                hint = "a price per kWh from 0 to 10, or a tariff table"
                tariff = exact(check, "money.tariff", self.tariff, low="0", high="10", hint=hint)
                object.__setattr__(self, "tariff", tariff)
            self._check_lines(check)

    def _check_lines(self, check: Checker) -> None:
        for line in self.extra_lines:
            if len(line.amounts) != self.horizon_years + 1 or not all(amount.is_finite() for amount in line.amounts):
                hint = f"{self.horizon_years + 1} finite amounts, year 0 to the horizon"
                check.add("extra_line", f"money.extra_lines.{line.code}", len(line.amounts), hint)


TERM_NAMES = frozenset(field.name for field in fields(CostTerms))
