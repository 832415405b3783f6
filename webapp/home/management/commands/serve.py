"""``manage.py serve``: web server and worker together, on one machine, with one command."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from webapp.home.demo import DEMO_PASSWORD, DEMO_PEOPLE, demo_load
from webapp.home.translations import compile_catalogues

READY_S = 60.0
STOP_S = 20.0
RESTART_PAUSE_S = 2.0


class Stop(BaseException):
    """Somebody wants the product to stop."""


class Command(BaseCommand):
    """Migrate, load the demo, start both processes, restart the one that dies, stop both in good order."""

    help = "Start the web application and a worker."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        """Host and port."""
        parser.add_argument("--host", default="127.0.0.1")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until Ctrl-C or SIGTERM."""
        host, port = options["host"], options["port"]
        _refuse_busy_port(host, port)
        compile_catalogues()
        call_command("migrate", interactive=False, verbosity=0)
        loaded = demo_load()
        children = _Children(host, port)
        signal.signal(signal.SIGTERM, _raise_stop)
        signal.signal(signal.SIGINT, _raise_stop)
        try:
            children.start()
            _wait_until_ready(host, port, children)
            self._say_hello(host, port, loaded=loaded)
            children.watch(self.stderr.write)
        except Stop:
            self.stdout.write("\nStopping …")
        finally:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            children.stop()
        self.stdout.write("Stopped. The data is kept.")

    def _say_hello(self, host: str, port: int, *, loaded: bool) -> None:
        name = "localhost" if host in ("127.0.0.1", "::1", "0.0.0.0") else host
        lines = [f"\nFX Planner runs at http://{name}:{port}/"]
        if loaded or _demo_is_there():
            lines.append(f"Sign in as {DEMO_PEOPLE[0][0]} with the password {DEMO_PASSWORD}")
        lines.append(f"Data: {settings.DATA_DIR}")
        lines.append("press Ctrl-C to stop\n")
        self.stdout.write("\n".join(lines))
        self.stdout.flush()


class _Children:
    """The two processes. They stay in the terminal's process group, so that nothing is left when it is closed."""

    def __init__(self, host: str, port: int) -> None:
        own = [sys.executable, "manage.py"]
        parent = ["--parent", str(os.getpid())]
        self._commands = {
            "web": [*own, "web", "--host", host, "--port", str(port), *parent],
            "worker": [*own, "worker", *parent],
        }
        self._running: dict[str, subprocess.Popen[bytes]] = {}

    def start(self) -> None:
        for name in self._commands:
            self._start(name)

    def _start(self, name: str) -> None:
        self._running[name] = subprocess.Popen(self._commands[name], cwd=settings.BASE_DIR, env=os.environ)

    def web_is_alive(self) -> bool:
        return self._running["web"].poll() is None

    def watch(self, warn: Any) -> None:
        """Start again what dies, with a pause, so that a broken set-up does not spin."""
        while True:
            time.sleep(0.5)
            for name, process in list(self._running.items()):
                if process.poll() is not None:
                    warn(f"The {name} process ended ({process.returncode}); starting it again.")
                    time.sleep(RESTART_PAUSE_S)
                    self._start(name)

    def stop(self) -> None:
        """End both: politely, then by force."""
        for process in self._running.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + STOP_S
        for process in self._running.values():
            try:
                process.wait(max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _raise_stop(number: int, frame: FrameType | None) -> None:
    raise Stop


def _refuse_busy_port(host: str, port: int) -> None:
    """Say clearly that the port is taken, before anything is started."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                message = f"Port {port} is in use. Choose another one: make run PORT={port + 1}"
            else:
                message = f"The address {host}:{port} cannot be used: {error.strerror}."
            raise CommandError(message) from error
        except OverflowError as error:
            message = f"{port} is not a port: choose one from 1024 to 65535, e.g. make run PORT=8001"
            raise CommandError(message) from error


def _wait_until_ready(host: str, port: int, children: _Children) -> None:
    address = f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}/health/"
    deadline = time.monotonic() + READY_S
    while time.monotonic() < deadline:
        if not children.web_is_alive():
            message = "The web server could not start; the lines above say why."
            raise CommandError(message)
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    message = f"The web server does not answer at {address}."
    raise CommandError(message)


def _demo_is_there() -> bool:
    from webapp.accounts.models import User

    return User.objects.filter(email=DEMO_PEOPLE[0][0], is_active=True).exists()
