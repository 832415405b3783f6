"""A file as text: decoded, newlines and colour codes removed, binary refused, size limited before parsing."""

import csv
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from measurements.jsonscan import JsonPart, JsonScan
from planner.errors import shown

MIB = 1 << 20
DEFAULT_MAX_BYTES = 64 * MIB
YAML_MAX_CHARACTERS = 4 * MIB
YAML_MAX_DEPTH = 64
ROWS_MAX_COUNT = 2_000_000
EXCEL_LOCK_BYTES, EXCEL_NAME_BYTES = 165, 54

_ANSI = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_KNOWN_BINARY = (
    (b"PK\x03\x04", "zip", "a zip archive or an XLSX workbook: unpack it, or export the sheet as CSV"),
    (
        b"\x00\x05\x16\x07",
        "binary",
        "an AppleDouble file (macOS metadata '._…'): hand in the file without the '._' prefix",
    ),
    (b"\x1f\x8b", "compressed", "gzip data: unpack it first"),
    (b"\x89PNG", "binary", "a PNG image"),
    (b"\xff\xd8\xff", "binary", "a JPEG image"),
    (b"GIF8", "binary", "a GIF image"),
    (b"%PDF", "binary", "a PDF document"),
    (b"SQLite format 3", "binary", "an SQLite database"),
)


class Refused(Exception):
    """The file (or a part of it) is refused; ``code`` is for programs, ``message`` for people."""

    def __init__(self, code: str, message: str) -> None:
        self.code, self.message = code, message
        super().__init__(message)


@dataclass
class Document:
    """One file, decoded. Readers look at ``head``, ``parts()``, ``text``, ``rows()`` or ``yaml``, made on demand.

    Attributes
    ----------
    name : str
        File name without folders: evidence names files, not people's disks.
    folder : str
        Name of the folder the file lies in (some tools write the concurrency there).
    """

    name: str
    text: str
    sha256: str
    folder: str = ""
    json_problems: list[tuple[int, str]] = field(default_factory=list)
    repeated_keys: set[str] = field(default_factory=set)
    parts_were_read: bool = False

    @cached_property
    def _scan(self) -> tuple[JsonPart | None, Iterator[JsonPart]]:
        parts = iter(JsonScan(self.text, self.json_problems))
        return next(parts, None), parts

    @property
    def head(self) -> Any:
        """The first JSON document's value, or None."""
        first, _ = self._scan
        if first is None:
            return None
        self.repeated_keys.update(first.repeated_keys)
        return first.value

    def parts(self) -> Iterator[JsonPart]:
        """Iterate over all JSON documents; only one is held at a time beyond the first. Can be called once."""
        first, rest = self._scan
        self.parts_were_read = True
        if first is not None:
            self.repeated_keys.update(first.repeated_keys)
            yield first
        for part in rest:
            self.repeated_keys.update(part.repeated_keys)
            yield part

    @cached_property
    def first_lines(self) -> list[str]:
        """The first 200 non-empty lines, stripped."""
        lines = (line.strip() for line in self.text[: 256 * 1024].splitlines())
        return [line for line in lines if line][:200]

    def rows(self, delimiter: str = "") -> Iterator[list[str]]:
        """Iterate over the rows of a CSV text (comma, semicolon or tab, whichever the first line has most of)."""
        first = self.text[: self.text.find("\n")] if "\n" in self.text else self.text
        best = delimiter or max(",;\t", key=first.count)
        lines = io.StringIO(self.text)
        try:
            for count, row in enumerate(csv.reader(lines, delimiter=best)):
                if count > ROWS_MAX_COUNT:
                    raise Refused("too_many_rows", f"the table has more than {ROWS_MAX_COUNT:,} rows")
                yield [cell.strip() for cell in row]
        except csv.Error as error:
            raise Refused("malformed", f"the table cannot be read: {error}") from None

    @cached_property
    def yaml(self) -> Any:
        """The value of a YAML text, or None when it is none; aliases and deep nesting are refused."""
        if len(self.text) > YAML_MAX_CHARACTERS:
            raise Refused("too_large", f"a YAML file of more than {YAML_MAX_CHARACTERS // MIB} MiB")
        try:
            depth = 0
            for event in yaml.parse(self.text, Loader=yaml.CSafeLoader):
                if isinstance(event, yaml.AliasEvent):
                    raise Refused("yaml_alias", "the YAML file uses aliases, which no benchmark report needs")
                depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
                if depth > YAML_MAX_DEPTH:
                    raise Refused("too_deep", f"the YAML file is nested more than {YAML_MAX_DEPTH} levels deep")
            return yaml.load(self.text, Loader=yaml.CSafeLoader)
        except (yaml.YAMLError, ValueError, RecursionError):
            return None


def open_document(path: Path, max_bytes: int = DEFAULT_MAX_BYTES) -> Document:
    """Read and decode ``path``.

    Raises
    ------
    Refused
        The file is missing, no regular file, too large, empty, binary, or in an unknown encoding.
    """
    size = size_of(path)
    if size > max_bytes:
        raise Refused("too_large", f"{size:,} bytes; the limit is {max_bytes:,} bytes ({max_bytes / MIB:g} MiB)")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Refused("unreadable", f"the file cannot be opened: {error.strerror}") from None
    return document_from_bytes(data, path.name, folder=path.parent.name)


def size_of(path: Path) -> int:
    """Return the size of a regular file in bytes; raise ``Refused`` where there is none."""
    try:
        if not path.is_file():
            raise Refused("no_file", "there is no such file" if not path.exists() else "this is no regular file")
        return path.stat().st_size
    except (OSError, ValueError) as error:  # ValueError: NUL in the name
        raise Refused("unreadable", f"the file cannot be opened: {getattr(error, 'strerror', None) or error}") from None


def document_from_bytes(data: bytes, name: str, folder: str = "") -> Document:
    """Decode ``data`` (see ``open_document``)."""
    if not data.strip():
        raise Refused("empty", "the file is empty" if not data else "the file holds nothing but white space")
    digest = hashlib.sha256(data).hexdigest()
    return Document(name=name, text=clean(decode(data)), sha256=digest, folder=folder)


def decode(data: bytes) -> str:
    """Return the text of ``data``: UTF-8 with or without BOM, UTF-16 by its BOM; anything else is refused."""
    for magic, code, meaning in _KNOWN_BINARY:
        if data.startswith(magic):
            raise Refused(code, f"the content is {meaning}")
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return data.decode("utf-16")
        if len(data) == EXCEL_LOCK_BYTES and data[0] <= EXCEL_NAME_BYTES:
            raise Refused(
                "binary", "an Excel lock file ('~$…', it names who has the workbook open): hand in the workbook"
            )
        if b"\x00" in data[:512]:
            raise Refused("binary", "the content is binary, not text (NUL bytes at the start)")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"byte {shown(data[error.start : error.start + 1])} at offset {error.start}"
        raise Refused("encoding", f"not UTF-8 and no UTF-16 byte-order mark ({where}): save it as UTF-8") from None


def clean(text: str) -> str:
    """Return ``text`` with plain newlines and without terminal colour codes."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return text
