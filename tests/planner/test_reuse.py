"""The exact hit-rate curve: golden integers of the conversation trace, laws, and brute force against a naive list."""

import json
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from measurements.traces import read_trace
from planner.errors import InputProblems, NoResult
from planner.reuse import SHARES, document, hit_curve
from planner.reuse_simulation import Policy, simulate_hit_tokens
from planner.reuse_tiers import tier_hits
from planner.reuse_window import demand, insertions, ttl_hit_tokens, working_sets
from planner.trace import Trace, make_trace

KV = 253_952  # Qwen3-Coder-480B, BF16


def trace_of(requests, *, block_tokens=1, short=0, arrival_s=None):
    """A trace of full blocks, the last one of each request ``short`` tokens short."""
    lengths = [len(blocks) * block_tokens - short for blocks in requests]
    return make_trace(
        arrival_s or list(range(len(requests))),
        lengths,
        output_tokens=[1] * len(requests),
        hashes=np.concatenate([np.array(blocks, dtype=np.int64) for blocks in requests]),
        block_tokens=block_tokens,
    )


@pytest.fixture(scope="module")
def conversation(shared_dir):
    return read_trace(shared_dir / "data/traces/mooncake_conversation_trace.jsonl").trace


@pytest.fixture(scope="module")
def golden(shared_dir):
    return json.loads((shared_dir / "cases/hit_rate_conversation.json").read_text())


def test_conversation_trace_integer_for_integer(conversation, golden):
    curve = hit_curve(conversation)
    assert (conversation.requests_count, conversation.blocks_count) == (golden["requests"], golden["blocks"])
    assert (conversation.unique_blocks_count, curve.input_tokens) == (golden["unique_blocks"], golden["input_tokens"])
    rows = golden["rows"]
    inserts = insertions(conversation, [float(row["capacity_blocks"]) for row in rows])
    for row, inserted in zip(rows, inserts, strict=True):
        capacity = float(row["capacity_blocks"])
        found = (curve.hit_tokens(capacity), curve.hit_blocks(capacity), curve.requests_with_hit(capacity))
        assert found == (row["hit_tokens"], row["hit_blocks"], row["requests_with_hit"])
        assert inserted == row["inserts"]
        assert max(0, inserted - capacity) == row["evictions"]


def test_conversation_trace_capacity_for_share(conversation):
    curve = hit_curve(conversation)
    assert [curve.capacity_for_share(s) for s in SHARES] == [8296, 20927, 31435, 37602, 85220, 158281]


def test_conversation_trace_working_set_and_ttl(conversation, golden):
    for held in working_sets(conversation):
        mean, most = golden["working_set_blocks_mean_max"][f"{held.window_s:g}s"]
        assert held.max_blocks == most
        assert held.mean_blocks == pytest.approx(mean, rel=1e-12)
    expected = golden["ttl_sliding_unbounded_token_hit_fraction"]
    tokens = ttl_hit_tokens(conversation, [float(key[:-1]) for key in expected])
    total = golden["input_tokens"]
    assert [t / total for t in tokens] == pytest.approx(list(expected.values()), rel=1e-12)


def test_conversation_trace_demand_and_warm_up(conversation):
    moved = demand(conversation)
    assert moved.written_blocks_per_s == pytest.approx(51.7, abs=0.05)
    found = document(conversation, kv_bytes_per_token=KV)
    assert found["written_bytes_per_s"] == pytest.approx(6.7e9, abs=0.05e9)
    assert found["loaded_bytes_per_s"] == pytest.approx(3.9e9, abs=0.05e9)
    assert found["capacity_for_share"]["0.99"]["bytes"] == pytest.approx(11.1e12, abs=0.05e12)
    assert hit_curve(conversation).hit_fraction(inf) == pytest.approx(0.374, abs=5e-4)
    warm = hit_curve(conversation, warmup_fraction=0.5)
    assert warm.hit_fraction(inf) == pytest.approx(0.398, abs=5e-4)
    assert "not counted" in warm.definition
    json.dumps(found, allow_nan=False)


def naive_hits(trace: Trace, capacity: int) -> tuple[int, int]:
    """Hit tokens and insertions by a plain list, least recently used first."""
    held: list[int] = []
    tokens = inserted = 0
    for r in range(trace.requests_count):
        blocks = trace.block_ids[trace.offsets[r] : trace.offsets[r + 1]].tolist()
        hits = 0
        while hits < len(blocks) and blocks[hits] in held:
            hits += 1
        tokens += min(hits * trace.block_tokens, int(trace.input_tokens[r]))
        for block in reversed(blocks):
            if block in held:
                held.remove(block)
            else:
                inserted += 1
            held.append(block)
            if len(held) > capacity:
                del held[0]
    return tokens, inserted


requests_st = st.lists(st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True), min_size=1, max_size=25)


@settings(max_examples=150, deadline=None)
@given(requests_st, st.integers(1, 12), st.integers(0, 2))
def test_curve_equals_a_naive_list(requests, capacity, short):
    trace = trace_of(requests, block_tokens=3, short=short)
    tokens, inserted = naive_hits(trace, capacity)
    assert hit_curve(trace).hit_tokens(capacity) == tokens
    assert insertions(trace, [capacity]) == [inserted]
    assert simulate_hit_tokens(trace, Policy(name="lru"), capacity_blocks=capacity) == tokens


