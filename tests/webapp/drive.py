"""Talks to an installation from outside its worker: starts jobs, waits, reports rows as JSON."""

import json

# ruff: noqa: E402 - Django wants its environment first
import os
import sys
import time

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.webapp.worker_settings")

import django

django.setup()

from webapp.accounts.models import Organisation, User
from webapp.jobs import services
from webapp.jobs.files import artefact_read
from webapp.jobs.models import Job
from webapp.jobs.tasks import run_next


def someone() -> User:
    """Return the user that owns the jobs."""
    found = User.objects.first()
    if found is not None:
        return found
    ours = Organisation.objects.create(name="Ours", kind=Organisation.Kind.OURS)
    return User.objects.create_user("a@ours.example", name="A", role=User.Role.PRESALES, organisation=ours)


def start(kind: str, count: str, **arguments: object) -> list[str]:
    """Create ``count`` jobs."""
    user = someone()
    jobs = [
        services.job_create(user=user, kind=kind, title=kind, arguments={"number": number, **arguments})[0]
        for number in range(int(count))
    ]
    return [str(job.pk) for job in jobs]


def cancel() -> None:
    """Cancel every job."""
    for job in Job.objects.all():
        services.job_cancel(job=job)


def deliver_again(times: str) -> None:
    """Send the message of every job again."""
    for job in Job.objects.all():
        for _ in range(int(times)):
            run_next.apply_async(args=[str(job.pk)])


def wait(state: str, limit_s: str) -> list[dict[str, object]]:
    """Wait until every job is ended (or in ``state``), and return what the rows and files say."""
    deadline = time.monotonic() + float(limit_s)
    while time.monotonic() < deadline:
        rows = list(Job.objects.all())
        if rows and all(job.state == state or (state == "ended" and not job.is_live) for job in rows):
            break
        time.sleep(0.1)
    return [
        {
            "id": str(job.pk),
            "state": job.state,
            "error_code": job.error_code,
            "attempts": list(job.attempts.values_list("outcome", flat=True)),
            "files": [artefact_read(artefact).decode() for artefact in job.artefacts.all()],
            "number": job.arguments["number"],
        }
        for job in Job.objects.order_by("created_at")
    ]


VERBS = {function.__name__: function for function in (start, cancel, deliver_again, wait)}

if __name__ == "__main__":
    words = [word for word in sys.argv[2:] if "=" not in word]
    named = dict(word.split("=", 1) for word in sys.argv[2:] if "=" in word)
    print(json.dumps(VERBS[sys.argv[1]](*words, **named)))
