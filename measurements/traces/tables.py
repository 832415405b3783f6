"""Trace tables (CSV): BurstGPT and Azure, which have no prefix ids, and our own simple one, which may."""

import csv
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from measurements.traces.lines import BadLine, Request, ids, seconds, tokens


@dataclass(frozen=True, slots=True)
class Table:
    """A CSV format: the columns that must be in its header (lower case) and how a row becomes a request."""

    name: str
    block_tokens: int
    columns: tuple[str, ...]
    row: Callable[[dict[str, str]], Request]


def header_of(first_line: str) -> list[str]:
    """Return the column names in lower case."""
    return [cell.strip().lower() for cell in next(csv.reader([first_line]), [])]


def cells_of(text: str, header: list[str]) -> dict[str, str]:
    """Return the cells of a row by column."""
    try:
        cells = next(csv.reader([text], strict=True), [])
    except csv.Error:
        raise BadLine("malformed", "row", text[:60], "a CSV row") from None
    if len(cells) != len(header):
        raise BadLine("malformed", "row", text[:60], f"{len(header)} cells as in the header, not {len(cells)}")
    return dict(zip(header, (cell.strip() for cell in cells), strict=True))


def _azure_time(value: str) -> float:
    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        raise BadLine("not_a_time", "TIMESTAMP", value, "a date and time such as 2023-11-16 18:15:46.68") from None
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()


def _azure(row: dict[str, str]) -> Request:
    return Request(
        _azure_time(row["timestamp"]),
        tokens("ContextTokens", row["contexttokens"], low=1),
        tokens("GeneratedTokens", row["generatedtokens"], low=0),
    )


def _burstgpt(row: dict[str, str]) -> Request:
    return Request(
        seconds("Timestamp", row["timestamp"]),
        tokens("Request tokens", row["request tokens"], low=1),
        tokens("Response tokens", row["response tokens"], low=0),
    )


def _simple(row: dict[str, str]) -> Request:
    hashes = None
    if "block_ids" in row:
        cells = row["block_ids"].split()
        try:
            hashes = ids("block_ids", [int(cell) for cell in cells])
        except ValueError:
            hint = "whole numbers separated by spaces"
            raise BadLine("not_an_id", "block_ids", row["block_ids"][:40], hint) from None
    return Request(
        seconds("arrival_s", row["arrival_s"]),
        tokens("input_tokens", row["input_tokens"], low=1),
        tokens("output_tokens", row["output_tokens"], low=0),
        hashes,
    )


TABLES = (
    Table("azure", 512, ("timestamp", "contexttokens", "generatedtokens"), _azure),
    Table("burstgpt", 512, ("timestamp", "request tokens", "response tokens"), _burstgpt),
    Table("simple-csv", 512, ("arrival_s", "input_tokens", "output_tokens"), _simple),
)
