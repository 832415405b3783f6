"""Creating, changing and archiving customers."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.customers.models import Customer

FIELDS = ("name", "contact_name", "contact_email", "notes")


class NameTaken(Exception):
    """The team has a customer of this name already."""


class Conflict(Exception):
    """Somebody else has saved the customer since the form was opened; ``current`` is what they saved."""

    def __init__(self, current: Customer) -> None:
        self.current = current
        super().__init__(f"customer {current.pk} is at version {current.version}")


def customer_create(*, user: User, **values: str) -> Customer:
    """Store a customer for the user's team.

    Raises
    ------
    NameTaken
        When the team has one of this name, archived or not.
    """
    known = {name: values[name] for name in FIELDS if name in values}
    try:
        with transaction.atomic():
            return Customer.objects.create(team=user.organisation, created_by=user, **known)
    except IntegrityError as error:
        raise NameTaken from error


def customer_update(*, customer: Customer, version: int, **values: str) -> Customer:
    """Change a customer that is still at ``version``.

    Raises
    ------
    Conflict
        When it has moved on; nothing is overwritten.
    NameTaken
        When the team has another one of this name.
    """
    known = {name: values[name] for name in FIELDS if name in values}
    unchanged = Customer.objects.filter(pk=customer.pk, version=version)
    try:
        with transaction.atomic():
            changed = unchanged.update(version=version + 1, updated_at=timezone.now(), **known)
    except IntegrityError as error:
        raise NameTaken from error
    customer.refresh_from_db()
    if not changed:
        raise Conflict(customer)
    return customer


def customer_set_archived(*, customer: Customer, archived: bool) -> None:
    """Put a customer away, or bring it back; its scenarios and proposals stay."""
    customer.archived_at = timezone.now() if archived else None
    customer.updated_at = timezone.now()
    customer.save(update_fields=["archived_at", "updated_at"])
