"""Money: Decimal amounts with a currency and a tax basis, rounded half up at stated points only.

An unknown price is never 0: a total is a ``Total`` of what is known and the items that are on request.
Defined here and not in ``pricing``, because the planner computes costs and imports no other package;
``pricing.money`` offers the same names to users of price books.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum


class TaxBasis(StrEnum):
    """Whether an amount includes VAT; ``unknown`` carries a caveat wherever it is shown."""

    INCL = "incl"
    EXCL = "excl"
    UNKNOWN = "unknown"


def round_half_up(amount: Decimal | int | str, places: int = 2) -> Decimal:
    """Round half away from zero to ``places`` decimals: the one rounding of money in the product.

    >>> round_half_up(Decimal("2.675"))
    Decimal('2.68')
    """
    return Decimal(amount).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Money:
    """An exact amount. Arithmetic refuses to mix currencies or tax bases, and floats."""

    amount: Decimal
    currency: str = "CNY"
    tax_basis: TaxBasis = TaxBasis.UNKNOWN

    def __post_init__(self) -> None:
        amount: object = self.amount
        if not isinstance(amount, Decimal):
            message = f"a Money amount is a Decimal, not {type(amount).__name__}"
            raise TypeError(message)
        if not self.amount.is_finite():
            message = f"a Money amount is finite, not {self.amount}"
            raise ValueError(message)
        if not (len(self.currency) == 3 and self.currency.isascii() and self.currency.isupper()):
            message = f"a currency is three capital letters (ISO 4217), not {self.currency!r}"
            raise ValueError(message)

    def _same(self, other: "Money") -> None:
        if (self.currency, self.tax_basis) != (other.currency, other.tax_basis):
            message = f"cannot combine {self.currency}/{self.tax_basis} with {other.currency}/{other.tax_basis}"
            raise ValueError(message)

    def __add__(self, other: "Money") -> "Money":
        self._same(other)
        return replace(self, amount=self.amount + other.amount)

    def __sub__(self, other: "Money") -> "Money":
        self._same(other)
        return replace(self, amount=self.amount - other.amount)

    def __mul__(self, factor: Decimal | int) -> "Money":
        if not isinstance(factor, (Decimal, int)) or isinstance(factor, bool):
            message = f"multiply Money by a Decimal or a whole number, not {type(factor).__name__}"
            raise TypeError(message)
        return replace(self, amount=self.amount * factor)

    __rmul__ = __mul__

    def rounded(self, places: int = 2) -> "Money":
        """Return the amount rounded half up."""
        return replace(self, amount=round_half_up(self.amount, places))


@dataclass(frozen=True, slots=True)
class Fixed:
    """A price with one amount."""

    money: Money


@dataclass(frozen=True, slots=True)
class Range:
    """A price known only within bounds."""

    low: Money
    high: Money


@dataclass(frozen=True, slots=True)
class OnRequest:
    """No price published; never 0."""

    note: str = ""


Price = Fixed | Range | OnRequest


@dataclass(frozen=True, slots=True)
class Total:
    """A sum of priced items: ``known`` of the fixed ones, and the names of the items that are on request."""

    known: Money
    open_items: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every item had a price."""
        return not self.open_items


def total(items: Iterable[tuple[str, int, Price]], zero: Money) -> Total:
    """Sum (name, quantity, price) items; items without one fixed price are listed, not counted.

    ``zero`` gives the currency and the tax basis of the sum.
    """
    known, open_items = zero, []
    for name, quantity, price in items:
        if isinstance(price, Fixed):
            known = known + price.money * quantity
        else:
            open_items.append(name)
    return Total(known, tuple(open_items))
