"""MLPerf Storage and DLIO ``summary.json``: training reads (its MB is MiB) and checkpoints (its GB is GiB)."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from measurements.documents import Document
from measurements.fields import Draft, Key, Reading, finding, mapping, number, text_of
from planner.runs import Severity

NAME = "mlperf-storage"
TITLE = "MLPerf Storage or DLIO summary"

KEYS = (
    Key("train_io_mean_MB_per_second", "read_bytes_per_s", "MiB/s"),
    Key("train_io_throughput_MB_per_second", "read_bytes_per_s", "MiB/s"),
)
CHECKPOINT_KEYS = (
    Key("save_checkpoint_io_mean_GB_per_second", "write_bytes_per_s", "GiB/s"),
    Key("checkpoint_write_throughput_GB_per_second", "write_bytes_per_s", "GiB/s"),
    Key("load_checkpoint_io_mean_GB_per_second", "read_bytes_per_s", "GiB/s"),
    Key("checkpoint_read_throughput_GB_per_second", "read_bytes_per_s", "GiB/s"),
)
DURATIONS = {
    "write_bytes_per_s": ("save_checkpoint_duration_mean_seconds", "checkpoint_write_duration_seconds"),
    "read_bytes_per_s": ("load_checkpoint_duration_mean_seconds", "checkpoint_read_duration_seconds"),
}
GIB = 1 << 30
AGREES_FRACTION = 0.1


def recognise(document: Document) -> float:
    """Return 1 for the metrics of a summary."""
    metric = mapping(mapping(document.head).get("metric"))
    return 1.0 if metric.keys() & {key.theirs for key in (*KEYS, *CHECKPOINT_KEYS)} else 0.0


def read(document: Document) -> Reading:
    """Return a run of the training reads, one of the saves and one of the loads of checkpoints, as far as present."""
    content = mapping(document.head)
    metric = mapping(content.get("metric"))
    reading = Reading()
    for key in KEYS:
        if (mean := _mean(metric.get(key.theirs), key.theirs)) and not reading.runs:
            draft = Draft(document, NAME, part="train")
            draft.set(key.ours, mean, key.unit, found=f"{key.theirs}: MB is MiB")
            _training(draft, content, metric)
            reading.add(draft)
    for direction in DURATIONS:
        _checkpoint(document, reading, metric, direction)
    if reading.runs:
        reading.findings.append(
            finding(
                "binary_units",
                Severity.INFO,
                "the tool's MB and GB are MiB and GiB",
                "read as such: 4.9 % and 7.4 % more than the label says",
            )
        )
    return reading


def _mean(value: Any, key: str) -> float | None:
    """Return a number, or the mean of a list of them (one per epoch or checkpoint)."""
    if not isinstance(value, list):
        return number(value, key)
    values = [one for one in (number(item, key) for item in value) if one is not None]
    return sum(values) / len(values) if values else None


def _training(draft: Draft, content: Mapping[str, Any], metric: Mapping[str, Any]) -> None:
    utilisation = metric.get("train_au_mean_percentage", metric.get("train_au_percentage"))
    draft.fact("accelerator_utilisation_percent", _mean(utilisation, "train_au_percentage"))
    samples = metric.get("train_throughput_mean_samples_per_second", metric.get("train_throughput_samples_per_second"))
    draft.fact("samples_per_s", _mean(samples, "train_throughput_samples_per_second"))
    for key in ("num_accelerators", "num_hosts", "epochs"):
        draft.fact(key, number(content.get(key), key))
    draft.set("duration_s", _seconds(content), "s", found="end - start")
    verdict = metric.get("train_au_meet_expectation")
    if isinstance(verdict, str) and verdict.lower() != "success":
        draft.note(
            "run_invalid",
            Severity.BLOCKS_SIZING,
            f"the accelerators' utilisation missed what the benchmark asks for ({verdict[:40]})",
            "an invalid run by the rules of the benchmark",
        )


def _seconds(content: Mapping[str, Any]) -> float | None:
    start, end = text_of(content.get("start")), text_of(content.get("end"))
    try:
        taken = (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds() if start and end else 0.0
    except (ValueError, TypeError):
        return None
    return taken if taken > 0 else None


def _checkpoint(document: Document, reading: Reading, metric: Mapping[str, Any], direction: str) -> None:
    key = next((key for key in CHECKPOINT_KEYS if key.ours == direction and key.theirs in metric), None)
    rate = None if key is None else _mean(metric[key.theirs], key.theirs)
    if key is None or rate is None:
        return
    draft = Draft(document, NAME, part="checkpoint save" if direction == "write_bytes_per_s" else "checkpoint load")
    draft.set(direction, rate, key.unit, found=f"{key.theirs}: GB is GiB")
    size = number(metric.get("checkpoint_size_GB"), "checkpoint_size_GB")
    draft.fact("checkpoint_bytes", None if size is None else size * GIB)
    name = next((name for name in DURATIONS[direction] if name in metric), "")
    seconds = _mean(metric.get(name), name)
    draft.set("duration_s", seconds, "s", found=name)
    if size and seconds and rate and abs(size / seconds / rate - 1) > AGREES_FRACTION:
        draft.note(
            "contradictory_fields",
            Severity.WARNING,
            f"{size:g} GiB in {seconds:g} s is {size / seconds:.3g} GiB/s, the file says {rate:g}",
            "the mean of rates is not the rate of the mean, or ranks are summed in one of them only",
            computed_gib_per_s=size / seconds,
            printed_gib_per_s=rate,
        )
    if draft.values:
        reading.add(draft)
