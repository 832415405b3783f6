"""Speed of the exact hit-rate curve: the conversation trace, 20 times its length, and 10 million touches.

Run it by itself: python tests/benchmarks/bench_reuse.py [SHARED]. It prints seconds, the growth and the peak memory.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

from measurements.traces import read_trace
from planner.reuse import hit_curve
from planner.trace import Trace, make_trace

TARGET_S = {"conversation": 2.8 / 5, "10 million touches": 60.0}
TARGET_GROWTH = 30.0
TARGET_BYTES = 2e9


def best_of(trace: Trace, runs: int) -> float:
    """Return the shortest time of a whole curve [s]."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        hit_curve(trace)
        times.append(time.perf_counter() - start)
    return min(times)


def repeated(trace: Trace, times: int) -> Trace:
    """Return the trace ``times`` over, one after the other; half of the blocks of each round are new."""
    unique, period = trace.unique_blocks_count, trace.duration_s + 1
    hashes = [np.where(trace.block_ids % 2 == 0, trace.block_ids, trace.block_ids + unique * k) for k in range(times)]
    return make_trace(
        np.concatenate([trace.arrival_s + period * k for k in range(times)]),
        np.tile(trace.input_tokens, times),
        output_tokens=np.tile(trace.output_tokens, times),
        hashes=np.concatenate(hashes),
        block_tokens=trace.block_tokens,
    )


def main() -> None:
    """Measure and print."""
    shared = Path(sys.argv[1] if len(sys.argv) > 1 else "../shared")
    trace = read_trace(shared / "data" / "traces" / "mooncake_conversation_trace.jsonl").trace
    one = best_of(trace, 5)
    print(f"conversation, {trace.blocks_count} touches: {one:.3f} s (target {TARGET_S['conversation']:.2f})")
    twenty = repeated(trace, 20)
    many = best_of(twenty, 2)
    print(f"20 times, {twenty.blocks_count} touches: {many:.2f} s, {many / one:.1f} times (target {TARGET_GROWTH:g})")
    large = repeated(trace, 35)
    del twenty
    ten = best_of(large, 1)
    print(f"{large.blocks_count} touches: {ten:.2f} s (target {TARGET_S['10 million touches']:g})")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"peak memory of the process: {peak / 1e9:.2f} GB (target {TARGET_BYTES / 1e9:g})")


if __name__ == "__main__":
    main()
