"""Where a number comes from (basis, source) and how far it may be trusted (grade).

Provenance is joined explicitly where results are joined; it is never carried by overloaded arithmetic.
"""

from dataclasses import dataclass
from enum import StrEnum


class Basis(StrEnum):
    """Basis of an input, from the strongest to the weakest (DESIGN section 3)."""

    MEASURED = "measured"
    VENDOR = "vendor"
    PUBLIC = "public"
    ESTIMATED = "estimated"
    ASSUMED = "assumed"


class Grade(StrEnum):
    """Grade of an output: A measured here, B inside the hull, C one axis outside, D another model or GPU, X refused."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"
    X = "X"


@dataclass(frozen=True, slots=True)
class Source:
    """A document a number can be looked up in. ``date`` is ISO 8601, empty when the source has none."""

    id: str
    title: str
    date: str = ""
    locator: str = ""
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Sourced:
    """A plain number with its unit, basis and source id."""

    value: float
    unit: str
    basis: Basis
    source: str
    note: str = ""


def weakest(*bases: Basis) -> Basis:
    """Return the weakest of ``bases``; a result is never better founded than its worst input."""
    order = list(Basis)
    return max(bases, key=order.index)


def worst(*grades: Grade) -> Grade:
    """Return the worst grade on a path."""
    return max(grades, key=list(Grade).index)
