"""Parameter draws as one array axis, and the P10/P50/P90 that come from it.

The draws are a Latin hypercube of standard normals with centred strata. The permutations come from
``random.Random(seed).random()``, whose stream Python guarantees, so the same scenario has the same digits on every
machine and in every later version.
"""

import random
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@cache
def settings() -> Mapping[str, Any]:
    """Return the shipped repeatability, penalties, number of draws and seed."""
    return tomllib.loads(files("planner").joinpath("catalog/uncertainty.toml").read_text("utf-8"))


@cache
def standard_normals(dimensions_count: int, draws_count: int, seed: int) -> Array:
    """Return a Latin hypercube of standard normals, shape (dimensions_count, draws_count)."""
    inverse = NormalDist().inv_cdf
    strata = np.array([inverse((index + 0.5) / draws_count) for index in range(draws_count)])
    stream = random.Random(seed)
    keys = np.array([[stream.random() for _ in range(draws_count)] for _ in range(dimensions_count)])
    normals: Array = strata[np.argsort(keys, axis=1)]
    normals.setflags(write=False)
    return normals


def penalty_fraction(axes: Iterable[str]) -> float:
    """Return the joint penalty of the axes on which a condition lies outside the measured ones (root of squares)."""
    table = settings()["penalty"]
    return float(np.sqrt(sum(table[axis]["fraction"] ** 2 for axis in set(axes))))


@dataclass(frozen=True, slots=True)
class Band:
    """P10, P50 and P90 of an estimate, in the unit of the quantity it belongs to."""

    p10: float
    p50: float
    p90: float

    def document(self) -> dict[str, float | None]:
        """Return JSON values; an infinite bound (nothing is ever served) is null."""
        return {
            name: (value if np.isfinite(value) else None)
            for name, value in zip(("p10", "p50", "p90"), self, strict=True)
        }

    def __iter__(self) -> Any:
        return iter((self.p10, self.p50, self.p90))


def band(draws: Array) -> Band:
    """Return the P10, P50 and P90 of ``draws`` (shape (draws,))."""
    return Band(*(float(value) for value in np.quantile(draws, (0.1, 0.5, 0.9), method="linear")))
