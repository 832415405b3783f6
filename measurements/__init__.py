"""Evidence: foreign benchmark files and the shipped reports, read into canonical runs."""

from measurements.reading import ReadError, ReadResult, read, read_bytes
from measurements.reports import list_datasets, load_dataset, load_evidence

__all__ = ["ReadError", "ReadResult", "list_datasets", "load_dataset", "load_evidence", "read", "read_bytes"]
