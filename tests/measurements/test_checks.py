"""What a careful reader finds: rules on made-up runs, and the six points of the shipped reports without special-casing.

The figures of the reports' points were worked out by hand from the published tables (service cases, points 1 to 6).
"""

from dataclasses import replace

import pytest

import measurements
from measurements.checks import check_runs, check_together, findings_document
from planner.runs import Dataset, Finding, Quantiles, Regime, Rig, Run, RunSource, Severity

SOURCE = RunSource(file="made-up", part="row 1")
CLOSED = Run(
    source=SOURCE,
    regime=Regime.CLOSED,
    concurrency_count=16,
    prompt_tokens=1000,
    output_tokens=101,
    requests_ok_count=160,
    requests_failed_count=0,
    duration_s=100.0,
    requests_per_s=1.6,
    output_tokens_per_s=161.6,
    total_tokens_per_s=1761.6,
    ttft_s=Quantiles(p50=2.0, p99=3.0, mean=2.0),
    tpot_s=Quantiles(p50=0.08, mean=0.08),
    e2e_s=Quantiles(p50=10.0, mean=10.0),
)
"""160 requests in 100 s; 16 in flight at 1.6/s stay 10 s = 2 + 0.08 x 100; 160 x 101 / 100 = 161.6 tok/s."""


def codes(*runs: Run) -> dict[str, Finding]:
    return {finding.code: finding for finding in check_runs(runs)}


def of(dataset: str, code: str) -> list[Finding]:
    return [finding for finding in measurements.load_dataset(dataset).findings if finding.code == code]


def test_consistent_figures_give_no_warning() -> None:
    assert all(finding.severity is Severity.INFO for finding in check_runs([CLOSED]))


RULES = (
    ("time_unit", {"e2e_s": Quantiles(mean=10_000.0)}),
    ("time_unit", {"requests_per_s": 1600.0, "e2e_s": Quantiles(mean=10.0)}),
    ("littles_law", {"requests_per_s": 0.8}),
    ("end_to_end_identity", {"tpot_s": Quantiles(mean=0.02)}),
    ("throughput_identity", {"output_tokens_per_s": 200.0}),
    ("total_taken_for_output", {"output_tokens_per_s": 1761.6}),
    ("total_below_output", {"output_tokens_per_s": 1800.0}),
    ("percentiles_out_of_order", {"ttft_s": Quantiles(p50=3.0, p99=2.0)}),
    ("latency_below_ttft", {"e2e_s": Quantiles(p50=1.0)}),
    ("failed_requests", {"requests_failed_count": 3}),
    ("failed_requests", {"requests_ok_count": 0}),
    ("failures_unknown", {"requests_failed_count": None}),
    ("run_too_short", {"duration_s": 0.003}),
    ("saturated", {"request_rate_per_s": 1.7}),
    ("too_few_samples", {"requests_ok_count": 16}),
    ("percentile_rule_unknown", {}),
    ("storage_identity", {"read_bytes_per_s": 1.048576e9, "read_iops": 1000.0, "block_bytes": 1e6}),
)


@pytest.mark.parametrize(("code", "change"), RULES)
def test_each_rule_finds_its_trap(code: str, change: dict[str, object]) -> None:
    found = codes(replace(CLOSED, **change))  # type: ignore[arg-type]
    assert code in found and found[code].figures and found[code].consequence and found[code].run == 0


def test_the_same_bytes_counted_in_mb_and_mib_differ_by_five_percent() -> None:
    run = replace(CLOSED, write_bytes_per_s=1000.0 * 2**20, write_iops=1000.0, block_bytes=2.0**20)
    assert "storage_identity" not in codes(run)


def burst(concurrency: int, ttft_s: float, **change: object) -> Run:
    run = Run(
        source=RunSource(file="x", part=f"c{concurrency}"),
        regime=Regime.BURST,
        model="qwen3-coder-480b-a35b",
        concurrency_count=concurrency,
        prompt_tokens=30_208,
        hit_fraction=1.0,
        output_tokens=512,
        ttft_s=Quantiles(p50=ttft_s),
        rig=Rig(tier="host-dram"),
        facts={"line_rate_bytes_per_s": 12.5e9},
    )
    return replace(run, **change)  # type: ignore[arg-type]


def test_marginal_bandwidth_above_the_line_rate_is_found_whatever_the_names() -> None:
    """8 more sessions of 7.671 GB in 4.32 s are 14.2 GB/s; in 6 s they are 10.2 GB/s."""
    found = codes(burst(8, 7.53), burst(16, 11.85))
    assert found["marginal_bandwidth"].figures["marginal_bytes_per_s"] == pytest.approx(14.2e9, rel=0.005)
    assert "marginal_bandwidth" not in codes(burst(8, 7.53), burst(16, 13.53))


def test_a_model_that_the_catalog_does_not_know_is_no_error() -> None:
    unknown = [burst(count, ttft, model="someone/else-7b") for count, ttft in ((8, 7.53), (16, 11.85))]
    assert "marginal_bandwidth" not in codes(*unknown)
    own = [replace(run, facts={**run.facts, "kv_bytes_per_token": 253_952.0}) for run in unknown]
    assert "marginal_bandwidth" in codes(*own)


def test_other_conditions_are_no_series() -> None:
    assert "marginal_bandwidth" not in codes(burst(8, 7.53), burst(16, 11.85, tensor_parallel_count=4))


