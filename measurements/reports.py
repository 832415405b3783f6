"""The shipped reports R1–R9 as datasets: figures as printed, converted at this edge, with their findings."""

import tomllib
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from hashlib import sha256
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from planner.errors import InputProblems, Problem, shown
from planner.provenance import Source
from planner.runs import Dataset, PercentileRule, Quantiles, Regime, Rig, Run, RunSource

IOSTAT_KB = 1024
"""iostat's kB is 1,024 bytes: its kB/s divided by 1e6 and printed as GB/s is 1.024 times too small."""

DATA = "reports_data"


@cache
def list_datasets() -> tuple[str, ...]:
    """Return the ids of the shipped datasets."""
    folder = files("measurements").joinpath(DATA)
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml")))


@cache
def load_dataset(dataset_id: str) -> Dataset:
    """Return a shipped dataset with its runs and findings.

    Raises
    ------
    InputProblems
        When there is no such dataset; the hint lists those that exist.
    """
    if dataset_id not in list_datasets():
        hint = "one of " + ", ".join(list_datasets())
        raise InputProblems([Problem("unknown_dataset", "evidence.datasets", shown(dataset_id), hint)])
    content = files("measurements").joinpath(f"{DATA}/{dataset_id}.toml").read_bytes()
    raw = tomllib.loads(content.decode("utf-8"))
    digest = sha256(content).hexdigest()
    runs = tuple(_point(raw, record, digest) for record in raw.get("point", ()))
    runs += tuple(_item(raw, record, digest) for record in raw.get("item", ()))
    from measurements.checks import check_dataset

    dataset = Dataset(
        id=raw["id"],
        title=raw["title"],
        source=Source(raw["id"], f"{raw['publisher']}: {raw['title']}", raw["date"], licence=raw["licence"]),
        runs=runs,
        data_class=raw["data_class"],
        sha256=digest,
        date=raw["date"],
    )
    return check_dataset(dataset, claims=raw.get("claim", ()))


def load_evidence(dataset_ids: Iterable[str]) -> tuple[Dataset, ...]:
    """Return several datasets, with the findings that only show when they are read side by side.

    The joint findings (repeats that disagree, different percentile rules, a recompute baseline out of line with a
    sequential prefill) stand on the first dataset.
    """
    from measurements.checks import check_together

    datasets = tuple(load_dataset(name) for name in dict.fromkeys(dataset_ids))
    joint = check_together(datasets)
    return (replace(datasets[0], findings=datasets[0].findings + joint), *datasets[1:]) if joint else datasets


def _source(raw: dict[str, Any], part: str, digest: str) -> RunSource:
    return RunSource(file=f"{raw['id']}.toml", part=part, sha256=digest, tool="report", tool_version=raw["date"])


def _scaled(printed: float | None) -> float | None:
    return None if printed is None else printed * 1e9 * IOSTAT_KB / 1000


def _point(raw: dict[str, Any], record: dict[str, Any], digest: str) -> Run:
    common, tier = raw["common"], record["tier"]
    reloaded = tier != "recompute"
    facts: dict[str, float | str] = {"arm": record["arm"], "kv_dtype": common["kv_dtype"]}
    if reloaded:
        facts["hit_tokens"] = common["hit_tokens"]
    for name in ("note", "known_fault"):
        if name in record:
            facts[name] = record[name]
    for index, value in enumerate(record.get("instance_ttft_p50_s", ())):
        facts[f"instance_{'ab'[index]}_ttft_p50_s"] = value
    busy = _scaled(record.get("busy_mean_gb_s_iostat"))
    if busy is not None:
        facts["read_busy_mean_bytes_per_s"] = busy
    if tier in common["line_rate_bytes_per_s"]:
        facts["line_rate_bytes_per_s"] = common["line_rate_bytes_per_s"][tier]
    tpot = record.get("tpot_p50_ms")
    return Run(
        source=_source(raw, f"{record['arm']} c{record['concurrency_count']}", digest),
        regime=Regime(common["regime"]),
        model=common["model"],
        gpu=raw["platform"]["gpu"],
        tensor_parallel_count=common["tensor_parallel_count"],
        concurrency_count=record["concurrency_count"],
        prompt_tokens=common["prompt_tokens"],
        output_tokens=common["output_tokens"],
        hit_fraction=1.0 if reloaded else 0.0,
        duration_s=record["concurrency_count"] * common["output_tokens"] / record["output_tokens_per_s"],
        ttft_s=_ttft(record),
        tpot_s=None if tpot is None else Quantiles(p50=tpot / 1e3),
        percentile_rule=PercentileRule(common["percentile_rule"]),
        output_tokens_per_s=record["output_tokens_per_s"],
        read_bytes_per_s=_scaled(record.get("peak_gb_s_iostat")),
        units_as_found=MappingProxyType(
            {"ttft": "s", "tpot": "ms", "output rate": "tok/s", "read rate": "GB/s = iostat kB/s / 1e6 (x1.024)"}
        ),
        rig=Rig(
            tier=tier,
            ports_count=1 if tier == "fx100" else None,
            drives_count={"fx100": 4, "local-nvme": 1}.get(tier),
            instances_count=common["instances_count"],
            path_version=common["path_version"],
            note=record.get("note", ""),
        ),
        facts=MappingProxyType(facts),
    )


def _ttft(record: dict[str, Any]) -> Quantiles | None:
    values = {name: record.get(f"ttft_{name}_s") for name in ("p50", "p90", "p99", "mean")}
    return Quantiles(**values) if any(value is not None for value in values.values()) else None


PLAIN_FIELDS = {"concurrency_count", "model", "tensor_parallel_count", "duration_s", "tier", "part", "path_version"}


def _item(raw: dict[str, Any], record: dict[str, Any], digest: str) -> Run:
    facts = {name: value for name, value in record.items() if name not in PLAIN_FIELDS}
    tier = record.get("tier")
    return Run(
        source=_source(raw, record["part"], digest),
        model=record.get("model"),
        gpu=raw["platform"]["gpu"],
        tensor_parallel_count=record.get("tensor_parallel_count"),
        concurrency_count=record.get("concurrency_count"),
        duration_s=record.get("duration_s", record.get("save_s")),
        ttft_s=Quantiles(mean=record["ttft_mean_s"]) if "ttft_mean_s" in record else None,
        read_bytes_per_s=None if "read_gb_s" not in record else record["read_gb_s"] * 1e9,
        write_bytes_per_s=None if "write_gb_s" not in record else record["write_gb_s"] * 1e9,
        rig=None
        if tier is None and "path_version" not in record
        else Rig(tier=tier or "fx100", path_version=record.get("path_version", "")),
        facts=MappingProxyType(facts),
    )
