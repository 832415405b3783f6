"""Numbers as people read them, by published rules of the three languages: comma groups thousands, point divides."""

from decimal import Decimal

import pytest
from django.utils import translation

from webapp.home.templatetags.fx import number, percent


@pytest.mark.parametrize("language", ["zh-hans", "ko", "en"])
def test_thousands_are_grouped_in_every_language(language: str) -> None:
    with translation.override(language):
        assert number(Decimal(371200), 2) == "371,200.00"
        assert number(29800) == "29,800"


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [(2.675, 2, "2.68"), (0.5, 0, "1"), (2.5, 0, "3"), (-0.125, 2, "-0.13"), (1e15, 0, "1,000,000,000,000,000")],
)
def test_halves_round_up_not_to_even(value: float, places: int, text: str) -> None:
    with translation.override("en"):
        assert number(value, places) == text


def test_what_is_not_known_is_not_zero() -> None:
    assert number(None) == "–"


def test_percent() -> None:
    assert percent(0.333) == 33
