"""Time, memory and size of the proposal of the cold recovery, in each language, in a process of its own."""

import datetime
import multiprocessing
import resource
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S, LIMIT_RESIDENT_BYTES, LIMIT_FILE_BYTES = 5.0, 300e6, 2e6
LOCALES = ("zh-hans", "ko", "en")


def measure(locale: str) -> tuple[float, float, int]:
    """Return the time of writing the three files [s], the peak resident memory [bytes], the PDF's size [bytes]."""
    import measurements
    import planner
    import planner.proposal
    import pricing

    scenario = planner.load_scenario("cold-recovery")
    evidence = measurements.load_evidence(scenario.evidence.datasets)
    book = pricing.load_book("fx-reference", on=datetime.date(2026, 12, 1))
    evaluation = planner.evaluate(scenario, evidence, book)
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        planner.proposal.write_proposal(evaluation, locale=locale, folder=Path(folder))
        seconds = time.perf_counter() - start
        size = (Path(folder) / "proposal.pdf").stat().st_size
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0, size


def main() -> int:
    """Print the figures of each language beside the limits; return 1 above one."""
    above = False
    print(f"limits: {LIMIT_S} s, {LIMIT_RESIDENT_BYTES / 1e6:.0f} MB resident, {LIMIT_FILE_BYTES / 1e6:.0f} MB file")
    for locale in LOCALES:
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            seconds, resident, size = pool.apply(measure, (locale,))
        above |= seconds > LIMIT_S or resident > LIMIT_RESIDENT_BYTES or size > LIMIT_FILE_BYTES
        print(f"proposal, {locale:8} {seconds:5.2f} s  {resident / 1e6:4.0f} MB  {size / 1e3:5.0f} kB")
    return above


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    sys.exit(main())
