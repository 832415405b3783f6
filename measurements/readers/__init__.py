"""The registry of formats. A reader is one module here with ``NAME``, ``TITLE``, ``recognise`` and ``read``.

``recognise(document)`` returns how sure it is that the document is its own, from 0 (not mine) to 1 (only my tool writes
this); it looks at content, never at the extension alone, and must be cheap. ``read(document)`` returns a ``Reading`` or
raises ``Refused``. Adding a format: see docs/adding-a-format.md.
"""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Protocol, cast

from measurements.documents import Document
from measurements.fields import Reading

MODULES: tuple[str, ...] = (
    "aiperf_records",
    "elbencho",
    "elbencho_json",
    "evalscope",
    "fio",
    "fio_terse",
    "fio_text",
    "gdsio",
    "guidellm",
    "guidellm_csv",
    "guidellm_parsed",
    "inference_perf",
    "inferencemax",
    "ior",
    "iostat",
    "joint_test",
    "llmd_report",
    "llmperf",
    "lmcache_log",
    "lmcache_requests",
    "lmcache_validation",
    "long_doc_qa",
    "mlc_kvcache",
    "mlc_kvcache_table",
    "mlperf_storage",
    "perf_analyzer",
    "perf_export",
    "perftest",
    "prometheus_vllm",
    "serving_console",
    "serving_table",
    "sglang_hicache",
    "sglang_serving",
    "vllm_log",
    "vllm_multiturn",
    "vllm_offline",
    "vllm_serving",
)
"""Modules of this package, in alphabetical order."""

FAMILIES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "aiperf": ("genai-perf", "aiperf-records", "perf-analyzer"),
        "fio": ("fio", "fio-terse", "fio-text"),
        "guidellm": ("guidellm", "guidellm-csv", "guidellm-parsed"),
        "lmcache": ("lmcache-requests", "lmcache-log", "lmcache-validation", "long-doc-qa"),
        "sglang": ("sglang-bench-serving", "sglang-hicache", "serving-console", "prometheus"),
        "vllm": (
            "vllm-bench-serve",
            "vllm-bench-offline",
            "vllm-multi-turn",
            "vllm-log",
            "serving-console",
            "serving-table",
            "prometheus",
        ),
    }
)
"""Names that stand for several readers: the surest of them reads the file."""


class Reader(Protocol):
    """What a reader module offers."""

    NAME: str
    TITLE: str

    def recognise(self, document: Document) -> float:
        """Return 0 to 1."""

    def read(self, document: Document) -> Reading:
        """Return runs and findings, or raise ``Refused``."""


def readers() -> dict[str, Reader]:
    """Return all readers by name, in alphabetical order of their modules."""
    modules = (cast("Reader", import_module(f"measurements.readers.{name}")) for name in MODULES)
    return {module.NAME: module for module in modules}


def named(tool: str) -> tuple[Reader, ...]:
    """Return the reader called ``tool``, or those of the family of that name; none where the name is unknown."""
    known, name = readers(), tool.strip().lower().replace("_", "-")
    return tuple(known[member] for member in FAMILIES.get(name, (name,)) if member in known)


def recognised(document: Document, among: tuple[Reader, ...] = ()) -> Reader | None:
    """Return the reader (of ``among``, or of all) that is surest of ``document``, the first in a tie, or None."""
    score, best = 0.0, None
    for reader in among or tuple(readers().values()):
        sure = reader.recognise(document)
        if sure > score:
            score, best = sure, reader
    return best
