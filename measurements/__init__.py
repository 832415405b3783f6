"""Evidence: foreign benchmark files, request traces and the shipped reports, read into values of the planner."""

from measurements.checks import check_runs
from measurements.reading import ReadError, ReadResult, read, read_bytes
from measurements.reports import list_datasets, load_dataset, load_evidence
from measurements.stored import stored_runs
from measurements.traces import read_trace

__all__ = [
    "ReadError",
    "ReadResult",
    "check_runs",
    "list_datasets",
    "load_dataset",
    "load_evidence",
    "read",
    "read_bytes",
    "read_trace",
    "stored_runs",
]