def test_implied_bandwidth_above_the_line_rate() -> None:
    """8 x 7.671 GB in 4 s are 15.3 GB/s."""
    assert codes(burst(8, 4.0))["implied_bandwidth"].figures["implied_bytes_per_s"] == pytest.approx(15.34e9, rel=0.001)


def test_point_1_units_are_mixed_in_the_reports() -> None:
    """34 x 7.671 GB = 260.8 GB = 242.9 GiB, printed "243 GB"; iostat's GB/s are 1.024 times too small."""
    tp8, tp4 = of("r4", "gb_is_gib")
    assert tp8.figures["expected_bytes"] == 34 * 7_671_382_016 and tp8.figures["printed"] == 243
    assert tp4.figures["expected_bytes"] == 48 * 7_671_382_016
    assert of("r2", "iostat_unit") and not of("r3-repeat", "iostat_unit")


def test_point_2_throughput_is_ttft_diluted_by_the_answer_length() -> None:
    (note,) = of("r2", "throughput_not_independent")
    for interval in ("24.1", "28.9", "35.8", "23.7", "28.5", "36.0"):
        assert interval in str(note.figures["intervals"])
    assert of("r2", "short_answers")[0].figures["output_tokens"] == 64


def test_point_3_the_step_to_16_is_part_warm() -> None:
    fx100, local = of("r2", "marginal_bandwidth")
    assert fx100.figures["marginal_bytes_per_s"] == pytest.approx(14.2e9, rel=0.005)
    assert fx100.figures["bound_bytes_per_s"] == 12.5e9
    assert local.figures["marginal_bytes_per_s"] == pytest.approx(8.6e9, rel=0.005)
    assert local.figures["bound_bytes_per_s"] == pytest.approx(6.94e9, rel=0.001)
    (r3,) = of("r3", "marginal_bandwidth")
    assert r3.figures["marginal_bytes_per_s"] == pytest.approx(7.9e9, rel=0.006) and r3.figures["tier"] == "local-nvme"
    warm = of("r2", "part_warm")[0]
    assert warm.figures["read_bytes"] == pytest.approx(98.5e9, rel=0.001)
    assert warm.figures["needed_bytes"] == pytest.approx(122.7e9, rel=0.001)


def together(*ids: str) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for finding in check_together([measurements.load_dataset(name) for name in ids]):
        found.setdefault(finding.code, []).append(finding)
    return found


def test_point_4_recompute_is_out_of_line_with_sequential_prefill() -> None:
    tp8, tp4 = together("r2", "r3", "r4")["recompute_out_of_line"]
    assert tp8.figures["under_load_s"] == pytest.approx(15.6, abs=0.05)
    assert tp8.figures["sequential_s"] == pytest.approx(5.9, abs=0.05)
    assert tp4.figures["under_load_s"] == pytest.approx(33.7, abs=0.05)
    assert tp4.figures["sequential_s"] == pytest.approx(15.1, abs=0.05)
    (other,) = of("r4", "sources_disagree")
    assert (other.figures["here_s"], other.figures["elsewhere_s"]) == (200, 280)


def test_point_5_repeats_disagree_and_points_are_single() -> None:
    """72.6 / 69.0 = 1.052."""
    found = together("r2", "r3", "r3-repeat")
    (spread,) = found["repeats_disagree"]
    assert spread.figures["spread_fraction"] == pytest.approx(0.052, abs=0.0005)
    assert found["single_measurement"]
    (fault,) = of("r3", "known_fault")
    assert fault.severity is Severity.BLOCKS_SIZING


def test_point_6_percentile_rules_differ_and_p99_is_the_maximum() -> None:
    assert together("r2", "r3")["percentile_rules_differ"]
    assert not together("r2", "r3-repeat").get("percentile_rules_differ")
    samples = {finding.figures["samples_count"] for finding in of("r3", "too_few_samples")}
    assert samples == {16, 32}


def test_the_claim_of_the_article_is_a_software_patch() -> None:
    (claim,) = of("r1", "claim_is_software")
    assert claim.figures["rates_gb_per_s"] == "0.98 and 5.23"


def test_sustained_rates_of_the_checkpoint_are_above_the_mean() -> None:
    """8 x 65.6 GB in 178 s and in 94 s are 2.95 and 5.58 GB/s, printed as 3.26 and 6.40."""
    means = [finding.figures["computed_bytes_per_s"] for finding in of("r1", "rate_above_mean")]
    assert means == [pytest.approx(2.95e9, rel=0.001), pytest.approx(5.58e9, rel=0.001)]


def test_findings_do_not_depend_on_the_names_of_datasets() -> None:
    def renamed(name: str) -> Dataset:
        dataset = measurements.load_dataset(name)
        runs = tuple(
            replace(run, source=replace(run.source, file="file", part=f"point {index}"))
            for index, run in enumerate(dataset.runs)
        )
        return replace(dataset, id=f"upload-{name[::-1]}", runs=runs)

    for name in ("r2", "r3", "r4"):
        original = measurements.load_dataset(name)
        assert {(f.code, f.run) for f in check_runs(renamed(name).runs)} == {
            (f.code, f.run) for f in check_runs(original.runs)
        }
    assert {f.code for f in check_together([renamed(n) for n in ("r2", "r3", "r4")])} == set(together("r2", "r3", "r4"))


def test_findings_as_a_document() -> None:
    (document,) = findings_document(of("r3", "known_fault"))
    assert set(document) == {"code", "severity", "message", "consequence", "figures", "run"}
    assert document["severity"] == "blocks_sizing" and document["run"] == 2
