"""Template tags of the page shell."""

from django import forms, template
from django.forms import BoundField
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

register = template.Library()


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
def percent(fraction: float) -> int:
    """Return a fraction from 0 to 1 as whole percent."""
    return round(100 * fraction)
