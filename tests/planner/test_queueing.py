"""The closed loop against cases/service.md and against networks solved by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.queueing import closed_loop, mean_value_analysis


def test_one_user_meets_no_queue():
    throughput, residence = mean_value_analysis((0.5, 0.25), 1.25, 1)
    assert throughput == 0.5
    assert residence == (0.5, 0.25)


def test_two_users_at_two_stations_by_hand():
    # D = 1 and 1: with one user Q = 1/2 each; with two R = 1.5 each, X = 2/3
    throughput, residence = mean_value_analysis((1.0, 1.0), 0.0, 2)
    assert throughput == pytest.approx(2 / 3)
    assert residence == pytest.approx((1.5, 1.5))


@given(st.lists(st.floats(0.01, 5), min_size=1, max_size=4), st.floats(0, 20), st.integers(1, 60))
def test_bounds_of_operational_analysis(demands, delay, users):
    throughput, residence = mean_value_analysis(tuple(demands), delay, users)
    assert throughput <= min(1 / max(demands), users / (delay + sum(demands))) * (1 + 1e-9)
    assert throughput * (delay + sum(residence)) == pytest.approx(users)  # Little's law


def test_many_users_saturate_the_slowest_station():
    assert mean_value_analysis((0.8, 0.1), 5.0, 2000)[0] == pytest.approx(1 / 0.8, rel=1e-6)


# cases/service.md, "Closed loop: reference values": B = 7.671 GB, t0 = 0.5 s, prefill 0.1 ms,
# decode interval 20.3 ms + 0.485 ms a request in decode (at least one).
@pytest.mark.parametrize(
    ("output", "users", "rate", "ttft", "interval_ms", "tokens_per_s"),
    [
        (64, 1, 9.6, 1.2992, 20.7850, 24.534),
        (64, 8, 6.7, 7.8473, 20.8565, 55.888),
        (64, 32, 9.6, 24.2403, 21.1071, 80.094),
        (512, 1, 6.7, 1.6450, 20.7850, 41.741),
        (512, 16, 9.6, 2.8923, 26.7028, 495.360),
        (512, 32, 6.7, 23.3986, 25.9082, 447.190),
        (2048, 8, 9.6, 1.3964, 24.0731, 323.321),
        (2048, 16, 6.7, 2.0992, 27.7838, 555.648),
    ],
)
def test_reference_values_of_the_closed_loop(output, users, rate, ttft, interval_ms, tokens_per_s):
    result = closed_loop(
        demands_s=(7.671 / rate, 1e-4),
        fixed_s=0.5,
        think_s=0.0,
        gaps_count=output - 1,
        interval=lambda decoding: 0.0203 + 0.000485 * max(decoding, 1.0),
        users_count=users,
    )
    assert 0.5 + sum(result.residence_s) == pytest.approx(ttft, rel=1e-3)
    assert 1000 * result.decode_interval_s == pytest.approx(interval_ms, rel=1e-3)
    assert result.requests_per_s * output == pytest.approx(tokens_per_s, rel=1e-3)
