"""Pages of proposals. Live pages ask again and stop when the job has ended."""

from uuid import UUID, uuid4

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from planner.errors import InputProblems, NoResult
from webapp.accounts.rights import Action, requires, signed_in
from webapp.jobs.selectors import worker_is_listening
from webapp.proposals import services
from webapp.proposals.forms import ProposalForm
from webapp.proposals.models import Proposal
from webapp.proposals.selectors import proposal_get, proposal_list, proposals_of
from webapp.scenarios.models import Scenario
from webapp.scenarios.selectors import scenario_get

PAGE_ROWS = 25
SEARCH_CHARACTERS = 100


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the proposals of the team; asked by the page itself, answer with the table only."""
    search = request.GET.get("q", "").replace("\x00", "").strip()[:SEARCH_CHARACTERS]
    proposals = proposal_list(user=signed_in(request), search=search)
    page = Paginator(proposals, PAGE_ROWS).get_page(request.GET.get("page"))
    context = {"page": page, "search": search, "worker_is_listening": worker_is_listening()}
    return render(request, "proposals/_table.html" if request.htmx else "proposals/list.html", context)  # type: ignore[attr-defined]


@require_safe
def detail(request: HttpRequest, proposal_id: UUID) -> HttpResponse:
    """Show one proposal; asked by the page itself, answer with its state and files only."""
    proposal = proposal_get(user=signed_in(request), proposal_id=proposal_id)
    context = {
        "proposal": proposal,
        "job": proposal.job,
        "today": timezone.localdate(),
        "worker_is_listening": worker_is_listening(),
    }
    return render(request, "proposals/_status.html" if request.htmx else "proposals/detail.html", context)  # type: ignore[attr-defined]


@require_safe
def panel(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Answer the panel on the page of a scenario, which asks for itself while a file is being made."""
    user = signed_in(request)
    scenario = scenario_get(user=user, scenario_id=scenario_id)
    context = {"scenario": scenario, "proposals": proposals_of(user=user, scenario=scenario)}
    return render(request, "proposals/_panel.html", context)


@requires(Action.START_JOBS)
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest, scenario_id: UUID) -> HttpResponse:
    """Make a proposal of a scenario; one without a result is told why, and uses up no serial number."""
    scenario = scenario_get(user=signed_in(request), scenario_id=scenario_id)
    if scenario.archived_at:
        messages.error(request, _("This scenario is archived. Restore it before you make a proposal of it."))
        return redirect("scenarios:detail", scenario_id=scenario.id)
    initial = {
        "recipient": scenario.customer.contact_name,
        "locale": get_language(),
        "key": uuid4(),
        "version": scenario.version,
    }
    form = ProposalForm(request.POST or None, scenario=scenario, initial=initial)
    context = {"form": form, "scenario": scenario}
    try:
        context["valid_until"] = services.prices_end(services.scenario_evaluation(scenario))
        if request.method == "POST" and form.is_valid() and (proposal := _created(request, scenario, form)):
            return redirect("proposals:detail", proposal_id=proposal.id)
    except InputProblems as error:
        context["problems"] = [(problem.field, problem.value, problem.hint) for problem in error.problems]
    except NoResult as error:
        context["reason"] = error.message
    return render(request, "proposals/form.html", context)


def _created(request: HttpRequest, scenario: Scenario, form: ProposalForm) -> Proposal | None:
    """Make the proposal that the form asks for, or note in the form why it may not be."""
    values = form.cleaned_data
    try:
        return services.proposal_create(
            user=signed_in(request),
            scenario=scenario,
            recipient=values["recipient"],
            locale=values["locale"],
            data_class=values["data_class"],
            key=str(values["key"]),
        )[0]
    except services.ClassTooWide as refusal:
        text = _("The evidence of this scenario allows at most: %(data_class)s.")
        form.add_error("data_class", text % {"data_class": refusal.least.label})
    return None
