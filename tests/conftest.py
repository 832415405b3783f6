"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The shared folder of cases and data; tests that need it are skipped where it is absent, and fail in CI."""
    repository = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("SHARED_DIR", repository.parent / "shared"))
    if folder.is_dir():
        return folder
    reason = f"the shared folder {folder.name!r} is absent (set SHARED_DIR)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)
