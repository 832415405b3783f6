"""Template tags of the page shell."""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from babel.numbers import format_decimal
from django import forms, template
from django.forms import BoundField
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, to_locale
from django.utils.translation import gettext_lazy as _

register = template.Library()

BASES = {
    "measured": _("measured"),
    "vendor": _("vendor"),
    "public": _("public"),
    "estimated": _("estimated"),
    "assumed": _("assumed"),
}
SEVERITIES = {"info": _("note"), "warning": _("warning"), "blocks_sizing": _("blocks sizing")}
TAX_BASES = {"incl": _("included"), "excl": _("not included"), "unknown": _("the source does not say")}

REGIMES = {
    "burst": _("burst: all at once"),
    "closed": _("closed: users with think time"),
    "open": _("open: arrivals at a rate"),
    "unknown": _("regime not known"),
}
DATA_CLASSES = {"public": _("public data"), "nda": _("under NDA"), "internal": _("internal")}


@register.filter
def regime_phrase(code: str) -> str:
    """Return the regime of a measurement in words (DESIGN section 4)."""
    return str(REGIMES.get(str(code), code))


@register.filter
def class_phrase(code: str) -> str:
    """Return a data class in words."""
    return str(DATA_CLASSES.get(str(code), code))


@register.filter
def day_before(day: date) -> date:
    """Return the last day of a period that ends before ``day``."""
    return day - timedelta(days=1)


@register.filter
def basis_phrase(code: str) -> str:
    """Return the basis of an input in words (DESIGN section 3)."""
    return str(BASES.get(str(code), code))


@register.filter
def severity_phrase(code: str) -> str:
    """Return the severity of a finding in words."""
    return str(SEVERITIES.get(str(code), code))


@register.filter
def tax_phrase(code: str) -> str:
    """Say whether VAT is in a price."""
    return str(TAX_BASES.get(str(code), code))


@register.simple_tag
def icon(name: str, css: str = "") -> SafeString:
    """Draw an icon of ``img/icons.svg``; it is decoration, so screen readers skip it."""
    return format_html(
        '<svg class="icon {}" aria-hidden="true" focusable="false"><use href="{}#{}"></use></svg>',
        css,
        static("img/icons.svg"),
        name,
    )


@register.simple_tag
def control(field: BoundField) -> SafeString:
    """Draw the control of a form field in the classes of the style sheet."""
    widget = field.field.widget
    if isinstance(widget, forms.CheckboxInput):
        css = "form-check-input"
    elif isinstance(widget, forms.Select):
        css = "form-select"
    else:
        css = "form-control"
    own = str(widget.attrs.get("class", ""))
    classes = f"{own} {css}{' is-invalid' if field.errors else ''}".strip()
    return field.as_widget(attrs={"class": classes})


@register.filter
def is_checkbox(field: BoundField) -> bool:
    """Say whether the field is drawn as one check box."""
    return isinstance(field.field.widget, forms.CheckboxInput)


@register.filter
def is_group(field: BoundField) -> bool:
    """Say whether the field is drawn as several controls."""
    return isinstance(field.field.widget, forms.RadioSelect | forms.CheckboxSelectMultiple)


@register.filter
def number(value: float | Decimal | None, places: int = 0) -> str:
    """Write a number with exactly ``places`` decimals, rounded half up, grouped as the language groups; None is "–"."""
    if value is None:
        return "–"
    rounded = Decimal(str(value)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    pattern = "#,##0" + ("." + "0" * places if places else "")
    return format_decimal(rounded, format=pattern, locale=to_locale(get_language() or "en"))


@register.filter
def percent(fraction: float) -> int:
    """Return a fraction from 0 to 1 as whole percent."""
    return round(100 * fraction)
