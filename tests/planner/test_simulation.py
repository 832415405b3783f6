"""The simulation against hand sums, published figures, the burst formulas and exact mean value analysis."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.__main__ import main
from planner.burst import quantile, wave
from planner.errors import InputProblems
from planner.queueing import closed_loop
from planner.runs import PercentileRule
from planner.simulation import Stations, simulate

LOADS = Stations(
    load_bytes=7.671e9,
    overhead_s=0.5,
    bytes_per_s=9.6e9,
    prefill_s=0.0,
    chunks_count=1,
    interval_base_s=0.0203,
    interval_per_request_s=0.000485,
)


def changed(**values):
    return Stations(**{name: values.get(name, getattr(LOADS, name)) for name in LOADS.__slots__})


def test_one_request_is_the_sum_of_its_parts():
    found = simulate(changed(prefill_s=2.0, chunks_count=4), requests_count=1, output_tokens=64)
    assert found.ttft_s == pytest.approx([0.5 + 7.671 / 9.6 + 2.0])
    assert found.tpot_s == pytest.approx([0.020785])
    assert found.finished_s == pytest.approx([0.5 + 7.671 / 9.6 + 2.0 + 63 * 0.020785])


def test_two_loads_share_the_tier():
    found = simulate(LOADS, requests_count=2, output_tokens=2)
    assert found.ttft_s == pytest.approx([0.5 + 2 * 7.671 / 9.6] * 2)
    assert found.tpot_s == pytest.approx([0.0203 + 2 * 0.000485] * 2)


def test_two_engines_decode_apart_and_load_together():
    found = simulate(changed(engines_count=2), requests_count=4, output_tokens=3)
    assert found.ttft_s == pytest.approx([0.5 + 4 * 7.671 / 9.6] * 4)
    assert found.tpot_s == pytest.approx([0.0203 + 2 * 0.000485] * 4)


def test_recomputed_burst_of_r2():
    # cases/service.md: TP8, 16 requests, 15.6 s a prefill in chunks of 8,192: p50 142 s, p90 237 s, TPOT 1.95 s,
    # 4.06 tok/s (measured 149.5 s, 237.3 s, 4.1 tok/s)
    stations = changed(load_bytes=0.0, prefill_s=15.6, chunks_count=4)
    found = simulate(stations, requests_count=16, output_tokens=64)
    assert quantile(found.ttft_s, 0.5, PercentileRule.FLOOR) == pytest.approx(142, rel=0.05)
    assert quantile(found.ttft_s, 0.9, PercentileRule.CEIL) == pytest.approx(237, rel=0.02)
    assert np.median(found.tpot_s) == pytest.approx(1.95, rel=0.05)
    assert found.output_tokens_per_s == pytest.approx(4.06, rel=0.01)


@pytest.mark.parametrize(("output", "tokens_per_s"), [(64, 69.7), (512, 304), (2048, 475)])
def test_identical_users_that_start_together_stay_in_step(output, tokens_per_s):
    # cases/service.md, N = 16 at 9.6 GB/s; TTFT is 13.3 s whatever the answer length
    found = simulate(LOADS, requests_count=16, output_tokens=output, completions_count=160)
    assert found.output_tokens_per_s == pytest.approx(tokens_per_s, rel=0.03)
    assert found.ttft_s == pytest.approx(13.3, rel=0.005)


@pytest.mark.parametrize("output", [64, 512, 2048])
def test_independent_users_meet_exact_mean_value_analysis(output):
    count = 6000
    found = simulate(LOADS, requests_count=16, output_tokens=output, completions_count=count, variability=1.0, seed=7)
    exact = closed_loop(
        demands_s=(7.671 / 9.6,),
        fixed_s=0.5,
        think_s=0.0,
        gaps_count=output - 1,
        interval=lambda decoding: 0.0203 + 0.000485 * max(decoding, 1.0),
        users_count=16,
    )
    warm = count // 5
    rate = (count - warm) / (found.finished_s[-1] - found.finished_s[warm - 1])
    assert rate == pytest.approx(exact.requests_per_s, rel=0.03)
    # a decode that slows with its batch is an approximation in the analysis: the wait is off by more than the rate
    assert found.ttft_s[warm:].mean() == pytest.approx(0.5 + sum(exact.residence_s), rel=0.1)


@settings(max_examples=60, deadline=None)
@given(
    load=st.floats(0.0, 5.0),
    prefill=st.sampled_from([0.0, 0.4, 3.0]),
    requests=st.integers(1, 24),
    engines=st.integers(1, 4),
    output=st.integers(2, 200),
)
def test_an_identical_burst_waits_as_the_formula_says(load, prefill, requests, engines, output):
    engines = min(engines, requests)
    stations = changed(
        load_bytes=load * 9.6e9, prefill_s=prefill, chunks_count=2, engines_count=engines, interval_per_request_s=0.0
    )
    found = simulate(stations, requests_count=requests, output_tokens=output)
    formula = wave(
        load_s=np.array([0.5 + requests * load if load > 0 else 0.0]),
        prefill_s=np.array([prefill]),
        interval_s=np.array([0.0203]),
        requests_count=requests,
        instances_count=engines,
        output_tokens=output,
        chunks_count=2,
    )
    # the chunks are longer than the interval, so prefills are never delayed by the decode beside them
    assert np.sort(found.ttft_s) == pytest.approx(np.sort(formula.ttft_s[:, 0]), rel=1e-6)
    assert found.output_tokens_per_s == pytest.approx(formula.output_tokens_per_s[0], rel=0.05)


def test_the_same_seed_gives_the_same_digits():
    one, two, other = (
        simulate(LOADS, requests_count=8, output_tokens=16, variability=0.5, seed=seed).ttft_s for seed in (3, 3, 4)
    )
    assert np.array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"requests_count": 0}, "requests_count"),
        ({"output_tokens": 1}, "output_tokens"),
        ({"variability": float("nan")}, "variability"),
        ({"seed": -1}, "seed"),
        ({"think_s": -1.0}, "think_s"),
        ({"completions_count": 10**9}, "completions_count"),
        ({"stations": changed(bytes_per_s=0.0)}, "stations.bytes_per_s"),
    ],
)
def test_it_refuses_what_cannot_be_simulated(arguments, field):
    with pytest.raises(InputProblems) as caught:
        simulate(**({"stations": LOADS, "requests_count": 2, "output_tokens": 2} | arguments))
    assert [problem.field for problem in caught.value.problems] == [field]


def test_a_model_without_a_decode_measurement_is_not_simulated(capsys):
    assert main(["simulate", "cold-recovery", "--set", "model.id=llama-3.1-70b"]) == 0
    assert "not known: no_decode_measurement" in capsys.readouterr().out
