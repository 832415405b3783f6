"""Which scenarios a person sees."""

from uuid import UUID

from django.db.models import QuerySet
from django.http import Http404

from webapp.accounts.models import User
from webapp.customers.models import Customer
from webapp.scenarios.models import Scenario


def scenario_list(
    *, user: User, customer: Customer | None = None, archived: bool = False, search: str = ""
) -> QuerySet[Scenario]:
    """Return the scenarios of the user's organisation, the latest change first."""
    scenarios = Scenario.objects.filter(customer__team=user.organisation_id, archived_at__isnull=not archived)
    if customer is not None:
        scenarios = scenarios.filter(customer=customer)
    if search:
        scenarios = scenarios.filter(title__icontains=search)
    return scenarios.select_related("customer").order_by("-updated_at")


def scenario_get(*, user: User, scenario_id: UUID) -> Scenario:
    """Return one scenario; somebody else's does not exist (404)."""
    scenarios = Scenario.objects.select_related("customer").filter(customer__team=user.organisation_id)
    scenario = scenarios.filter(id=scenario_id).first()
    if scenario is None:
        raise Http404
    return scenario
