"""The one Celery task."""

from celery import shared_task

from webapp.jobs.leases import worker_name
from webapp.jobs.runner import run_next_job


@shared_task(name="webapp.jobs.run_next", ignore_result=True)  # type: ignore[untyped-decorator]
def run_next(job_id: str) -> None:
    """Run the next job.

    The message says only that there is work; the rows say which comes first, so priorities hold on every broker, and
    a message that arrives twice or late finds nothing to do. ``job_id`` is for whoever reads the broker's messages.
    """
    run_next_job(worker_name())
