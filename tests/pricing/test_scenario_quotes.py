"""Quotes of a scenario's array options against sums by hand, through the library and the command line."""

import json
from decimal import Decimal

import pytest

from planner.__main__ import main
from planner.errors import InputProblems
from planner.scenario import load_scenario
from pricing.scenario_quotes import candidate_of, discounts_of


def quoted(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["quote", "cold-recovery", *arguments, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def test_the_whole_cluster_is_quoted(capsys: pytest.CaptureFixture[str]) -> None:
    # 8 nodes, 4 on an array: 2 × (160,000 + 24 × 8,800)
    found = quoted(capsys)
    assert [(line["sku"], line["quantity"]) for line in found["lines"]] == [  # type: ignore[attr-defined]
        ("fx100-platform", 2),
        ("drive-gen4-7.68tb", 48),
    ]
    assert (found["list_total"], found["discount_total"], found["offered_total"]) == (
        "742400.00",
        "0.00",
        "742400.00",
    )
    assert (found["net_total"], found["open_items"]) == (None, [])  # the basis of the reference prices is not known
    assert (found["quoted_on"], found["valid_until"]) == ("2026-12-01", "2026-12-31")


def test_a_discount_stands_apart_and_asks_for_approval(capsys: pytest.CaptureFixture[str]) -> None:
    found = quoted(capsys, "--discount", "*=0.15")  # 742,400 × 0.85
    assert (found["list_total"], found["discount_total"], found["offered_total"]) == (
        "742400.00",
        "111360.00",
        "631040.00",
    )
    assert found["needs_approval"] is True
    assert quoted(capsys, "--discount", "fx100-platform=0.1")["discount_total"] == "32000.00"


def test_on_request_is_open_and_never_zero(capsys: pytest.CaptureFixture[str]) -> None:
    found = quoted(capsys, "--option", "fx400")
    assert (found["list_total"], found["offered_total"]) == (None, None)
    assert len(found["open_items"]) == 2  # type: ignore[arg-type]
    assert main(["quote", "cold-recovery", "--option", "fx400"]) == 0
    text = capsys.readouterr().out
    assert "Total offered: 2 on request" in text
    assert "0.00" not in text


def test_the_same_case_gives_the_same_seal(capsys: pytest.CaptureFixture[str]) -> None:
    assert quoted(capsys)["sha256"] == quoted(capsys)["sha256"]
    assert quoted(capsys)["sha256"] != quoted(capsys, "--set", "cluster.nodes_count=9")["sha256"]


def test_an_array_compared_with_itself_is_told_by_its_configuration() -> None:
    rows = [{"id": "fx100", "ports_count": ports, "nodes_per_array_count": 4} for ports in (1, 2)]
    scenario = load_scenario({"storage": {"candidates": rows}})
    assert candidate_of(scenario, None).ports_count == 1
    assert candidate_of(scenario, "fx100-2p24d4n").ports_count == 2


@pytest.mark.parametrize("arguments", [["--option", "recompute"], ["--discount", "a=0.1"], ["--valid-days", "0"]])
def test_what_cannot_be_quoted_says_why(capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["quote", "cold-recovery", *arguments]) == 2
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a", "=0.1", "a=", "a=NaN", "a=1e", "a=inf"])
def test_a_discount_is_a_sku_and_a_fraction(text: str) -> None:
    with pytest.raises(InputProblems, match="not_a_discount"):
        discounts_of([text])


def test_a_sku_is_discounted_once() -> None:
    assert discounts_of(["a=0.1", "b=0.2"]) == {"a": Decimal("0.1"), "b": Decimal("0.2")}
    with pytest.raises(InputProblems, match="each SKU once"):
        discounts_of(["a=0.1", "a=0.2"])
