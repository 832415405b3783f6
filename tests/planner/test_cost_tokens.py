"""Costs per token against the seed facts, published conversions and the identity of the allocation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.cost_tokens import (
    Pool,
    TokenRates,
    full_price_equivalent_tokens,
    per_million,
    served_tokens,
    storage_share,
    token_costs,
    unit_costs,
)
from planner.errors import InputProblems

rate = st.floats(min_value=0.001, max_value=1e5)


def rates(**changed: float) -> TokenRates:
    base = {
        "uncached_input_tokens_per_s": 100.0,
        "cached_input_tokens_per_s": 900.0,
        "output_tokens_per_s": 50.0,
        "prefill_gpu_seconds": 3.0,
        "decode_gpu_seconds": 1.0,
    }
    return TokenRates(**base | changed)


@pytest.mark.parametrize(
    ("cny_per_hour", "tokens_per_s", "expected"),
    [(48, 4.1, 3252), (48, 74.9, 178), (48 + 10.61, 74.9, 217)],  # 8 GPUs at 6/h; with the array at 10.61/h
)
def test_seed_facts(cny_per_hour: float, tokens_per_s: float, expected: int) -> None:
    assert round(per_million(cny_per_hour, tokens_per_s) or 0) == expected


@pytest.mark.parametrize(
    ("dollars", "tokens_per_s", "expected"),
    [
        (2.0, 85, 6.54),  # GMI Cloud, 2026-05-28
        (2.6, 140, 5.16),
        (2.0, 120, 4.63),
        (2.0, 400, 1.39),
        (2.8, 1000, 0.7778),  # InferenceX chart-utils tests: total, output and input rates of one GPU
        (2.8, 500, 1.5556),
        (2.8, 200, 3.8889),
    ],
)
def test_published_conversions(dollars: float, tokens_per_s: float, expected: float) -> None:
    assert per_million(dollars, tokens_per_s) == pytest.approx(expected, abs=0.005)


def test_the_output_figure_carries_the_whole_pool() -> None:
    costs = token_costs(Pool(gpu_cny_per_hour=6, gpus_count=8, storage_cny_per_hour=12), rates())
    assert costs.cny_per_hour == 60
    assert costs.output_cny_per_mtok == pytest.approx(60 / (50 * 3600) * 1e6)
    assert costs.processed_cny_per_mtok == pytest.approx(60 / (1050 * 3600) * 1e6)
    assert costs.stream_uncached_input_cny_per_mtok == pytest.approx(36 / (100 * 3600) * 1e6)  # 3/4 of 48
    assert costs.stream_cached_input_cny_per_mtok == pytest.approx(12 / (900 * 3600) * 1e6)
    assert costs.stream_output_cny_per_mtok == pytest.approx(12 / (50 * 3600) * 1e6)
    assert costs.prompt_to_output_ratio == 20


@given(rate, rate, rate, st.floats(0, 100), st.floats(0, 100), st.floats(0.01, 1), st.booleans(), st.booleans())
def test_stream_prices_times_tokens_are_the_pool(
    uncached: float,
    cached: float,
    output: float,
    prefill: float,
    decode: float,
    load: float,
    no_uncached: bool,
    no_cached: bool,
) -> None:
    given_rates = TokenRates(
        uncached_input_tokens_per_s=0.0 if no_uncached else uncached,
        cached_input_tokens_per_s=0.0 if no_cached else cached,
        output_tokens_per_s=output,
        prefill_gpu_seconds=prefill,
        decode_gpu_seconds=decode,
        load_factor=load,
    )
    costs = token_costs(Pool(gpu_cny_per_hour=6, gpus_count=8, storage_cny_per_hour=7), given_rates)
    hourly = sum(
        (price or 0) * tokens * load * 3600 / 1e6
        for price, tokens in (
            (costs.stream_uncached_input_cny_per_mtok, given_rates.uncached_input_tokens_per_s),
            (costs.stream_cached_input_cny_per_mtok, given_rates.cached_input_tokens_per_s),
            (costs.stream_output_cny_per_mtok, given_rates.output_tokens_per_s),
        )
    )
    assert hourly == pytest.approx(costs.cny_per_hour, rel=1e-9)


def test_without_goodput_or_load_the_hour_still_costs_and_a_token_is_not_defined() -> None:
    pool = Pool(gpu_cny_per_hour=6, gpus_count=8)
    idle = token_costs(pool, rates(load_factor=0.0))
    assert (idle.cny_per_hour, idle.output_cny_per_mtok, idle.reason) == (48, None, "no_load")
    missed = token_costs(pool, rates(output_tokens_per_s=0.0))
    assert (missed.cny_per_hour, missed.output_cny_per_mtok, missed.reason) == (48, None, "not_served_within_promise")
    assert missed.stream_output_cny_per_mtok is None


def test_half_the_load_doubles_the_price_of_a_token() -> None:
    pool = Pool(gpu_cny_per_hour=6)
    full, half = token_costs(pool, rates()), token_costs(pool, rates(load_factor=0.5))
    assert half.output_cny_per_mtok == pytest.approx(2 * (full.output_cny_per_mtok or 0))


def test_served_tokens_are_cut_at_capacity() -> None:
    served, factor = served_tokens([0.0, 50.0, 200.0], 100.0)
    assert served == 150 * 3600
    assert factor == 0.5
    assert served_tokens([1.0], 0.0) == (0.0, 0.0)


def test_shared_storage_by_bytes_or_by_nodes() -> None:
    assert storage_share(12.0, 1, [1, 1, 1, 1]) == 3
    assert storage_share(12.0, 30, [30, 10]) == 9


def test_cached_tokens_at_a_part_of_the_price() -> None:
    assert full_price_equivalent_tokens(10_000, 5_000, 0.2) == 6_000  # Alibaba's context-cache help


def test_per_request_session_energy_and_co2_by_hand() -> None:
    got = unit_costs(Pool(gpu_cny_per_hour=36), requests_per_s=2, sessions_per_s=0, power_w=7200, co2_g_per_kwh=500)
    assert got["cny_per_request"] == pytest.approx(0.005)
    assert got["cny_per_session"] is None
    assert got["kwh_per_request"] == pytest.approx(0.001)
    assert got["co2_g_per_request"] == pytest.approx(0.5)


@pytest.mark.parametrize("value", [-1, float("nan"), float("inf"), 1e30])
def test_it_refuses_rates_that_cannot_be(value: float) -> None:
    with pytest.raises(InputProblems):
        rates(output_tokens_per_s=value)
    with pytest.raises(InputProblems):
        Pool(gpu_cny_per_hour=value)
    with pytest.raises(InputProblems):
        per_million(1, value)
