"""Exact LRU stack distances of all block touches of a trace, offline, in O(N log N) numpy passes.

Requests are atomic: look up, then touch or insert every block, the last one first, so that the root is most recent.
At lookup d = 1 + distinct blocks touched since the last touch of the block, which is
1 + (start - 1 - p) - #{touches t < start whose previous touch is after p}, with p the position of its last touch and
start the first position of the request. The count is two-dimensional dominance over a permutation, answered by
splitting the permutation bit by bit (a wavelet tree), one prefix sum and one gather a level.
"""

import numpy as np
from numpy.typing import NDArray

from planner.errors import collecting
from planner.trace import Trace

Ints = NDArray[np.int64]
Small = NDArray[np.int32]
CHUNK = 1 << 15  # temporaries stay in the processor cache


def leaf_first(trace: Trace) -> Ints:
    """Return, for each block touch (root first), its position in the order of recency updates (leaf first)."""
    ends = np.repeat(trace.offsets[:-1] + trace.offsets[1:] - 1, np.diff(trace.offsets))
    return np.asarray(ends - np.arange(trace.blocks_count), dtype=np.int64)


def previous(ids: Ints) -> Ints:
    """Return the position of the last touch of the same id before each position, -1 for the first."""
    # ids and positions stay below 2^31 (planner.trace.MAX_TOUCHES): one key sorts faster than a stable argsort
    key = (ids << 31) | np.arange(len(ids), dtype=np.int64)
    key.sort()
    order = key & 0x7FFFFFFF
    key >>= 31
    same = key[1:] == key[:-1]
    last = np.full(len(ids), -1, dtype=np.int64)
    last[order[1:][same]] = order[:-1][same]
    return last


def count_larger_before(values: Small, limits: Small) -> Small:
    """Return, for each i, how many of the first ``limits[i]`` values exceed ``values[i]``.

    ``values`` is a permutation of 0..n-1. At each level the values are stably sorted by their upper bits; a node
    starts at its smallest value, because every smaller value is present exactly once.

    >>> count_larger_before(np.array([2, 0, 1], dtype=np.int32), np.array([0, 1, 2], dtype=np.int32)).tolist()
    [0, 1, 1]
    """
    size = len(values)
    result = np.zeros(size, dtype=np.int32)
    inside = limits.astype(np.int32)
    level, split = values.astype(np.int32), np.empty(size, dtype=np.int32)
    ones = np.zeros(size + 1, dtype=np.int32)
    parts = [slice(low, min(low + CHUNK, size)) for low in range(0, size, CHUNK)]
    for bit in range(max(size - 1, 0).bit_length() - 1, -1, -1):
        for part in parts:
            _split(level[part], split, ones, part, bit=bit)
        for part in parts:
            base = (values[part] >> (bit + 1)) << (bit + 1)
            right = ones[base + inside[part]] - (base >> 1)
            goes_left = ((values[part] >> bit) & 1) == 0
            result[part] += right * goes_left
            inside[part] = np.where(goes_left, inside[part] - right, right)
        level, split = split, level
    return result


def _split(level: Small, split: Small, ones: Small, part: slice, *, bit: int) -> None:
    is_one = (level >> bit) & 1
    after = ones[part.start + 1 : part.stop + 1]
    np.cumsum(is_one, out=after)
    after += ones[part.start]
    base = (level >> (bit + 1)) << (bit + 1)
    before = ones[part] - (base >> 1)
    place = np.arange(part.start, part.stop, dtype=np.int32)
    split[np.where(is_one == 1, base + (1 << bit) + before, place - before)] = level


def stack_distances(trace: Trace, *, at_lookup: bool = True) -> Ints:
    """Return the least capacity [blocks] at which each touch (root first) finds its block; 0 for the first touch.

    Parameters
    ----------
    at_lookup : True counts what happened before the request (hits); False also counts the touches of the request
        itself up to this one (insertions: a block can fall out while its own request is being written).
    """
    position = leaf_first(trace)
    sequence = np.empty(trace.blocks_count, dtype=np.int64)
    sequence[position] = trace.block_ids
    last = previous(sequence)
    again = np.flatnonzero(last >= 0)
    p = last[again]
    start = np.repeat(trace.offsets[:-1], np.diff(trace.offsets))[again] if at_lookup else again
    ranks = np.zeros(trace.blocks_count, dtype=np.int32)
    ranks[p] = 1
    np.cumsum(ranks, out=ranks)
    values = ranks[p] - 1
    limits = np.searchsorted(again, start).astype(np.int32)
    distance = np.zeros(trace.blocks_count, dtype=np.int64)
    distance[again] = start - p - count_larger_before(values, limits)
    return distance[position]


def running_maximum(values: Ints, trace: Trace) -> Ints:
    """Return the running maximum of non-negative ``values`` inside each request."""
    step = int(values.max()) + 1
    shift = trace.touch_requests() * step
    return np.asarray(np.maximum.accumulate(values + shift) - shift, dtype=np.int64)


def first_counted(trace: Trace, warmup_fraction: float) -> int:
    """Return the first request that is counted when the first ``warmup_fraction`` of them only fill the cache."""
    with collecting() as check:
        check.number("warmup_fraction", warmup_fraction, low=0, high=0.999999, hint="a fraction from 0 to below 1")
    return int(trace.requests_count * warmup_fraction)
