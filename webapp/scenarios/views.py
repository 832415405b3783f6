"""Pages of scenarios."""

import json
from typing import Any
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
from webapp.home.languages import planner_locale
from webapp.scenarios import services
from webapp.scenarios.form_view import form_view
from webapp.scenarios.forms import ScenarioForm
from webapp.scenarios.inputs_form import InputsForm
from webapp.scenarios.models import Scenario
from webapp.scenarios.presets import Preset, preset_named, presets
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
    """Describe a new case, from scratch or from a preset."""
    user = signed_in(request)
    preset = _preset(request)
    if request.method == "POST":
        form = ScenarioForm(request.POST, user=user)
        inputs_form = InputsForm.of_post(request.POST, frozenset())
        if (changed := inputs_form.changed_rows(request.POST)) is not None:
            form = ScenarioForm(user=user, initial=request.POST.dict())
            return _form_page(request, form, changed, preset=preset)
        inputs_form = inputs_form.checked(request.POST.get("title", "") or "x")
        if form.is_valid() and not inputs_form.errors:
            values = form.cleaned_data
            scenario = services.scenario_create(
                user=user, customer=values["customer"], title=values["title"], inputs=inputs_form.inputs()
            )
            messages.success(request, _("Scenario saved."))
            return redirect("scenarios:detail", scenario_id=scenario.id)
        return _form_page(request, form, inputs_form, preset=preset)
    initial = {"customer": request.GET.get("customer"), "title": preset.title if preset else ""}
    inputs_form = InputsForm.of_inputs(preset.inputs if preset else {})
    return _form_page(request, ScenarioForm(user=user, initial=initial), inputs_form, preset=preset)


def _preset(request: HttpRequest) -> Preset | None:
    """Return the preset that the form starts from; one that does not exist is said and left out."""
    name = request.GET.get("preset", "")
    preset = preset_named(name) if name else None
    if name and preset is None:
        messages.warning(request, _("There is no such preset; the form starts from the defaults."))
    return preset


@requires(Action.EDIT_SCENARIOS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Change a scenario; a save that would overwrite somebody else's shows theirs beside what was typed."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    stored = InputsForm.of_inputs(scenario.inputs)
    if request.method != "POST":
        initial = {"title": scenario.title, "version": scenario.version}
        form = ScenarioForm(user=user, customer_is_fixed=True, initial=initial)
        return _form_page(request, form, stored, scenario=scenario)
    form = ScenarioForm(request.POST, user=user, customer_is_fixed=True)
    inputs_form = InputsForm.of_post(request.POST, stored.given)
    if (changed := inputs_form.changed_rows(request.POST)) is not None:
        form = ScenarioForm(user=user, customer_is_fixed=True, initial=request.POST.dict())
        return _form_page(request, form, changed, scenario=scenario)
    inputs_form = inputs_form.checked(request.POST.get("title", "") or "x")
    current: Scenario | None = None
    if form.is_valid() and not inputs_form.errors:
        values = form.cleaned_data
        try:
            services.scenario_update(
                scenario=scenario,
                user=user,
                version=values["version"] or 0,
                title=values["title"],
                inputs=inputs_form.inputs(),
            )
        except services.Conflict as conflict:
            current = conflict.current
            form.add_error(None, _("Somebody else saved this scenario while you were typing. Nothing was overwritten."))
            replace_value(form, "version", str(current.version))
        else:
            messages.success(request, _("Saved as version %(number)d.") % {"number": scenario.version})
            return redirect("scenarios:detail", scenario_id=scenario.id)
    return _form_page(request, form, inputs_form, scenario=scenario, current=current)


def _form_page(request: HttpRequest, form: ScenarioForm, inputs_form: InputsForm, **more: Any) -> HttpResponse:
    current = more.get("current")
    context = {
        "form": form,
        "inputs": form_view(inputs_form, planner_locale()),
        "presets": presets(),
        "inputs_text": _as_text(current) if current else "",
        **more,
    }
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
