"""Price books as files: which version is valid on a day, and what is refused.

A book is a folder of versions, one TOML file each. On a day exactly one approved version may be valid: none (a gap,
too early, expired), several (an overlap) or one that is only a draft or has been retired is refused with the reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

from planner.errors import InputProblems, Problem, shown
from planner.prices import BookStatus, PriceBook
from pricing.books.reading import read_book

__all__ = ["BookListing", "list_books", "load_book", "on_day", "read_book", "valid_version"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BookListing:
    """What a list of books shows of one version."""

    id: str
    version: str
    status: BookStatus
    currency: str
    valid_from: date
    valid_to: date
    title: str
    items_count: int
    sha256: str


def _folder() -> Path:
    return Path(str(files("pricing").joinpath("books")))


def _versions(book_id: str, folder: Path) -> list[PriceBook]:
    known = sorted(path.name for path in folder.iterdir() if path.is_dir() and any(path.glob("*.toml")))
    if book_id not in known:
        hint = "one of " + ", ".join(known)
        raise InputProblems([Problem("unknown_book", "money.book", shown(book_id), hint)])
    return [read_book(path.read_bytes(), file=path.name) for path in sorted((folder / book_id).glob("*.toml"))]


def list_books(folder: Path | None = None) -> tuple[BookListing, ...]:
    """Return every version of every shipped book (or of those in ``folder``), by id and version."""
    home = folder or _folder()
    names = sorted(path.name for path in home.iterdir() if path.is_dir() and any(path.glob("*.toml")))
    return tuple(
        BookListing(
            id=book.id,
            version=book.version,
            status=book.status,
            currency=book.currency,
            valid_from=book.valid_from,
            valid_to=book.valid_to,
            title=book.title,
            items_count=len(book.items),
            sha256=book.sha256,
        )
        for name in names
        for book in _versions(name, home)
    )


def on_day(on: date | datetime | str, timezone: str = "Asia/Shanghai") -> date:
    """Return the calendar day in the book's time zone. A moment needs a time zone of its own; text is ISO 8601.

    >>> on_day(datetime.fromisoformat("2026-12-31T16:30:00+00:00"))
    datetime.date(2027, 1, 1)
    """
    if isinstance(on, str):
        try:
            on = datetime.fromisoformat(on) if "T" in on else date.fromisoformat(on)
        except ValueError as error:
            hint = "a day such as 2026-12-01"
            raise InputProblems([Problem("not_a_date", "money.book_date", shown(on), hint)]) from error
    if isinstance(on, datetime):
        if on.tzinfo is None:
            hint = "a day, or a moment with its time zone"
            raise InputProblems([Problem("no_time_zone", "money.book_date", shown(str(on)), hint)])
        return on.astimezone(ZoneInfo(timezone)).date()
    if not isinstance(on, date):
        raise InputProblems([Problem("not_a_date", "money.book_date", shown(on), "a day such as 2026-12-01")])
    return on


def valid_version(versions: Sequence[PriceBook], on: date | datetime | str) -> PriceBook:
    """Return the one approved version that is valid on a day.

    Raises
    ------
    InputProblems
        ``book_not_approved``, ``book_retired``, ``book_not_yet_valid``, ``book_expired``, ``book_gap`` or
        ``book_overlap``, with the periods that exist.
    """

    def covers(book: PriceBook) -> bool:
        return book.valid_from <= on_day(on, book.timezone) < book.valid_to

    approved = [book for book in versions if book.status is BookStatus.APPROVED]
    valid = [book for book in approved if covers(book)]
    if len(valid) == 1:
        return valid[0]
    day = on_day(on, versions[0].timezone)
    if len(valid) > 1:
        names = ", ".join(book.version for book in valid)
        raise _refused("book_overlap", day, f"one valid version; {names} overlap: end one before the other begins")
    for book in versions:
        if covers(book):
            code = "book_retired" if book.status is BookStatus.RETIRED else "book_not_approved"
            raise _refused(code, day, f"version {book.version} is {book.status.value}; use an approved version")
    periods = "; ".join(f"{book.version}: {book.valid_from} until before {book.valid_to}" for book in approved)
    hint = f"a day within an approved version ({periods or 'there is none'})"
    if not approved or all(day < book.valid_from for book in approved):
        raise _refused("book_not_yet_valid" if approved else "book_not_approved", day, hint)
    if all(day >= book.valid_to for book in approved):
        raise _refused("book_expired", day, hint)
    raise _refused("book_gap", day, hint)


def _refused(code: str, day: date, hint: str) -> InputProblems:
    return InputProblems([Problem(code, "money.book_date", day.isoformat(), hint)])


def load_book(book_id: str, *, on: date | datetime | str, folder: Path | None = None) -> PriceBook:
    """Return the version of a shipped book that is valid on a day.

    Parameters
    ----------
    book_id : str
        Such as ``fx-reference``; ``list_books`` names them.
    on : date, aware datetime or ISO text
        The day of the quote. A moment is taken to the book's time zone (Asia/Shanghai).
    folder : Path, optional
        Where to look instead of the shipped books.

    Raises
    ------
    InputProblems
        When there is no such book, or no single approved version is valid on that day.
    """
    return valid_version(_versions(book_id, folder or _folder()), on)
