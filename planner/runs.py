"""Canonical measurements: one ``Run`` is one operating point; a ``Dataset`` is a set of runs with its manifest.

Missing is None, never 0. Seconds, bytes/s and tokens/s throughout; what the file printed stays in ``units_as_found``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from planner.provenance import Source


class Regime(StrEnum):
    """How requests arrive: all at t=0, N users that wait for their answers, or arrivals at a rate."""

    BURST = "burst"
    CLOSED = "closed"
    OPEN = "open"
    UNKNOWN = "unknown"


class PercentileRule(StrEnum):
    """How the q-quantile of n sorted samples was taken."""

    FLOOR = "sorted[int(q*n)]"
    CEIL = "sorted[ceil(q*n)-1]"
    LINEAR = "linear"
    BUCKET = "histogram-bucket"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantiles:
    """Statistics of one quantity over the requests of a run, in the unit of the field that holds them."""

    p50: float | None = None
    p90: float | None = None
    p95: float | None = None
    p99: float | None = None
    mean: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSource:
    """Where a run was read: the file, the part of it (line, row, document), its hash and the tool that wrote it."""

    file: str
    part: str = ""
    sha256: str = ""
    tool: str = ""
    tool_version: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """What was under test, beyond the fields of the run: needed to know which other conditions a run speaks for.

    ``tier`` is ``fx100`` … ``fx400``, ``local-nvme``, ``host-dram`` or ``recompute``; ``instances_count`` engines of
    ``tensor_parallel_count`` GPUs share the tier; ``path_version`` names the software that moves the KV bytes.
    """

    tier: str
    ports_count: int | None = None
    drives_count: int | None = None
    nodes_count: int = 1
    instances_count: int = 1
    path_version: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One operating point as measured. Fields and meanings are those of the command-line reference."""

    source: RunSource
    regime: Regime = Regime.UNKNOWN
    model: str | None = None
    gpu: str | None = None
    tensor_parallel_count: int | None = None
    concurrency_count: int | None = None
    request_rate_per_s: float | None = None
    prompt_tokens: float | None = None
    output_tokens: float | None = None
    hit_fraction: float | None = None
    requests_ok_count: int | None = None
    requests_failed_count: int | None = None
    duration_s: float | None = None
    ttft_s: Quantiles | None = None
    tpot_s: Quantiles | None = None
    itl_s: Quantiles | None = None
    e2e_s: Quantiles | None = None
    percentile_rule: PercentileRule = PercentileRule.UNKNOWN
    output_tokens_per_s: float | None = None
    total_tokens_per_s: float | None = None
    requests_per_s: float | None = None
    read_bytes_per_s: float | None = None
    write_bytes_per_s: float | None = None
    read_iops: float | None = None
    write_iops: float | None = None
    read_latency_s: Quantiles | None = None
    write_latency_s: Quantiles | None = None
    block_bytes: float | None = None
    queue_depth_count: float | None = None
    units_as_found: Mapping[str, str] = field(default_factory=dict)
    rig: Rig | None = None
    facts: Mapping[str, float | str] = field(default_factory=dict)


class Severity(StrEnum):
    """How much a finding matters."""

    INFO = "info"
    WARNING = "warning"
    BLOCKS_SIZING = "blocks_sizing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a careful reader would say of a run: rule, figures, consequence. It never changes data."""

    code: str
    severity: Severity
    message: str
    consequence: str
    figures: Mapping[str, float | str] = field(default_factory=dict)
    run: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Runs of one report or import, with what identifies them. Iterating gives the runs."""

    id: str
    title: str
    source: Source
    runs: tuple[Run, ...]
    findings: tuple[Finding, ...] = ()
    data_class: str = "public"
    sha256: str = ""
    date: str = ""

    def __iter__(self) -> Iterator[Run]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)


def flatten(evidence: Iterable[Run | Dataset]) -> tuple[Run, ...]:
    """Return all runs of a mixture of runs and datasets, in order."""
    runs: list[Run] = []
    for item in [evidence] if isinstance(evidence, Dataset) else evidence:
        runs.extend(item.runs if isinstance(item, Dataset) else [item])
    return tuple(runs)
