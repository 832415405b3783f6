"""What a trace asks of a tier over time: working set, sliding time-to-live, blocks written and loaded per second."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.reuse_distance import first_counted, previous, running_maximum, stack_distances
from planner.trace import Trace

WINDOWS_S = (60.0, 300.0, 600.0, 1800.0, 3600.0)
DEMAND_WINDOW_S = 60.0


@dataclass(frozen=True, slots=True)
class WorkingSet:
    """Distinct blocks touched in the trailing window, seen at every arrival."""

    window_s: float
    mean_blocks: float
    max_blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Demand:
    """Blocks written and tokens loaded per second; None where the trace has no duration. p99 over full windows."""

    capacity_blocks: int | None
    window_s: float
    written_blocks_per_s: float | None
    written_blocks_per_s_p99: float | None
    loaded_blocks_per_s: float | None
    loaded_tokens_per_s: float | None
    loaded_tokens_per_s_p99: float | None


def working_sets(trace: Trace, windows_s: Sequence[float] = WINDOWS_S) -> list[WorkingSet]:
    """Return the mean and maximum over arrivals of the distinct blocks touched in (t - window, t]."""
    trace.require_prefix_ids()
    request = trace.touch_requests()
    before = previous(trace.block_ids)
    following = np.full(trace.blocks_count, trace.requests_count, dtype=np.int64)
    again = before >= 0
    following[before[again]] = request[again]
    result = []
    for window in windows_s:
        end = np.searchsorted(trace.arrival_s, trace.arrival_s + window, side="left")[request]
        change = np.bincount(request, minlength=trace.requests_count + 1)
        change -= np.bincount(np.minimum(end, following), minlength=trace.requests_count + 1)
        held = np.cumsum(change[:-1])
        result.append(WorkingSet(float(window), float(held.mean()), int(held.max())))
    return result


def ttl_hit_tokens(trace: Trace, ttls_s: Sequence[float], *, warmup_fraction: float = 0.0) -> list[int]:
    """Return the hit tokens of an unbounded cache that drops a block ``ttl`` seconds after its last touch."""
    trace.require_prefix_ids()
    begin = int(trace.offsets[first_counted(trace, warmup_fraction)])
    touched_s = trace.arrival_s[trace.touch_requests()]
    before = previous(trace.block_ids)
    age = np.where(before >= 0, touched_s - touched_s[before], np.inf)
    ages, rank = np.unique(age, return_inverse=True)
    needed = ages[running_maximum(rank.reshape(-1).astype(np.int64), trace)][begin:]
    tokens = trace.touch_tokens()[begin:]
    return [int(tokens[(needed <= ttl) & np.isfinite(needed)].sum()) for ttl in ttls_s]


def insertions(trace: Trace, capacities_blocks: Sequence[float]) -> list[int]:
    """Return the blocks inserted at each capacity (evictions are those less the capacity, at least 0)."""
    trace.require_prefix_ids()
    distance = np.sort(stack_distances(trace, at_lookup=False))
    cold = int(np.searchsorted(distance, 0, side="right"))
    return [cold + len(distance) - int(np.searchsorted(distance, c, side="right")) for c in capacities_blocks]


def demand(trace: Trace, *, capacity_blocks: int | None = None, window_s: float = DEMAND_WINDOW_S) -> Demand:
    """Return what is written and loaded per second at a capacity (None: unbounded), mean and p99 of windows."""
    trace.require_prefix_ids()
    limit = trace.blocks_count if capacity_blocks is None else capacity_blocks
    distance = stack_distances(trace)
    needed = running_maximum(np.where(distance == 0, trace.blocks_count + 1, distance), trace)
    written_at = distance if capacity_blocks is None else stack_distances(trace, at_lookup=False)
    written = ((written_at == 0) | (written_at > limit)).astype(np.int64)
    hit = (needed <= limit).astype(np.int64)
    loaded = hit * trace.touch_tokens()
    duration = trace.duration_s
    mean = [None if duration <= 0 else int(w.sum()) / duration for w in (written, hit, loaded)]
    return Demand(
        capacity_blocks=capacity_blocks,
        window_s=window_s,
        written_blocks_per_s=mean[0],
        written_blocks_per_s_p99=_p99(trace, written, window_s),
        loaded_blocks_per_s=mean[1],
        loaded_tokens_per_s=mean[2],
        loaded_tokens_per_s_p99=_p99(trace, loaded, window_s),
    )


def _p99(trace: Trace, amounts: NDArray[np.int64], window_s: float) -> float | None:
    windows = int(trace.duration_s // window_s)
    if windows < 1:
        return None
    window = ((trace.arrival_s - trace.arrival_s[0]) // window_s).astype(np.int64)[trace.touch_requests()]
    sums = np.bincount(window, weights=amounts, minlength=windows)[:windows]
    return float(np.sort(sums)[-(-99 * windows // 100) - 1]) / window_s