@settings(max_examples=60, deadline=None)
@given(requests_st)
def test_curve_never_falls_with_capacity(requests):
    curve = hit_curve(trace_of(requests))
    values = [curve.hit_tokens(c) for c in range(12)]
    assert values == sorted(values)
    assert values[0] == 0
    assert values[-1] == curve.max_hit_tokens


def hits(requests, policy, capacity):
    return simulate_hit_tokens(trace_of(requests), policy, capacity_blocks=capacity)


def test_leading_hits_only_is_not_monotone():
    policy = Policy(name="leading-hits-only")
    requests = [[0, 3, 2], [4, 2], [2, 0]]
    assert (hits(requests, policy, 2), hits(requests, policy, 3)) == (1, 0)


def test_admission_that_depends_on_capacity_is_not_monotone():
    requests = [[0], [1, 2], [0]]
    assert [hits(requests, Policy(name="admission"), c) for c in (1, 2)] == [1, 0]


def test_touching_hits_before_misses_breaks_inclusion():
    # {0} at C=1 and {2, 3} at C=2: a following request for block 0 alone tells which
    requests = [[0], [1], [0, 2, 3], [0]]
    # the third request hits nothing at C=1 and block 0 at C=2; the fourth hits only at C=1
    assert [hits(requests, Policy(name="hits-then-misses"), c) for c in (1, 2)] == [1, 1]
    policy = Policy(name="hits-then-misses")
    only_last = [hits(requests, policy, c) - hits(requests[:3], policy, c) for c in (1, 2)]
    assert only_last == [1, 0]


def test_fifo_ttl_and_lease_by_hand():
    assert hits([[0], [1], [0], [2], [0]], Policy(name="fifo"), 2) == 1
    assert hits([[0], [1], [0], [2], [0]], Policy(name="lru"), 2) == 2
    # written at 0 s; a touch at 1 s does not prolong it: dead at 2 s when it lives 1.5 s
    assert hits([[0], [0], [0]], Policy(name="ttl-since-creation", seconds=1.5), inf) == 1
    assert ttl_hit_tokens(trace_of([[0], [0], [0]]), [1.5]) == [2]
    # one-block cache: block 0 is leased for 10 s, so block 1 is not taken in
    assert hits([[0], [1], [0]], Policy(name="lease", seconds=10), 1) == 1
    assert hits([[0], [1], [0]], Policy(name="lease", seconds=0.5), 1) == 0


def test_two_tiers():
    curve = hit_curve(trace_of([[0], [1], [2], [0], [1], [2]]))  # each block needs 3 blocks
    assert tier_hits(curve, 1, 2, mode="exclusive").hit_tokens == 3
    assert tier_hits(curve, 1, 2, mode="write-through").hit_tokens == 0
    same = tier_hits(curve, 3, 3, mode="write-through")
    assert (same.first_hit_tokens, same.second_hit_tokens) == (3, 0)
    with pytest.raises(InputProblems):
        tier_hits(curve, 1, 2, mode="lease")


def test_request_longer_than_the_cache_keeps_its_root():
    curve = hit_curve(trace_of([[0, 1, 2, 3], [0, 1, 2, 3]]))
    assert [curve.hit_tokens(c) for c in range(6)] == [0, 1, 2, 3, 4, 4]


@pytest.mark.parametrize("block_tokens", [1, 16, 512])
def test_longest_and_shortest_prompt(block_tokens):
    count = 262_144 // block_tokens
    trace = trace_of([list(range(count)), list(range(count))], block_tokens=block_tokens)
    curve = hit_curve(trace)
    assert (curve.hit_tokens(1), curve.hit_tokens(count)) == (block_tokens, 262_144)
    one = hit_curve(make_trace([0, 1], [1, 1], output_tokens=[0, 0], hashes=np.array([7, 7]), block_tokens=512))
    assert (one.hit_tokens(0), one.hit_tokens(1), one.hit_fraction(1)) == (0, 1, 0.5)


def test_no_prefix_ids_is_not_known_never_zero():
    trace = make_trace([0, 1], [100, 200], output_tokens=[1, 1])
    for question in (hit_curve, document, working_sets, demand):
        with pytest.raises(NoResult) as caught:
            question(trace)
        assert caught.value.code == "hit_rate_not_known"


def test_nothing_reused_has_no_capacity_for_a_share_and_nulls_in_the_document():
    trace = trace_of([[0], [1]])
    with pytest.raises(NoResult):
        hit_curve(trace).capacity_for_share(0.5)
    found = document(trace)
    assert found["capacity_for_share"]["0.5"] == {"blocks": None, "bytes": None}
    assert found["written_bytes_per_s"] is None


@pytest.mark.parametrize("bad", [{"warmup_fraction": 1.0}, {"capacities_bytes": [1e12]}, {"capacities_blocks": [-1]}])
def test_it_refuses_bad_questions(bad):
    with pytest.raises(InputProblems):
        document(trace_of([[0], [0]]), **bad)


@pytest.mark.parametrize(
    ("name", "seconds"), [("arc", None), ("lease", None), ("lru", 5.0), ("ttl-since-creation", float("nan"))]
)
def test_it_refuses_unknown_policies(name, seconds):
    with pytest.raises(InputProblems):
        Policy(name=name, seconds=seconds)
