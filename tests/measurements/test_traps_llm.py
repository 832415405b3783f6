"""Traps of real files that are no number: what must be said, and the public reports of input that misled a parser."""

import json
from pathlib import Path

import pytest

import measurements
from planner.runs import PercentileRule

FILES = Path("cases") / "formats" / "files"

# (file, finding that a careful reader expects)
SAID = (
    ("guidellm/guidellm_asset_benchmarks_stripped.json", "contradictory_fields"),  # 992.7 against 596.2 tok/s by counts
    ("guidellm/rsevilla87_parsed_results_WRONGUNIT.json", "unit_mislabelled"),
    ("inference_perf/kubecon_batch_summary_lifecycle_metrics.json", "pooled_stages"),
    ("inference_perf/kubecon_chunk_summary_lifecycle_metrics.json", "pooled_stages"),
    ("inference_perf/kubecon_batch_stage_6_prometheus_metrics.json", "window_extrapolated"),
    ("llmperf/leaderboard_perplexity_70b.json", "failed_requests"),
    ("lmcache/validate_lmcache_cpu_offload_trial1.json", "output_tokens_only"),
    ("lmcache/validate_lmcache_cpu_offload_trial1.log", "host_copy_rate"),
    ("aiperf/doc_profile_export.jsonl", "duplicate_key"),
    ("llmd_report/br_v0_1_example.yaml", "time_unit_doubtful"),
    ("llmd_report/br_v0_1_example.yaml", "contradictory_fields"),  # stop before start
    ("llmd_report/br_v0_2_example.yaml", "placeholder_values"),
    ("genai_perf/test_expected_profile_export_genai_perf.csv", "latency_below_ttft"),
    ("sglang/llama_405b_online_output.jsonl", "mixed_workloads"),
)


@pytest.mark.parametrize(("file", "code"), SAID, ids=[f"{file.split('/')[1]}-{code}" for file, code in SAID])
def test_the_trap_of_a_real_file_is_said(file: str, code: str, shared_dir: Path) -> None:
    assert code in {finding.code for finding in measurements.read(shared_dir / FILES / file).findings}


def test_the_stdout_of_a_run_agrees_with_its_json(shared_dir: Path) -> None:
    folder = shared_dir / FILES / "vllm"
    (text,) = measurements.read(folder / "tsho-2026-04_a100_short_rate1_stdout.log").runs
    (exact,) = measurements.read(folder / "tsho-2026-04_a100_short_rate1.json").runs
    assert (text.model, text.regime, text.requests_failed_count) == (
        exact.model,
        exact.regime,
        exact.requests_failed_count,
    )
    assert text.ttft_s and exact.ttft_s and text.ttft_s.p99 == pytest.approx(exact.ttft_s.p99, rel=1e-4)


def test_percentile_rules_are_those_of_the_tools(shared_dir: Path) -> None:
    """Read from the tools' sources: numpy's default; first value whose share reaches q; sorted[n//2]."""
    for file, rule in (
        ("vllm/tsho-2026-04_a100_short_rate1.json", PercentileRule.LINEAR),
        ("guidellm/guidellm_asset_benchmarks_stripped.json", PercentileRule.CEIL),
        ("sglang_hicache/pr10525_stdout.txt", PercentileRule.FLOOR),
        ("inference_perf/kubecon_batch_stage_0_lifecycle_metrics.json", PercentileRule.LINEAR),
        ("inference_perf/kubecon_batch_stage_6_prometheus_metrics.json", PercentileRule.BUCKET),
        ("evalscope/v181_parallel_4_benchmark_percentile.json", PercentileRule.UNKNOWN),
        ("vllm/tsho-2026-04_summary.csv", PercentileRule.UNKNOWN),
    ):
        assert {run.percentile_rule for run in measurements.read(shared_dir / FILES / file).runs} == {rule}, file


def test_binary_files_under_text_names_are_refused(shared_dir: Path) -> None:
    for file in ("mlc_kvcache/excel_lock_file.xlsx", "mlperf_storage/v1.0_nutanix_appledouble_summary.json"):
        assert measurements.read(shared_dir / FILES / file).errors[0].code == "binary"


def test_a_log_without_measurement_is_refused(shared_dir: Path) -> None:
    result = measurements.read(shared_dir / FILES / "vllm_log" / "tsho_tpu_server.log")
    assert [error.code for error in result.errors] == ["no_measurement"]


def record(**changes: object) -> dict[str, object]:
    line = (Path(__file__).parent / "fixtures" / "vllm_serving_appended.json").read_text().splitlines()[0]
    return json.loads(line) | changes


def test_powershell_output_is_utf_16(tmp_path: Path) -> None:
    """localmaxxing-cli #4: a redirect in PowerShell writes ff fe 7b 00."""
    path = tmp_path / "result.json"
    path.write_bytes(json.dumps(record()).encode("utf-16"))
    assert measurements.read(path).runs[0].duration_s == 50.0


@pytest.mark.parametrize("token", ["-nan", "nan", "NaN", "-NaN", "inf"])
def test_nan_as_c_prints_it_is_missing(token: str, tmp_path: Path) -> None:
    """memtier #271 and iperf #826: "-nan" and "nan" as values."""
    path = tmp_path / "result.json"
    path.write_text(json.dumps(record()).replace('"p99_ttft_ms": 900.0', f'"p99_ttft_ms": {token}'))
    (run,) = measurements.read(path).runs
    assert run.ttft_s and run.ttft_s.p99 is None and run.ttft_s.p50 == 0.5


def test_one_success_of_a_hundred_does_not_feed_sizing(tmp_path: Path) -> None:
    """vllm #24005: completed 1 of num_prompts 100, with a fine-looking TTFT and no failed key."""
    path = tmp_path / "result.json"
    path.write_text(json.dumps(record(completed=1, total_input_tokens=1000, total_output_tokens=200)))
    result = measurements.read(path)
    assert result.runs[0].requests_failed_count == 99
    assert any(finding.severity == "blocks_sizing" for finding in result.findings)


def test_failures_that_two_keys_count_differently_keep_the_larger(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(record(completed=90, failed=3)))
    result = measurements.read(path)
    assert result.runs[0].requests_failed_count == 10
    assert any(finding.code == "contradictory_fields" for finding in result.findings)


def test_metadata_of_the_user_is_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(record(rack="A7", timestamp="2025-05-11_23-00-27,model")))
    facts = measurements.read(path).runs[0].facts
    assert (facts["meta.rack"], facts["meta.timestamp"]) == ("A7", "2025-05-11_23-00-27,model")
