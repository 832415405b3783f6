"""What people and pages do with jobs: start, send, cancel, try again."""

import json
import logging
from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import IntegrityError, transaction
from django.db.models import F
from django.utils import timezone
from kombu.exceptions import KombuError

from webapp.accounts.models import User
from webapp.celery import app
from webapp.jobs.kinds import job_kind
from webapp.jobs.models import Job, JobState

logger = logging.getLogger(__name__)

ENDED_WITHOUT_RESULT = (JobState.FAILED, JobState.CANCELLED)


def job_create(*, user: User, kind: str, title: str, arguments: Mapping[str, Any], key: str = "") -> tuple[Job, bool]:
    """Return the job for this request and whether it is new; a worker is told after the transaction commits.

    Parameters
    ----------
    user : User
        Who asks; the job belongs to their organisation.
    kind : str
        A key of ``settings.JOB_KINDS``.
    title : str
        What the list of jobs shows.
    arguments : mapping
        JSON values for the handler: ids and choices, no objects.
    key : str
        Requests with the same key are one job, unless it has failed or was cancelled.
        By default the hash of kind and arguments: a double click starts one job.
    """
    known = job_kind(kind)
    same = {"organisation": user.organisation, "kind": kind, "idempotency_key": key or _content_key(arguments)}
    live = Job.objects.filter(**same).exclude(state__in=ENDED_WITHOUT_RESULT)
    try:
        with transaction.atomic():
            existing = live.first()
            if existing is not None:
                return existing, False
            job = Job.objects.create(
                **same,
                created_by=user,
                title=title[:250],
                arguments=dict(arguments),
                priority=known.priority,
                attempts_limit=settings.JOB_ATTEMPTS_COUNT,
            )
            transaction.on_commit(partial(job_send, job.id))
    except IntegrityError:
        return live.get(), False
    return job, True


def _content_key(arguments: Mapping[str, Any]) -> str:
    text = json.dumps(arguments, cls=DjangoJSONEncoder, sort_keys=True, allow_nan=False)
    return sha256(text.encode()).hexdigest()


def job_send(job_id: UUID) -> bool:
    """Wake a worker up for a queued job; without a broker the job waits, and the sweeper sends it later."""
    from webapp.jobs.tasks import run_next

    queued = Job.objects.filter(pk=job_id, state=JobState.QUEUED)
    queued.update(sent_at=timezone.now())
    try:
        run_next.apply_async(args=[str(job_id)])
    except _broker_errors() as error:
        logger.warning("job %s waits: no message could be sent (%s: %s)", job_id, type(error).__name__, error)
        queued.update(sent_at=None)
        return False
    return True


def _broker_errors() -> tuple[type[Exception], ...]:
    """Return what the broker in use raises when it is away; each has classes of its own."""
    broker = app.connection_for_write()
    return (*broker.connection_errors, *broker.channel_errors, KombuError, OSError)


def job_cancel(*, job: Job) -> Job:
    """Cancel a waiting job at once, or ask the worker of a running one to stop; an ended job stays as it is."""
    now = timezone.now()
    waiting = Job.objects.filter(pk=job.pk, state=JobState.QUEUED)
    if not waiting.update(state=JobState.CANCELLED, finished_at=now, progress_code="cancelled"):
        Job.objects.filter(pk=job.pk, state=JobState.RUNNING).update(cancel_requested=True)
    job.refresh_from_db()
    return job


def job_retry(*, job: Job) -> Job:
    """Queue an ended job again, with the full number of attempts; returns the job that is now responsible.

    When the same request has been made again in the meantime, that one is responsible and nothing is started.
    """
    ended = Job.objects.filter(pk=job.pk, state__in=ENDED_WITHOUT_RESULT)
    try:
        with transaction.atomic():
            queued = ended.update(
                state=JobState.QUEUED,
                attempts_limit=F("attempts_count") + settings.JOB_ATTEMPTS_COUNT,
                cancel_requested=False,
                error_code="",
                error_text="",
                progress_fraction=0.0,
                progress_code="waiting",
                queued_at=timezone.now(),
                sent_at=None,
                finished_at=None,
                claim=None,
            )
            if queued:
                transaction.on_commit(partial(job_send, job.id))
    except IntegrityError:
        same = Job.objects.filter(organisation=job.organisation_id, kind=job.kind, idempotency_key=job.idempotency_key)
        return same.exclude(state__in=ENDED_WITHOUT_RESULT).get()
    job.refresh_from_db()
    return job
