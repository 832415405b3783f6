"""All measurements of speed and size: ``make bench``. ``ARGS=evaluate`` runs those whose name contains the word.

Each runs in a process of its own and prints its figures beside their limits. They are no tests: a busy machine is slow.
"""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(words: list[str]) -> int:
    """Run the chosen measurements one after the other; return 1 when one of them could not be made."""
    failed = []
    for script in sorted(HERE.glob("bench_*.py")):
        if words and not any(word in script.stem for word in words):
            continue
        print(f"\n== {script.stem.removeprefix('bench_')}", flush=True)
        ran = subprocess.run([sys.executable, str(script)], cwd=HERE.parent.parent, check=False)
        if ran.returncode:
            failed.append(script.name)
    if failed:
        print(f"\nNot measured, or above a limit: {', '.join(failed)}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
