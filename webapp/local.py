"""What ``manage.py serve`` needs before the settings are read: a data folder, a secret key, plain HTTP."""

import os
import secrets
import sys
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent


def data_dir() -> Path:
    """Return the data folder: ``FX_DATA_DIR``, or ``var`` beside manage.py."""
    return Path(os.environ.get("FX_DATA_DIR") or BASE_DIR / "var").resolve()


def prepare_environment() -> None:
    """Set ``SECRET_KEY`` (kept in the data folder) and ``FX_HTTPS`` where the environment does not say.

    Raises
    ------
    SystemExit
        When the data folder cannot be written, with a message that names it.
    """
    folder = data_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".writable"
        probe.write_bytes(b"")
        probe.unlink()
        if not os.environ.get("SECRET_KEY"):
            os.environ["SECRET_KEY"] = _kept_secret_key(folder / "secret_key")
    except OSError as error:
        sys.exit(
            f"The data folder {folder} cannot be written ({error.strerror}). "
            "Make it writable, or name another one in the environment variable FX_DATA_DIR."
        )
    os.environ.setdefault("FX_HTTPS", "0")


def _kept_secret_key(path: Path) -> str:
    """Return the key in ``path``, making one that only this user can read on the first start."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    key = secrets.token_urlsafe(48)
    with os.fdopen(descriptor, "w", encoding="ascii") as file:
        file.write(key)
    return key
