"""Pages that set scenarios, or versions of one scenario, side by side."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from webapp.accounts.rights import Action, requires, signed_in
from webapp.evaluations.comparison import COLUMNS_COUNT_MAX, Side, compare
from webapp.home.languages import planner_locale
from webapp.scenarios import services
from webapp.scenarios.models import Scenario, ScenarioVersion
from webapp.scenarios.selectors import scenario_get


def _chosen(values: list[str]) -> list[UUID]:
    """Return the ids in the order in which they were chosen, each once; what is no id does not exist."""
    try:
        return list(dict.fromkeys(UUID(value) for value in values[: COLUMNS_COUNT_MAX + 1]))
    except ValueError as error:
        raise Http404 from error


@require_safe
def scenarios(request: HttpRequest) -> HttpResponse:
    """Compare the chosen scenarios."""
    user = signed_in(request)
    chosen = _chosen(request.GET.getlist("id"))
    if not 2 <= len(chosen) <= COLUMNS_COUNT_MAX:
        words = _("Choose two to %(count)d scenarios to compare.")
        messages.warning(request, words % {"count": COLUMNS_COUNT_MAX})
        return redirect("scenarios:list")
    found = [scenario_get(user=user, scenario_id=scenario_id) for scenario_id in chosen]
    sides = [
        Side(title=each.title, url=reverse("scenarios:detail", args=[each.id]), inputs=each.titled_inputs)
        for each in found
    ]
    context = {"comparison": compare(sides, planner_locale()), "title": _("Scenarios side by side")}
    return render(request, "evaluations/compare.html", context)


def _version(scenario: Scenario, number: int) -> ScenarioVersion:
    version: ScenarioVersion = get_object_or_404(scenario.versions, number=number)
    return version


@require_safe
def version(request: HttpRequest, scenario_id: UUID, number: int) -> HttpResponse:
    """Compare an earlier version with the present one."""
    scenario = scenario_get(user=signed_in(request), scenario_id=scenario_id)
    earlier = _version(scenario, number)
    url = reverse("scenarios:detail", args=[scenario.id])
    titles = [_("version %(number)d") % {"number": each} for each in (number, scenario.version)]
    sides = [
        Side(title=titles[0], url="", inputs={**earlier.inputs, "title": earlier.title}),
        Side(title=titles[1], url=url, inputs=scenario.titled_inputs),
    ]
    comparison = compare(sides, planner_locale())
    context = {"comparison": comparison, "title": scenario.title, "scenario": scenario, "earlier": earlier}
    return render(request, "evaluations/compare.html", context)


@requires(Action.EDIT_SCENARIOS)
@require_POST
def restore(request: HttpRequest, scenario_id: UUID, number: int) -> HttpResponse:
    """Save an earlier version again as the newest; none is lost."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    earlier = _version(scenario, number)
    sent = request.POST.get("version", "")
    expected = int(sent) if sent.isdecimal() and len(sent) < 10 else 0
    try:
        services.scenario_update(
            scenario=scenario, user=user, version=expected, title=earlier.title, inputs=earlier.inputs
        )
    except services.Conflict:
        messages.warning(request, _("Not restored: somebody else has saved the scenario in the meantime."))
    else:
        messages.success(request, _("Saved as version %(number)d.") % {"number": scenario.version})
    return redirect("scenarios:detail", scenario_id=scenario.id)
