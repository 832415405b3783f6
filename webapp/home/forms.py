"""How a form looks: label, control with its unit, help, range and errors beside the field."""

from typing import Any, cast

from django import forms
from django.forms.renderers import TemplatesSetting
from django.http import QueryDict


class Renderer(TemplatesSetting):
    """Draws each field with ``forms/field.html``."""

    field_template_name = "forms/field.html"


class QuantityField(forms.FloatField):
    """A number with a unit, a range and the basis of its default, all of which the page shows.

    Parameters
    ----------
    unit : str
        Shown as an add-on behind the control, e.g. "s" or "GB/s".
    low, high : float
        Bounds, both allowed.
    basis : str
        Where the default comes from (DESIGN section 3), shown below the control.
    whole : bool
        Accept whole numbers only.
    """

    def __init__(
        self, *, unit: str = "", low: float, high: float, basis: str = "", whole: bool = False, **kwargs: Any
    ) -> None:
        self.unit, self.low, self.high, self.basis, self.whole = unit, low, high, basis, whole
        super().__init__(min_value=low, max_value=high, step_size=1 if whole else None, **kwargs)

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        """Let the browser accept any fraction unless only whole numbers are right."""
        attrs: dict[str, Any] = super().widget_attrs(widget)
        attrs.setdefault("step", 1 if self.whole else "any")
        attrs["inputmode"] = "numeric" if self.whole else "decimal"
        return attrs


def replace_value(form: forms.BaseForm, name: str, value: str) -> None:
    """Show ``value`` in a field of a form that was sent, instead of what was sent."""
    data = cast(QueryDict, form.data).copy()
    data[name] = value
    form.data = data
