"""Serving formats without a collected sample: small files of our own, values worked out by hand (see the comments)."""

from pathlib import Path
from typing import Any

import pytest

import measurements
from planner.runs import Run
from tests.measurements.serving_cases import CASES

FIXTURES = Path(__file__).parent / "fixtures"


def field_of(run: Run, name: str) -> Any:
    head, _, rest = name.partition(".")
    value = getattr(run, head)
    if not rest or value is None:
        return value
    return value.get(rest) if head == "facts" else getattr(value, rest)


@pytest.mark.parametrize(("file", "index", "expected"), CASES, ids=[f"{file}-{index}" for file, index, _ in CASES])
def test_a_file_worked_out_by_hand_reads_so(file: str, index: int, expected: dict[str, Any]) -> None:
    result = measurements.read(FIXTURES / file)
    assert not result.errors
    found = {name: field_of(result.runs[index], name) for name in expected}
    assert found == {
        name: pytest.approx(value, rel=1e-12) if isinstance(value, float) else value for name, value in expected.items()
    }


def codes(file: str) -> set[tuple[str, int | None]]:
    return {(finding.code, finding.run) for finding in measurements.read(FIXTURES / file).findings}


def test_what_only_the_file_shows_is_said() -> None:
    assert ("ttft_zero", 1) in codes("vllm_serving_appended.json")
    assert ("mixed_workloads", 1) in codes("sglang_serving.jsonl")
    assert ("warmup_cut", 0) in codes("guidellm_new.json")
    assert ("bucket_limited", 0) in codes("prometheus.txt")
    assert ("log_rates_only", 0) in codes("vllm.log")
    assert ("duplicate_key", 0) in codes("aiperf_duplicate.jsonl")
    assert ("output_tokens_only", 0) in codes("lmcache_validation.json")


def test_prompts_and_answers_are_dropped_and_it_is_said() -> None:
    for file in ("vllm_serving_detailed.json", "inference_perf_requests.json", "perf_analyzer.json"):
        result = measurements.read(FIXTURES / file)
        assert any(finding.code == "payload_dropped" for finding in result.findings)
        assert "made-up answer" not in repr(result) and "made up" not in repr(result)


def test_the_warm_up_of_a_sweep_is_skipped() -> None:
    assert [run.source.part for run in measurements.read(FIXTURES / "vllm_sweep_summary.json").runs] == ["item 2"]


def test_what_was_found_stays_beside_what_was_made_of_it() -> None:
    run = measurements.read(FIXTURES / "vllm_serving_appended.json").runs[0]
    assert run.units_as_found["ttft_s.p50"] == "median_ttft_ms [ms]"
    assert run.units_as_found["request_rate_per_s"] == "request_rate = inf"
    assert len(run.source.sha256) == 64 and run.source.file == "vllm_serving_appended.json"


def test_names_of_files_are_suggestions_only(tmp_path: Path) -> None:
    path = tmp_path / "model_fp8_tp8_h200_conc64.json"
    path.write_bytes((FIXTURES / "vllm_throughput.json").read_bytes())
    run = measurements.read(path).runs[0]
    assert (run.tensor_parallel_count, run.gpu, run.concurrency_count) == (None, None, None)
    assert (run.facts["suggested_tensor_parallel_count"], run.facts["suggested_gpu"]) == (8.0, "h200")


def test_a_tool_named_by_the_user_overrides_recognition_and_an_unknown_one_is_refused() -> None:
    assert measurements.read(FIXTURES / "vllm_throughput.json", tool="vllm-bench-offline").runs
    error = measurements.read(FIXTURES / "vllm_throughput.json", tool="no-such-tool").errors[0]
    assert error.code == "unknown_tool" and "vllm-bench-serve" in error.message
    assert measurements.read(FIXTURES / "vllm_throughput.json", tool="guidellm").errors


def test_a_rate_above_what_a_limit_let_through_leaves_the_regime_unknown(tmp_path: Path) -> None:
    text = (FIXTURES / "vllm_serving_appended.json").read_text().splitlines()[0]
    path = tmp_path / "a.json"
    path.write_text(text.replace('"request_rate": "inf"', '"request_rate": 20.0'))  # 2 req/s came through 8 in flight
    result = measurements.read(path)
    assert result.runs[0].regime == "unknown"
    assert any(finding.code == "regime_unclear" for finding in result.findings)


def test_milliseconds_that_cannot_be_are_withheld(tmp_path: Path) -> None:
    """InferenceX #2405: seconds under a header that says (ms)."""
    path = tmp_path / "table.csv"
    path.write_text("Concurrency,Median TTFT (ms),Median E2E Latency (ms),out_tok/s\n4,0.403875659,45.77,100\n")
    result = measurements.read(path)
    assert result.runs[0].ttft_s is None and result.runs[0].e2e_s is None
    assert [f.severity for f in result.findings if f.code == "time_unit_doubtful"] == ["blocks_sizing"]


def test_a_latency_column_without_unit_is_refused(tmp_path: Path) -> None:
    """fw-ai/benchmark #5: no units at all."""
    path = tmp_path / "table.csv"
    path.write_text("Concurrency,TTFT p50,out_tok/s,rate\n4,250,100,1\n")
    assert [error.code for error in measurements.read(path).errors] == ["no_unit"]


