"""Per-capacity simulation of cache policies that are not stack policies: for them one pass cannot give all sizes.

Every request is atomic: look up the leading resident blocks, then update the cache, the last block first.
"""

from collections import OrderedDict
from dataclasses import dataclass
from math import inf

from planner.errors import InputProblems, Problem, shown
from planner.trace import Trace

POLICIES = ("lru", "fifo", "ttl-since-creation", "lease", "admission", "hits-then-misses", "leading-hits-only")
TIMED = ("ttl-since-creation", "lease")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A policy by name.

    ``lru`` touch or insert every block; ``fifo`` a touch changes nothing; ``ttl-since-creation`` LRU, a block dies
    ``seconds`` after it was written; ``lease`` LRU, a block may not leave for ``seconds`` after its last touch (a
    new block is refused when nothing may leave); ``admission`` LRU, a request with more blocks than the cache writes
    nothing; ``hits-then-misses`` LRU, resident blocks are touched before the others are inserted;
    ``leading-hits-only`` LRU, resident blocks behind the first missing one are not touched.
    """

    name: str
    seconds: float | None = None

    def __post_init__(self) -> None:
        if self.name not in POLICIES:
            hint = "one of " + ", ".join(POLICIES) + "; no other policy can be simulated"
            raise InputProblems([Problem("unknown", "policy", shown(self.name), hint)])
        if (self.name in TIMED) != (self.seconds is not None) or (self.seconds is not None and not self.seconds > 0):
            hint = "seconds above 0 for " + " and ".join(TIMED) + ", none for the others"
            raise InputProblems([Problem("out_of_range", "policy.seconds", shown(self.seconds), hint)])


@dataclass(slots=True)
class _Cache:
    policy: Policy
    capacity: float
    # block -> (time written, time last touched), least recently used first
    held: OrderedDict[int, tuple[float, float]]

    def expire(self, now: float) -> None:
        if self.policy.name == "ttl-since-creation":
            limit = self.policy.seconds or inf
            for block in [b for b, (written, _) in self.held.items() if now - written > limit]:
                del self.held[block]

    def touch(self, block: int, now: float) -> None:
        if self.policy.name != "fifo":
            self.held[block] = (self.held[block][0], now)
            self.held.move_to_end(block)

    def insert(self, block: int, now: float) -> None:
        if len(self.held) >= self.capacity and not self._make_room(now):
            return
        self.held[block] = (now, now)

    def _make_room(self, now: float) -> bool:
        if not self.held:
            return False
        oldest = next(iter(self.held))
        if self.policy.name == "lease" and now - self.held[oldest][1] < (self.policy.seconds or 0.0):
            return False  # in LRU order the oldest touch comes first: no other lease has run out either
        del self.held[oldest]
        return True

    def serve(self, blocks: list[int], now: float) -> int:
        self.expire(now)
        hits = next((k for k, block in enumerate(blocks) if block not in self.held), len(blocks))
        if self.policy.name == "admission" and len(blocks) > self.capacity:
            order: list[int] = []
        elif self.policy.name == "hits-then-misses":
            order = blocks[:hits][::-1] + blocks[hits:][::-1]
        elif self.policy.name == "leading-hits-only":
            passed_over = {b for b in blocks[hits:] if b in self.held}
            order = [b for b in blocks[::-1] if b not in passed_over]
        else:
            order = blocks[::-1]
        for block in order:
            if block in self.held:
                self.touch(block, now)
            else:
                self.insert(block, now)
        return hits


def simulate_hit_tokens(trace: Trace, policy: Policy, *, capacity_blocks: float) -> int:
    """Return the hit tokens at one capacity (``inf`` allowed), partial last block by its tokens, no warm-up."""
    trace.require_prefix_ids()
    if not capacity_blocks >= 0:
        raise InputProblems([Problem("out_of_range", "capacity_blocks", shown(capacity_blocks), "at least 0 blocks")])
    cache = _Cache(policy, capacity_blocks, OrderedDict())
    ids, offsets = trace.block_ids.tolist(), trace.offsets.tolist()
    total = 0
    for r, (now, tokens) in enumerate(zip(trace.arrival_s.tolist(), trace.input_tokens.tolist(), strict=True)):
        hits = cache.serve(ids[offsets[r] : offsets[r + 1]], now)
        total += min(hits * trace.block_tokens, tokens)
    return total
