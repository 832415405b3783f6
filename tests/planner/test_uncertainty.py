"""Draws and bands."""

import numpy as np
import pytest
from scipy.stats import norm

from planner.uncertainty import band, penalty_fraction, settings, standard_normals


def test_each_row_is_a_latin_hypercube_of_the_standard_normal():
    drawn = standard_normals(3, 64, 7)
    strata = np.sort(norm.cdf(drawn) * 64 - 0.5, axis=1)
    assert strata == pytest.approx(np.tile(np.arange(64.0), (3, 1)), abs=1e-6)


def test_the_rows_are_not_in_step():
    correlations = np.corrcoef(standard_normals(10, 256, settings()["seed"]))
    assert np.abs(correlations - np.eye(10)).max() < 0.25


def test_the_same_seed_gives_the_same_digits():
    assert np.array_equal(standard_normals(2, 16, 1), standard_normals(2, 16, 1))


def test_a_band_of_the_lognormal_is_its_quantiles():
    draws = np.exp(0.1 * standard_normals(1, 256, 1)[0])
    assert tuple(band(draws)) == pytest.approx(np.exp(0.1 * norm.ppf([0.1, 0.5, 0.9])), rel=2e-3)


def test_penalties_add_in_squares():
    table = settings()["penalty"]
    expected = (table["device"]["fraction"] ** 2 + table["ports"]["fraction"] ** 2) ** 0.5
    assert penalty_fraction(["device", "ports", "ports"]) == pytest.approx(expected)
