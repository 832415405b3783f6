"""Numbers, money, ranges and dates in the language of the document, rounded half up; None reads "not known"."""

from collections.abc import Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from babel.dates import format_date
from babel.numbers import format_decimal

from planner.money import Money
from planner.uncertainty import Band
from planner.wording import Wording

BABEL_LOCALES = {"zh-hans": "zh_Hans_CN", "ko": "ko_KR", "en": "en_GB"}


class Formats:
    """The formats of one language. Money of China is shown as ¥ in every language, with thousands separators."""

    def __init__(self, locale: str) -> None:
        self.locale = BABEL_LOCALES[locale]
        self.not_known = Wording(locale).text("not_known")

    def number(self, value: float | Decimal | None, places: int = 2) -> str:
        """Return a number with ``places`` decimals."""
        if value is None:
            return self.not_known
        exact = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
        pattern = "#,##0" + ("." + "0" * places if places else "")
        return str(format_decimal(exact, format=pattern, locale=self.locale))

    def percent(self, fraction: float | None, places: int = 1, *, signed: bool = False) -> str:
        """Return a fraction as a percentage."""
        if fraction is None:
            return self.not_known
        sign = "+" if signed and fraction > 0 else ""
        return f"{sign}{self.number(100 * fraction, places)} %"

    def money(self, value: Money | None, places: int = 2) -> str:
        """Return an amount; another currency than CNY is named by its code."""
        if value is None:
            return self.not_known
        mark = "¥" if value.currency == "CNY" else f"{value.currency} "
        sign = "−" if value.amount < 0 else ""
        return f"{sign}{mark}{self.number(abs(value.amount), places)}"

    def yuan(self, value: float | Decimal | None, places: int = 0) -> str:
        """Return an estimate in CNY."""
        if value is None:
            return self.not_known
        amount = Decimal(str(value))
        return f"{'−' if amount < 0 else ''}¥{self.number(abs(amount), places)}"

    def band(self, value: Band | None, places: int = 2, *, unit: str = "", scale: float = 1.0) -> str:
        """Return the central estimate."""
        return self.not_known if value is None else f"{self.number(scale * value.p50, places)}{unit}"

    def between(self, value: Band | None, places: int = 2, *, unit: str = "", scale: float = 1.0) -> str:
        """Return the P10–P90 range, or nothing where the estimate is not known."""
        if value is None:
            return ""
        return f"{self.number(scale * value.p10, places)}–{self.number(scale * value.p90, places)}{unit}"

    def day(self, value: date) -> str:
        """Return a date in the language's long form."""
        return str(format_date(value, format="long", locale=self.locale))

    def join(self, parts: Sequence[str]) -> str:
        """Return parts separated as the language does."""
        return ("、" if self.locale.startswith("zh") else ", ").join(parts)