def test_the_example_of_the_documented_template_is_read(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "csv-template.md").read_text()
    path = tmp_path / "notebook.csv"
    path.write_text(page.split("```csv\n")[1].split("```")[0])
    result = measurements.read(path)
    assert [run.source.part for run in result.runs] == ["row cold/8", "row cold/16"]
    rig = result.runs[1].rig
    assert rig is not None and (rig.tier, rig.ports_count, rig.drives_count, rig.instances_count) == (
        "fx100",
        1,
        None,
        1,
    )
    assert result.runs[0].regime == "burst" and result.runs[0].hit_fraction is None
    path.write_text(path.read_text().replace("fx100", "fx999"))
    assert measurements.read(path).errors[0].code == "unknown_value"


def test_a_storage_table_of_our_own_fields_is_read(tmp_path: Path) -> None:
    path = tmp_path / "notebook.csv"
    path.write_text("name;block_bytes;queue_depth_count;read_bytes_per_s\nseq;1048576;32;6900000000\n")
    (run,) = measurements.read(path).runs
    assert (run.read_bytes_per_s, run.queue_depth_count, run.write_bytes_per_s) == (6.9e9, 32, None)


def changed(tmp_path: Path, file: str, old: str, new: str) -> measurements.ReadResult:
    text = (FIXTURES / file).read_text()
    assert old in text
    path = tmp_path / file
    path.write_text(text.replace(old, new))
    return measurements.read(path)


def test_a_family_name_lets_the_surest_of_its_readers_read() -> None:
    assert measurements.read(FIXTURES / "vllm_multiturn.txt", tool="vllm").runs[0].source.tool == "vllm-multi-turn"
    assert measurements.read(FIXTURES / "guidellm_old.csv", tool="guidellm").runs[0].source.tool == "guidellm-csv"
    assert measurements.read(FIXTURES / "sglang_console.txt", tool="SGLang").runs[0].source.tool == "serving-console"


def test_side_files_and_failed_runs_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "result.pytorch.json"
    path.write_text('[{"benchmark": {"name": "x"}, "model": {"name": "m"}, "metric": {"name": "ttft"}}]')
    assert [error.code for error in measurements.read(path).errors] == ["side_file"]
    path.write_text('{"error_type": "RuntimeError", "error": "made up", "run_number": 1}')
    assert [error.code for error in measurements.read(path).errors] == ["failed_run"]


def test_a_server_that_restarted_between_two_scrapes_is_refused(tmp_path: Path) -> None:
    old = 'request_success_total{engine="0",finished_reason="stop",model_name="own/m"} 120.0'
    result = changed(tmp_path, "prometheus.txt", old, old.replace("120.0", "3.0"))
    assert [error.code for error in result.errors] == ["counter_reset"]


def test_one_scrape_says_that_it_runs_since_the_start(tmp_path: Path) -> None:
    lines = (FIXTURES / "prometheus.txt").read_text().splitlines(keepends=True)
    path = tmp_path / "metrics.txt"
    path.write_text("".join(lines[:13]))
    result = measurements.read(path)
    assert "since_start" in {finding.code for finding in result.findings}
    ttft = result.runs[0].ttft_s
    assert ttft is not None and ttft.p50 == pytest.approx(0.1)  # 10 of 20 at or below 0.1 s


@pytest.mark.parametrize(
    ("old", "new", "field", "code"),
    [
        (
            '"total_requests": 40, "request_rate": 16',
            '"total_requests": -4, "request_rate": 16',
            "requests_ok_count",
            "negative_value",
        ),
        (
            '"total_requests": 40, "request_rate": 16',
            '"total_requests": 4.5, "request_rate": 16',
            "requests_ok_count",
            "not_whole",
        ),
        ('"cache_hit_rate": 0.75}', '"cache_hit_rate": 75}', "hit_fraction", "not_a_fraction"),
        (
            '"output_token_throughput": 100.0',
            '"output_token_throughput": -1.0',
            "output_tokens_per_s",
            "negative_value",
        ),
    ],
)
def test_values_that_cannot_be_are_missing_and_said(tmp_path: Path, old: str, new: str, field: str, code: str) -> None:
    result = changed(tmp_path, "sglang_hicache.jsonl", old, new)
    assert getattr(result.runs[0], field) is None
    assert (code, 0) in {(finding.code, finding.run) for finding in result.findings}


def test_sglang_details_fill_what_the_summary_lacks_and_answers_are_dropped(tmp_path: Path) -> None:
    gaps = "[[0.01, 0.03], [0.02, 0.02, 0.02, 0.02]]"
    extra = f'"output_lens": [3, 5], "ttfts": [0.1, 0.2], "itls": {gaps}, "generated_texts": ["secret", ""], '
    result = changed(tmp_path, "sglang_serving.jsonl", '{"backend"', "{" + extra + '"backend"')
    run = result.runs[1]
    assert run.tpot_s is not None and run.tpot_s.mean == pytest.approx(0.02)  # 0.04/2 and 0.08/4
    assert run.e2e_s is not None and run.e2e_s.p90 == pytest.approx(0.14 + 0.9 * 0.14)  # 0.14 and 0.28
    assert "payload_dropped" in {finding.code for finding in result.findings} and "secret" not in repr(result)


def test_a_summary_that_its_own_requests_contradict_is_said(tmp_path: Path) -> None:
    result = changed(tmp_path, "vllm_serving_detailed.json", '"median_ttft_ms": 200.0', '"median_ttft_ms": 20.0')
    assert "summary_disagrees" in {finding.code for finding in result.findings}
