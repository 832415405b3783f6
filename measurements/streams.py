"""Files too large to hold: read line by line, for readers that only look at one line at a time (``STREAMS = True``)."""

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from measurements.documents import MIB, Document, Refused, clean, decode
from measurements.jsonscan import JsonPart, JsonScan

HEAD_BYTES = MIB
LINE_MAX_BYTES = 16 * MIB
STREAM_MAX_BYTES = 1024 * MIB
CHUNK_BYTES = 4 * MIB


@dataclass
class StreamedDocument(Document):
    """A document whose ``text`` is its first lines only; ``parts()`` and ``rows()`` go through the whole file."""

    path: Path = field(default_factory=Path)

    def parts(self) -> Iterator[JsonPart]:
        """Iterate over the JSON documents, one per line."""
        self.parts_were_read = True
        number = 0
        for line, text in enumerate(self._lines(), 1):
            scan = JsonScan(text)
            for part in scan:
                number += 1
                self.repeated_keys.update(part.repeated_keys)
                yield JsonPart(part.value, line, number, part.repeated_keys)
            self.json_problems.extend((line, reason) for _, reason in scan.problems)

    def rows(self, delimiter: str = "") -> Iterator[list[str]]:
        """Iterate over the rows of a CSV."""
        first = self.text[: self.text.find("\n")]
        best = delimiter or max(",;\t", key=first.count)
        try:
            for row in csv.reader(self._lines(), delimiter=best):
                yield [cell.strip() for cell in row]
        except csv.Error as error:
            raise Refused("malformed", f"the table cannot be read: {error}") from None

    def _lines(self) -> Iterator[str]:
        with self.path.open("rb") as file:
            number = 0
            while line := file.readline(LINE_MAX_BYTES):
                number += 1
                if len(line) == LINE_MAX_BYTES:
                    raise Refused("too_large", f"line {number} is longer than {LINE_MAX_BYTES // MIB} MiB")
                try:
                    yield clean(line.decode("utf-8-sig" if number == 1 else "utf-8"))
                except UnicodeDecodeError:
                    raise Refused("encoding", f"line {number} is not UTF-8") from None


def open_stream(path: Path) -> StreamedDocument:
    """Open ``path`` for reading line by line.

    Raises
    ------
    Refused
        Where the first mebibyte has no line end, or is not UTF-8 text.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
        digest.update(head)
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
    cut = head.rfind(b"\n")
    if cut < 0:
        raise Refused("too_large", "the file is too large to be read at once, and is not made of lines")
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Refused("encoding", "a file of this size is read as UTF-8 only, not UTF-16")
    text = clean(decode(head[: cut + 1]))
    return StreamedDocument(name=path.name, text=text, sha256=digest.hexdigest(), folder=path.parent.name, path=path)
