"""How a run takes a job, keeps it and gives it back.

Every change is one conditional UPDATE; whoever comes second changes 0 rows.
"""

import logging
import os
import socket
import uuid
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from webapp.jobs.models import Job, JobArtefact, JobAttempt, JobState
from webapp.jobs.services import job_send

logger = logging.getLogger(__name__)

CLAIM_TRIES = 20
REASON_CHARACTERS = 4000


def worker_name() -> str:
    """Return the name of this worker; its child processes inherit it."""
    return os.environ.get("FX_WORKER_NAME") or f"{socket.gethostname()}-{os.getpid()}"


def _lease_end(now: datetime) -> datetime:
    return now + timedelta(seconds=settings.JOB_LEASE_S)


def _mine(job: Job) -> QuerySet[Job]:
    """Return the row as long as this run holds it."""
    return Job.objects.filter(pk=job.pk, state=JobState.RUNNING, claim=job.claim)


def job_claim(*, worker: str) -> Job | None:
    """Take the queued job of the highest priority, the oldest first, and return it; None when none waits."""
    for _ in range(CLAIM_TRIES):
        waiting = Job.objects.filter(state=JobState.QUEUED).order_by("-priority", "queued_at", "pk")
        job_id = waiting.values_list("pk", flat=True).first()
        if job_id is None:
            return None
        claim, now = uuid.uuid4(), timezone.now()
        with transaction.atomic():
            taken = Job.objects.filter(pk=job_id, state=JobState.QUEUED).update(
                state=JobState.RUNNING,
                claim=claim,
                worker=worker,
                lease_until=_lease_end(now),
                attempts_count=F("attempts_count") + 1,
                started_at=now,
                progress_fraction=0.0,
                progress_code="starting",
            )
            if taken:
                job = Job.objects.get(pk=job_id)
                number = job.attempts_count
                JobAttempt.objects.create(job=job, number=number, claim=claim, worker=worker, started_at=now)
                return job
    return None


def job_renew(job: Job) -> bool:
    """Prolong the lease; False when the job is no longer this run's."""
    return bool(_mine(job).update(lease_until=_lease_end(timezone.now())))


def job_cancel_is_requested(job: Job) -> bool:
    """Say whether somebody wants the job stopped."""
    return _mine(job).filter(cancel_requested=True).exists()


def job_progress(job: Job, fraction: float, code: str) -> bool:
    """Note how far the run is and prolong the lease; False when the job is no longer this run's or is to stop."""
    return bool(
        _mine(job)
        .filter(cancel_requested=False)
        .update(progress_fraction=fraction, progress_code=code[:60], lease_until=_lease_end(timezone.now()))
    )


def _end_attempt(claim: uuid.UUID | None, outcome: str, reason: str) -> None:
    JobAttempt.objects.filter(claim__in=[claim] if claim else [], ended_at=None).update(
        ended_at=timezone.now(), outcome=outcome, reason=reason[:REASON_CHARACTERS]
    )


@transaction.atomic
def job_succeed(job: Job, artefacts: Sequence[JobArtefact]) -> bool:
    """Finish the job with its files, all or nothing; False when it is no longer this run's or is to stop."""
    finished = (
        _mine(job)
        .filter(cancel_requested=False)
        .update(
            state=JobState.SUCCEEDED,
            progress_fraction=1.0,
            progress_code="done",
            lease_until=None,
            finished_at=timezone.now(),
        )
    )
    if not finished:
        return False
    for artefact in artefacts:
        artefact.job = job
    JobArtefact.objects.bulk_create(artefacts)
    _end_attempt(job.claim, JobState.SUCCEEDED, "")
    return True


@transaction.atomic
def job_fail(job: Job, *, code: str, text: str, reason: str = "") -> bool:
    """End the job without a result; ``text`` is for the user, ``reason`` for whoever looks into it."""
    failed = _mine(job).update(
        state=JobState.FAILED,
        error_code=code[:60],
        error_text=text,
        progress_code="failed",
        lease_until=None,
        finished_at=timezone.now(),
    )
    if failed:
        _end_attempt(job.claim, JobState.FAILED, f"{code}: {reason or text}")
    return bool(failed)


@transaction.atomic
def job_stop(job: Job) -> bool:
    """End the job because somebody cancelled it."""
    stopped = (
        _mine(job)
        .filter(cancel_requested=True)
        .update(
            state=JobState.CANCELLED,
            progress_code="cancelled",
            lease_until=None,
            finished_at=timezone.now(),
        )
    )
    if stopped:
        _end_attempt(job.claim, JobState.CANCELLED, "")
    return bool(stopped)


@transaction.atomic
def job_give_back(job: Job, *, code: str, reason: str, at_once: bool) -> None:
    """Put a run that came to nothing back into the queue, or fail the job when it has used up its attempts.

    ``at_once`` wakes a worker up immediately; otherwise the sweeper does a little later, which is the pause before
    another try.
    """
    if job.cancel_requested and job_stop(job):
        return
    if job.attempts_count >= job.attempts_limit:
        job_fail(job, code="attempts_used_up", text=code, reason=f"{code}: {reason}")
        return
    returned = _mine(job).update(
        state=JobState.QUEUED,
        claim=None,
        lease_until=None,
        sent_at=None,
        queued_at=timezone.now(),
        progress_fraction=0.0,
        progress_code="waiting",
    )
    if returned:
        _end_attempt(job.claim, code, reason)
        if at_once:
            transaction.on_commit(partial(job_send, job.pk))


def jobs_lost() -> QuerySet[Job]:
    """Return running jobs whose worker is gone.

    A lease that ends further ahead than a lease can last was written before the clock was set back: it says nothing.
    """
    now = timezone.now()
    absurd = now + timedelta(seconds=2 * settings.JOB_LEASE_S + 5)
    return Job.objects.filter(state=JobState.RUNNING).filter(Q(lease_until__lt=now) | Q(lease_until__gt=absurd))
