"""Pages of scenarios."""

import json
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts.rights import Action, requires, signed_in
from webapp.customers.selectors import customer_list
from webapp.home.forms import replace_value
from webapp.scenarios import services
from webapp.scenarios.forms import ScenarioForm
from webapp.scenarios.models import Scenario
from webapp.scenarios.selectors import scenario_get, scenario_list

PAGE_ROWS = 25
SEARCH_CHARACTERS = 100


def _as_text(scenario: Scenario) -> str:
    return json.dumps(scenario.inputs, ensure_ascii=False, indent=2)


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the scenarios of the team."""
    user = signed_in(request)
    archived = request.GET.get("archived") == "1"
    search = request.GET.get("q", "").replace("\x00", "").strip()[:SEARCH_CHARACTERS]
    page = Paginator(scenario_list(user=user, archived=archived, search=search), PAGE_ROWS)
    context = {
        "page": page.get_page(request.GET.get("page")),
        "archived": archived,
        "search": search,
        "has_customers": customer_list(user=user).exists(),
    }
    return render(request, "scenarios/list.html", context)


@requires(Action.EDIT_SCENARIOS)
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Describe a new case."""
    user = signed_in(request)
    form = ScenarioForm(request.POST or None, user=user, initial={"customer": request.GET.get("customer")})
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        scenario = services.scenario_create(
            user=user, customer=values["customer"], title=values["title"], inputs=values["inputs"]
        )
        messages.success(request, _("Scenario saved."))
        return redirect("scenarios:detail", scenario_id=scenario.id)
    return render(request, "scenarios/form.html", {"form": form})


@requires(Action.EDIT_SCENARIOS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Change a scenario; a save that would overwrite somebody else's shows theirs beside what was typed."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    initial = {"title": scenario.title, "inputs": _as_text(scenario), "version": scenario.version}
    form = ScenarioForm(request.POST or None, user=user, customer_is_fixed=True, initial=initial)
    current: Scenario | None = None
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            services.scenario_update(
                scenario=scenario,
                user=user,
                version=values["version"] or 0,
                title=values["title"],
                inputs=values["inputs"],
            )
        except services.Conflict as conflict:
            current = conflict.current
            form.add_error(None, _("Somebody else saved this scenario while you were typing. Nothing was overwritten."))
            replace_value(form, "version", str(current.version))
        else:
            messages.success(request, _("Saved as version %(number)d.") % {"number": scenario.version})
            return redirect("scenarios:detail", scenario_id=scenario.id)
    context = {"form": form, "scenario": scenario, "current": current, "inputs_text": _as_text(current or scenario)}
    return render(request, "scenarios/form.html", context)


@requires(Action.EDIT_SCENARIOS)
@require_POST
def duplicate(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Copy a scenario."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    title = _("%(title)s (copy)") % {"title": scenario.title[:180]}
    copy = services.scenario_duplicate(scenario=scenario, user=user, title=title)
    return redirect("scenarios:detail", scenario_id=copy.id)


@requires(Action.EDIT_SCENARIOS)
@require_POST
def archive(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Put a scenario away, or bring it back."""
    scenario = scenario_get(user=signed_in(request), scenario_id=scenario_id)
    archived = request.POST.get("archived") == "1"
    services.scenario_set_archived(scenario=scenario, archived=archived)
    messages.success(request, _("Archived. You find it under “Archived”.") if archived else _("Restored."))
    return redirect("scenarios:detail", scenario_id=scenario.id)
