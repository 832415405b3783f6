"""Which proposals a person sees."""

from uuid import UUID

from django.db.models import Q
from django.http import Http404

from webapp.accounts.models import User
from webapp.proposals.models import FinalQuerySet, Proposal
from webapp.scenarios.models import Scenario

LATEST_COUNT = 5


def proposal_list(*, user: User, search: str = "") -> FinalQuerySet:
    """Return the proposals of the user's organisation with their jobs and files, the newest first."""
    proposals = Proposal.objects.filter(scenario__customer__team=user.organisation_id)
    if search:
        texts = ("serial", "title", "customer_name", "recipient")
        proposals = proposals.filter(Q(*((f"{name}__icontains", search) for name in texts), _connector=Q.OR))
    return (
        proposals.select_related("job", "scenario", "created_by")
        .prefetch_related("job__artefacts")
        .order_by("-created_at", "-serial")
    )


def proposal_get(*, user: User, proposal_id: UUID) -> Proposal:
    """Return one proposal; somebody else's does not exist (404)."""
    proposal = proposal_list(user=user).filter(pk=proposal_id).first()
    if proposal is None:
        raise Http404
    return proposal


def proposals_of(*, user: User, scenario: Scenario) -> list[Proposal]:
    """Return the latest proposals of a scenario, for its panel."""
    return list(proposal_list(user=user).filter(scenario=scenario)[:LATEST_COUNT])
