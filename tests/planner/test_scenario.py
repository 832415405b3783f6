"""Scenarios: defaults, every problem at once, and hostile values."""

import math

import pytest

from planner.errors import InputProblems
from planner.fields import fields
from planner.scenario import list_examples, load_scenario


def problems(raw):
    with pytest.raises(InputProblems) as caught:
        load_scenario(raw)
    return {problem.field: problem for problem in caught.value.problems}


def test_the_examples_load_and_name_a_case():
    assert {"cold-recovery", "cold-recovery-long-answers"} <= set(list_examples())
    for name in list_examples():
        assert load_scenario(name).title


def test_an_empty_mapping_is_the_defaults():
    scenario = load_scenario({})
    assert scenario.given == frozenset()
    assert scenario.workload.output_tokens == fields()["workload.output_tokens"].default


def test_the_document_of_a_scenario_gives_it_back():
    scenario = load_scenario("cold-recovery")
    again = load_scenario(scenario.document())
    assert again.document() == scenario.document()
    assert again.given == scenario.given


def test_a_default_that_was_changed_afterwards_is_somebodys_value():
    document = load_scenario("cold-recovery").document()
    assert "money.pue_ratio" in document["defaults"]
    document["money"]["pue_ratio"] += 0.1
    assert "money.pue_ratio" in load_scenario(document).given


@pytest.mark.parametrize(
    ("raw", "field"),
    [("money.pue_ratio", "defaults"), (["x.y"], "defaults[0]"), ([3], "defaults[0]"), ([[]], "defaults[0]")],
)
def test_it_refuses_defaults_that_are_no_list_of_fields(raw, field):
    assert field in problems({"defaults": raw})


def test_what_the_file_sets_is_told_from_defaults():
    scenario = load_scenario({"workload": {"output_tokens": 512}})
    assert scenario.given == {"workload.output_tokens"}


def test_all_problems_are_told_at_once():
    found = problems(
        {
            "model": {"id": "gpt-9"},
            "cluster": {"nodes_count": 0, "node": "x"},
            "workload": {"concurrency_count": 0, "hit_fraction": "80", "output_tokens": 1, "prompt_tokens": 1e30},
            "money": {"pue_ratio": 0.9, "gpu_cny_per_hour": -1},
            "storage": {"candidates": [{"id": "fx900"}]},
            "wrkload": {},
        }
    )
    assert set(found) == {
        "model.id",
        "cluster.nodes_count",
        "cluster.node",
        "workload.concurrency_count",
        "workload.hit_fraction",
        "workload.output_tokens",
        "workload.prompt_tokens",
        "money.pue_ratio",
        "money.gpu_cny_per_hour",
        "storage.candidates[0].id",
        "wrkload",
    }
    assert "workload" in found["wrkload"].hint
    assert "0.8" in found["workload.hit_fraction"].hint


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, -1, 1e30, 10**400, True, "80", None, [], {}, 1.2])
def test_it_refuses_a_hit_fraction_that_is_none(value):
    assert "workload.hit_fraction" in problems({"workload": {"hit_fraction": value}})


@pytest.mark.parametrize("path", [path for path, record in fields().items() if record.kind in {"number", "whole"}])
@pytest.mark.parametrize("value", [math.nan, math.inf, -5, 1e30, "12", True])
def test_it_refuses_absurd_numbers_in_every_field(path, value):
    section, name = path.split(".")
    assert path in problems({section: {name: value}})


def test_it_refuses_an_unknown_field_with_a_suggestion():
    found = problems({"workload": {"prompt_token": 5}})
    assert "prompt_tokens" in found["workload.prompt_token"].hint


def test_it_refuses_a_tensor_parallel_count_that_does_not_divide_the_node():
    assert "cluster.tensor_parallel_count" in problems({"cluster": {"tensor_parallel_count": 3}})


@pytest.mark.parametrize(
    "candidates", [[], "fx100", [1], [{"id": "fx100", "ports_count": 7}], [{"id": "fx100", "ports": 1}]]
)
def test_it_refuses_odd_candidates(candidates):
    assert any(field.startswith("storage.candidates") for field in problems({"storage": {"candidates": candidates}}))


def test_it_refuses_files_that_are_none(tmp_path):
    for name, content in {"a.toml": b"\xff\xfe\x00", "b.toml": b"= 1", "c.toml": b"x" * 1_000_001}.items():
        (tmp_path / name).write_bytes(content)
        assert "file" in problems(tmp_path / name)
    assert "cold-recovery" in problems(tmp_path / "missing.toml")["file"].hint


def test_every_field_has_its_texts_in_three_languages():
    for record in fields().values():
        assert set(record.label) == {"en", "zh-hans", "ko"}
        assert set(record.help) == {"en", "zh-hans", "ko"}
