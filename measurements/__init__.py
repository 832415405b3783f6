"""Evidence: foreign benchmark files and the shipped reports, read into canonical runs."""

from measurements.reading import ReadError, ReadResult, read, read_bytes

__all__ = ["ReadError", "ReadResult", "read", "read_bytes"]
