"""``manage.py serve``: one command starts the product, keeps it running and stops it in good order."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def environment(folder: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return kept | {"FX_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"}


class Product:
    """The product as ``make run`` starts it, its output in a file."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.log = folder.parent / f"serve-{self.port}.log"
        with self.log.open("wb") as log:
            command = [sys.executable, "manage.py", "serve", "--port", str(self.port)]
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=environment(folder), stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def wait_for(self, text: str, limit_s: float = 60) -> None:
        deadline = time.monotonic() + limit_s
        while text not in self.output():
            assert time.monotonic() < deadline, self.output()
            time.sleep(0.1)

    def children(self) -> dict[str, int]:
        """Return the process ids of web server and worker."""
        listed = subprocess.run(
            ["ps", "-o", "pid=,args=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        rows = [line.split(None, 1) for line in listed.stdout.splitlines()]
        return {name: int(pid) for pid, command in rows for name in ("web", "worker") if f"manage.py {name}" in command}

    def get(self, address: str) -> int:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{address}", timeout=10) as answer:
            return int(answer.status)

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)


@pytest.fixture
def products() -> Iterator[list[Product]]:
    """Collects what a test starts, so that nothing is left."""
    started: list[Product] = []
    yield started
    for product in started:
        product.kill()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_it_starts_says_how_to_sign_in_and_stops_both(products: list[Product], tmp_path: Path, how: int) -> None:
    product = Product(tmp_path / "var")
    products.append(product)
    product.wait_for("press Ctrl-C to stop")
    assert f"http://localhost:{product.port}/" in product.output()
    assert "presales@demo.example" in product.output()
    assert product.get("/sign-in/") == 200
    children = product.children()
    assert set(children) == {"web", "worker"}
    product.process.send_signal(how)
    assert product.process.wait(30) == 0
    assert "The data is kept" in product.output()
    assert not any(Path(f"/proc/{pid}").exists() for pid in children.values())


def test_a_second_start_keeps_the_data_and_the_secret(products: list[Product], tmp_path: Path) -> None:
    first = Product(tmp_path / "var")
    products.append(first)
    first.wait_for("press Ctrl-C to stop")
    first.process.send_signal(signal.SIGTERM)
    first.process.wait(30)
    key = (tmp_path / "var" / "secret_key").read_bytes()
    second = Product(tmp_path / "var")
    products.append(second)
    second.wait_for("press Ctrl-C to stop")
    assert (tmp_path / "var" / "secret_key").read_bytes() == key
    assert (tmp_path / "var" / "secret_key").stat().st_mode & 0o077 == 0


def test_it_starts_a_worker_that_died_again(products: list[Product], tmp_path: Path) -> None:
    product = Product(tmp_path / "var")
    products.append(product)
    product.wait_for("press Ctrl-C to stop")
    before = product.children()
    os.kill(before["worker"], signal.SIGKILL)
    product.wait_for("The worker process ended")
    deadline = time.monotonic() + 30
    while product.children().get("worker") in (None, before["worker"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert product.children()["web"] == before["web"]


def test_both_children_end_when_it_is_killed(products: list[Product], tmp_path: Path) -> None:
    product = Product(tmp_path / "var")
    products.append(product)
    product.wait_for("press Ctrl-C to stop")
    product.wait_for("ready.")
    children = product.children()
    product.process.send_signal(signal.SIGKILL)
    product.process.wait(10)
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in children.values()):
        assert time.monotonic() < deadline, product.output()
        time.sleep(0.2)


def serve_once(folder: Path, port: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    return subprocess.run(
        command, cwd=ROOT, env=environment(folder), capture_output=True, text=True, check=False, timeout=60
    )


def test_it_refuses_a_busy_port_and_names_another(tmp_path: Path) -> None:
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        port = busy.getsockname()[1]
        outcome = serve_once(tmp_path, port)
    assert outcome.returncode != 0
    assert f"Port {port} is in use. Choose another one: make run PORT={port + 1}" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_it_refuses_a_port_that_is_none(tmp_path: Path) -> None:
    outcome = serve_once(tmp_path, 99_999)
    assert outcome.returncode != 0
    assert "is not a port" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_it_refuses_a_data_folder_that_cannot_be_written(tmp_path: Path) -> None:
    obstacle = tmp_path / "a-file"
    obstacle.write_text("not a folder", encoding="ascii")
    outcome = serve_once(obstacle / "var", free_port())
    assert outcome.returncode != 0
    assert "cannot be written" in outcome.stderr
    assert "FX_DATA_DIR" in outcome.stderr
    assert "Traceback" not in outcome.stderr
