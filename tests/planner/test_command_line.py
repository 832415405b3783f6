"""The command line as engineers script it: documents, exit codes, messages."""

import json
import subprocess
import sys

import jsonschema
import pytest

from planner.__main__ import main
from planner.schemas import BUILDERS, schema_document


def run(capsys, *arguments):
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def document(capsys, *arguments):
    code, out, _ = run(capsys, *arguments, "--json")

    def refuse(text):
        raise AssertionError(text)

    return code, json.loads(out, parse_constant=refuse)


@pytest.mark.parametrize(
    ("schema", "arguments"),
    [
        ("evaluation", ["evaluate", "cold-recovery"]),
        ("comparison", ["compare", "cold-recovery", "cold-recovery-long-answers"]),
        ("backtest", ["backtest"]),
        ("examples", ["examples"]),
        ("kv", ["kv", "qwen3-coder-480b-a35b"]),
        ("quote", ["quote", "cold-recovery"]),
        ("simulation", ["simulate", "cold-recovery"]),
    ],
)
def test_each_document_is_valid_under_its_schema(capsys, schema, arguments):
    code, found = document(capsys, *arguments)
    assert code == 0
    jsonschema.Draft202012Validator(schema_document(schema)).validate(found)
    assert found["schema"] == schema
    assert found["version"] == 1


@pytest.mark.parametrize("name", sorted(BUILDERS))
def test_every_schema_is_a_schema(capsys, name):
    code, found = document(capsys, "schema", name)
    assert code == 0
    jsonschema.Draft202012Validator.check_schema(found)


def test_the_schema_of_a_scenario_takes_the_examples_and_nothing_unknown():
    from planner.scenario import list_examples, load_scenario

    validator = jsonschema.Draft202012Validator(schema_document("scenario"))
    for name in list_examples():
        validator.validate(load_scenario(name).document())
    assert not validator.is_valid({"wrkload": {}})
    assert not validator.is_valid({"workload": {"hit_fraction": 1.2}})


def test_evaluation_names_the_options_of_the_reference(capsys):
    _, found = document(capsys, "evaluate", "cold-recovery")
    assert [option["candidate"] for option in found["options"]] == [
        "nothing",
        "local-nvme",
        "fx100",
        "fx200",
        "fx300",
        "fx400",
    ]
    option = found["options"][2]
    assert set(option["sizing"]) >= {"units", "drives", "ports", "binding_constraint", "slack"}
    assert set(option["cost"]) >= {"lines", "tco", "npv", "equivalent_annual_cost", "per_tb", "per_mtok", "open_items"}
    against = option["against_baseline"]
    assert set(against) >= {
        "ttft_reduction_fraction",
        "throughput_uplift_fraction",
        "npv",
        "irr",
        "payback_years",
        "break_even",
    }
    assert option["cost"]["capex"] == {"amount": "742400.00", "currency": "CNY", "tax_basis": "unknown"}


def test_a_setting_changes_one_field(capsys):
    _, found = document(
        capsys, "evaluate", "cold-recovery", "--set", "workload.output_tokens=512", "--set", "title=Other"
    )
    assert found["inputs"]["workload"]["output_tokens"] == 512
    assert found["inputs"]["title"] == "Other"
    assert found["input_basis"]["workload.output_tokens"] == "assumed"


def test_a_promise_that_no_option_keeps_is_exit_1(capsys):
    code, _, _ = run(capsys, "evaluate", "cold-recovery", "--set", "promise.ttft_s=0.5")
    assert code == 1


# Each line of the bad-input list: a message with field, value and what would be right, exit 2.
@pytest.mark.parametrize(
    ("setting", "field"),
    [
        ("model.id=gpt-9", "model.id"),
        ("cluster.node=h9000", "cluster.node"),
        ('storage.candidates=[{"id":"fx900"}]', "storage.candidates[0].id"),
        ('evidence.datasets=["r99"]', "evidence.datasets"),
        ("workload.concurrency_count=0", "workload.concurrency_count"),
        ("workload.prompt_tokens=-5", "workload.prompt_tokens"),
        ("workload.prompt_tokens=NaN", "workload.prompt_tokens"),
        ("workload.prompt_tokens=Infinity", "workload.prompt_tokens"),
        ("workload.prompt_tokens=1e30", "workload.prompt_tokens"),
        ("workload.hit_fraction=1.2", "workload.hit_fraction"),
        ('workload.hit_fraction="80"', "workload.hit_fraction"),
        ("workload.output_tokens=1", "workload.output_tokens"),
        ("money.gpu_cny_per_hour=-1", "money.gpu_cny_per_hour"),
        ("money.book=none", "money.book"),
        ("money.book_date=2020-01-01", "2020-01-01"),
        ("workload.wrong=1", "workload.wrong"),
        ("nonsense", "--set"),
    ],
)
def test_bad_input_is_exit_2_with_field_and_hint(capsys, setting, field):
    code, out, err = run(capsys, "evaluate", "cold-recovery", "--set", setting)
    assert code == 2
    assert out == ""
    assert field in err
    assert "Traceback" not in err


def test_all_problems_of_one_input_come_at_once(capsys):
    _, _, err = run(
        capsys, "evaluate", "cold-recovery", "--set", "workload.output_tokens=1", "--set", "money.pue_ratio=0.5"
    )
    assert len(err.strip().splitlines()) == 2


def test_a_missing_file_names_the_examples(capsys):
    code, _, err = run(capsys, "evaluate", "nowhere.toml")
    assert code == 2
    assert "cold-recovery" in err


def test_an_unknown_model_suggests_close_ones(capsys):
    code, _, err = run(capsys, "kv", "qwen3-coder-480b")
    assert code == 2
    assert "qwen3-coder-480b-a35b" in err


def test_it_runs_as_a_module():
    done = subprocess.run([sys.executable, "-m", "planner", "examples"], capture_output=True, text=True, check=True)
    assert "cold-recovery" in done.stdout
    assert done.stderr == ""
