"""The kinds of jobs there are: ``settings.JOB_KINDS`` names the handler of each.

A handler is ``handler(job, report_progress) -> artefacts``. It may run again after a crash, so it must only compute:
what it returns is stored once, by the runner. It calls ``report_progress(fraction, code)`` at every step, outside any
transaction, and says "no" by raising ``JobRefused``, ``planner.errors.InputProblems`` or ``planner.errors.NoResult``.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.module_loading import import_string

from webapp.jobs.models import Job

ReportProgress = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class ArtefactFile:
    """A finished file in memory, as a handler returns it; ``name`` is what the download is called."""

    name: str
    media_type: str
    content: bytes


Handler = Callable[[Job, ReportProgress], Sequence[ArtefactFile]]


@dataclass(frozen=True, slots=True)
class JobKind:
    """How jobs of one kind are run: the higher ``priority``, the sooner."""

    name: str
    label: str
    handler: str
    priority: int
    time_limit_s: float

    def load(self) -> Handler:
        """Import the handler; only workers do."""
        handler: Handler = import_string(self.handler)
        return handler


class JobRefused(Exception):
    """The job cannot be done, and trying again would not help; ``code`` and ``text`` are shown to the user."""

    def __init__(self, code: str, text: str) -> None:
        self.code, self.text = code, text
        super().__init__(text)


def job_kind(name: str) -> JobKind:
    """Return the kind called ``name``; raises ``JobRefused`` when this version knows none."""
    kinds: dict[str, Any] = settings.JOB_KINDS
    entry = kinds.get(name)
    if entry is None:
        code = "unknown_kind"
        raise JobRefused(code, name)
    return JobKind(
        name=name,
        label=str(entry["label"]),
        handler=entry["handler"],
        priority=entry.get("priority", 0),
        time_limit_s=entry.get("time_limit_s", 3600.0),
    )
