"""Runs one claimed job, stores its files, and ends the row exactly once."""

import errno
import logging
import math
import time
import traceback
from collections.abc import Callable

from django.db import InterfaceError, OperationalError

from planner.errors import InputProblems, NoResult
from webapp.jobs import leases
from webapp.jobs.files import artefact_write
from webapp.jobs.kinds import JobRefused, ReportProgress, job_kind
from webapp.jobs.models import Job, JobArtefact
from webapp.jobs.watch import Interrupted, Watch

logger = logging.getLogger(__name__)

PROGRESS_PERIOD_S = 0.25
PASSING_ERRORS = (OperationalError, InterfaceError, ConnectionError, TimeoutError)


def run_next_job(worker: str) -> Job | None:
    """Claim the next waiting job and run it to its end; return it, or None when nothing waits."""
    job = leases.job_claim(worker=worker)
    if job is None:
        return None
    logger.info("job %s (%s): attempt %d of %d", job.pk, job.kind, job.attempts_count, job.attempts_limit)
    try:
        artefacts = _run_watched(job)
    except Interrupted as interruption:
        _end_interrupted(job, interruption.reason)
    except Exception as error:
        _end_with_error(job, error)
    else:
        if not leases.job_succeed(job, artefacts):
            _end_interrupted(job, "cancelled")
    return job


def _run_watched(job: Job) -> list[JobArtefact]:
    """Run the handler under a watch and store what it returns."""
    kind = job_kind(job.kind)
    handler = kind.load()
    watch = Watch(job, time_limit_s=kind.time_limit_s)
    try:
        watch.start()
        files = handler(job, _reporter(job, watch))
        return [artefact_write(file) for file in files]
    finally:
        watch.stop()


def _reporter(job: Job, watch: Watch) -> ReportProgress:
    """Return the function a handler reports with: it writes at most four times a second, unless the phrase changes."""
    last_at, last_code = -math.inf, ""

    def report(fraction: float, code: str) -> None:
        nonlocal last_at, last_code
        watch.check()
        now = time.monotonic()
        if code == last_code and now - last_at < PROGRESS_PERIOD_S:
            return
        last_at, last_code = now, code
        if not leases.job_progress(job, min(1.0, max(0.0, fraction)), code):
            raise Interrupted("cancelled" if leases.job_cancel_is_requested(job) else "lease_lost")

    return report


def _end_interrupted(job: Job, reason: str) -> None:
    if reason == "time_limit":
        leases.job_fail(job, code="time_limit", text="")
    elif not leases.job_stop(job):
        logger.warning("job %s: this run has lost its lease; another one is responsible", job.pk)


def _end_with_error(job: Job, error: Exception) -> None:
    """Fail the job for good when trying again cannot help; give it back when the trouble may pass."""
    name = type(error).__name__
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, JobRefused):
        leases.job_fail(job, code=error.code, text=error.text)
    elif isinstance(error, InputProblems):
        leases.job_fail(job, code="bad_input", text=str(error))
    elif isinstance(error, NoResult):
        leases.job_fail(job, code=error.code, text=error.message)
    elif isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        leases.job_fail(job, code="disk_full", text="", reason=trace)
    elif isinstance(error, PASSING_ERRORS):
        logger.warning("job %s: %s, will be tried again", job.pk, name)
        _whatever_the_database_says(lambda: leases.job_give_back(job, code=name, reason=trace, at_once=False))
    else:
        logger.error("job %s failed:\n%s", job.pk, trace)
        leases.job_fail(job, code="internal_error", text=f"{name}: {error}", reason=trace)


def _whatever_the_database_says(give_back: Callable[[], None]) -> None:
    """Try to give the job back; if the database is gone, the lease runs out and the sweeper does it."""
    try:
        give_back()
    except PASSING_ERRORS as error:
        logger.warning("the job could not be given back (%s); its lease will run out", error)
