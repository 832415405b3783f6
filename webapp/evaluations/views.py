"""The result page of a scenario, its what-if, and saving a what-if."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from webapp.accounts.rights import Action, requires, signed_in
from webapp.evaluations.presentation import result_sections
from webapp.evaluations.what_if import PATHS, WhatIf, controls, what_if
from webapp.home.languages import planner_locale
from webapp.proposals.selectors import proposals_of
from webapp.scenarios import services
from webapp.scenarios.models import Scenario
from webapp.scenarios.selectors import scenario_get

TYPED_CHARACTERS = 40
RESULT = "result"
"""The element that a what-if replaces."""


def _typed(given: Mapping[str, str]) -> dict[str, str]:
    """Return what was typed into the panel, cut to what any value can need."""
    return {path: given[path].replace("\x00", "")[:TYPED_CHARACTERS] for path in PATHS if path in given}


def _context(scenario: Scenario, answer: WhatIf) -> dict[str, Any]:
    locale = planner_locale()
    fields = controls(answer, locale)
    shown = answer.evaluation or answer.base  # beside an error the last valid result stays
    sections = result_sections(shown, locale) if shown else ()
    pair = answer.headlines(locale)
    figures = zip(pair[0].figures, pair[1].figures, strict=True) if pair else ()
    return {
        "scenario": scenario,
        "answer": answer,
        "sections": sections,
        "controls": fields,
        "verdicts": [each.verdict for each in pair or ()],
        "comparison": [(label, before, now) for (label, before), (_label, now) in figures],
        "other_errors": {field: texts for field, texts in answer.errors.items() if field not in PATHS},
    }


@require_safe
def result(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Show what a scenario comes to; a what-if on the page asks for the result alone."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    answer = what_if(scenario.titled_inputs, _typed(request.GET.dict()))
    context = _context(scenario, answer)
    if request.htmx.target != RESULT:  # type: ignore[attr-defined]
        context["proposals"] = proposals_of(user=user, scenario=scenario)
        context["versions"] = scenario.versions.select_related("saved_by")
        return render(request, "evaluations/result.html", context)
    response = render(request, "evaluations/_answer.html", context)
    changed = urlencode({change.record.path: change.text for change in answer.changes})
    response["HX-Replace-Url"] = f"{request.path}?{changed}" if changed else request.path
    if answer.evaluation is None:
        response["HX-Reswap"] = "none"  # the last valid result stays, and the panel says so
    return response


@requires(Action.EDIT_SCENARIOS)
@require_POST
def save(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Save a what-if as the next version; what cannot be saved comes back as it was typed."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    typed = _typed(request.POST.dict())
    answer = what_if(scenario.titled_inputs, typed)
    version = request.POST.get("version", "")
    page = reverse("scenarios:detail", args=[scenario.id])
    if answer.errors:
        messages.error(request, _("Not saved: correct the marked values first."))
        return redirect(f"{page}?{urlencode(typed)}")
    try:
        services.scenario_update(
            scenario=scenario,
            user=user,
            version=int(version) if version.isdecimal() and len(version) < 10 else 0,
            title=scenario.title,
            inputs=answer.inputs,
        )
    except services.Conflict as conflict:
        number = conflict.current.version
        words = _("Not saved: somebody else has saved version %(number)d. Your values are still here, beside theirs.")
        messages.warning(request, words % {"number": number})
        return redirect(f"{page}?{urlencode(typed)}")
    messages.success(request, _("Saved as version %(number)d.") % {"number": scenario.version})
    return redirect(page)
