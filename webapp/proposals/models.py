"""Proposals, never changed once they are made, and the counter of their serial numbers."""

import uuid
from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from webapp.accounts.models import User
from webapp.jobs.models import Job, JobArtefact
from webapp.scenarios.models import Scenario


class ProposalIsFinal(Exception):
    """Somebody tried to change or delete a proposal."""


class DataClass(models.TextChoices):
    """Who may read a proposal, the widest circle first."""

    PUBLIC = "public", _("Public: may be passed on")
    NDA = "nda", _("Under NDA: for those who have signed it")
    INTERNAL = "internal", _("Internal: not for the customer")


class FinalQuerySet(models.QuerySet["Proposal"]):
    """Rows that are added and read, never changed."""

    def update(self, **values: Any) -> NoReturn:
        """Refuse."""
        raise ProposalIsFinal

    def bulk_update(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse."""
        raise ProposalIsFinal

    def delete(self) -> NoReturn:
        """Refuse."""
        raise ProposalIsFinal


class Proposal(models.Model):
    """What was offered to whom, under which number: a copy of everything the files are made of.

    ``inputs`` are those of the scenario in version ``scenario_version``, under the title of the scenario. The prices
    hold until the day before ``valid_until``. The files are the artefacts of ``job``.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    serial = models.CharField(max_length=20, unique=True)
    scenario = models.ForeignKey(Scenario, on_delete=models.PROTECT, related_name="proposals")
    scenario_version = models.PositiveIntegerField()
    inputs = models.JSONField()
    title = models.CharField(max_length=200)
    customer_name = models.CharField(max_length=200)
    recipient = models.CharField(max_length=200, blank=True)
    locale = models.CharField(max_length=10, choices=settings.LANGUAGES)
    data_class = models.CharField(max_length=10, choices=DataClass)
    valid_until = models.DateField(null=True)
    key = models.CharField(max_length=64)
    job = models.OneToOneField(Job, on_delete=models.PROTECT, related_name="proposal")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = FinalQuerySet.as_manager()

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["scenario", "key"], name="proposal_once_per_key"),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["scenario", "-created_at"], name="proposal_recent"),
        ]

    def __str__(self) -> str:
        return self.serial

    def save(self, *args: Any, **options: Any) -> None:
        """Add the row; a row that is there already is never written again."""
        if args or not self._state.adding:
            raise ProposalIsFinal(self.serial)
        super().save(**{**options, "force_insert": True})

    def delete(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse."""
        raise ProposalIsFinal(self.serial)

    @property
    def file_names(self) -> tuple[str, str, str]:
        """What the PDF, the spreadsheet and the evaluation are called."""
        return f"{self.serial}.pdf", f"{self.serial}.xlsx", f"{self.serial}-evaluation.json"

    @property
    def files(self) -> list[JobArtefact]:
        """The finished files, the PDF first."""
        found = {artefact.name: artefact for artefact in self.job.artefacts.all()}
        return [found[name] for name in self.file_names if name in found]

    @property
    def is_outdated(self) -> bool:
        """Whether the scenario has been saved since."""
        return self.scenario.version > self.scenario_version


class SerialCounter(models.Model):
    """The last number given out in a year; its row is locked while a proposal is created."""

    year = models.PositiveSmallIntegerField(primary_key=True)
    last_number = models.PositiveIntegerField(default=0)

    def __str__(self) -> str:
        return f"{self.year}: {self.last_number}"
