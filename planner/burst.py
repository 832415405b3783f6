"""The burst regime: all N requests of a node at t=0, as R2 and R3 measured it.

Loads share the tier (processor sharing), so all sessions of the burst finish loading together. Prefill is
first come, first served inside an engine. A request that decodes while others are still in prefill gets one token
per prefill chunk (chunked prefill shares the engine), which is what stretches TPOT when everything is recomputed.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.runs import PercentileRule

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wave:
    """A burst on one node. Arrays have shape (requests, draws); ``wall_s`` has shape (draws,)."""

    ttft_s: Array
    tpot_s: Array
    wall_s: Array
    output_tokens_per_s: Array


def wave(
    *,
    load_s: Array,
    prefill_s: Array,
    interval_s: Array,
    requests_count: int,
    instances_count: int,
    output_tokens: int,
    chunks_count: int,
) -> Wave:
    """Return TTFT and TPOT of every request of a burst on one node.

    Parameters
    ----------
    load_s, prefill_s, interval_s : Array, shape (draws,)
        Time to load a request's KV with the whole burst on the tier, time to prefill what was not loaded, and the
        decode interval with an engine's share of the burst in its batch. Seconds.
    requests_count, instances_count : int
        Requests on the node, spread evenly over its engines.
    output_tokens, chunks_count : int
        Tokens of an answer (at least 2), and chunks that one prefill takes.
    """
    place = np.arange(requests_count) // instances_count + 1.0  # position in its engine's queue, from 1
    last = np.bincount(np.arange(requests_count) % instances_count)[np.arange(requests_count) % instances_count]
    behind = (last - place)[:, None]  # prefills that still follow in the same engine
    ttft = load_s + place[:, None] * prefill_s
    gaps = output_tokens - 1
    has_prefill = prefill_s > 0
    stretched = np.where(has_prefill, np.minimum(gaps, chunks_count * behind), 0.0)
    decode = stretched * np.maximum(prefill_s / max(chunks_count, 1), interval_s) + (gaps - stretched) * interval_s
    wall = (ttft + decode).max(axis=0)
    with np.errstate(divide="ignore"):
        rate = requests_count * output_tokens / wall
    return Wave(ttft_s=ttft, tpot_s=decode / gaps, wall_s=wall, output_tokens_per_s=rate)


def quantile(values: Array, fraction: float, rule: PercentileRule) -> Array:
    """Return the quantile over the first axis (requests) under a stated rule of order statistics.

    R2 takes ``sorted[int(q·n)]``, R3 ``sorted[ceil(q·n)−1]``; a prediction states the rule it used.
    """
    count = values.shape[0]
    ordered = np.sort(values, axis=0)
    index = int(fraction * count) if rule is PercentileRule.FLOOR else int(np.ceil(fraction * count - 1e-9)) - 1
    chosen: Array = ordered[min(max(index, 0), count - 1)]
    return chosen
