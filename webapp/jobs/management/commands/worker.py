"""``manage.py worker``: a Celery worker with the sweeper beside it."""

import os
import socket
import warnings
from typing import Any

from celery.signals import worker_ready
from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from webapp.celery import app
from webapp.jobs.sweeper import Housekeeping


class Command(BaseCommand):
    """Work off the jobs."""

    help = "Run a worker for the jobs in the background."

    def add_arguments(self, parser: CommandParser) -> None:
        """Number of processes."""
        parser.add_argument("--processes", type=int, default=settings.WORKER_PROCESSES, help="jobs that run at once")
        parser.add_argument("--parent", type=int, default=None, help="stop when this process is gone")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until told to stop; running jobs are finished first."""
        name = os.environ["FX_WORKER_NAME"] = f"{socket.gethostname()}-{os.getpid()}"
        keeper = Housekeeping(worker=name, processes_count=options["processes"], parent_id=options["parent"])
        worker_ready.connect(lambda **_: keeper.start(), weak=False)
        arguments = ["worker", "--loglevel=INFO", f"--hostname={name}@%h", f"--concurrency={options['processes']}"]
        if settings.CELERY_BROKER_URL.startswith("filesystem:"):
            # A folder has no broadcast to speak of: these would only poll it more often.
            arguments += ["--without-gossip", "--without-mingle", "--without-heartbeat"]
        # Celery warns root because of pickles; this application accepts JSON only.
        warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
        try:
            app.worker_main(["--quiet", *arguments])
        finally:
            if keeper.is_alive():
                keeper.stop()
