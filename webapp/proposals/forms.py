"""The form of a new proposal."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webapp.home.forms import replace_value
from webapp.proposals.models import DataClass
from webapp.scenarios.models import Scenario


class ProposalForm(forms.Form):
    """For whom, in which language and for whose eyes.

    ``key`` makes one proposal of a double click; ``version`` finds out whether the scenario has been saved since the
    form was opened.
    """

    recipient = forms.CharField(
        label=gettext_lazy("Recipient"),
        max_length=200,
        required=False,
        help_text=gettext_lazy("Printed on the cover. Leave it empty for a cover without a name."),
    )
    locale = forms.ChoiceField(
        label=gettext_lazy("Language of the proposal"),
        choices=settings.LANGUAGES,
        help_text=gettext_lazy("The PDF and the spreadsheet are written in it, whatever language your pages have."),
    )
    data_class = forms.ChoiceField(
        label=gettext_lazy("Data class"),
        choices=DataClass.choices,
        initial=DataClass.NDA,
        help_text=gettext_lazy(
            "Printed on the cover and on every page: it says to whom the proposal may be shown. "
            "It cannot be wider than the class of the evidence."
        ),
    )
    key = forms.UUIDField(widget=forms.HiddenInput)
    version = forms.IntegerField(widget=forms.HiddenInput, min_value=1)

    def __init__(self, *args: Any, scenario: Scenario, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.scenario = scenario

    def clean(self) -> dict[str, Any]:
        """Refuse a form without its hidden fields, and one that was opened for an older version."""
        values = self.cleaned_data
        if "key" not in values or "version" not in values:
            raise forms.ValidationError(_("Nothing was changed. Go back, reload the page and send it again."))
        if values["version"] != self.scenario.version:
            replace_value(self, "version", str(self.scenario.version))
            raise forms.ValidationError(
                _("The scenario has been saved as version %(number)d since you opened this form. Look at it first.")
                % {"number": self.scenario.version}
            )
        return values
