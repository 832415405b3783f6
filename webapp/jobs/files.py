"""Artefact files: whole or absent, each under the hash of its content."""

import os
import tempfile
from hashlib import sha256
from pathlib import Path

from django.conf import settings

from webapp.jobs.kinds import ArtefactFile
from webapp.jobs.models import JobArtefact


class ArtefactDamaged(Exception):
    """The file is missing or its bytes are not those that were stored."""


def artefact_path(digest: str) -> Path:
    """Return where the bytes with this SHA-256 lie."""
    return Path(settings.ARTEFACTS_DIR) / digest[:2] / digest


def artefact_write(file: ArtefactFile) -> JobArtefact:
    """Store the bytes and return the row that describes them, not saved yet.

    They are written under a temporary name, flushed to the disk and renamed. A second run of the same job, or one
    that has lost its lease, writes the same bytes to the same place or other bytes elsewhere: neither can spoil a
    file that a row points to.

    Raises
    ------
    OSError
        When the disk is full or not writable; nothing is left behind.
    """
    digest = sha256(file.content).hexdigest()
    path = artefact_path(digest)
    if not (path.is_file() and path.stat().st_size == len(file.content)):
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_whole(path, file.content)
    return JobArtefact(name=file.name, media_type=file.media_type, size_bytes=len(file.content), sha256=digest)


def artefact_read(artefact: JobArtefact) -> bytes:
    """Return the bytes, checked against the hash in the row.

    Raises
    ------
    ArtefactDamaged
        When they are not what was stored.
    """
    try:
        content = artefact_path(artefact.sha256).read_bytes()
    except OSError as error:
        raise ArtefactDamaged(artefact.name) from error
    if sha256(content).hexdigest() != artefact.sha256:
        raise ArtefactDamaged(artefact.name)
    return content


def _write_whole(path: Path, content: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(prefix=".part-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
