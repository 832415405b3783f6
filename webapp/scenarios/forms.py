"""Title and customer of a scenario; its inputs have a form of their own."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.customers.models import Customer
from webapp.customers.selectors import customer_list


class ScenarioForm(forms.Form):
    """Title and customer, and the version that the form was opened for."""

    title = forms.CharField(
        label=_("Title"), max_length=200, help_text=_("What is being decided, e.g. “480B cold recovery”.")
    )
    customer = forms.ModelChoiceField(label=_("Customer"), queryset=Customer.objects.none())
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, required=False)

    def __init__(self, *args: Any, user: Any, customer_is_fixed: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if customer_is_fixed:
            del self.fields["customer"]
        else:
            self.fields["customer"].queryset = customer_list(user=user)  # type: ignore[attr-defined]
