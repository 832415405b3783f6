"""Right values of real files: every row of the shared ``expected_llm.csv`` through ``measurements.read``.

The values were worked out from the files by hand and by other means when the cases were collected; "—" means the file
does not say.
"""

import csv
import re
from pathlib import Path
from typing import Any

import pytest

import measurements
from planner.runs import Quantiles, Run

FORMATS = Path("cases") / "formats"
TEXT_SUFFIXES = {".log", ".txt"}
COLUMNS = (
    ("ttft_p50_s", "ttft_s", "p50"),
    ("ttft_p99_s", "ttft_s", "p99"),
    ("tpot_p50_s", "tpot_s", "p50"),
    ("itl_p50_s", "itl_s", "p50"),
    ("output_tok_s", "output_tokens_per_s", ""),
    ("total_tok_s", "total_tokens_per_s", ""),
    ("requests_ok", "requests_ok_count", ""),
    ("requests_failed", "requests_failed_count", ""),
    ("concurrency", "concurrency_count", ""),
    ("rate", "request_rate_per_s", ""),
    ("input_len", "prompt_tokens", ""),
    ("output_len", "output_tokens", ""),
)
UNLIMITED = {"inf", ".inf"}
ROWS_COUNT = 51
NOT_IN_THE_FILE = {("mlc_kvcache/validate_kvcache_nvme_only_trial1.json", "concurrency")}
"""The 50 users of that run stand in the script that started it; its file nowhere says so, and nothing is guessed."""


def expected_rows(shared_dir: Path) -> list[dict[str, str]]:
    with (shared_dir / FORMATS / "expected_llm.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def run_of(runs: tuple[Run, ...], point: str) -> Run:
    """The point names a part ("line 3", "row short/16", "record 2"), or describes a file with one run."""
    named = [run for run in runs if run.source.part == point]
    if named:
        assert len(named) == 1, f"{point} is not unique"
        return named[0]
    assert not re.match(r"(line|row|record) \S", point), f"no run {point}: {[run.source.part for run in runs]}"
    assert len(runs) == 1
    return runs[0]


def measured(run: Run, name: str, statistic: str) -> Any:
    value = getattr(run, name)
    if statistic:
        return getattr(value, statistic) if isinstance(value, Quantiles) else None
    return value


def agrees(value: float | None, expected: str, column: str, suffix: str) -> bool:
    """1e-5 (1e-2 for text files); mean lengths stand in the case with one decimal."""
    relative = 1e-2 if suffix in TEXT_SUFFIXES else 1e-5
    absolute = 0.0501 if column in ("input_len", "output_len") and "." in expected else 0.0
    return value is not None and abs(value - float(expected)) <= max(relative * abs(float(expected)), absolute)


@pytest.mark.parametrize("index", range(ROWS_COUNT))
def test_a_real_file_gives_the_expected_values(index: int, shared_dir: Path) -> None:
    row = expected_rows(shared_dir)[index]
    result = measurements.read(shared_dir / FORMATS / "files" / row["file"])
    if "refuse" in row["remark"].split(" ")[0]:
        assert result.errors and not result.runs
        return
    assert not result.errors, result.errors
    run = run_of(result.runs, row["point"])
    wrong = []
    for column, name, statistic in COLUMNS:
        value, expected = measured(run, name, statistic), row[column]
        if (row["file"], column) in NOT_IN_THE_FILE:
            expected = "—"
        if expected in UNLIMITED:
            fact = "request_rate" if column == "rate" else "concurrency"
            if value is not None or run.facts.get(fact) != "unlimited":
                wrong.append((column, expected, value))
        elif expected == "—":
            if value is not None:
                wrong.append((column, expected, value))
        elif not agrees(value, expected, column, Path(row["file"]).suffix):
            wrong.append((column, expected, value))
    assert not wrong


def test_every_row_of_the_case_is_tried(shared_dir: Path) -> None:
    assert len(expected_rows(shared_dir)) == ROWS_COUNT
