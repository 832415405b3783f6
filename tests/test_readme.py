"""What the README promises is run as it stands there."""

import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    python -m (planner .+)$", README, re.MULTILINE)
DONE, ANSWER_IS_NO = 0, 1


def test_the_python_example_prints_a_band_of_seconds() -> None:
    section = README.partition("## In Python")[2].partition("\n## ")[0]
    block = textwrap.dedent("\n".join(line for line in section.splitlines() if line.startswith("    ") or not line))
    ran = subprocess.run([sys.executable, "-W", "error", "-c", block], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert re.search(r"Band\(p10=.*p50=.*p90=", ran.stdout)


def test_the_command_line_is_shown() -> None:
    assert {command.split()[1] for command in COMMANDS} >= {
        "examples",
        "evaluate",
        "compare",
        "backtest",
        "kv",
        "proposal",
    }


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_readme_works(command: str, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    fixtures = ROOT / "tests" / "measurements" / "fixtures"
    shutil.copy(fixtures / "vllm_serving_detailed.json", tmp_path / "results" / "one.json")
    words = [
        word
        for part in shlex.split(command)
        for word in (sorted(map(str, tmp_path.glob(part))) if "*" in part else [part])
    ]
    ran = subprocess.run([sys.executable, "-W", "error", "-m", *words], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode in {DONE, ANSWER_IS_NO}, ran.stderr
    assert ran.stdout.strip()


def test_the_make_targets_of_the_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z]+)\b", README)) <= targets


def test_every_folder_of_the_readme_exists() -> None:
    named = re.findall(r"`((?:\w+/)+)`", README)
    assert [name for name in named if name not in {"var/", "proposal/"} and not (ROOT / name).is_dir()] == []
