"""Errors with a code, the field, the value and what would be right.

``InputProblems`` is bad input (exit code 2, a form error beside the field); ``NoResult`` is a well-formed
question without an answer (exit code 3). Both carry data, so that the web app and the command line can word them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input: ``field`` is the dotted path, ``hint`` says what would be right."""

    code: str
    field: str
    value: str
    hint: str
    file: str = ""

    def __str__(self) -> str:
        where = f"{self.file}: " if self.file else ""
        return f"{where}{self.field} = {self.value}: {self.hint} [{self.code}]"


class InputProblems(ValueError):
    """All problems of one input, raised once.

    Attributes
    ----------
    problems : tuple of Problem
        At least one, in the order in which the input names its fields.
    """

    def __init__(self, problems: list[Problem] | tuple[Problem, ...]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class NoResult(Exception):
    """The question is well formed, but no honest number can be given; ``code`` and ``figures`` say why."""

    def __init__(self, code: str, message: str, **figures: float | str) -> None:
        self.code, self.message, self.figures = code, message, figures
        super().__init__(message)


SHOWN_CHARACTERS = 80


def shown(value: object) -> str:
    """Return ``value`` as a message may quote it: one line, printable, at most 80 characters."""
    try:
        quoted = repr(value)
    except (RecursionError, ValueError):  # nested too deep, or an integer of more digits than Python prints
        quoted = f"{type(value).__name__} too large to show"
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in quoted)
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


class Checker:
    """Collects the problems of one input, so that a person sees all of them at once.

    >>> check = Checker(file="case.toml")
    >>> check.number("workload.hit_fraction", 1.2, low=0, high=1, hint="a fraction from 0 to 1; 80 % is 0.8")
    >>> check.problems[0].code
    'out_of_range'
    """

    def __init__(self, file: str = "") -> None:
        self.file = file
        self.problems: list[Problem] = []

    def add(self, code: str, field: str, value: object, hint: str) -> None:
        """Note one problem."""
        self.problems.append(Problem(code, field, shown(value), hint, self.file))

    def number(
        self, field: str, value: object, *, low: float, high: float, hint: str = "", whole: bool = False
    ) -> float | None:
        """Return ``value`` as a number within [low, high], or note why it is not one and return None."""
        bounds = hint or f"a {'whole ' if whole else ''}number from {low:g} to {high:g}"
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            self.add("not_a_number", field, value, bounds)
            return None
        try:
            number = float(value)
        except OverflowError:
            self.add("out_of_range", field, value, bounds)
            return None
        if not isfinite(number):
            self.add("not_finite", field, value, bounds)
        elif whole and number != int(number):
            self.add("not_whole", field, value, bounds)
        elif not low <= number <= high:
            self.add("out_of_range", field, value, bounds)
        else:
            return number
        return None

    def choice(self, field: str, value: object, allowed: object) -> str | None:
        """Return ``value`` if it is one of ``allowed`` (a collection of str), or note the problem."""
        names = sorted(allowed)  # type: ignore[call-overload]
        if isinstance(value, str) and value in names:
            return value
        self.add("unknown", field, value, "one of " + ", ".join(names))
        return None

    def raise_if_any(self) -> None:
        """Raise ``InputProblems`` when anything was noted."""
        if self.problems:
            raise InputProblems(self.problems)


@contextmanager
def collecting(file: str = "") -> Iterator[Checker]:
    """Give a ``Checker`` and raise all that it noted on leaving the block."""
    checker = Checker(file)
    yield checker
    checker.raise_if_any()
