"""What the evaluation decides: pays, does not pay or not known, with the reason; the sentence that leads the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from planner.economics import PAYS_FROM
from planner.evaluation import Against, Cost, Option, Verdict
from planner.predict import Prediction
from planner.scenario import Scenario

PAYS, DOES_NOT_PAY, NOT_KNOWN = "pays", "does_not_pay", "not_known"


def verdict(scenario: Scenario, at: Prediction, cost: Cost, against: Against | None) -> Verdict:
    """Judge one option against the baseline.

    It pays when at least 80 % of the draws have a positive NPV, does not when at most 20 % have; in between, and where
    a price, a GPU cost or a prediction is missing, the answer is not known.
    """
    if at.refused:
        return Verdict(answer=NOT_KNOWN, reason=f"verdict.{at.refused}")
    if cost.open_items:
        return Verdict(
            answer=NOT_KNOWN, reason="verdict.price_on_request", figures={"items": ", ".join(cost.open_items)}
        )
    if scenario.money.gpu_cny_per_hour is None:
        return Verdict(answer=NOT_KNOWN, reason="verdict.gpu_cost_not_known")
    if against is None:
        return Verdict(answer=NOT_KNOWN, reason="verdict.is_baseline")
    if against.npv is None or against.pays_fraction is None:
        return Verdict(answer=NOT_KNOWN, reason="verdict.baseline_not_known")
    share = against.pays_fraction
    figures = {"probability": share, "npv": against.npv.p50, "payback_years": against.payback_years}
    if share >= PAYS_FROM:
        return Verdict(answer=PAYS, reason="verdict.pays", figures=figures)
    if share <= 1 - PAYS_FROM:
        faster = against.throughput_uplift_fraction is not None and against.throughput_uplift_fraction.p50 > 0
        reason = "verdict.released_time_is_worth_less" if faster else "verdict.not_faster_than_baseline"
        return Verdict(answer=DOES_NOT_PAY, reason=reason, figures=figures)
    return Verdict(answer=NOT_KNOWN, reason="verdict.too_close_to_call", figures=figures)


def recommend(options: Sequence[Option]) -> Mapping[str, Any]:
    """Return the option to recommend: of those that pay and are likely to keep the promise, the one of highest NPV.

    Where none pays, nothing is recommended and the reason says which comes closest.
    """
    arrays = [option for option in options if option.against_baseline and option.against_baseline.npv]
    keeping = [
        option
        for option in arrays
        if option.at.keeps_promise_fraction is None or option.at.keeps_promise_fraction >= 0.5
    ]

    def worth(option: Option) -> float:
        return (
            option.against_baseline.npv.p50
            if option.against_baseline and option.against_baseline.npv
            else float("-inf")
        )

    paying = [option for option in keeping if option.verdict.answer == PAYS]
    if paying:
        return {"option": max(paying, key=worth).id, "code": "recommend.pays"}
    if any(option.verdict.answer == PAYS for option in arrays):
        return {"option": None, "code": "recommend.pays_but_misses_promise"}
    nearest = max(arrays, key=worth).id if arrays else None
    return {"option": None, "code": "recommend.none_pays" if arrays else "recommend.not_known", "nearest": nearest}


def subject(options: Sequence[Option], recommendation: Mapping[str, Any], preferred: str) -> Option:
    """Return the option that the sentence speaks of: the recommended, else the nearest, else the first array."""
    by_id = {option.id: option for option in options}
    for name in (recommendation.get("option"), recommendation.get("nearest"), preferred):
        if name in by_id:
            return by_id[name]
    return options[-1]


def headline(scenario: Scenario, baseline: Option, option: Option, longest_paying_tokens: int | None) -> Verdict:
    """Return the one sentence that leads the page: a code and the figures that word it."""
    against, at = option.against_baseline, option.at
    figures: dict[str, Any] = {
        "option": option.candidate,
        "units": option.sizing.units,
        "ports": option.sizing.ports or 0,
        "baseline": baseline.candidate,
        "concurrency": at.concurrency_count,
        "nodes": scenario.cluster.nodes_count,
        "output_tokens": scenario.workload.output_tokens,
        "binding": option.sizing.binding_constraint,
        "grade": at.rate_grade.value,
    }
    if at.ttft_s is None or baseline.at.ttft_s is None:
        return Verdict(answer=NOT_KNOWN, reason="headline.not_known", figures=figures)
    figures |= {"ttft_s": at.ttft_s.p50, "baseline_ttft_s": baseline.at.ttft_s.p50}
    if against is not None:
        reduction, uplift = against.ttft_reduction_fraction, against.throughput_uplift_fraction
        figures |= {
            "reduction_fraction": reduction.p50 if reduction else None,
            "uplift_fraction": uplift.p50 if uplift else None,
            "payback_years": against.payback_years,
            "horizon_years": scenario.money.horizon_years,
            "probability": against.pays_fraction,
            "npv": against.npv.p50 if against.npv else None,
            "longest_tokens": longest_paying_tokens,
        }
    code = {PAYS: "headline.pays", DOES_NOT_PAY: "headline.does_not_pay"}.get(option.verdict.answer, "headline.open")
    return Verdict(answer=option.verdict.answer, reason=code, figures=figures)
