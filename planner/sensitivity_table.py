"""Tables of what would change the answer: the answer's length, and the nodes that share one array."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from planner.calibration import Calibration
from planner.compare import against
from planner.cost import Tco
from planner.option_cost import array_tco, local_tco
from planner.options import Technical, technical
from planner.prices import PriceBook
from planner.scenario import Scenario
from planner.sensitivity import ANSWER_LENGTHS, uplift_fraction
from planner.uncertainty import Band

NODES_PER_ARRAY = (1, 2, 3, 4, 6, 8, 12, 16)


def by_answer_length(
    scenario: Scenario, options: Sequence[Technical], baseline: Technical
) -> tuple[Mapping[str, Any], ...]:
    """Return, for each answer length, the uplift of each option over the baseline, TTFT and decode interval kept."""
    asked = scenario.workload.output_tokens
    base = baseline.at
    rows = []
    for tokens in sorted({*ANSWER_LENGTHS, asked}):
        uplift = {}
        for option in options:
            if option.id == baseline.id or option.at.ttft_s is None or base.ttft_s is None or option.at.tpot_s is None:
                continue
            interval = min(option.at.tpot_s.p50, base.tpot_s.p50 if base.tpot_s else np.inf)
            uplift[option.id] = float(uplift_fraction(base.ttft_s.p50, option.at.ttft_s.p50, interval, tokens))
        rows.append({"output_tokens": tokens, "asked": tokens == asked, "uplift_fraction": uplift})
    return tuple(rows)


def by_nodes_per_array(
    scenario: Scenario,
    calibration: Calibration,
    prices: PriceBook,
    option_id: str,
    options: Sequence[Technical],
    baseline: Technical,
    base_tco: Tco,
    kv_bytes: float,
) -> Mapping[str, Any]:
    """Return how the spoken-of array behaves and pays as more nodes share one of it, ports and drives kept."""
    chosen = next(option for option in options if option.id == option_id)
    if chosen.array is None:
        return {"option": None, "rows": [], "break_even_nodes_per_array_count": None}
    rows: list[Mapping[str, Any]] = []
    npvs: dict[int, Band | None] = {}
    for nodes in NODES_PER_ARRAY:
        if nodes > scenario.cluster.nodes_count:
            break
        candidate = replace(chosen.array, nodes_per_array_count=nodes)
        option = technical(
            scenario,
            calibration,
            option_id=option_id,
            candidate=candidate,
            tier=candidate.id,
            kv_bytes=kv_bytes,
            curve=False,
        )
        tco = array_tco(scenario, candidate, prices)
        compared = against(scenario, prices, option, tco, baseline, base_tco)
        npvs[nodes] = compared.npv
        rows.append(
            {
                "nodes_per_array_count": nodes,
                "units": option.sizing.units,
                "binding_constraint": option.sizing.binding_constraint,
                "ttft_s": option.at.ttft_s,
                "uplift_fraction": compared.throughput_uplift_fraction,
                "capex": None if tco.open_items else tco.money(tco.known_capital),
                "npv": compared.npv,
                "pays_fraction": compared.pays_fraction,
            }
        )
    paying = [nodes for nodes, npv in npvs.items() if npv is not None and npv.p50 >= 0]
    return {"option": option_id, "rows": rows, "break_even_nodes_per_array_count": min(paying) if paying else None}


def pays_by_answer_length(
    scenario: Scenario,
    calibration: Calibration,
    prices: PriceBook,
    chosen: Technical,
    baseline: Technical,
    kv_bytes: float,
) -> Mapping[str, Any]:
    """Return what the spoken-of array is worth at each answer length, and the longest tried length at which it pays.

    Each length is predicted afresh for both options; ``longest_paying_tokens`` is the last length of the rising ladder
    whose median NPV is not negative, None where even the shortest does not pay or nothing can be said.
    """
    rows: list[Mapping[str, Any]] = []
    longest: int | None = None
    if chosen.array is None:
        return {"option": None, "rows": rows, "longest_paying_tokens": None}
    tco = array_tco(scenario, chosen.array, prices)
    base_tco = local_tco(scenario, prices, uses_drive=baseline.candidate == "local-nvme")
    for tokens in sorted({*ANSWER_LENGTHS, scenario.workload.output_tokens}):
        case = replace(scenario, workload=replace(scenario.workload, output_tokens=tokens))
        pair = [
            technical(
                case,
                calibration,
                option_id=option.id,
                candidate=option.array,
                tier="recompute" if option.candidate == "nothing" else option.candidate,
                kv_bytes=kv_bytes,
                curve=False,
            )
            for option in (chosen, baseline)
        ]
        compared = against(case, prices, pair[0], tco, pair[1], base_tco)
        rows.append({"output_tokens": tokens, "npv": compared.npv, "pays_fraction": compared.pays_fraction})
        if compared.npv is not None and compared.npv.p50 >= 0 and (longest is not None or len(rows) == 1):
            longest = tokens
        elif compared.npv is not None and compared.npv.p50 < 0:
            break
    return {"option": chosen.id, "rows": rows, "longest_paying_tokens": longest}
