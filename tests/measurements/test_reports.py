"""The shipped reports as data: figures as printed, converted at the edge.

Expected values stand in the published tables.
"""

import tomllib
from pathlib import Path

import pytest

import measurements
from planner.errors import InputProblems
from planner.runs import PercentileRule, Regime, Run


def point(dataset: str, part: str) -> Run:
    (run,) = [run for run in measurements.load_dataset(dataset) if run.source.part == part]
    return run


def test_every_report_is_listed_with_licence_date_and_hash() -> None:
    assert {"r1", "r2", "r3", "r3-repeat", "r9"} <= set(measurements.list_datasets())
    for name in measurements.list_datasets():
        dataset = measurements.load_dataset(name)
        assert dataset.source.licence and dataset.date and len(dataset.sha256) == 64 and dataset.runs
        assert dataset.data_class == "public"


def test_r2_point_in_canonical_units() -> None:
    """iostat's 10.2 "GB/s" is 10.2e6 kB/s of 1,024 B: 10.4448e9 B/s; 16 x 64 tokens at 74.9 tok/s take 13.67 s."""
    run = point("r2", "fx100 c16")
    assert run.ttft_s is not None and (run.ttft_s.p50, run.ttft_s.p90) == (11.85, 11.87)
    assert run.read_bytes_per_s == pytest.approx(10.4448e9)
    assert run.facts["read_busy_mean_bytes_per_s"] == pytest.approx(8.12e9 * 1.024)
    assert run.facts["hit_tokens"] == 30_208 and run.hit_fraction == 1.0
    assert run.duration_s == pytest.approx(13.67, abs=0.005)
    assert (run.regime, run.percentile_rule, run.tensor_parallel_count) == (Regime.BURST, PercentileRule.FLOOR, 8)
    assert run.rig is not None and (run.rig.tier, run.rig.ports_count, run.rig.drives_count) == ("fx100", 1, 4)


def test_r3_is_the_whole_machine_of_two_instances_under_the_other_rule() -> None:
    run = point("r3", "fx100 c32")
    assert run.tpot_s is not None and run.tpot_s.p50 == pytest.approx(0.032)
    assert run.rig is not None and run.rig.instances_count == 2
    assert (run.percentile_rule, run.tensor_parallel_count) == (PercentileRule.CEIL, 4)


def test_recompute_reloads_nothing() -> None:
    run = point("r2", "recompute c16")
    assert run.hit_fraction == 0.0 and "hit_tokens" not in run.facts


def test_the_repeats_keep_the_instances_apart() -> None:
    run = point("r3-repeat", "fx100 c16")
    assert (run.facts["instance_a_ttft_p50_s"], run.facts["instance_b_ttft_p50_s"]) == (13.17, 13.89)
    assert run.ttft_s is None and run.output_tokens_per_s == 66.5


def test_the_data_are_those_of_the_collected_facts(shared_dir: Path) -> None:
    """Every point of R2 and R3 in the shared facts, field by field."""
    facts = tomllib.loads((shared_dir / "facts" / "measured.toml").read_text(encoding="utf-8"))
    for name in ("r2", "r3"):
        runs = {run.source.part: run for run in measurements.load_dataset(name)}
        assert len(runs) == len(facts[name])
        for expected in facts[name]:
            run = runs[f"{expected['arm']} c{expected['concurrency']}"]
            assert run.output_tokens_per_s == expected["output_tok_s"]
            for level in ("p50", "p90", "p99", "mean"):
                assert getattr(run.ttft_s, level) == expected.get(f"ttft_{level}_s")
            peak = expected.get("peak_gb_s_iostat")
            assert run.read_bytes_per_s == (pytest.approx(peak * 1.024e9) if peak is not None else None)


def test_it_refuses_an_unknown_dataset_and_lists_the_known() -> None:
    with pytest.raises(InputProblems, match="r3-repeat"):
        measurements.load_dataset("r77")
