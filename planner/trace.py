"""A request trace: arrivals, lengths and, where known, prefix blocks of each prompt. Only lengths and ids are kept."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from planner.errors import Checker, NoResult, collecting
from planner.provenance import Basis

MAX_TOUCHES = 2**31 - 2
MAX_TOKENS_TOTAL = 2**53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trace:
    """Requests in order of arrival.

    Attributes
    ----------
    arrival_s : float array, one per request, never decreasing [s]
    input_tokens, output_tokens : int64 arrays, one per request [tokens]
    block_ids : int64 array, dense ids from 0 of all blocks of all requests, root first within each request
    offsets : int64 array of requests + 1 positions: request r owns ``block_ids[offsets[r]:offsets[r + 1]]``
    block_tokens : tokens in a full block; the last block of a request may be partial
    has_prefix_ids : False when the source has lengths only; then nothing about reuse is known
    """

    arrival_s: NDArray[np.float64]
    input_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    block_ids: NDArray[np.int64]
    offsets: NDArray[np.int64]
    block_tokens: int
    has_prefix_ids: bool = True
    basis: Basis = Basis.MEASURED
    source: str = ""

    def __post_init__(self) -> None:
        with collecting(self.source) as check:
            _check_requests(self, check)
            if not check.problems:
                _check_blocks(self, check)
        for array in (self.arrival_s, self.input_tokens, self.output_tokens, self.block_ids, self.offsets):
            array.flags.writeable = False

    @property
    def requests_count(self) -> int:
        """Number of requests."""
        return len(self.arrival_s)

    @property
    def blocks_count(self) -> int:
        """Number of block touches."""
        return len(self.block_ids)

    @property
    def unique_blocks_count(self) -> int:
        """Number of distinct blocks."""
        return int(self.block_ids.max()) + 1 if len(self.block_ids) else 0

    @property
    def duration_s(self) -> float:
        """Time from the first to the last arrival [s]."""
        return float(self.arrival_s[-1] - self.arrival_s[0])

    def touch_requests(self) -> NDArray[np.int64]:
        """Return the request of each block touch."""
        return np.repeat(np.arange(self.requests_count), np.diff(self.offsets))

    def touch_tokens(self) -> NDArray[np.int64]:
        """Return the tokens of each block touch: a full block, or what is left for the last one."""
        tokens = np.full(self.blocks_count, self.block_tokens, dtype=np.int64)
        counts = np.diff(self.offsets)
        tokens[self.offsets[1:] - 1] = self.input_tokens - (counts - 1) * self.block_tokens
        return tokens

    def require_prefix_ids(self) -> None:
        """Raise ``NoResult`` when the trace cannot say anything about reuse."""
        if not self.has_prefix_ids:
            message = "the trace has no prefix ids: lengths and arrivals are known, the hit rate is not known"
            raise NoResult("hit_rate_not_known", message, requests_count=self.requests_count)


def make_trace(
    arrival_s: object,
    input_tokens: object,
    *,
    output_tokens: object,
    hashes: object = None,
    block_tokens: int = 512,
    source: str = "",
) -> Trace:
    """Return a trace from per-request lists; ``hashes`` is one flat int64 array, cut by the input lengths.

    Without ``hashes`` the trace has lengths only. The hashes are replaced by dense ids in order of first touch.
    """
    inputs = np.array(input_tokens, dtype=np.int64)
    known = hashes is not None
    counts = -(-inputs // block_tokens) if known else np.zeros(len(inputs), dtype=np.int64)
    return Trace(
        arrival_s=np.array(arrival_s, dtype=np.float64),
        input_tokens=inputs,
        output_tokens=np.array(output_tokens, dtype=np.int64),
        block_ids=dense(np.asarray(hashes)) if known else np.zeros(0, dtype=np.int64),
        offsets=np.concatenate(([0], np.cumsum(counts))).astype(np.int64),
        block_tokens=block_tokens,
        has_prefix_ids=known,
        source=source,
    )


def dense(hashes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return ids from 0 in order of first touch in place of arbitrary integers."""
    _, first, inverse = np.unique(hashes, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first, kind="stable")] = np.arange(len(first))
    return rank[inverse.reshape(-1)]


def _check_requests(trace: Trace, check: Checker) -> None:
    count = len(trace.arrival_s)
    if count == 0:
        check.add("empty", "trace", 0, "at least one request")
        return
    if not len(trace.input_tokens) == len(trace.output_tokens) == count == len(trace.offsets) - 1:
        check.add("length_mismatch", "trace", count, "one arrival, input length, output length and offset per request")
        return
    if not np.isfinite(trace.arrival_s).all():
        check.add("not_finite", "arrival_s", "NaN or infinity", "finite seconds")
    elif (np.diff(trace.arrival_s) < 0).any():
        row = int(np.flatnonzero(np.diff(trace.arrival_s) < 0)[0]) + 1
        check.add("time_decreases", f"arrival_s[{row}]", float(trace.arrival_s[row]), "arrivals in order of time")
    if (trace.input_tokens < 1).any() or (trace.output_tokens < 0).any():
        check.add("out_of_range", "input_tokens, output_tokens", "", "input of at least 1 token, output of at least 0")
    elif float(trace.input_tokens.sum(dtype=np.float64)) >= MAX_TOKENS_TOTAL:
        check.add("out_of_range", "input_tokens", "sum", "fewer than 2^53 tokens in total")
    if trace.block_tokens < 1:
        check.add("out_of_range", "block_tokens", trace.block_tokens, "at least 1 token a block")


def _check_blocks(trace: Trace, check: Checker) -> None:
    counts = np.diff(trace.offsets)
    if trace.offsets[0] != 0 or trace.offsets[-1] != len(trace.block_ids) or (counts < 0).any():
        check.add("length_mismatch", "offsets", int(trace.offsets[-1]), "offsets that partition the block ids")
    if not trace.has_prefix_ids or check.problems:
        return
    if len(trace.block_ids) > MAX_TOUCHES:
        check.add("too_large", "block_ids", len(trace.block_ids), f"at most {MAX_TOUCHES} block touches")
        return
    wrong = np.flatnonzero(counts != -(-trace.input_tokens // trace.block_tokens))
    if len(wrong):
        hint = f"ceil(input_tokens / {trace.block_tokens}) block ids"
        check.add("block_count_mismatch", f"request {int(wrong[0])}", int(counts[wrong[0]]), hint)
    if int(trace.block_ids.min()) < 0 or int(trace.block_ids.max()) >= len(trace.block_ids):
        check.add("out_of_range", "block_ids", int(trace.block_ids.max()), "dense ids from 0")
        return
    key = np.sort(trace.touch_requests() * trace.unique_blocks_count + trace.block_ids)
    same = np.flatnonzero(np.diff(key) == 0)
    if len(same):
        request = int(key[same[0]] // trace.unique_blocks_count)
        check.add("duplicate_id", f"request {request}", "a block twice", "chained ids: a block occurs once in a prompt")
