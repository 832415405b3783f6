"""The arrays, other tiers and nodes of the shipped catalog, as frozen records with basis and source."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from planner.errors import InputProblems, Problem, shown
from planner.provenance import Basis, Source

BITS_PER_BYTE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """A place that holds KV: a local drive, host memory, or none (recompute)."""

    id: str
    name: str
    basis: Basis
    source: str
    date: str
    description: str = ""
    drive_read_bytes_per_s: float | None = None
    drive_read_rule: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Array:
    """An FX array as its vendor describes it. A figure that no source gives is None."""

    id: str
    name: str
    maturity: str
    pcie_generation: int
    controller: str
    bays_count: int
    ports_count_max: int
    port_bits_per_s: float
    iops: float
    platform_sku: str
    drive_sku: str
    basis: Basis
    source: str
    date: str
    nominal_bytes_per_s: float | None = None
    drive_read_bytes_per_s: float | None = None
    drive_read_rule: str = ""
    drive_bytes: float | None = None
    legacy_names: tuple[str, ...] = ()
    basis_of: Mapping[str, Basis] = field(default_factory=dict)

    @property
    def port_line_bytes_per_s(self) -> float:
        """Line rate of one port in bytes/s, before headers (100 GbE: 12.5e9)."""
        return self.port_bits_per_s / BITS_PER_BYTE

    def raw_bytes(self, drives_count: int) -> float | None:
        """Raw capacity with ``drives_count`` drives, or None where the drive's capacity is not published."""
        return None if self.drive_bytes is None else self.drive_bytes * drives_count


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A GPU server."""

    id: str
    name: str
    gpu: str
    gpus_count: int
    hbm_bytes_per_gpu: float
    basis: Basis
    source: str
    date: str
    dram_bytes: float | None = None
    host_nic_bits_per_s: float | None = None
    cpu: str = ""


@dataclass(frozen=True, slots=True)
class Hardware:
    """The whole catalog, by id."""

    arrays: Mapping[str, Array]
    tiers: Mapping[str, Tier]
    nodes: Mapping[str, Node]
    sources: Mapping[str, Source]


def _record(kind: type[Any], raw: dict[str, Any]) -> Any:
    raw = dict(raw, basis=Basis(raw["basis"]))
    if "basis_of" in raw:
        raw["basis_of"] = MappingProxyType({name: Basis(basis) for name, basis in raw["basis_of"].items()})
    if "legacy_names" in raw:
        raw["legacy_names"] = tuple(raw["legacy_names"])
    return kind(**raw)


@cache
def catalog() -> Hardware:
    """Return the shipped hardware catalog."""
    raw = tomllib.loads(files("planner").joinpath("catalog/hardware.toml").read_text("utf-8"))
    tables = {
        name: MappingProxyType({record["id"]: _record(kind, record) for record in raw[name]})
        for name, kind in {"array": Array, "tier": Tier, "node": Node}.items()
    }
    sources = {name: Source(name, **record) for name, record in raw["sources"].items()}
    return Hardware(tables["array"], tables["tier"], tables["node"], MappingProxyType(sources))


def array(array_id: str) -> Array:
    """Return the array ``fx100`` … ``fx400``.

    Raises
    ------
    InputProblems
        When there is no such array; the hint lists those that exist.
    """
    arrays = catalog().arrays
    if array_id not in arrays:
        raise InputProblems([Problem("unknown_array", "array", shown(array_id), "one of " + ", ".join(arrays))])
    return arrays[array_id]
