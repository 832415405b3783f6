"""Laws of DESIGN section 4 on the stations and the burst."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.burst import quantile, wave
from planner.runs import PercentileRule
from planner.sensitivity import uplift_fraction
from planner.stations import decode_interval_s, load_s, prefill_flops

positive = st.floats(1e-3, 1e3)


def burst(load=0.0, prefill=0.0, interval=0.0, *, requests=8, instances=1, output=64, chunks=4):
    one = np.ones(1)
    return wave(
        load_s=load * one,
        prefill_s=prefill * one,
        interval_s=interval * one,
        requests_count=requests,
        instances_count=instances,
        output_tokens=output,
        chunks_count=chunks,
    )


def test_load_by_hand():
    # 16 sessions of 7.5 GB on 12 GB/s: 10 s, and 1.5 s of overhead
    assert load_s(7.5e9, 16, 1.5, 12e9) == pytest.approx(11.5)


def test_nothing_to_load_takes_no_time():
    assert load_s(0, 16, 1.5, 12e9) == 0


def test_an_unreachable_tier_never_answers():
    assert np.isinf(load_s(7.5e9, 1, 0.0, 0.0))


def test_prefill_of_a_whole_prompt_by_hand():
    # 2 * 10 * 100 + W * L^2 with W = 3, L = 100
    assert prefill_flops(100, 100, 10, 3) == 2 * 10 * 100 + 3 * 100**2


def test_a_reused_prefix_still_costs_attention():
    # the last 10 of 100 tokens attend to all: 3 * (100^2 - 90^2) = 5,700, not 3 * 10^2
    assert prefill_flops(10, 100, 0, 3) == 5700


def test_one_request_is_the_sum_of_its_parts():
    result = burst(2.0, 3.0, 0.02, requests=1)
    assert result.ttft_s[0, 0] == pytest.approx(5.0)
    assert result.wall_s[0] == pytest.approx(5.0 + 63 * 0.02)


def test_recomputed_burst_by_hand():
    # Two prefills of 10 s in 4 chunks, answers of 6 tokens at 0.1 s. The first waits 10 s for the second, in which it
    # gets 4 of its 5 further tokens; the fifth takes 0.1 s. Both end: first 20.1 s, second 20 + 0.5 s.
    result = burst(prefill=10.0, interval=0.1, requests=2, output=6)
    assert result.ttft_s[:, 0].tolist() == [10.0, 20.0]
    assert result.tpot_s[:, 0].tolist() == pytest.approx([10.1 / 5, 0.1])
    assert result.wall_s[0] == pytest.approx(20.5)


def test_decode_interval_by_hand():
    assert decode_interval_s(16, 0.0203, 0.000485) == pytest.approx(0.02806)


@pytest.mark.parametrize(
    ("rule", "fraction", "expected"),
    [
        (PercentileRule.FLOOR, 0.5, 9),
        (PercentileRule.CEIL, 0.5, 8),
        (PercentileRule.FLOOR, 0.9, 15),
        (PercentileRule.CEIL, 0.9, 15),
    ],
)
def test_percentile_rules_of_the_reports(rule, fraction, expected):
    # 16 samples: R2 takes a[int(n*q)] (the 9th and the 15th value), R3 a[ceil(n*q)-1] (the 8th and the 15th)
    assert quantile(np.arange(1.0, 17.0)[:, None], fraction, rule)[0] == expected


@given(positive, positive, st.integers(1, 40), st.integers(2, 400))
def test_output_rate_falls_with_load(load, interval, requests, output):
    slow, fast = (
        burst(load * 2, interval=interval, requests=requests, output=output),
        burst(load, interval=interval, requests=requests, output=output),
    )
    assert slow.output_tokens_per_s[0] < fast.output_tokens_per_s[0]


@given(positive, positive, st.floats(1e-4, 1.0), st.integers(2, 5000))
def test_uplift_is_never_above_the_ttft_ratio(a, b, interval, output):
    slow, fast = max(a, b), min(a, b)
    uplift = float(uplift_fraction(slow, fast, interval, output))
    assert -1e-12 <= uplift <= slow / fast - 1 + 1e-9


@given(positive, positive)
def test_uplift_vanishes_for_endless_answers(slow, fast):
    assert abs(float(uplift_fraction(slow, fast, 0.03, 10**12))) < 1e-6


# DESIGN section 4 and issue text: TTFT 11.85 and 17.31 s at concurrency 16, decode interval 28.7 ms
@pytest.mark.parametrize(
    ("output", "uplift"), [(64, 40.0), (128, 35.2), (256, 28.5), (512, 20.6), (1024, 13.2), (2048, 7.7), (4096, 4.2)]
)
def test_uplift_of_r2_at_longer_answers(output, uplift):
    assert 100 * float(uplift_fraction(17.31, 11.85, 0.0287, output)) == pytest.approx(uplift, abs=0.2)


def test_recompute_burst_of_r2_follows_the_simulation():
    # cases/service.md: 15.6 s a prefill, N = 16: TTFT p50 142 s, p90 237 s, TPOT p50 1.95 s, 4.06 tok/s
    result = burst(prefill=15.6, interval=0.0288, requests=16)
    assert quantile(result.ttft_s, 0.5, PercentileRule.FLOOR)[0] == pytest.approx(142, rel=0.02)
    assert quantile(result.ttft_s, 0.9, PercentileRule.FLOOR)[0] == pytest.approx(237, rel=0.02)
    assert quantile(result.tpot_s, 0.5, PercentileRule.FLOOR)[0] == pytest.approx(1.95, rel=0.03)
    assert result.output_tokens_per_s[0] == pytest.approx(4.06, rel=0.01)
