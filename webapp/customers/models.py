"""Customers of a team."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from webapp.accounts.models import Organisation, User


class Customer(models.Model):
    """Somebody a team plans storage for. Only people of the owning organisation see it."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    team = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="customers")
    name = models.CharField(_("name"), max_length=200)
    contact_name = models.CharField(_("contact"), max_length=200, blank=True)
    contact_email = models.EmailField(_("contact e-mail"), blank=True)
    notes = models.TextField(_("notes"), max_length=10_000, blank=True)
    version = models.PositiveIntegerField(default=1, editable=False)
    archived_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["team", "name"], name="customer_name_in_team"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["team", "-updated_at"], name="customer_recent"),
        ]

    def __str__(self) -> str:
        return self.name
