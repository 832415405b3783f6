"""The options of a scenario: everything recomputed, a local drive, and each array, predicted over concurrency."""

from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from planner.calibration import Calibration
from planner.evaluation import Sizing
from planner.hardware import array, catalog
from planner.predict import Prediction, normals, predict
from planner.scenario import Candidate, Scenario
from planner.tiers import Supply, array_supply, local_supply

CONCURRENCY_CURVE = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Technical:
    """One option before money: its supply (None recomputes), predictions over concurrency and at the asked one."""

    id: str
    candidate: str
    array: Candidate | None
    supply: Supply | None
    curve: tuple[Prediction, ...]
    at: Prediction
    sizing: Sizing


def concurrency_counts(scenario: Scenario) -> tuple[int, ...]:
    """Return the concurrencies that are predicted: a standard curve up to twice the asked one, and the asked one."""
    asked = scenario.workload.concurrency_count
    top = max(2 * asked, 32)
    steps = [count for count in CONCURRENCY_CURVE if count <= top]
    extra = [asked, 2 * asked] if asked > CONCURRENCY_CURVE[-1] else [asked]
    return tuple(sorted({*steps, *extra} & set(range(scenario.cluster.instances_per_node_count, 4097)) | {asked}))


def array_option_id(candidate: Candidate, taken: set[str]) -> str:
    """Return the array's id, or one that names its configuration where the array is compared with itself."""
    if candidate.id not in taken:
        return candidate.id
    name = f"{candidate.id}-{candidate.ports_count}p{candidate.drives_count}d{candidate.nodes_per_array_count}n"
    while name in taken:
        name += "x"
    return name


def technical(
    scenario: Scenario,
    calibration: Calibration,
    *,
    option_id: str,
    candidate: Candidate | None,
    tier: str,
    kv_bytes: float,
    curve: bool = True,
) -> Technical:
    """Predict one option over concurrency, or at the asked one only (``curve`` false)."""
    z = normals()
    if candidate is not None:
        supply = array_supply(candidate, scenario, calibration, np.stack([z["load_slope"], z["load_overhead"]]))
    elif tier == "local-nvme":
        supply = local_supply(calibration, np.stack([z["local_slope"], z["local_overhead"]]))
    else:
        supply = None
    missing = tier != "recompute" and supply is None
    counts = concurrency_counts(scenario) if curve else (scenario.workload.concurrency_count,)
    points = tuple(
        predict(scenario, calibration, supply, requests_count=count, kv_bytes=kv_bytes, tier_missing=missing)
        for count in counts
    )
    at = next(point for point in points if point.concurrency_count == scenario.workload.concurrency_count)
    return Technical(
        id=option_id,
        candidate="nothing" if tier == "recompute" else tier,
        array=candidate,
        supply=supply,
        curve=points,
        at=at,
        sizing=_sizing(scenario, candidate, supply, at),
    )


def all_technical(scenario: Scenario, calibration: Calibration, kv_bytes: float) -> tuple[Technical, ...]:
    """Predict every option: recompute, the local drive, and each candidate array in the order given."""
    found = [
        technical(scenario, calibration, option_id=tier, candidate=None, tier=tier, kv_bytes=kv_bytes)
        for tier in ("recompute", "local-nvme")
    ]
    for candidate in scenario.storage.candidates:
        option_id = array_option_id(candidate, {option.id for option in found})
        found.append(
            technical(
                scenario, calibration, option_id=option_id, candidate=candidate, tier=candidate.id, kv_bytes=kv_bytes
            )
        )
    return tuple(found)


def _sizing(scenario: Scenario, candidate: Candidate | None, supply: Supply | None, at: Prediction) -> Sizing:
    if candidate is None:
        local = supply is not None
        return Sizing(
            units=0,
            ports=None,
            drives=scenario.cluster.nodes_count if local else None,
            nodes_per_array=None,
            raw_bytes=None,
            binding_constraint="drives" if local else "prefill",
            limits=supply.limits if supply else (),
            slack=supply.slack if supply else MappingProxyType({}),
        )
    units = -(-scenario.cluster.nodes_count // candidate.nodes_per_array_count)
    raw = array(candidate.id).raw_bytes(candidate.drives_count)
    return Sizing(
        units=units,
        ports=candidate.ports_count,
        drives=candidate.drives_count,
        nodes_per_array=candidate.nodes_per_array_count,
        raw_bytes=None if raw is None else raw * units,
        binding_constraint=supply.binding.name if supply else "not_known",
        limits=supply.limits if supply else (),
        slack=supply.slack if supply else MappingProxyType({}),
    )


def option_name(option: Technical) -> str:
    """Return the product name of an option's tier."""
    if option.array is not None:
        return array(option.array.id).name
    return catalog().tiers["recompute" if option.candidate == "nothing" else option.candidate].name
