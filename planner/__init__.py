"""The evaluation model: pure functions and frozen values, without Django, clock, environment or network."""

from planner.evaluate import evaluate
from planner.evaluation import Evaluation
from planner.scenario import Scenario, list_examples, load_scenario

__all__ = ["Evaluation", "Scenario", "evaluate", "list_examples", "load_scenario"]
