"""Brings back what was lost, and lets everybody know that a worker is there."""

import logging
import os
import threading
import time
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import connections
from django.db.models import Q, Sum
from django.utils import timezone

from webapp.jobs import leases
from webapp.jobs.models import Job, JobState, WorkerHeartbeat
from webapp.jobs.services import job_send

logger = logging.getLogger(__name__)

RESEND_ROWS = 20
UNSENT_PAUSE_S = 2.0
FORGET_WORKER_S = 24 * 3600
KEEP_PROCESSED_S = 600


def sweep() -> int:
    """Requeue jobs whose lease has run out and send waiting ones again; return how many were touched.

    Any number of sweepers may run at once: requeuing is a conditional update, and a message too many does nothing.
    """
    lost = list(leases.jobs_lost())
    for job in lost:
        logger.warning("job %s: its worker %s is gone, attempt %d", job.pk, job.worker, job.attempts_count)
        leases.job_give_back(job, code="worker_lost", reason=f"{job.worker} stopped renewing the lease", at_once=True)
    return len(lost) + _send_again()


def _send_again() -> int:
    """Send waiting jobs whose message was never sent, and, while a worker is idle, those whose message may be lost."""
    now = timezone.now()
    unsent = Q(sent_at=None, queued_at__lt=now - timedelta(seconds=UNSENT_PAUSE_S))
    running = Job.objects.filter(state=JobState.RUNNING).count()
    if running < _processes_listening():
        # With every process busy a long wait is no sign of a lost message.
        unsent |= Q(sent_at__lt=now - timedelta(seconds=settings.JOB_RESEND_S)) | Q(
            sent_at__gt=now + timedelta(minutes=1)
        )
    waiting = Job.objects.filter(state=JobState.QUEUED).filter(unsent).order_by("-priority", "queued_at")
    sent = 0
    for job_id in waiting.values_list("pk", flat=True)[:RESEND_ROWS]:
        if not job_send(job_id):
            break
        sent += 1
    return sent


def _processes_listening() -> int:
    listening = WorkerHeartbeat.objects.filter(
        seen_at__gt=timezone.now() - timedelta(seconds=settings.JOB_WORKER_SILENT_S)
    )
    return int(listening.aggregate(total=Sum("processes_count"))["total"] or 0)


def prune() -> None:
    """Forget workers of yesterday and messages that a folder broker has delivered."""
    WorkerHeartbeat.objects.filter(seen_at__lt=timezone.now() - timedelta(seconds=FORGET_WORKER_S)).delete()
    if not settings.CELERY_BROKER_URL.startswith("filesystem:"):
        return
    oldest = time.time() - KEEP_PROCESSED_S
    for path in Path(settings.BROKER_DIR, "processed").glob("*.msg"):
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
        except FileNotFoundError:
            continue


class Housekeeping(threading.Thread):
    """The thread of a worker that says "I am here", sweeps, and ends the worker when its parent has died."""

    def __init__(self, *, worker: str, processes_count: int, parent_id: int | None = None) -> None:
        super().__init__(name="housekeeping", daemon=True)
        self.worker, self.processes_count, self.parent_id = worker, processes_count, parent_id
        self._stopped = threading.Event()

    def run(self) -> None:
        """Work until stopped; trouble is logged and tried again."""
        rounds = 0
        while True:
            try:
                self._beat()
                sweep()
                if rounds % 60 == 0:
                    prune()
            except Exception as error:
                logger.warning("housekeeping: %s: %s", type(error).__name__, error)
            finally:
                # Pool processes are forked from this one: they must not inherit an open connection.
                connections.close_all()
            rounds += 1
            if self._stopped.wait(settings.JOB_SWEEP_S):
                return

    def stop(self) -> None:
        """End the thread and take the worker off the list."""
        self._stopped.set()
        self.join()
        try:
            WorkerHeartbeat.objects.filter(worker=self.worker).delete()
        finally:
            connections.close_all()

    def _beat(self) -> None:
        now = timezone.now()
        WorkerHeartbeat.objects.update_or_create(
            worker=self.worker,
            defaults={"seen_at": now, "processes_count": self.processes_count},
            create_defaults={"seen_at": now, "started_at": now, "processes_count": self.processes_count},
        )
        if self.parent_id is not None and os.getppid() != self.parent_id:
            logger.warning("the process that started this worker is gone: stopping")
            os.kill(os.getpid(), 15)
