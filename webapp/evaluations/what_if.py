"""What if: a scenario's inputs with a few values changed in the address, evaluated beside the saved ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from planner.errors import InputProblems, NoResult
from planner.evaluation import Evaluation
from planner.fields import Field, fields
from webapp.evaluations.presentation import Headline, headline
from webapp.evaluations.services import evaluate_inputs
from webapp.scenarios.controls import Control, control
from webapp.scenarios.inputs import as_text, get_at, set_at, typed_value
from webapp.scenarios.problems import problems_by_field

PATHS = (
    "workload.concurrency_count",
    "workload.prompt_tokens",
    "workload.output_tokens",
    "workload.hit_fraction",
    "cluster.nodes_count",
    "promise.ttft_s",
    "money.gpu_cny_per_hour",
    "money.cold_share_fraction",
    "money.horizon_years",
    "storage.baseline",
)
"""The inputs that a customer asks about while looking at the result; all others are on the form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One value that differs from the saved scenario, as typed and as it was."""

    record: Field
    text: str
    before: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """The answer to a what-if; ``evaluation`` is None where the inputs allow none, ``errors`` says why by field."""

    inputs: Mapping[str, Any]
    values: Mapping[str, str]
    changes: Sequence[Change] = ()
    evaluation: Evaluation | None = None
    base: Evaluation | None = None
    errors: Mapping[str, Sequence[str]] = field(default_factory=dict)
    no_result: str = ""

    def headlines(self, locale: str) -> tuple[Headline, Headline] | None:
        """Return the headline as saved and as it is now; None where nothing is changed or either is not known."""
        if not self.changes or self.base is None or self.evaluation is None:
            return None
        return headline(self.base, locale), headline(self.evaluation, locale)


def what_if(saved: Mapping[str, Any], typed: Mapping[str, str]) -> WhatIf:
    """Evaluate the saved inputs with the typed values put in.

    Parameters
    ----------
    saved : mapping
        The inputs of the scenario.
    typed : mapping
        Text by the dotted path of the field; paths outside ``PATHS`` are not looked at.
    """
    base, problem = _evaluated(saved)
    full = base.inputs if base is not None else saved
    values = {path: as_text(get_at(full, path)) for path in PATHS}
    changes = []
    inputs = saved
    for path in PATHS:
        text = typed.get(path, values[path]).strip()
        if text != values[path]:
            changes.append(Change(record=fields()[path], text=text, before=values[path]))
            inputs = set_at(inputs, path, typed_value(fields()[path], text))
            values[path] = text
    if not changes:
        return WhatIf(inputs=saved, values=values, evaluation=base, base=base, **problem)
    evaluation, problem = _evaluated(inputs)
    return WhatIf(inputs=inputs, values=values, changes=changes, evaluation=evaluation, base=base, **problem)


def _evaluated(inputs: Mapping[str, Any]) -> tuple[Evaluation | None, dict[str, Any]]:
    try:
        return evaluate_inputs(inputs), {}
    except InputProblems as error:
        return None, {"errors": problems_by_field(error.problems)}
    except NoResult as error:
        return None, {"no_result": error.message}


def controls(answer: WhatIf, locale: str) -> Sequence[Control]:
    """Return the controls of the what-if panel with what was typed and what is wrong with it."""
    return [
        control(path, locale, value=answer.values[path], errors=answer.errors, with_default=False) for path in PATHS
    ]
