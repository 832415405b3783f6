"""Scenarios and every version that was saved."""

import uuid
from typing import Any, ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from webapp.accounts.models import User
from webapp.customers.models import Customer


class Scenario(models.Model):
    """One case of a customer; ``inputs`` is what ``planner.load_scenario`` takes. Changed only through the services."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, related_name="scenarios")
    title = models.CharField(_("title"), max_length=200)
    inputs = models.JSONField(default=dict)
    version = models.PositiveIntegerField(default=1, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["customer", "-updated_at"], name="scenario_recent"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def titled_inputs(self) -> dict[str, Any]:
        """Return the inputs under the title that people see; page and files are made from these."""
        return {**self.inputs, "title": self.title}


class ScenarioVersion(models.Model):
    """A scenario as it was saved once; never changed."""

    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=200)
    inputs = models.JSONField()
    saved_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    saved_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["scenario", "number"], name="scenario_version_once"),
        ]
        ordering: ClassVar[list[str]] = ["-number"]

    def __str__(self) -> str:
        return f"{self.title} v{self.number}"
