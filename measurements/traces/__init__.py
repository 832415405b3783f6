"""Request traces of foreign formats, read into ``planner.trace.Trace``: lengths, arrivals and dense ids only."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from measurements.traces import bailian, mooncake, raw_tokens
from measurements.traces.lines import BadLine, Request, lines_of, refusal
from measurements.traces.tables import TABLES, Table, cells_of, header_of
from planner.errors import InputProblems, Problem, shown
from planner.trace import Trace, make_trace

LINE_FORMATS = (bailian, mooncake, raw_tokens)
FORMATS = tuple(reader.NAME for reader in LINE_FORMATS) + tuple(table.name for table in TABLES)
PROBLEMS_SHOWN = 20

Parse = Callable[[str, int], Request]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceReadResult:
    """A trace, the format it was read as, and the lines that were left out when that was asked for."""

    trace: Trace
    format: str
    errors: tuple[Problem, ...] = ()
    skipped_lines_count: int = 0


def read_trace(
    path: str | PathLike[str],
    format: str | None = None,
    *,
    block_tokens: int | None = None,
    skip_bad_lines: bool = False,
) -> TraceReadResult:
    """Read a request trace.

    Parameters
    ----------
    format : one of ``FORMATS``; otherwise the file is recognised by its first line, never by its name
    block_tokens : tokens a block, where the file does not use the size its format is published with
    skip_bad_lines : leave broken lines out, count them and list the first of them, rather than refuse the file

    Raises
    ------
    InputProblems
        With the file, the line number and field, the value and what would be right; at most 20 lines are listed.
    """
    where = Path(path)
    if block_tokens is not None and (isinstance(block_tokens, bool) or not 1 <= block_tokens <= 1_000_000):
        raise refusal(where.name, "out_of_range", block_tokens, "block_tokens from 1 to 1000000")
    try:
        lines = lines_of(where)
        return _read(where.name, lines, format, block_tokens=block_tokens, skip_bad_lines=skip_bad_lines)
    except OSError as error:
        raise refusal(where.name, "unreadable", error.strerror or "", "a file that can be read") from None


def _read(
    file: str,
    lines: Iterator[tuple[int, str | BadLine]],
    name: str | None,
    *,
    block_tokens: int | None,
    skip_bad_lines: bool,
) -> TraceReadResult:
    first = next(lines, None)
    if first is None:
        raise refusal(file, "empty", "no line", "at least one request")
    number, text = first
    if isinstance(text, BadLine):
        raise refusal(file, text.code, text.value, "a text file in UTF-8: JSON Lines or CSV")
    found, size, parse, has_header = _parser(file, text, name)
    size = block_tokens or size
    rows = _Rows(file, size)
    if not has_header:
        rows.add(number, text, parse)
    for number, text in lines:
        rows.add(number, text, parse)
    if rows.bad_count and not skip_bad_lines:
        raise InputProblems(rows.problems)
    if not rows.arrival_s:
        raise refusal(file, "empty", f"{rows.bad_count} broken lines", "at least one request")
    return TraceReadResult(
        trace=rows.trace(), format=found, errors=tuple(rows.problems), skipped_lines_count=rows.bad_count
    )


def _parser(file: str, first_line: str, name: str | None) -> tuple[str, int, Parse, bool]:
    for reader in LINE_FORMATS:
        if name == reader.NAME or (name is None and reader.recognises(first_line)):
            return reader.NAME, reader.BLOCK_TOKENS, reader.request, False
    header = [] if first_line.startswith("{") else header_of(first_line)
    for table in TABLES:
        if name in (None, table.name) and set(table.columns) <= set(header):
            return table.name, table.block_tokens, _row_parser(table, header), True
    if name is not None and name in FORMATS:
        raise refusal(file, "wrong_format", first_line[:60], f"the header of {name}")
    raise refusal(file, "unknown_format", name or first_line[:60], "one of " + ", ".join(FORMATS))


def _row_parser(table: Table, header: list[str]) -> Parse:
    return lambda text, block_tokens: table.row(cells_of(text, header))


class _Rows:
    """Collects the requests of a file and the lines that cannot be used."""

    def __init__(self, file: str, block_tokens: int) -> None:
        self.file, self.block_tokens = file, block_tokens
        self.arrival_s: list[float] = []
        self.input_tokens: list[int] = []
        self.output_tokens: list[int] = []
        self.hashes: list[np.ndarray[tuple[int], np.dtype[np.int64]]] = []
        self.problems: list[Problem] = []
        self.bad_count = 0

    def add(self, line: int, text: str | BadLine, parse: Parse) -> None:
        try:
            if isinstance(text, BadLine):
                raise text
            request = parse(text, self.block_tokens)
            self._check(request)
        except BadLine as bad:
            self.bad_count += 1
            if len(self.problems) < PROBLEMS_SHOWN:
                where = f"line {line}: {bad.name}"
                self.problems.append(Problem(bad.code, where, shown(bad.value), bad.hint, self.file))
            return
        self.arrival_s.append(request.arrival_s)
        self.input_tokens.append(request.input_tokens)
        self.output_tokens.append(request.output_tokens)
        if request.hashes is not None:
            self.hashes.append(np.array(request.hashes, dtype=np.int64))

    def _check(self, request: Request) -> None:
        if self.arrival_s and request.arrival_s < self.arrival_s[-1]:
            hint = f"arrivals in order of time; the request before came at {self.arrival_s[-1]:g} s"
            raise BadLine("time_decreases", "timestamp", request.arrival_s, hint)
        if request.hashes is None:
            return
        wanted = -(-request.input_tokens // self.block_tokens)
        if len(request.hashes) != wanted:
            hint = f"{wanted} ids for {request.input_tokens} tokens at {self.block_tokens} tokens a block"
            raise BadLine("block_count_mismatch", "block ids", len(request.hashes), hint)

    def trace(self) -> Trace:
        start = self.arrival_s[0]
        return make_trace(
            np.array(self.arrival_s) - start,
            self.input_tokens,
            output_tokens=self.output_tokens,
            hashes=np.concatenate(self.hashes) if self.hashes else None,
            block_tokens=self.block_tokens,
            source=self.file,
        )
