"""Compiles the translations: the repository holds the texts, a machine makes the .mo files beside them."""

import os
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings


def compile_catalogues() -> int:
    """Compile every catalogue that is newer than its compiled file; return how many were compiled."""
    compiled = 0
    for folder in settings.LOCALE_PATHS:
        for source in Path(folder).glob("*/LC_MESSAGES/*.po"):
            target = source.with_suffix(".mo")
            if target.exists() and target.stat().st_mtime >= source.stat().st_mtime:
                continue
            with source.open("rb") as file:
                catalogue = read_po(file)
            part = target.with_suffix(f".{os.getpid()}.part")
            with part.open("wb") as file:
                write_mo(file, catalogue)
            part.replace(target)
            compiled += 1
    return compiled
