"""Job handlers for tests: each does one thing that a real one may do."""

import errno
import os
import signal
import time
from pathlib import Path

from planner.errors import NoResult
from webapp.jobs.kinds import ArtefactFile, JobRefused, ReportProgress
from webapp.jobs.models import Job


def _text(job: Job) -> list[ArtefactFile]:
    content = f"report of {job.arguments.get('number', 0)}".encode()
    return [ArtefactFile(name="report.txt", media_type="text/plain", content=content)]


def note(job: Job) -> None:
    """Write down that a run has begun, so that a test can count them."""
    if "log" in job.arguments:
        with Path(job.arguments["log"]).open("a", encoding="ascii") as file:
            file.write(f"{job.pk} {os.getpid()}\n")


def writes(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Return one file at once."""
    note(job)
    report(0.5, "evaluating")
    return _text(job)


def slow(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Take a while, reporting."""
    note(job)
    steps = int(job.arguments.get("steps", 20))
    for step in range(steps):
        report(step / steps, "evaluating")
        time.sleep(0.1)
    return _text(job)


def deaf(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Take long without ever reporting, swallowing every exception it can."""
    note(job)
    for _ in range(600):
        try:
            time.sleep(0.1)
        except Exception:
            continue
    return _text(job)


def dies(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Kill its own process, always."""
    note(job)
    os.kill(os.getpid(), signal.SIGKILL)
    return []


def dies_once(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Kill its own process at the first attempt only."""
    note(job)
    if job.attempts_count == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return _text(job)


def breaks(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Fail by a fault of the program."""
    message = "a fault"
    raise ZeroDivisionError(message)


def refuses(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Say no."""
    code = "no_price"
    raise JobRefused(code, "FX400 has no price")


def finds_nothing(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Have no result."""
    code = "unstable"
    raise NoResult(code, "utilisation is 1.2")


def fills_the_disk(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Find no space left."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def stumbles(job: Job, report: ReportProgress) -> list[ArtefactFile]:
    """Lose a connection."""
    message = "reset by peer"
    raise ConnectionError(message)
