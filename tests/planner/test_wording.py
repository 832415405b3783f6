"""The texts of three languages: the same codes, the same placeholders, and every code that the planner gives out."""

import re
from datetime import date

import pytest

import measurements
import planner
import pricing
from planner.fields import fields
from planner.wording import LOCALES, Wording, catalogue, finding_text, placeholders

BOOK = pricing.load_book("fx-reference", on=date(2026, 12, 1))
EVALUATIONS = [
    planner.evaluate(
        planner.load_scenario(name), measurements.load_evidence(["r1", "r2", "r3", "r3-repeat", "r4"]), BOOK
    )
    for name in planner.list_examples()
]


@pytest.mark.parametrize("locale", LOCALES)
def test_all_languages_hold_the_same_codes_and_placeholders(locale):
    english, other = catalogue("en"), catalogue(locale)
    assert set(english) == set(other)
    for code, template in english.items():
        assert placeholders(template) == placeholders(other[code]), code


@pytest.mark.parametrize("locale", ["zh-hans", "ko"])
def test_nothing_is_left_in_english(locale):
    script = {"zh-hans": r"[\u4e00-\u9fff]", "ko": r"[\uac00-\ud7af]"}[locale]
    same = [code for code, text in catalogue(locale).items() if not re.search(script, text)]
    assert {code for code in same if not code.startswith("tier.fx")} <= {
        "assumption.money.pue_ratio",
        "term.band",
        "word.column.roi",
        "word.class_nda",
    }


@pytest.mark.parametrize("locale", LOCALES)
def test_every_code_of_an_evaluation_is_worded(locale):
    say = Wording(locale)
    for evaluation in EVALUATIONS:
        assert say.text(evaluation.headline.reason, **evaluation.headline.figures)
        for option in evaluation.options:
            assert say.text(option.verdict.reason, **option.verdict.figures)
            assert say.has(f"tier.{option.candidate}")
            assert say.has(f"constraint.{option.sizing.binding_constraint}")
            assert all(say.has(f"axis.{axis}") for point in option.prediction for axis in point.axes)
            assert all(say.has(f"line.{line.code}") for line in option.cost.lines)
        for row in evaluation.assumptions:
            assert say.has(f"assumption.{row['code']}")
            assert say.has(row["if_wrong"])
        for finding in evaluation.findings:
            text = finding_text(say, finding.code, finding.figures, "")
            assert text, finding.code


def test_a_figure_that_is_not_known_says_so():
    assert "not known" in Wording("en").text(
        "headline.pays", **dict.fromkeys(placeholders(catalogue("en")["headline.pays"]))
    )


def test_the_sentence_by_hand():
    say = Wording("en")
    assert say.text("verdict.pays", probability=0.864) == "Pays: positive NPV in 86% of the draws."
    assert say.text("recommend.none_pays", option="fx100").endswith("closest: FX100.")


def test_every_field_choice_has_a_path_that_exists():
    assert all("." in path for path in fields())
