"""Hits of two tiers from one curve: a hit in the first tier is not read from the second."""

from dataclasses import dataclass

from planner.errors import InputProblems, Problem, shown
from planner.reuse import HitCurve


@dataclass(frozen=True, slots=True, kw_only=True)
class TierHits:
    """Hit tokens served by each tier; their sum is what the two serve together."""

    mode: str
    first_hit_tokens: int
    second_hit_tokens: int

    @property
    def hit_tokens(self) -> int:
        """Hit tokens of both tiers."""
        return self.first_hit_tokens + self.second_hit_tokens


def tier_hits(curve: HitCurve, first_blocks: float, second_blocks: float, *, mode: str) -> TierHits:
    """Return the hits of two LRU tiers.

    ``exclusive`` (a block lives in one tier) serves H(C1 + C2). ``write-through`` (the second tier sees all touches
    and holds copies) serves max(H(C1), H(C2)): a tier no larger than the one above adds nothing.
    """
    if mode not in ("exclusive", "write-through"):
        hint = "exclusive or write-through; other policies need the per-capacity simulation"
        raise InputProblems([Problem("unknown", "mode", shown(mode), hint)])
    first = curve.hit_tokens(first_blocks)
    both = first_blocks + second_blocks if mode == "exclusive" else max(first_blocks, second_blocks)
    return TierHits(mode=mode, first_hit_tokens=first, second_hit_tokens=curve.hit_tokens(both) - first)
