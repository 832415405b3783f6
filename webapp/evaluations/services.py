"""The one call by which every page, task and export gets an evaluation of stored inputs."""

import json
from collections.abc import Mapping
from datetime import date
from functools import lru_cache
from typing import Any

import measurements
import planner
import pricing
from planner.evaluation import Evaluation
from planner.prices import PriceBook
from planner.runs import Dataset

Inputs = Mapping[str, Any]

KEPT_COUNT = 32
"""Evaluations kept in the process: an evaluation is a pure function of its inputs, so a kept one is the same one."""


@lru_cache(maxsize=8)
def _evidence(datasets: tuple[str, ...]) -> tuple[Dataset, ...]:
    return measurements.load_evidence(datasets)


@lru_cache(maxsize=8)
def _prices(book: str, day: str) -> PriceBook:
    return pricing.load_book(book, on=date.fromisoformat(day))


@lru_cache(maxsize=KEPT_COUNT)
def _evaluated(text: str) -> Evaluation:
    scenario = planner.load_scenario(json.loads(text))
    runs = _evidence(scenario.evidence.datasets)
    return planner.evaluate(scenario, runs, _prices(scenario.money.book, scenario.money.book_date))


def evaluate_inputs(inputs: Inputs) -> Evaluation:
    """Evaluate the inputs of a scenario.

    Parameters
    ----------
    inputs : mapping
        What ``planner.load_scenario`` takes.

    Raises
    ------
    InputProblems
        With every problem of the inputs at once.
    NoResult
        When the evidence allows no result.
    """
    return _evaluated(json.dumps(inputs, sort_keys=True, ensure_ascii=False, default=str))
