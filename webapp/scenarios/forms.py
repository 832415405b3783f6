"""The form of a scenario."""

import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.customers.models import Customer
from webapp.customers.selectors import customer_list

INPUTS_CHARACTERS = 100_000


class ScenarioForm(forms.Form):
    """Title, customer and the inputs of the evaluation as a JSON document."""

    title = forms.CharField(
        label=_("Title"), max_length=200, help_text=_("What is being decided, e.g. “480B cold recovery”.")
    )
    customer = forms.ModelChoiceField(label=_("Customer"), queryset=Customer.objects.none())
    inputs = forms.CharField(
        label=_("Inputs"),
        required=False,
        max_length=INPUTS_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false", "class": "font-monospace"}),
        help_text=_("A scenario document in JSON, as the command line takes it."),
    )
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, required=False)

    def __init__(self, *args: Any, user: Any, customer_is_fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if customer_is_fixed:
            del self.fields["customer"]
        else:
            self.fields["customer"].queryset = customer_list(user=user)  # type: ignore[attr-defined]

    def clean_inputs(self) -> dict[str, Any]:
        """Accept one JSON object without NaN, Infinity or a name that stands twice."""
        try:
            inputs = json.loads(
                self.cleaned_data["inputs"] or "{}", parse_constant=_refuse_constant, object_pairs_hook=_once_each
            )
        except RecursionError as error:
            raise forms.ValidationError(_("This is nested too deeply.")) from error
        except ValueError as error:
            raise forms.ValidationError(_("This is not JSON: %(reason)s") % {"reason": error}) from error
        if not isinstance(inputs, dict):
            raise forms.ValidationError(_('Enter one JSON object, e.g. {"model": {…}}.'))
        return inputs


def _refuse_constant(name: str) -> None:
    raise ValueError(_("%(name)s is not a number that can be planned with") % {"name": name})


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name, _value in pairs if [other for other, _other in pairs].count(name) > 1)
        raise ValueError(_("the name %(name)s stands twice") % {"name": twice[:80]})
    return values
