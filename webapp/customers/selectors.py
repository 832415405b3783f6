"""Which customers a person sees."""

from uuid import UUID

from django.db.models import Count, Q, QuerySet
from django.http import Http404

from webapp.accounts.models import User
from webapp.customers.models import Customer


def customer_list(*, user: User, archived: bool = False, search: str = "") -> QuerySet[Customer]:
    """Return the customers of the user's organisation, by name, each with ``scenarios_count``."""
    customers = Customer.objects.filter(team=user.organisation_id, archived_at__isnull=not archived)
    if search:
        customers = customers.filter(Q(name__icontains=search) | Q(contact_name__icontains=search))
    live = Count("scenarios", filter=Q(scenarios__archived_at__isnull=True))
    return customers.annotate(scenarios_count=live).order_by("name")


def customer_get(*, user: User, customer_id: UUID) -> Customer:
    """Return one customer; somebody else's does not exist (404)."""
    customer = Customer.objects.filter(team=user.organisation_id, id=customer_id).first()
    if customer is None:
        raise Http404
    return customer
