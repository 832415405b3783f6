"""An installation of the product of its own: data folder, database, broker, worker processes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from uuid import uuid4

ROOT = Path(__file__).resolve().parents[2]


class Installation:
    """Runs commands of the product in an environment that names its database and broker and nothing else."""

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        self.environment |= {
            "SECRET_KEY": "a-key-for-tests-only-that-is-long-enough-0123456789",
            "FX_DATA_DIR": str(folder),
            "FX_QUEUE": f"test-{uuid4().hex}",
            "FX_HTTPS": "0",
            "PYTHONPATH": str(ROOT),
            "DJANGO_SETTINGS_MODULE": "tests.webapp.worker_settings",
            **environment,
        }
        self.workers: list[subprocess.Popen[bytes]] = []
        self.run("manage.py", "migrate", "--verbosity", "0")
        if "DATABASE_URL" in environment:
            self.run("manage.py", "flush", "--no-input", "--verbosity", "0")  # the server's database is shared by tests

    def run(self, *arguments: str) -> str:
        """Run one command to its end and return what it printed."""
        command = [sys.executable, *arguments]
        done = subprocess.run(
            command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False, timeout=120
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def drive(self, *words: str) -> Any:
        """Run one verb of ``drive.py``."""
        return json.loads(self.run("-m", "tests.webapp.drive", *words).splitlines()[-1])

    def start_worker(self, processes: int = 2) -> subprocess.Popen[bytes]:
        """Start a worker in a process group of its own, so that it can be killed whole."""
        log = (self.folder / f"worker-{len(self.workers)}.log").open("wb")
        command = [sys.executable, "manage.py", "worker", "--processes", str(processes)]
        worker = subprocess.Popen(
            command, cwd=ROOT, env=self.environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        log.close()
        self.workers.append(worker)
        return worker

    def kill_whole(self, worker: subprocess.Popen[bytes]) -> None:
        """Kill a worker and its children as a power cut would."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait(10)

    def logs(self) -> str:
        """Return what the workers wrote."""
        return "\n".join(path.read_text(errors="replace") for path in sorted(self.folder.glob("worker-*.log")))

    def close(self) -> None:
        """End every worker."""
        for worker in self.workers:
            if worker.poll() is None:
                worker.terminate()
        deadline = time.monotonic() + 15
        for worker in self.workers:
            try:
                worker.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.kill_whole(worker)
