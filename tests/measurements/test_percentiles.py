"""Percentiles under a stated rule, against numpy and hand calculation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from measurements.percentiles import bucket_quantile, percentile, quantiles
from planner.errors import NoResult
from planner.runs import PercentileRule

SIXTEEN = list(range(1, 17))


def test_p50_of_sixteen_is_the_ninth_the_eighth_or_between() -> None:
    """R2's client takes a[int(n q)], R3's aggregation a[ceil(n q) - 1] (shared service cases, point 6)."""
    assert percentile(SIXTEEN, 0.5, PercentileRule.FLOOR) == 9
    assert percentile(SIXTEEN, 0.5, PercentileRule.CEIL) == 8
    assert percentile(SIXTEEN, 0.5, PercentileRule.LINEAR) == 8.5
    for rule in (PercentileRule.FLOOR, PercentileRule.CEIL):
        assert percentile(SIXTEEN, 0.99, rule) == 16  # p99 of 16 samples is the maximum


def test_products_that_miss_a_whole_number_by_rounding_do_not_shift_the_rank() -> None:
    hundred = list(range(1, 101))
    assert percentile(hundred, 0.29, PercentileRule.FLOOR) == 30  # 0.29 * 100 is 28.999… in floating point
    assert percentile(hundred, 0.07, PercentileRule.CEIL) == 7  # 0.07 * 100 is 7.000…01


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=60), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_rules_equal_numpys_methods(samples: list[float], q: float) -> None:
    assert percentile(samples, q, PercentileRule.LINEAR) == pytest.approx(
        float(np.percentile(samples, q * 100)), rel=1e-12
    )
    ceil = float(np.quantile(samples, q, method="inverted_cdf"))
    rank = q * len(samples)
    if abs(rank - round(rank)) > 1e-6:  # numpy's own rounding decides on whole ranks
        assert percentile(samples, q, PercentileRule.CEIL) == ceil


def test_no_samples_have_no_percentile() -> None:
    assert quantiles([]) is None
    with pytest.raises(NoResult):
        percentile([], 0.5, PercentileRule.LINEAR)
    with pytest.raises(NoResult):
        percentile([1.0], 0.5, PercentileRule.BUCKET)


def test_a_histogram_interpolates_within_its_bucket() -> None:
    bounds, counts = [0.1, 0.5, 1.0, float("inf")], [0.0, 40.0, 80.0, 100.0]
    assert bucket_quantile(0.5, bounds, counts) == (0.625, False)  # 0.5 + 0.5 x (50 - 40) / 40
    assert bucket_quantile(0.2, bounds, counts) == (pytest.approx(0.3), False)
    assert bucket_quantile(0.9, bounds, counts) == (1.0, True)  # beyond the last bound: at least that
    assert bucket_quantile(0.5, bounds, [0.0] * 4) == (None, False)
    assert bucket_quantile(0.5, [float("inf")], [5.0]) == (None, False)
