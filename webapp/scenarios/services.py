"""Creating, changing, copying and archiving scenarios; every save is kept as a version."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from webapp.accounts.models import User
from webapp.customers.models import Customer
from webapp.scenarios.models import Scenario, ScenarioVersion

Inputs = Mapping[str, Any]


class Conflict(Exception):
    """Somebody else has saved the scenario since the form was opened; ``current`` is what they saved."""

    def __init__(self, current: Scenario) -> None:
        self.current = current
        super().__init__(f"scenario {current.pk} is at version {current.version}")


@transaction.atomic
def scenario_create(*, user: User, customer: Customer, title: str, inputs: Inputs) -> Scenario:
    """Store a scenario and its first version."""
    scenario = Scenario.objects.create(customer=customer, title=title, inputs=dict(inputs), created_by=user)
    _keep_version(scenario, user)
    return scenario


@transaction.atomic
def scenario_update(*, scenario: Scenario, user: User, version: int, title: str, inputs: Inputs) -> Scenario:
    """Change a scenario that is still at ``version``; what was saved before stays as a version.

    Raises
    ------
    Conflict
        When it has moved on; nothing is overwritten.
    """
    unchanged = Scenario.objects.filter(pk=scenario.pk, version=version)
    now = timezone.now()
    changed = unchanged.update(version=version + 1, title=title, inputs=dict(inputs), updated_at=now)
    scenario.refresh_from_db()
    if not changed:
        raise Conflict(scenario)
    _keep_version(scenario, user)
    return scenario


def scenario_duplicate(*, scenario: Scenario, user: User, title: str) -> Scenario:
    """Store a copy under another title, for the same customer."""
    return scenario_create(user=user, customer=scenario.customer, title=title, inputs=scenario.inputs)


def scenario_set_archived(*, scenario: Scenario, archived: bool) -> None:
    """Put a scenario away, or bring it back."""
    scenario.archived_at = timezone.now() if archived else None
    scenario.updated_at = timezone.now()
    scenario.save(update_fields=["archived_at", "updated_at"])


def _keep_version(scenario: Scenario, user: User) -> None:
    ScenarioVersion.objects.create(
        scenario=scenario,
        number=scenario.version,
        title=scenario.title,
        inputs=scenario.inputs,
        saved_by=user,
        saved_at=scenario.updated_at,
    )
