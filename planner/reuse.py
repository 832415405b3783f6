"""Hit rate of a prefix cache against its capacity: the whole exact curve in one pass over a trace.

A request hits the largest k leading blocks that are all resident at lookup: b1..bk hit at capacity C exactly when the
running maximum of their stack distances is at most C. The token hit rate, hit tokens over input tokens, is the one
that equals saved prefill; block and request rates are others and are named.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from planner.errors import InputProblems, NoResult, Problem, collecting, shown
from planner.reuse_distance import first_counted, running_maximum, stack_distances
from planner.reuse_window import Demand, demand, working_sets
from planner.trace import Trace

DEFINITION = (
    "token hit rate: tokens of the leading blocks all resident at lookup, over input tokens; a partial last block "
    "counts its tokens; request-atomic (look up, then touch or insert all blocks, the last block first); LRU; "
    "one pool; outputs not inserted; "
)
SECONDS_PER_DAY = 86_400.0
SHARES = (0.5, 0.8, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HitCurve:
    """Hits at every capacity: ``steps_blocks`` are the capacities where the curve rises, ``steps_*`` its values."""

    steps_blocks: NDArray[np.int64]
    steps_hit_tokens: NDArray[np.int64]
    steps_hit_blocks: NDArray[np.int64]
    steps_requests: NDArray[np.int64]
    input_tokens: int
    counted_requests: int
    block_tokens: int
    definition: str
    capacities_blocks: tuple[int, ...] = ()

    @property
    def max_hit_tokens(self) -> int:
        """Hit tokens of an unbounded cache: the reachable hits."""
        return int(self.steps_hit_tokens[-1])

    def hit_tokens(self, capacity_blocks: float) -> int:
        """Return the hit tokens at a capacity (``inf`` allowed)."""
        return self._at(self.steps_hit_tokens, capacity_blocks)

    def hit_blocks(self, capacity_blocks: float) -> int:
        """Return the hit blocks at a capacity."""
        return self._at(self.steps_hit_blocks, capacity_blocks)

    def requests_with_hit(self, capacity_blocks: float) -> int:
        """Return the number of requests with at least one hit block."""
        return self._at(self.steps_requests, capacity_blocks)

    def hit_fraction(self, capacity_blocks: float) -> float:
        """Return the token hit rate at a capacity, 0..1."""
        return self.hit_tokens(capacity_blocks) / self.input_tokens

    def capacity_for_share(self, share: float) -> int:
        """Return the least capacity [blocks] that reaches ``share`` (0 < share <= 1) of the reachable hits."""
        with collecting() as check:
            check.number("share", share, low=1e-9, high=1, hint="a share of the reachable hits above 0 and up to 1")
        if self.max_hit_tokens == 0:
            raise NoResult("nothing_reused", "no block of the trace is ever used again: no capacity gives a hit")
        wanted = share * self.max_hit_tokens
        return int(self.steps_blocks[np.searchsorted(self.steps_hit_tokens, wanted, side="left")])

    def _at(self, values: NDArray[np.int64], capacity_blocks: float) -> int:
        if capacity_blocks != capacity_blocks or capacity_blocks < 0:
            hint = "a capacity of at least 0 blocks"
            raise InputProblems([Problem("out_of_range", "capacity_blocks", shown(capacity_blocks), hint)])
        return int(values[np.searchsorted(self.steps_blocks, capacity_blocks, side="right") - 1])


def hit_curve(
    trace: Trace, *, capacities_blocks: Sequence[int] | None = None, warmup_fraction: float = 0.0
) -> HitCurve:
    """Return the exact hits at all capacities.

    Parameters
    ----------
    capacities_blocks : capacities of interest, kept with the curve for tables; the curve itself holds all
    warmup_fraction : share of the requests, from the start, that fill the cache and are not counted

    Raises
    ------
    NoResult
        ``hit_rate_not_known`` when the trace has no prefix ids.
    """
    trace.require_prefix_ids()
    first = first_counted(trace, warmup_fraction)
    distance = stack_distances(trace)
    never = trace.blocks_count + 1
    needed = running_maximum(np.where(distance == 0, never, distance), trace)
    roots = np.zeros(trace.blocks_count, dtype=np.int64)
    roots[trace.offsets[:-1]] = 1
    tokens = trace.touch_tokens()
    begin = int(trace.offsets[first])
    counted = slice(begin, None)
    hits = needed[counted] < never
    order = needed[counted][hits]
    size = int(order.max()) + 1 if len(order) else 1
    rows = [np.bincount(order, minlength=size)]
    rows += [np.bincount(order, weights=w[counted][hits], minlength=size).astype(np.int64) for w in (tokens, roots)]
    steps = np.union1d([0], np.flatnonzero(rows[0]))
    warm = f"the first {first} requests fill the cache and are not counted" if first else "no warm-up excluded"
    return HitCurve(
        steps_blocks=steps,
        steps_hit_blocks=np.cumsum(rows[0])[steps],
        steps_hit_tokens=np.cumsum(rows[1])[steps],
        steps_requests=np.cumsum(rows[2])[steps],
        input_tokens=int(trace.input_tokens[first:].sum()),
        counted_requests=trace.requests_count - first,
        block_tokens=trace.block_tokens,
        definition=DEFINITION + warm,
        capacities_blocks=tuple(capacities_blocks or ()),
    )


def blocks_of_bytes(capacity_bytes: float, kv_bytes_per_token: float, block_tokens: int) -> int:
    """Return how many whole blocks fit in ``capacity_bytes``."""
    return int(capacity_bytes // (kv_bytes_per_token * block_tokens))


def document(
    trace: Trace,
    *,
    kv_bytes_per_token: float | None = None,
    capacities_blocks: Sequence[int] | None = None,
    capacities_bytes: Sequence[float] | None = None,
    warmup_fraction: float = 0.0,
) -> dict[str, object]:
    """Return the JSON document of the ``hit-rate`` command; bytes are null where the KV size is not given.

    Without capacities the curve lists those of the shares. Windows and demand are those of the whole trace;
    written is at unbounded capacity (each new block once, full blocks), loaded are the reachable hit tokens.
    """
    _check_request(kv_bytes_per_token, capacities_blocks, capacities_bytes)
    curve = hit_curve(trace, capacities_blocks=capacities_blocks, warmup_fraction=warmup_fraction)
    block_bytes = None if kv_bytes_per_token is None else kv_bytes_per_token * trace.block_tokens
    chosen = {int(c) for c in capacities_blocks or ()}
    if kv_bytes_per_token is not None:
        chosen |= {blocks_of_bytes(size, kv_bytes_per_token, trace.block_tokens) for size in capacities_bytes or ()}
    shares = {str(share): curve.capacity_for_share(share) if curve.max_hit_tokens else None for share in SHARES}
    return {
        "schema": "hit-rate",
        "version": 1,
        "definition": curve.definition,
        "basis": trace.basis.value,
        "block_tokens": trace.block_tokens,
        "requests_count": trace.requests_count,
        "counted_requests_count": curve.counted_requests,
        "blocks_count": trace.blocks_count,
        "unique_blocks_count": trace.unique_blocks_count,
        "input_tokens": curve.input_tokens,
        "duration_s": trace.duration_s,
        "max_hit_tokens": curve.max_hit_tokens,
        "max_hit_fraction": curve.max_hit_tokens / curve.input_tokens,
        "curve": [
            {
                "capacity_blocks": capacity,
                "capacity_bytes": _times(capacity, block_bytes),
                "hit_tokens": curve.hit_tokens(capacity),
                "hit_fraction": curve.hit_fraction(capacity),
            }
            for capacity in sorted(chosen or {c for c in shares.values() if c is not None})
        ],
        "capacity_for_share": {s: {"blocks": c, "bytes": _times(c, block_bytes)} for s, c in shares.items()},
        "working_set": [
            {
                "window_s": held.window_s,
                "mean_blocks": held.mean_blocks,
                "max_blocks": held.max_blocks,
                "mean_bytes": _times(held.mean_blocks, block_bytes),
                "max_bytes": _times(held.max_blocks, block_bytes),
            }
            for held in working_sets(trace)
        ],
        **_demand_fields(demand(trace), kv_bytes_per_token, block_bytes),
    }


def _demand_fields(moved: Demand, token_bytes: float | None, block_bytes: float | None) -> dict[str, object]:
    written = _times(moved.written_blocks_per_s, block_bytes)
    return {
        "demand_window_s": moved.window_s,
        "written_blocks_per_s": moved.written_blocks_per_s,
        "loaded_blocks_per_s": moved.loaded_blocks_per_s,
        "written_bytes_per_s": written,
        "written_bytes_per_s_p99": _times(moved.written_blocks_per_s_p99, block_bytes),
        "loaded_bytes_per_s": _times(moved.loaded_tokens_per_s, token_bytes),
        "loaded_bytes_per_s_p99": _times(moved.loaded_tokens_per_s_p99, token_bytes),
        "written_bytes_per_day": _times(written, SECONDS_PER_DAY),
    }


def _times(amount: float | None, factor: float | None) -> float | None:
    return None if amount is None or factor is None else amount * factor


def _check_request(
    kv_bytes_per_token: float | None, capacities_blocks: Sequence[int] | None, capacities_bytes: Sequence[float] | None
) -> None:
    with collecting() as check:
        if kv_bytes_per_token is not None:
            check.number("kv_bytes_per_token", kv_bytes_per_token, low=1e-3, high=1e9)
        elif capacities_bytes:
            check.add("missing", "kv_bytes_per_token", None, "the KV size of the model, to turn bytes into blocks")
        for index, blocks in enumerate(capacities_blocks or ()):
            check.number(f"capacities_blocks[{index}]", blocks, low=0, high=1e15, whole=True)
        for index, size in enumerate(capacities_bytes or ()):
            if isfinite(size):
                check.number(f"capacities_bytes[{index}]", size, low=0, high=1e21)
            else:
                check.add("not_finite", f"capacities_bytes[{index}]", size, "bytes, at least 0")
