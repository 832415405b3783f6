"""Which jobs a person sees, and whether anybody works on them."""

from datetime import timedelta
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet
from django.http import Http404
from django.utils import timezone

from webapp.accounts.models import User
from webapp.jobs.models import Job, JobArtefact, WorkerHeartbeat


def job_list(*, user: User, kind: str = "") -> QuerySet[Job]:
    """Return the jobs of the user's organisation with their files, the newest first."""
    jobs = Job.objects.filter(organisation=user.organisation_id)
    if kind:
        jobs = jobs.filter(kind=kind)
    return jobs.select_related("created_by").prefetch_related("artefacts").order_by("-created_at")


def job_get(*, user: User, job_id: UUID) -> Job:
    """Return one job; somebody else's does not exist (404)."""
    job = job_list(user=user).filter(pk=job_id).first()
    if job is None:
        raise Http404
    return job


def artefact_get(*, user: User, job_id: UUID, artefact_id: UUID) -> JobArtefact:
    """Return one file of one job; somebody else's does not exist (404)."""
    artefacts = JobArtefact.objects.filter(job__organisation=user.organisation_id, job=job_id, pk=artefact_id)
    artefact = artefacts.first()
    if artefact is None:
        raise Http404
    return artefact


def worker_is_listening() -> bool:
    """Say whether a worker has been heard of lately."""
    now, silent = timezone.now(), timedelta(seconds=settings.JOB_WORKER_SILENT_S)
    return WorkerHeartbeat.objects.filter(seen_at__range=(now - silent, now + silent)).exists()
