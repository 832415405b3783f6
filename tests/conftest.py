"""Fixtures for all tests. The settings of the web application under test are in tests/webapp/settings.py."""

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent
REQUIRED = bool(os.environ.get("REQUIRE_SERVICES") or os.environ.get("CI"))
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome")

# No deadline: a busy machine is slow. The gate draws the same cases each time; elsewhere new ones are looked for.
settings.register_profile("fx-planner", deadline=None, derandomize="CI" in os.environ, print_blob=True)
settings.load_profile("fx-planner")


def absent(reason: str) -> None:
    """Skip where something optional is absent, and fail where the environment says that it is required."""
    if REQUIRED:
        pytest.fail(f"{reason} (required by CI or REQUIRE_SERVICES)")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The shared folder of cases and data; tests that need it are skipped where it is absent, and fail in CI."""
    folder = Path(os.environ.get("SHARED_DIR", REPOSITORY.parent / "shared"))
    if not folder.is_dir():
        absent(f"the shared folder {folder.name!r} is absent (set SHARED_DIR)")
    return folder


def _service(variable: str, default: str, port: int) -> str:
    address = os.environ.get(variable, default)
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "127.0.0.1", parts.port or port), timeout=2).close()
    except OSError:
        absent(f"nothing answers at {parts.hostname}:{parts.port or port} (set {variable})")
    return address


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """Address of an empty PostgreSQL database that is dropped after the tests."""
    server = _service("TEST_POSTGRES_URL", "postgres://postgres@127.0.0.1:5432/postgres", 5432)
    import psycopg

    name = f"fx_planner_test_{os.getpid()}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {name}")
    yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def redis_url() -> str:
    """Address of a Redis."""
    return _service("TEST_REDIS_URL", "redis://127.0.0.1:6379/15", 6379)


@pytest.fixture(scope="session")
def rabbitmq_url() -> str:
    """Address of a RabbitMQ."""
    return _service("TEST_RABBITMQ_URL", "amqp://guest:guest@127.0.0.1:5672//", 5672)


@pytest.fixture(scope="session")
def chromium_path() -> str:
    """Path of a Chromium."""
    found = next((path for name in CHROMIUM_NAMES if (path := shutil.which(name))), "")
    if not found:
        absent("no Chromium is installed (Debian: apt install chromium)")
    return found
