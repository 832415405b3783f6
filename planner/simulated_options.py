"""The burst of a scenario, simulated for every option, beside what the formulas say of it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from planner.burst import quantile
from planner.calibration import Calibration
from planner.evaluation import plain
from planner.options import Technical
from planner.predict import RULE, decode_curve, prefill_seconds
from planner.report import NOT_KNOWN, table
from planner.scenario import Scenario
from planner.simulation import Simulated, Stations, simulate
from planner.stations import CHUNK_TOKENS

QUANTILES = (0.5, 0.9, 0.99)


def stations_of(scenario: Scenario, calibration: Calibration, option: Technical, kv_bytes: float) -> Stations | str:
    """Return the stations of an option at the centre of its estimate, or the reason why they are not known."""
    if option.at.refused:
        return option.at.refused
    work, supply = scenario.workload, option.supply
    hit = work.hit_fraction if supply else 0.0
    new_tokens = work.prompt_tokens * (1 - hit)
    computed = prefill_seconds(scenario, calibration, new_tokens) if new_tokens > 0 else (0.0, 0.0, set())
    decode = decode_curve(scenario, calibration)
    if computed is None or decode is None:
        return "no_prefill_measurement" if computed is None else "no_decode_measurement"
    line = decode[0].line
    return Stations(
        load_bytes=hit * work.prompt_tokens * kv_bytes,
        overhead_s=float(np.median(supply.overhead_s)) if supply else 0.0,
        bytes_per_s=float(np.median(supply.bytes_per_s)) if supply else 1.0,
        prefill_s=computed[0],
        chunks_count=max(int(np.ceil(new_tokens / CHUNK_TOKENS)), 1),
        interval_base_s=line.intercept,
        interval_per_request_s=line.slope,
        engines_count=scenario.cluster.instances_per_node_count * (supply.nodes_sharing_count if supply else 1),
    )


def _quantiles(found: Simulated, nodes_count: int) -> dict[str, Any]:
    names = [f"p{fraction * 100:g}" for fraction in QUANTILES]
    return {
        "ttft_s": {n: float(quantile(found.ttft_s, q, RULE)) for n, q in zip(names, QUANTILES, strict=True)},
        "tpot_s": {n: float(quantile(found.tpot_s, q, RULE)) for n, q in zip(names, QUANTILES, strict=True)},
        "output_tokens_per_s": found.output_tokens_per_s / nodes_count,
    }


def simulated_options(
    scenario: Scenario,
    calibration: Calibration,
    options: Sequence[Technical],
    *,
    kv_bytes: float,
    variability: float = 0.0,
    seed: int = 0,
) -> dict[str, Any]:
    """Return a document with, per option, the simulated percentiles of the burst and the predicted bands.

    Nodes that share an array burst together; rates are per node. An option without a prediction has the reason.

    Raises
    ------
    InputProblems
        As ``planner.simulation.simulate``.
    """
    rows = []
    for option in options:
        row: dict[str, Any] = {"option": option.id, "simulated": None, "analytic": None, "refused": ""}
        stations = stations_of(scenario, calibration, option, kv_bytes)
        if isinstance(stations, str):
            rows.append(row | {"refused": stations})
            continue
        nodes = option.supply.nodes_sharing_count if option.supply else 1
        found = simulate(
            stations,
            requests_count=scenario.workload.concurrency_count * nodes,
            output_tokens=scenario.workload.output_tokens,
            variability=variability,
            seed=seed,
        )
        at = option.at
        analytic = {"ttft_s": at.ttft_s, "tpot_s": at.tpot_s, "output_tokens_per_s": at.output_tokens_per_s}
        rows.append(row | {"simulated": _quantiles(found, nodes), "analytic": plain(analytic)})
    return {
        "schema": "simulation",
        "version": 1,
        "regime": scenario.workload.regime,
        "requests_per_node_count": scenario.workload.concurrency_count,
        "variability": variability,
        "seed": seed,
        "percentile_rule": RULE.value,
        "options": rows,
    }


def simulation_text(document: dict[str, Any]) -> str:
    """Return the simulated percentiles beside the predicted medians for a terminal."""
    rows = [
        ("option", "TTFT p50/p90/p99 s", "predicted p50", "TPOT p50 ms", "predicted", "tok/s per node", "predicted")
    ]
    for row in document["options"]:
        simulated, analytic = row["simulated"], row["analytic"]
        if simulated is None:
            rows.append((row["option"], f"{NOT_KNOWN}: {row['refused']}", "", "", "", "", ""))
            continue
        ttft, tpot = simulated["ttft_s"], simulated["tpot_s"]
        rows.append(
            (
                row["option"],
                " / ".join(f"{ttft[name]:,.2f}" for name in ("p50", "p90", "p99")),
                f"{analytic['ttft_s']['p50']:,.2f}",
                f"{1000 * tpot['p50']:,.1f}",
                f"{1000 * analytic['tpot_s']['p50']:,.1f}",
                f"{simulated['output_tokens_per_s']:,.1f}",
                f"{analytic['output_tokens_per_s']['p50']:,.1f}",
            )
        )
    world = (
        "identical load sizes" if document["variability"] == 0 else f"load sizes vary by {document['variability']:g}"
    )
    head = f"burst of {document['requests_per_node_count']} requests per node, {world}, seed {document['seed']}"
    return f"{head}\n{table(rows)}"
