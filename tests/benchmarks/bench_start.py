"""Time of ``make run`` with everything set up: until the sign-in page answers, on an empty and on a filled database."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 8.0
GIVE_UP_S = 120.0


def free_port() -> int:
    """Return a port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_s(data: Path) -> float:
    """Start the product, wait for its page, press Ctrl-C; return the time until the page [s]."""
    port = free_port()
    begin = time.monotonic()
    process = subprocess.Popen(
        ["make", "run", f"PORT={port}"],
        cwd=ROOT,
        env={**os.environ, "FX_DATA_DIR": str(data)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        while time.monotonic() - begin < GIVE_UP_S and process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health/", timeout=2):
                    return time.monotonic() - begin
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        sys.exit("make run did not answer")
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(60)


def main() -> int:
    """Print both times beside the limit."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = start_s(Path(folder)), start_s(Path(folder))
    print(f"start, empty database       {first:.1f} s")
    print(f"start, filled database      {second:.1f} s  (limit {LIMIT_S:.0f} s)")
    return second > LIMIT_S


if __name__ == "__main__":
    sys.exit(main())
