"""Speed of the readers: ``python tests/benchmarks/bench_readers.py``. Prints seconds and peak memory of each case.

Each case runs in a process of its own, so that the peak is its own; the limit of each is printed beside it.
"""

import json
import multiprocessing
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

MB = 1_000_000
DETAILED_BYTES = 60 * MB
REQUESTS_COUNT = 200_000
SMALL_COUNT = 100


def detailed(path: Path) -> None:
    """Write a ``--save-detailed`` file of about 60 MB: per request one TTFT, 256 gaps and an answer."""
    seed = random.Random(1)
    per_request = 256 * 22 + 1200
    count = DETAILED_BYTES // per_request
    record = {
        "date": "20260101-000000",
        "model_id": "own/model",
        "tokenizer_id": "own/model",
        "num_prompts": count,
        "request_rate": "inf",
        "max_concurrency": 16,
        "duration": 100.0,
        "completed": count,
        "failed": 0,
        "total_input_tokens": count * 1000,
        "total_output_tokens": count * 257,
        "request_throughput": count / 100,
        "output_throughput": count * 2.57,
        "total_token_throughput": count * 12.57,
        "median_ttft_ms": 500.0,
        "output_lens": [257] * count,
        "ttfts": [0.5 + seed.random() * 1e-3 for _ in range(count)],
        "itls": [[0.02 + seed.random() * 1e-3 for _ in range(256)] for _ in range(count)],
        "generated_texts": ["made-up words " * 80] * count,
        "errors": [""] * count,
    }
    path.write_text(json.dumps(record))


def records(path: Path) -> None:
    """Write AIPerf records of 200,000 requests."""
    with path.open("w") as file:
        for index in range(REQUESTS_COUNT):
            start = 1_000_000_000_000 + index * 1_000_000
            metrics = {
                "input_sequence_length": {"value": 1000, "unit": "tokens"},
                "output_sequence_length": {"value": 100, "unit": "tokens"},
                "time_to_first_token": {"value": 100.0 + index % 97, "unit": "ms"},
                "request_latency": {"value": 2000.0, "unit": "ms"},
            }
            metadata = {"request_start_ns": start, "request_end_ns": start + 2_000_000_000}
            file.write(json.dumps({"metadata": metadata, "metrics": metrics, "error": None}) + "\n")


def small(path: Path) -> None:
    """Copy the fixtures until there are a hundred files."""
    fixtures = sorted((Path(__file__).resolve().parents[1] / "measurements" / "fixtures").iterdir())
    for index in range(SMALL_COUNT):
        source = fixtures[index % len(fixtures)]
        (path.parent / f"small_{index}_{source.name}").write_bytes(source.read_bytes())


def _peak_mb() -> float:
    """Peak resident memory of this process; ``ru_maxrss`` would include that of the parent."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024 / MB


def _read(paths: list[Path], report: "multiprocessing.Queue[tuple[float, float, int]]") -> None:
    import measurements

    before = _peak_mb()
    start = time.perf_counter()
    runs = sum(len(measurements.read(path, max_stream_bytes=1 << 30).runs) for path in paths)
    seconds = time.perf_counter() - start
    report.put((seconds, _peak_mb() - before, runs))


def cases(folder: Path) -> Iterator[tuple[str, list[Path], str]]:
    """Yield (title, files, limit)."""
    writers: tuple[tuple[str, str, Callable[[Path], None], str], ...] = (
        ("60 MB --save-detailed", "detailed.json", detailed, "10 s, 6 x its size"),
        ("JSON Lines of 200,000 requests", "records.jsonl", records, "10 s, 6 x its size"),
        ("100 small files", "small", small, "2 s"),
    )
    for title, name, write, limit in writers:
        path = folder / name
        write(path)
        yield title, [path] if path.exists() else sorted(folder.glob("small_*")), limit


def main() -> None:
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as name:
        for title, paths, limit in cases(Path(name)):
            report = context.Queue()
            process = context.Process(target=_read, args=(paths, report))
            process.start()
            seconds, peak, runs = report.get()
            process.join()
            size = sum(path.stat().st_size for path in paths) / MB
            figures = f"{size:7.1f} MB {seconds:6.2f} s {peak:7.0f} MB peak ({peak / size:4.1f} x) {runs} runs"
            print(f"{title:32} {figures}; limit {limit}")


if __name__ == "__main__":
    main()
