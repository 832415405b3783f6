"""What a tier can deliver: throughput and its limits, for arrays as they are configured.

The measured FX100 gives the line efficiency of a port (payload over line rate, through the whole software path).
Other port counts and other arrays are projected with it: ``C = min(ports · line · e, drives, array, host)``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from planner.calibration import Calibration, Line, LoadCurve
from planner.hardware import Array as FxArray
from planner.hardware import array, catalog
from planner.provenance import Basis
from planner.scenario import Candidate, Scenario

Draws = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One upper bound of a tier's throughput: central value in bytes/s, the rule with its values, its basis."""

    name: str
    bytes_per_s: float
    rule: str
    basis: Basis


@dataclass(frozen=True, slots=True, kw_only=True)
class Supply:
    """A tier as one option uses it. ``bytes_per_s`` and ``overhead_s`` are draws, shape (draws,)."""

    tier: str
    bytes_per_s: Draws
    overhead_s: Draws
    limits: tuple[Limit, ...]
    nodes_sharing_count: int
    curve: LoadCurve
    device_is_projected: bool
    is_array: bool = True
    drives_measured: bool = True

    @property
    def binding(self) -> Limit:
        """Return the smallest limit."""
        return min(self.limits, key=lambda limit: limit.bytes_per_s)

    @property
    def slack(self) -> Mapping[str, float]:
        """Return by how much of itself each limit exceeds the binding one (0 for the binding one)."""
        least = self.binding.bytes_per_s
        return MappingProxyType({limit.name: limit.bytes_per_s / least - 1 for limit in self.limits})


def line_draws(line: Line, normals: Draws) -> tuple[Draws, Draws]:
    """Return draws of (intercept ≥ 0, slope > 0) of a fitted line from its covariance.

    ``normals`` has shape (2, draws): the first row moves the slope, the intercept follows by their correlation.
    """
    (a_var, cross), (_, s_var) = line.covariance
    s_dev = np.sqrt(s_var)
    slope = line.slope * np.exp(s_dev / line.slope * normals[0])
    along = cross / s_dev if s_dev else 0.0
    rest = np.sqrt(max(a_var - along**2, 0.0))
    intercept = np.maximum(line.intercept + along * normals[0] + rest * normals[1], 0.0)
    return intercept, slope


def _gbs(value: float) -> str:
    return f"{value / 1e9:.2f} GB/s"


def _array_limits(record: FxArray, candidate: Candidate, scenario: Scenario, efficiency: float) -> tuple[Limit, ...]:
    line = record.port_line_bytes_per_s
    ports = candidate.ports_count * line * efficiency
    nodes = candidate.nodes_per_array_count
    nic = scenario.cluster.host_nic_bytes_per_s
    limits = [
        Limit(
            name="ports",
            bytes_per_s=ports,
            rule=f"{candidate.ports_count} × {_gbs(line)} × {efficiency:.3f} = {_gbs(ports)}",
            basis=Basis.MEASURED if record.id == "fx100" and candidate.ports_count == 1 else Basis.ESTIMATED,
        ),
        Limit(
            name="host_nic",
            bytes_per_s=nodes * nic * efficiency,
            rule=f"{nodes} × {_gbs(nic)} × {efficiency:.3f} = {_gbs(nodes * nic * efficiency)}",
            basis=Basis.ESTIMATED,
        ),
    ]
    if record.drive_read_bytes_per_s is not None:
        drives = candidate.drives_count * record.drive_read_bytes_per_s
        rule = f"{candidate.drives_count} × {_gbs(record.drive_read_bytes_per_s)} = {_gbs(drives)}"
        limits.append(Limit(name="drives", bytes_per_s=drives, rule=rule, basis=Basis.ESTIMATED))
    if record.nominal_bytes_per_s is not None:
        limit = record.nominal_bytes_per_s
        limits.append(Limit(name="array", bytes_per_s=limit, rule=_gbs(limit), basis=Basis.VENDOR))
    return tuple(limits)


def array_supply(candidate: Candidate, scenario: Scenario, calibration: Calibration, normals: Draws) -> Supply | None:
    """Return the supply of an array option, or None when no array was measured.

    ``normals`` has shape (2, draws). The efficiency of a port is the fitted FX100 throughput over the line rate of
    the ports it was measured with.
    """
    curve = calibration.load.get(candidate.id) or calibration.load.get("fx100")
    if curve is None:
        return None
    measured, record = array(curve.tier), array(candidate.id)
    line_measured = curve.ports_count * measured.port_line_bytes_per_s
    overhead, slope = line_draws(curve.line, normals)
    efficiency = np.minimum(1 / slope / line_measured, 1.0)
    limits = _array_limits(record, candidate, scenario, min(curve.bytes_per_s / line_measured, 1.0))
    nic = candidate.nodes_per_array_count * scenario.cluster.host_nic_bytes_per_s
    ported = np.minimum(candidate.ports_count * record.port_line_bytes_per_s, nic) * efficiency
    fixed = min((limit.bytes_per_s for limit in limits if limit.name in {"drives", "array"}), default=np.inf)
    return Supply(
        tier=candidate.id,
        bytes_per_s=np.minimum(ported, fixed),
        overhead_s=overhead,
        limits=limits,
        nodes_sharing_count=candidate.nodes_per_array_count,
        curve=curve,
        device_is_projected=candidate.id != curve.tier,
        drives_measured=candidate.drives_count == curve.drives_count,
    )


def local_supply(calibration: Calibration, normals: Draws) -> Supply | None:
    """Return the supply of one local drive per node, or None when none was measured."""
    curve = calibration.load.get("local-nvme")
    if curve is None:
        return None
    overhead, slope = line_draws(curve.line, normals)
    rate = curve.bytes_per_s
    limit = Limit(name="drives", bytes_per_s=rate, rule=f"1 × {_gbs(rate)}", basis=Basis.MEASURED)
    return Supply(
        tier=catalog().tiers["local-nvme"].id,
        bytes_per_s=1 / slope,
        overhead_s=overhead,
        limits=(limit,),
        nodes_sharing_count=1,
        curve=curve,
        device_is_projected=False,
        is_array=False,
    )
