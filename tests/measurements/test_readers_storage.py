"""Right values of real storage files: every row of the shared ``expected_storage.csv`` through ``measurements.read``.

The values were worked out from the files by hand and by other means when the cases were collected; "—" means the file
does not say.
"""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import measurements
from planner.runs import PercentileRule, Quantiles, Run

FORMATS = Path("cases") / "formats"
COLUMNS = (
    ("read_bytes_s", "read_bytes_per_s", ""),
    ("write_bytes_s", "write_bytes_per_s", ""),
    ("read_iops", "read_iops", ""),
    ("write_iops", "write_iops", ""),
    ("read_lat_p50_s", "read_latency_s", "p50"),
    ("read_lat_p99_s", "read_latency_s", "p99"),
    ("write_lat_p50_s", "write_latency_s", "p50"),
    ("write_lat_p99_s", "write_latency_s", "p99"),
)
ROWS_COUNT = 34
REFUSALS = {
    "fio/vc_Results_FIO_Error_1.txt": "err=84",
    "mlperf_storage/v1.0_nutanix_appledouble_summary.json": "AppleDouble",
    "mlc_kvcache/excel_lock_file.xlsx": "lock",
}


def expected_rows(shared_dir: Path) -> list[dict[str, str]]:
    with (shared_dir / FORMATS / "expected_storage.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def value_of(run: Run, name: str, statistic: str) -> Any:
    value = getattr(run, name)
    return (getattr(value, statistic) if isinstance(value, Quantiles) else None) if statistic else value


@pytest.mark.parametrize("index", range(ROWS_COUNT))
def test_a_real_storage_file_gives_the_expected_values(index: int, shared_dir: Path) -> None:
    rows = expected_rows(shared_dir)
    row = rows[index]
    result = measurements.read(shared_dir / FORMATS / "files" / row["file"])
    if row["file"] in REFUSALS:
        assert not result.runs and REFUSALS[row["file"]] in result.errors[0].message
        return
    assert not result.errors, result.errors
    of_file = [other for other in rows if other["file"] == row["file"]]
    run = result.runs[of_file.index(row)]
    # text prints two to four digits; the case rounds its own values to six
    relative = 1e-2 if row["file"].endswith(".txt") and "Json" not in row["file"] else 1e-5
    wrong = []
    for column, name, statistic in COLUMNS:
        value, expected = value_of(run, name, statistic), row[column]
        if expected == "—":
            if value is not None:
                wrong.append((column, expected, value))
        elif value is None or abs(value - float(expected)) > relative * float(expected):
            wrong.append((column, expected, value))
    assert not wrong


def test_every_row_of_the_storage_case_is_tried(shared_dir: Path) -> None:
    assert len(expected_rows(shared_dir)) == ROWS_COUNT


TRAPS = (
    ("fio/vc_Results_FIO.json", "contradictory_fields"),
    ("fio/vc_TestFioJson.txt", "copied_block"),
    ("fio/vc_TestFioJsonWithError.txt", "job_failed"),
    ("fio/local333_tiny_3ms_run.json", "run_too_short"),
    ("fio/local333_two_jobs_nogroup.json", "several_jobs"),
    ("fio/pkb_fio-parser-sample-result.json", "several_jobs"),
    ("fio/pkb_fio-parser-sample-result.json", "duplicate_key"),
    ("mlc_kvcache/validate_kvcache_nvme_only_trial1.json", "storage_health"),
    ("mlc_kvcache/validate_kvcache_nvme_only_trial1.json", "counts_named_iops"),
    ("perftest/ib_write_bw_text_issue273.txt", "peak_not_measured"),
    ("ior/issue102_reconstructed_invalid.json", "incomplete_file"),
)


@pytest.mark.parametrize(("name", "code"), TRAPS)
def test_what_is_odd_in_a_real_storage_file_is_said(name: str, code: str, shared_dir: Path) -> None:
    result = measurements.read(shared_dir / FORMATS / "files" / name)
    assert code in {finding.code for finding in result.findings}


def test_jobs_at_once_are_summed_by_direction_in_a_finding(shared_dir: Path) -> None:
    result = measurements.read(shared_dir / FORMATS / "files" / "fio" / "local333_two_jobs_nogroup.json")
    note = next(finding for finding in result.findings if finding.code == "several_jobs")
    assert note.figures == {"read_bytes_per_s": 1005954685, "write_bytes_per_s": 2797664111}


def test_the_kv_cache_benchmark_interpolates_its_percentiles(shared_dir: Path) -> None:
    """Its per-request list, under numpy's linear rule, gives the summary's p95 and p99: so the rule is linear."""
    path = shared_dir / FORMATS / "files" / "mlc_kvcache" / "validate_kvcache_nvme_only_trial1.json"
    samples = json.loads(path.read_text(encoding="utf-8"))["end_to_end_latencies"]
    (run,) = measurements.read(path).runs
    assert run.percentile_rule is PercentileRule.LINEAR and run.e2e_s is not None
    assert run.e2e_s.p95 == pytest.approx(np.quantile(samples, 0.95)) == pytest.approx(11.91014339)
    assert run.e2e_s.p99 == pytest.approx(np.quantile(samples, 0.99))
