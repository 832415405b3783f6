"""Generated traffic: determinism, block identity by hand, presets against the shipped statistics, bad input."""

from dataclasses import replace

import numpy as np
import pytest

from measurements.traces import read_trace
from planner.errors import InputProblems, NoResult
from planner.generator import generate, list_profiles, load_profile, profile_from
from planner.provenance import Basis
from planner.reuse import hit_curve


def test_same_seed_same_trace_and_basis_assumed():
    profile = load_profile("rag")
    one, same, other = (generate(profile, seed=s) for s in (7, 7, 8))
    assert np.array_equal(one.block_ids, same.block_ids)
    assert np.array_equal(one.arrival_s, same.arrival_s)
    assert not np.array_equal(one.arrival_s, other.arrival_s)
    assert one.basis is Basis.ASSUMED


@pytest.mark.parametrize("name", ["dialogue", "agent-coding", "shared-prefix", "rag", "cold-recovery"])
def test_presets_state_basis_source_and_check(name):
    profile = load_profile(name)
    assert name in list_profiles()
    assert profile.basis is Basis.ASSUMED
    assert profile.source
    assert profile.checked
    assert hit_curve(generate(profile, seed=1)).max_hit_tokens > 0


def test_dialogue_is_near_the_conversation_trace(shared_dir):
    real = read_trace(shared_dir / "data/traces/mooncake_conversation_trace.jsonl").trace
    made = generate(load_profile("dialogue"), seed=2)
    real_curve, made_curve = hit_curve(real), hit_curve(made)

    def figures(trace, curve):
        return [
            trace.requests_count / trace.duration_s,
            trace.input_tokens.mean(),
            trace.output_tokens.mean(),
            np.median(trace.input_tokens),
            trace.unique_blocks_count,
            curve.max_hit_tokens / curve.input_tokens,
        ]

    assert figures(made, made_curve) == pytest.approx(figures(real, real_curve), rel=0.10)
    for share in (0.5, 0.9):
        assert made_curve.capacity_for_share(share) == pytest.approx(real_curve.capacity_for_share(share), rel=0.25)


def test_single_turns_with_a_shared_system_prompt_hit_exactly_that():
    profile = replace(
        load_profile("shared-prefix"),
        turns_mean=1.0,
        system_tokens=1024,
        group_tokens=0,
        groups_count=1,
        users_count=50,
    )
    trace = generate(profile, seed=3)
    # all but the first request hit the two full shared blocks, and nothing else is ever seen again
    assert hit_curve(trace).max_hit_tokens == (trace.requests_count - 1) * 1024


def test_it_refuses_bad_profiles():
    profile = load_profile("dialogue")
    bad = [{"users_count": 10_000_000}, {"turns_mean": 0.5}, {"duration_s": float("nan")}, {"max_context_tokens": 512}]
    for change in bad:
        with pytest.raises(InputProblems):
            replace(profile, **change)
    with pytest.raises(InputProblems):
        load_profile("video")
    with pytest.raises(InputProblems) as caught:
        profile_from({"users": 3})
    assert {p.field for p in caught.value.problems} > {"users", "users_count", "think_time_s_mean"}


def test_a_trace_without_requests_is_no_result():
    with pytest.raises(NoResult):
        generate(replace(load_profile("dialogue"), users_count=1, sessions_per_user_per_h=1e-6), seed=1)
