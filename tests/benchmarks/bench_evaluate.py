"""Speed of the libraries: import in a fresh interpreter, and one evaluation of the cold recovery with six options."""

import datetime
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = {"import": 1.0, "evaluate": 0.050}
IMPORTS = "import time; t = time.perf_counter(); import planner, measurements, pricing; print(time.perf_counter() - t)"


def import_s() -> float:
    """Return the median time of importing the three libraries, of five interpreters [s]."""
    command = [sys.executable, "-c", IMPORTS]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    runs = [subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True) for _ in range(6)]
    return median(float(run.stdout) for run in runs[1:])


def evaluate_s() -> tuple[int, float]:
    """Return the number of options, and the median time of twenty evaluations [s]."""
    import measurements
    import planner
    import pricing

    scenario = planner.load_scenario("cold-recovery")
    evidence = measurements.load_evidence(scenario.evidence.datasets)
    book = pricing.load_book("fx-reference", on=datetime.date(2026, 12, 1))
    times = []
    for _ in range(21):
        start = time.perf_counter()
        evaluation = planner.evaluate(scenario, evidence, book)
        times.append(time.perf_counter() - start)
    return len(evaluation.options), median(times[1:])


def main() -> int:
    """Print each figure beside its limit; return 1 above one."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    count, seconds = evaluate_s()
    measured = {"import": import_s(), "evaluate": seconds}
    print(f"import of the libraries     {measured['import']:.3f} s  (limit {LIMIT_S['import']} s)")
    print(f"evaluate, {count} options         {measured['evaluate']:.3f} s  (limit {LIMIT_S['evaluate']} s)")
    return any(measured[name] > limit for name, limit in LIMIT_S.items())


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    sys.exit(main())
