"""The form of a customer."""

from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from webapp.customers.models import Customer


class CustomerForm(forms.ModelForm):  # type: ignore[type-arg]
    """What presales notes about a customer; ``version`` finds out whether somebody else saved in between."""

    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1, required=False)

    class Meta:
        model = Customer
        fields = ("name", "contact_name", "contact_email", "notes")
        help_texts: ClassVar[dict[str, Any]] = {
            "name": _("As it should appear on a proposal."),
            "contact_name": _("Who receives the proposal."),
            "notes": _("For your team only; never printed on a proposal."),
        }
        widgets: ClassVar[dict[str, Any]] = {"notes": forms.Textarea(attrs={"rows": 5})}
