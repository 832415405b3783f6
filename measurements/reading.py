"""Read one file of evidence: recognise the tool, convert to runs, check them; a refusal is an error with its reason."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from measurements.checks import check_runs
from measurements.documents import DEFAULT_MAX_BYTES, Document, Refused, document_from_bytes, open_document, size_of
from measurements.fields import Reading, finding
from measurements.readers import FAMILIES, Reader, named, readers, recognised
from measurements.streams import open_stream
from planner.errors import shown
from planner.runs import Finding, Run, Severity


@dataclass(frozen=True, slots=True)
class ReadError:
    """Why a file was refused: ``code`` for programs, ``message`` for people."""

    file: str
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Runs of one file, what a careful reader would say of them, and errors. A refused file has no runs."""

    runs: tuple[Run, ...] = ()
    findings: tuple[Finding, ...] = ()
    errors: tuple[ReadError, ...] = ()


def read(
    path: str | PathLike[str],
    tool: str | None = None,
    *,
    max_bytes: int = DEFAULT_MAX_BYTES,
    max_stream_bytes: int = DEFAULT_MAX_BYTES,
) -> ReadResult:
    """Read a benchmark file.

    Parameters
    ----------
    path : str or path
        The file. It is recognised by its content, never by its name alone.
    tool : str, optional
        Name of a reader (``measurements.readers.readers()``) or of a family (``vllm``), which overrides recognition.
    max_bytes : int
        Larger files are refused before they are parsed.
    max_stream_bytes : int
        Limit for formats that are read line by line (on the command line ``measurements.streams.STREAM_MAX_BYTES``).

    Returns
    -------
    ReadResult
        Never raises for bad content: a file that cannot be read gives one error and no runs.
    """
    where = str(path)
    try:
        return _result(_open(Path(path), tool, max_bytes, max_stream_bytes), tool)
    except Refused as refusal:
        return ReadResult(errors=(ReadError(where, refusal.code, refusal.message),))


def _open(path: Path, tool: str | None, max_bytes: int, max_stream_bytes: int) -> Document:
    """Return the whole file, or its lines where it is larger than ``max_bytes`` and its reader needs no more."""
    size = size_of(path)
    if not max_bytes < size <= max_stream_bytes:
        return open_document(path, max_bytes)
    document = open_stream(path)
    reader = reader_for(document, tool)
    if not getattr(reader, "STREAMS", False):
        raise Refused("too_large", f"{size:,} bytes; {reader.TITLE} is read at once, up to {max_bytes:,} bytes")
    return document


def read_bytes(data: bytes, name: str, tool: str | None = None, *, max_bytes: int = DEFAULT_MAX_BYTES) -> ReadResult:
    """Read content in memory (an upload, a member of an archive) as ``read`` does, under the file name ``name``."""
    if len(data) > max_bytes:
        message = f"{len(data):,} bytes; the limit is {max_bytes:,} bytes"
        return ReadResult(errors=(ReadError(name, "too_large", message),))
    try:
        return _result(document_from_bytes(data, Path(name).name, folder=Path(name).parent.name), tool)
    except Refused as refusal:
        return ReadResult(errors=(ReadError(name, refusal.code, refusal.message),))


def reader_for(document: Document, tool: str | None = None) -> Reader:
    """Return the reader named ``tool``, or the one that recognises ``document``; raise ``Refused`` without one."""
    if tool is not None:
        chosen = named(tool)
        if not chosen:
            raise Refused(
                "unknown_tool", f"{shown(tool)} is no known tool; known are {', '.join((*FAMILIES, *readers()))}"
            )
        return recognised(document, chosen) or chosen[0]
    reader = recognised(document)
    if reader is None:
        broken = "".join(f"; line {line}: {reason}" for line, reason in document.json_problems[:3])
        start = f"; it begins with {shown(document.first_lines[0])}" if document.first_lines else ""
        raise Refused("not_recognised", f"no known tool writes this{broken}{start}")
    return reader


def read_document(document: Document, tool: str | None = None) -> Reading:
    """Return what the reader makes of ``document``, unchecked; raise ``Refused`` where it cannot."""
    reader = reader_for(document, tool)
    reading = reader.read(document)
    broken = "; ".join(f"line {line}: {reason}" for line, reason in document.json_problems[:3])
    if not reading.runs:
        raise Refused(
            "no_measurement", f"read as {reader.TITLE}, but it holds no measurement{broken and '; ' + broken}"
        )
    if broken and document.parts_were_read:
        message = f"a part of the file cannot be read: {broken}"
        reading.findings.append(
            finding("incomplete_file", Severity.WARNING, message, "only what could be read is imported")
        )
    if document.repeated_keys and not any(note.code == "duplicate_key" for note in reading.findings):
        message = f"the file repeats the keys {', '.join(sorted(document.repeated_keys)[:5])} within one object"
        reading.findings.append(finding("duplicate_key", Severity.WARNING, message, "the first value of each counts"))
    return reading


def _result(document: Document, tool: str | None) -> ReadResult:
    try:
        reading = read_document(document, tool)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError) as error:
        message = (
            f"the content does not have the shape that its tool writes ({type(error).__name__}: {shown(str(error))})"
        )
        raise Refused("malformed", message) from error
    runs = tuple(reading.runs)
    return ReadResult(runs, (*reading.findings, *check_runs(runs)))
