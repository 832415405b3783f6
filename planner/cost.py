"""Total cost of ownership, exact: lines per year with base and formula, NPV, equivalent annual cost, ¥/TB.

Everything here is Decimal and unrounded; ``shown`` rounds half up to the fen so that lines add up to their totals.
Costs are positive, the residual value is negative. What an item without a price prevents is None, never 0; the parts
that are known stay. Draws for uncertainty use ``planner.cost_draws`` on floats: the same formula, not for quotes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from types import MappingProxyType

from planner.cost_energy import DAYS_OF_MONTH, MONTHS, Tariff, energy_kwh_per_year
from planner.cost_terms import Bill, BillItem, CostTerms, ExtraLine, bill_of
from planner.errors import NoResult
from planner.finance import GUARD_DIGITS, annuity_factor, monthly_rate
from planner.money import Fixed, Money, TaxBasis, round_half_up
from planner.prices import BYTES_PER_TB, BYTES_PER_TIB
from planner.provenance import Basis

__all__ = ["Bill", "BillItem", "CostTerms", "ExtraLine", "Tco", "TcoLine", "bill_of", "break_even_capital", "tco"]

CAPITAL, OPERATING, END = "capital", "operating", "end"
HOURS_PER_YEAR = 8760


@dataclass(frozen=True, slots=True, kw_only=True)
class TcoLine:
    """One cost line: amounts of the years 0 … horizon, exact; None where they depend on a price that is on request.

    ``phase`` is capital (t=0), operating (during each year) or end (at the end of the horizon). ``month_shares`` are
    the twelve parts of a year's amount where months differ.
    """

    code: str
    phase: str
    amounts: tuple[Decimal, ...] | None
    base: str
    formula: str
    basis: Basis
    source: str = ""
    month_shares: tuple[Decimal, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tco:
    """The cost of one bill on its terms. Figures that an open item prevents are None; ``open_items`` names them."""

    lines: tuple[TcoLine, ...]
    currency: str
    tax_basis: TaxBasis
    terms: CostTerms
    raw_bytes: Decimal | None
    usable_bytes: Decimal | None
    open_items: tuple[str, ...]
    caveats: tuple[str, ...]
    vat: Decimal | None

    def money(self, amount: Decimal | None) -> Money | None:
        """Return an amount rounded half up to the fen, in the currency and tax basis of the comparison."""
        return None if amount is None else Money(round_half_up(amount), self.currency, self.tax_basis)

    @property
    def is_complete(self) -> bool:
        """Whether every line has amounts."""
        return all(line.amounts is not None for line in self.lines)

    @property
    def known_capital(self) -> Decimal:
        """Return the purchase at t=0 of the items that have a price."""
        return sum((line.amounts[0] for line in self.lines if line.amounts), Decimal(0))

    @property
    def yearly(self) -> tuple[Decimal, ...] | None:
        """Return the sum of all lines per year, year 0 first."""
        if not self.is_complete:
            return None
        years = range(self.terms.horizon_years + 1)
        return tuple(sum((line.amounts[year] for line in self.lines if line.amounts), Decimal(0)) for year in years)

    @property
    def total(self) -> Decimal | None:
        """Return the undiscounted total."""
        return None if self.yearly is None else sum(self.yearly, Decimal(0))

    def monthly(self) -> tuple[Decimal, ...] | None:
        """Return the flows of month 0 … 12 × horizon: purchase at 0, years spread over months, residual last."""
        if not self.is_complete:
            return None
        flows = [Decimal(0)] * (MONTHS * self.terms.horizon_years + 1)
        for line in self.lines:
            for year, amount in enumerate(line.amounts or ()):
                if not amount:
                    continue
                if year == 0 or line.phase != OPERATING:
                    flows[MONTHS * year] += amount
                    continue
                for month in range(MONTHS):
                    share = line.month_shares[month] if line.month_shares else Decimal(1) / MONTHS
                    flows[MONTHS * (year - 1) + month + 1] += amount * share
        return tuple(flows)

    @property
    def npv(self) -> Decimal | None:
        """Return the present value of all costs under the convention of the terms; None while items are open."""
        if not self.is_complete:
            return None
        rate, growth = self.terms.discount_fraction_per_year, 1 + self.terms.discount_fraction_per_year
        with localcontext(prec=28 + GUARD_DIGITS):
            if self.terms.convention == "monthly":
                base = 1 + monthly_rate(rate)
                value = sum((flow / base**month for month, flow in enumerate(self.monthly() or ())), Decimal(0))
            else:
                shift = growth ** Decimal("0.5") if self.terms.convention == "mid-year" else Decimal(1)
                value = Decimal(0)
                for line in self.lines:
                    early = shift if line.phase == OPERATING else Decimal(1)
                    for year, amount in enumerate(line.amounts or ()):
                        if amount:
                            value += amount / growth**year * (early if year else 1)
        return +value

    @property
    def equivalent_annual_cost(self) -> Decimal | None:
        """Return the constant year-end amount over the horizon with the same present value."""
        value = self.npv
        if value is None:
            return None
        return value / annuity_factor(self.terms.discount_fraction_per_year, self.terms.horizon_years)

    @property
    def per_hour(self) -> Decimal | None:
        """Return the equivalent annual cost per hour of a common year (8,760 h)."""
        annual = self.equivalent_annual_cost
        return None if annual is None else annual / HOURS_PER_YEAR

    def per_tb(self) -> Mapping[str, Decimal | None]:
        """Return purchase per TB and TiB raw, and annual and monthly cost per TB raw and usable (decimal TB)."""
        annual = self.equivalent_annual_cost
        bought = None if self.open_items else self.known_capital
        return MappingProxyType(
            {
                "raw": _per(bought, self.raw_bytes),
                "raw_tib": _per(bought, self.raw_bytes, BYTES_PER_TIB),
                "usable": _per(bought, self.usable_bytes),
                "raw_per_year": _per(annual, self.raw_bytes),
                "raw_per_month": _per(annual, self.raw_bytes, BYTES_PER_TB / MONTHS),
                "usable_per_year": _per(annual, self.usable_bytes),
                "usable_per_month": _per(annual, self.usable_bytes, BYTES_PER_TB / MONTHS),
            }
        )

    def shown(self) -> Mapping[str, tuple[Decimal, ...] | None]:
        """Return the amounts per line code rounded to the fen, so that each year's lines add up to its rounded sum.

        Rounding is cumulative down the lines of a year: a line is the difference of two rounded running sums.
        """
        rounded: dict[str, list[Decimal]] = {line.code: [] for line in self.lines if line.amounts}
        for year in range(self.terms.horizon_years + 1):
            running = Decimal(0)
            for line in self.lines:
                if line.amounts:
                    after = running + line.amounts[year]
                    rounded[line.code].append(round_half_up(after) - round_half_up(running))
                    running = after
        return MappingProxyType({line.code: tuple(rounded[line.code]) if line.amounts else None for line in self.lines})


def _per(amount: Decimal | None, size: Decimal | None, unit: Decimal = BYTES_PER_TB) -> Decimal | None:
    return None if amount is None or not size else amount * unit / size


def compared(amount: Decimal, vat: Decimal, basis: TaxBasis, treatment: str) -> Decimal:
    """Return an amount on the compared tax basis: gross / (1 + rate) for net, net × (1 + rate) for gross."""
    if treatment == "net" and basis is TaxBasis.INCL:
        return amount / (1 + vat)
    if treatment == "gross" and basis is TaxBasis.EXCL:
        return amount * (1 + vat)
    return amount


def tco(bill: Bill, terms: CostTerms) -> Tco:
    """Return the total cost of ownership of a bill.

    Parameters
    ----------
    bill : Bill
        What is bought at t=0.
    terms : CostTerms
        Horizon, rates, energy, support and tax treatment, already validated.

    Returns
    -------
    Tco
        Lines, totals and measures; with items on request the dependent figures are None and the rest stays.
    """
    stated = terms.price_tax_basis if bill.tax_basis is TaxBasis.UNKNOWN else bill.tax_basis
    lines = [_purchase(item, terms, stated, f"{item.kind}:{index}:{item.sku}") for index, item in enumerate(bill.items)]
    complete = not bill.open_items
    capital = sum((line.amounts[0] for line in lines if line.amounts), Decimal(0)) if complete else None
    lines += _running(bill, terms, stated, capital)
    caveats = []
    if stated is TaxBasis.UNKNOWN and terms.tax_treatment != "as-printed":
        caveats.append("tax_basis_unknown")
    converted = {"net": TaxBasis.EXCL, "gross": TaxBasis.INCL}.get(terms.tax_treatment, stated)
    return Tco(
        lines=tuple(lines),
        currency=bill.currency,
        tax_basis=TaxBasis.UNKNOWN if stated is TaxBasis.UNKNOWN else converted,
        terms=terms,
        raw_bytes=bill.raw_bytes,
        usable_bytes=bill.usable_bytes,
        open_items=bill.open_items,
        caveats=tuple(caveats),
        vat=_vat(bill, terms, stated),
    )


def _rate_of(item: BillItem, terms: CostTerms) -> Decimal:
    return terms.vat_fraction if item.vat_fraction is None else item.vat_fraction


def _vat(bill: Bill, terms: CostTerms, stated: TaxBasis) -> Decimal | None:
    """Return the VAT contained in or added to the purchase; None where the basis or a price is not known."""
    if stated is TaxBasis.UNKNOWN or bill.open_items:
        return None
    vat = Decimal(0)
    for item in bill.items:
        if item.amount is not None:
            rate = _rate_of(item, terms)
            net = item.amount.amount / (1 + rate) if stated is TaxBasis.INCL else item.amount.amount
            vat += net * rate
    return vat


def _purchase(item: BillItem, terms: CostTerms, stated: TaxBasis, code: str) -> TcoLine:
    rate, money = _rate_of(item, terms), item.amount
    amounts, formula = None, f"{item.quantity} × (price on request)"
    if money is not None:
        value = compared(money.amount, rate, stated, terms.tax_treatment)
        amounts = (value, *(Decimal(0),) * terms.horizon_years)
        tax = {"net": f" / (1 + {rate})", "gross": f" × (1 + {rate})"}.get(terms.tax_treatment, "")
        changed = tax if value != money.amount else ""
        unit = item.price.money.amount if isinstance(item.price, Fixed) and item.line_price is None else None
        bought = f"{money.amount:,}" if unit is None else f"{item.quantity:,} × {unit:,}"
        formula = f"{bought}{changed} = {round_half_up(value):,}"
    return TcoLine(
        code=code,
        phase=CAPITAL,
        amounts=amounts,
        base="purchase",
        formula=formula,
        basis=item.basis,
        source=item.source,
    )


def _each_year(terms: CostTerms, amount: Decimal | None, first: int = 1) -> tuple[Decimal, ...] | None:
    if amount is None:
        return None
    return tuple(amount if year >= first else Decimal(0) for year in range(terms.horizon_years + 1))


def _at_end(terms: CostTerms, amount: Decimal | None) -> tuple[Decimal, ...] | None:
    return None if amount is None else (*(Decimal(0),) * terms.horizon_years, amount)


def _running(bill: Bill, terms: CostTerms, stated: TaxBasis, capital: Decimal | None) -> list[TcoLine]:
    lines: list[TcoLine] = []

    def add(code: str, phase: str, amounts: tuple[Decimal, ...] | None, base: str, formula: str) -> None:
        lines.append(TcoLine(code=code, phase=phase, amounts=amounts, base=base, formula=formula, basis=Basis.ASSUMED))

    shown = "(price on request)" if capital is None else f"{round_half_up(capital):,}"
    if terms.support_fraction_per_year:
        base = capital if terms.support_base == "net" else _list_price(bill, terms, stated)
        named = "(price on request)" if base is None else f"{round_half_up(base):,}"
        amount = None if base is None else base * terms.support_fraction_per_year
        formula = f"{terms.support_fraction_per_year} × {named} from year {terms.support_from_year}"
        yearly = _each_year(terms, amount, terms.support_from_year)
        add("support", OPERATING, yearly, f"{terms.support_base} price", formula)
    lines += _energy(terms)
    for name in ("staff", "software"):
        amount = getattr(terms, f"{name}_cny_per_year")
        if amount:
            add(name, OPERATING, _each_year(terms, amount), "per year", f"{amount:,} per year")
    for extra in terms.extra_lines:
        lines.append(
            TcoLine(
                code=extra.code,
                phase=OPERATING,
                amounts=extra.amounts,
                base="drives",
                formula=extra.formula,
                basis=extra.basis,
                source=extra.source,
            )
        )
    if terms.decommission_cny:
        amount = terms.decommission_cny
        add("decommission", END, _at_end(terms, amount), "end of horizon", f"{amount:,}")
    if terms.residual_fraction:
        amount = None if capital is None else -capital * terms.residual_fraction
        add("residual", END, _at_end(terms, amount), "purchase", f"−{terms.residual_fraction} × {shown}")
    return lines


def _list_price(bill: Bill, terms: CostTerms, stated: TaxBasis) -> Decimal | None:
    total = Decimal(0)
    for item in bill.items:
        money = item.amount if item.list_price is None else item.list_price * item.quantity
        if money is None:
            return None
        total += compared(money.amount, _rate_of(item, terms), stated, terms.tax_treatment)
    return total


def _energy(terms: CostTerms) -> list[TcoLine]:
    if not terms.power_w:
        return []
    kwh = energy_kwh_per_year(terms.power_w, terms.pue_ratio, terms.hours_per_year)
    load = f"{terms.power_w} W × {terms.hours_per_year} h × PUE {terms.pue_ratio}"
    if isinstance(terms.tariff, Tariff):
        prices, days = terms.tariff.month_prices(), sum(DAYS_OF_MONTH)
        months = [kwh * d / days * p for d, p in zip(DAYS_OF_MONTH, prices, strict=True)]
        amount = sum(months, Decimal(0))
        shares = tuple(month / amount for month in months) if amount else None
        price, basis, source = f"{round_half_up(terms.tariff.mean_price(), 4)}", terms.tariff.basis, terms.tariff.source
    else:
        amount, shares, price, basis, source = kwh * terms.tariff, None, f"{terms.tariff}", Basis.ASSUMED, ""
    lines = [
        TcoLine(
            code="energy",
            phase=OPERATING,
            amounts=_each_year(terms, amount),
            base="kWh at the meter",
            formula=f"{load} × {price}/kWh = {round_half_up(amount):,}",
            basis=basis,
            source=source,
            month_shares=shares,
        )
    ]
    if terms.demand_cny_per_kw_month:
        demand = terms.power_w / 1000 * terms.pue_ratio * terms.demand_cny_per_kw_month * MONTHS
        lines.append(
            TcoLine(
                code="demand",
                phase=OPERATING,
                amounts=_each_year(terms, demand),
                base="connected kW",
                formula=f"{terms.power_w} W × PUE {terms.pue_ratio} × {terms.demand_cny_per_kw_month}/kW·month × 12",
                basis=Basis.ASSUMED,
            )
        )
    return lines


def break_even_capital(bill: Bill, terms: CostTerms, target_npv: Decimal) -> Decimal:
    """Return the total price of the open items (as printed) at which the NPV of the bill's cost equals ``target_npv``.

    The NPV is linear in it. Below this price the option costs less than the target.

    Raises
    ------
    NoResult
        ``no_open_items``, or ``break_even_negative`` when even a price of 0 costs more than the target.
    """
    open_skus = [item.sku for item in bill.items if item.amount is None]
    if not open_skus:
        raise NoResult("no_open_items", "every item has a price: there is none to solve for")
    quantity = next(item.quantity for item in bill.items if item.sku == open_skus[0])
    zero = tco(bill.assuming(dict.fromkeys(open_skus, Decimal(0))), terms).npv
    unit = Decimal(10**6)
    prices = dict.fromkeys(open_skus, Decimal(0)) | {open_skus[0]: unit}
    one = tco(bill.assuming(prices), terms).npv
    if zero is None or one is None or one == zero:
        raise NoResult("break_even_undefined", "the price of the open items does not change the cost")
    answer = (target_npv - zero) / (one - zero) * unit * quantity
    if answer < 0:
        raise NoResult("break_even_negative", "even at a price of 0 the option costs more", npv=float(zero))
    return answer
