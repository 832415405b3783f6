"""Keeps the lease of a running job and interrupts the run when it has to stop."""

import logging
import signal
import threading
import time
from types import FrameType
from typing import Any

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connections

from webapp.jobs import leases
from webapp.jobs.models import Job

logger = logging.getLogger(__name__)

SIGNAL = signal.SIGUSR2  # Celery uses SIGUSR1 itself


class Interrupted(BaseException):
    """Stops a handler; a BaseException, so that no ``except Exception`` in a handler swallows it."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class Watch:
    """A thread beside a run: prolongs the lease, and looks for a cancel, a lost lease and the time limit.

    In a worker process the run has the main thread, and a signal raises ``Interrupted`` in it between two
    instructions; elsewhere ``check`` raises it at the next report of progress.
    """

    def __init__(self, job: Job, *, time_limit_s: float) -> None:
        self.job = job
        self.time_limit_s = time_limit_s
        self.reason = ""
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"watch-{job.pk}", daemon=True)
        self._in_main_thread = threading.current_thread() is threading.main_thread()
        self._old_handler: Any = None

    def start(self) -> None:
        """Begin to watch."""
        if self._in_main_thread:
            self._old_handler = signal.signal(SIGNAL, self._on_signal)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; after this nothing interrupts any more. May itself raise ``Interrupted`` a last time."""
        self._stopped.set()
        self._thread.join()
        if self._in_main_thread:
            signal.signal(SIGNAL, self._old_handler or signal.SIG_IGN)

    def check(self) -> None:
        """Raise ``Interrupted`` when the run has to stop."""
        if self.reason:
            raise Interrupted(self.reason)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.check()

    def _run(self) -> None:
        started = renewed = time.monotonic()
        try:
            while not self._stopped.wait(settings.JOB_RENEW_S):
                now = time.monotonic()
                try:
                    reason = self._look(now - started, renew=now - renewed >= settings.JOB_LEASE_S / 4)
                    renewed = now if now - renewed >= settings.JOB_LEASE_S / 4 else renewed
                except (DatabaseError, InterfaceError) as error:
                    logger.warning("job %s: the lease could not be renewed: %s", self.job.pk, error)
                    connections.close_all()
                    continue
                if reason:
                    self.reason = reason
                    if self._in_main_thread:
                        signal.pthread_kill(threading.main_thread().ident or 0, SIGNAL)
                    return
        finally:
            connections.close_all()

    def _look(self, elapsed_s: float, *, renew: bool) -> str:
        """Return why the run has to stop, or nothing."""
        if elapsed_s > self.time_limit_s:
            return "time_limit"
        if renew and not leases.job_renew(self.job):
            return "lease_lost"
        return "cancelled" if leases.job_cancel_is_requested(self.job) else ""
