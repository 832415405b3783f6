"""Units: decimal GB and binary GiB are different words; everything inside is seconds, bytes, bytes/s and tokens."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from planner.errors import InputProblems, Problem, shown

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}


def _factors() -> dict[str, float]:
    factors: dict[str, float] = {
        "s": 1,
        "ms": 1e-3,
        "us": 1e-6,
        "µs": 1e-6,
        "ns": 1e-9,
        "min": 60,
        "h": 3600,
        "d": 86400,
    }
    factors |= {
        "%": 0.01,
        "tokens": 1,
        "token": 1,
        "tok": 1,
        "tok/s": 1,
        "tokens/s": 1,
        "req/s": 1,
        "IOPS": 1,
        "W": 1,
        "kW": 1e3,
    }
    factors |= {"kWh": 3.6e6}
    for prefix, size in {**_DECIMAL, **_BINARY}.items():
        factors[f"{prefix}B"] = size
        factors[f"{prefix}B/s"] = size
        factors[f"{prefix}bit"] = size / 8
        factors[f"{prefix}bit/s"] = size / 8
        factors[f"{prefix}b/s"] = size / 8
    return factors


FACTORS: Mapping[str, float] = MappingProxyType(_factors())
"""Unit -> factor to the unit used inside (s, bytes, bytes/s, tokens, tokens/s, fraction, W, J)."""

_TEXT = re.compile(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*([^\d\s][^\s]*)?\s*")


def parse(text: str) -> float:
    """Return the value of ``text`` in the unit used inside.

    Parameters
    ----------
    text : str
        A number and a unit: "7.15 GiB", "12.5 GB/s", "100 Gbit/s", "24.2 ms", "80 %". Decimal and binary prefixes
        are told apart; a bare number is refused, since it has no unit.

    Returns
    -------
    float
        Seconds, bytes, bytes/s, tokens, fraction, W or J.

    Raises
    ------
    InputProblems
        When the text is not a number with a known unit.

    Examples
    --------
    >>> parse("7.15 GiB")
    7677254041.6
    >>> parse("100 Gbit/s")
    12500000000.0
    """
    match = _TEXT.fullmatch(text) if text.isascii() or "µ" in text else None
    unit = str(match.group(2)) if match else ""
    if match is None or unit not in FACTORS:
        hint = "a number and a unit such as 7.15 GiB, 12.5 GB/s, 100 Gbit/s, 24.2 ms or 80 %"
        raise InputProblems([Problem("unit", "text", shown(text), hint)])
    return float(match.group(1)) * FACTORS[unit]


def in_unit(value: float, unit: str) -> float:
    """Return ``value`` (in the unit used inside) expressed in ``unit``.

    >>> in_unit(7_671_382_016, "GiB")
    7.14453125
    """
    return value / FACTORS[unit]
