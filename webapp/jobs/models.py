"""Jobs, their attempts and artefacts, and the workers that have been heard of."""

import uuid
from typing import ClassVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from webapp.accounts.models import Organisation, User


class JobState(models.TextChoices):
    """queued -> running -> succeeded | failed | cancelled; a lost or retried job goes back to queued."""

    QUEUED = "queued", _("Waiting")
    RUNNING = "running", _("Running")
    SUCCEEDED = "succeeded", _("Done")
    FAILED = "failed", _("Failed")
    CANCELLED = "cancelled", _("Cancelled")


LIVE_STATES = (JobState.QUEUED, JobState.RUNNING)


class Job(models.Model):
    """One piece of work in the background. The row is the truth; a broker message only wakes a worker up.

    ``claim`` names the one run that may still change the row: every write of a worker is an UPDATE that asks for it,
    so a run that has lost its lease cannot finish the job a second time.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.PROTECT, related_name="jobs")
    created_by = models.ForeignKey(User, on_delete=models.PROTECT, related_name="jobs")
    kind = models.CharField(max_length=40)
    title = models.CharField(max_length=250)
    arguments = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    idempotency_key = models.CharField(max_length=128)
    priority = models.SmallIntegerField(default=0)
    state = models.CharField(max_length=12, choices=JobState, default=JobState.QUEUED)
    progress_fraction = models.FloatField(default=0.0)
    progress_code = models.CharField(max_length=60, default="waiting")
    attempts_count = models.PositiveIntegerField(default=0)
    attempts_limit = models.PositiveIntegerField()
    claim = models.UUIDField(null=True)
    worker = models.CharField(max_length=120, blank=True)
    lease_until = models.DateTimeField(null=True)
    cancel_requested = models.BooleanField(default=False)
    error_code = models.CharField(max_length=60, blank=True)
    error_text = models.TextField(blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    queued_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["organisation", "kind", "idempotency_key"],
                condition=~models.Q(state__in=[JobState.FAILED, JobState.CANCELLED]),
                name="job_once_per_key",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["state", "-priority", "queued_at"], name="job_next"),
            models.Index(fields=["organisation", "-created_at"], name="job_recent"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.pk}"

    @property
    def is_live(self) -> bool:
        """Whether the job still waits or runs."""
        return self.state in LIVE_STATES

    @property
    def may_be_retried(self) -> bool:
        """Whether the job has ended without a result."""
        return self.state in (JobState.FAILED, JobState.CANCELLED)


class JobAttempt(models.Model):
    """One run of a job, and why it ended."""

    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField()
    claim = models.UUIDField(unique=True)
    worker = models.CharField(max_length=120)
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=40, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar[list[str]] = ["number"]

    def __str__(self) -> str:
        return f"{self.job_id} #{self.number}"


class JobArtefact(models.Model):
    """A file that a job has made. The bytes lie in the data folder under their own hash."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    job = models.ForeignKey(Job, on_delete=models.CASCADE, related_name="artefacts")
    name = models.CharField(max_length=250)
    media_type = models.CharField(max_length=120)
    size_bytes = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["job", "name"], name="artefact_once_per_name"),
        ]
        ordering: ClassVar[list[str]] = ["name"]

    def __str__(self) -> str:
        return self.name


class WorkerHeartbeat(models.Model):
    """A worker that was there at ``seen_at``; it removes its row when it stops in good order."""

    worker = models.CharField(primary_key=True, max_length=120)
    processes_count = models.PositiveIntegerField()
    started_at = models.DateTimeField(default=timezone.now)
    seen_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.worker
