"""The catalog of models and GPUs, and the attention layout that a catalog record describes."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from planner.errors import InputProblems, Problem, shown
from planner.llm_layout import (
    AttentionCache,
    Cache,
    CompressedCache,
    IndexCache,
    LatentCache,
    Layout,
    State,
    number_text,
)
from planner.provenance import Basis

INDEX_DIM = 128
COMPRESSED_WINDOW_RATIO = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model's attention layout and sizes. None: the source does not say.

    ``head_dim`` and ``kv_heads_count`` of MLA models are those of the latent (1 × 576), as the engines keep it.
    """

    id: str
    name: str
    architecture: str
    attention_kind: str
    layers_count: int
    kv_layers_count: int
    kv_heads_count: int
    head_dim: int
    max_context_tokens: int | None
    kv_bytes_per_token_bf16: float
    kv_bytes_per_token_fp8: float
    source: str
    basis: Basis
    layout: Layout = field(repr=False)
    kv_lora_rank: int | None = None
    rope_dim: int | None = None
    window_tokens: int | None = None
    window_layers_count: int = 0
    state_bytes: float = 0
    mtp_layers_count: int = 0
    attention_heads_count: int | None = None
    params_total_count: float | None = None
    params_active_count: float | None = None
    weight_dtype: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """A GPU and its memory."""

    id: str
    name: str
    hbm_bytes: float
    basis: Basis
    source: str
    aliases: tuple[str, ...] = ()


def _attention_caches(record: Mapping[str, Any]) -> tuple[Cache, ...]:
    dim, kv = record["head_dim"], record["kv_heads_count"]
    value = record.get("value_dim", dim)
    found = []
    if record["kv_layers_count"]:
        full_dim = record.get("global_head_dim", dim)
        found.append(
            AttentionCache(
                layers_count=record["kv_layers_count"],
                kv_heads_count=record.get("global_kv_heads_count", kv),
                key_dim=full_dim,
                value_dim=record.get("global_head_dim", value),
            )
        )
    if record.get("window_layers_count"):
        found.append(
            AttentionCache(
                layers_count=record["window_layers_count"],
                kv_heads_count=record.get("window_kv_heads_count", kv),
                key_dim=dim,
                value_dim=value,
                window_tokens=record["window_tokens"],
                chunked=record["attention_kind"] == "hybrid_chunked",
            )
        )
    return tuple(found)


def _compressed_caches(record: Mapping[str, Any]) -> tuple[Cache, ...]:
    return (
        CompressedCache(layers_count=record["compressed_4_layers_count"], ratio=4, index_dim=INDEX_DIM),
        CompressedCache(layers_count=record["compressed_128_layers_count"], ratio=128),
        CompressedCache(
            layers_count=record["window_layers_count"],
            ratio=COMPRESSED_WINDOW_RATIO,
            window_tokens=record["window_tokens"],
        ),
    )


def layout_of(record: Mapping[str, Any]) -> Layout:
    """Return the layout that a record of ``models.toml`` describes."""
    kind, stored_known = record["attention_kind"], True
    notes: tuple[str, ...] = ()
    caches: tuple[Cache, ...]
    if kind.startswith("mla"):
        layers = record["kv_layers_count"]
        sparse = kind == "mla+dsa"
        latent = LatentCache(
            layers_count=layers, kv_lora_rank=record["kv_lora_rank"], rope_dim=record["rope_dim"], sparse=sparse
        )
        index = IndexCache(layers_count=record.get("index_layers_count", layers), index_dim=INDEX_DIM)
        caches = (latent, index) if sparse else (latent,)
    elif kind == "dsv4_csa_hca":
        caches, stored_known = _compressed_caches(record), False
        notes = ("what a store keeps of the window and the compressed records is not known",)
    else:
        caches = _attention_caches(record)
    states: tuple[State, ...] = ()
    if size := record.get("state_bytes", 0):
        text = f"{number_text(size)} B for all linear or state-space layers as listed by the source (FP32 state)"
        states = (State(layers_count=1, bytes_per_layer=size, formula=text, listed=True),)
    return Layout(
        kind=kind,
        layers_count=record["layers_count"],
        caches=caches,
        states=states,
        notes=notes,
        stored_known=stored_known,
    )


@cache
def models() -> Mapping[str, Model]:
    """Return the shipped models by id."""
    raw = tomllib.loads(files("planner").joinpath("catalog/models.toml").read_text("utf-8"))
    known = {item.name for item in fields(Model)}
    found = {}
    for record in raw["model"]:
        values = {key: value for key, value in record.items() if key in known}
        values["aliases"] = tuple(record.get("aliases", ()))
        found[record["id"]] = Model(basis=Basis(raw["basis"]), layout=layout_of(record), **values)
    return MappingProxyType(found)


@cache
def gpus() -> Mapping[str, Gpu]:
    """Return the shipped GPUs by id."""
    raw = tomllib.loads(files("planner").joinpath("catalog/gpus.toml").read_text("utf-8"))
    records = (dict(r, basis=Basis(r["basis"]), aliases=tuple(r.get("aliases", ()))) for r in raw["gpu"])
    return MappingProxyType({record["id"]: Gpu(**record) for record in records})


def _names(table: Mapping[str, Any]) -> dict[str, str]:
    return {name.lower(): item.id for item in table.values() for name in (item.id, item.name, *item.aliases)}


def _find(table: Mapping[str, Any], name: object, *, what: str) -> Any:
    names = _names(table)
    asked = name.strip().lower()[:200] if isinstance(name, str) else ""
    if asked in names:
        return table[names[asked]]
    close = get_close_matches(asked, list(names), n=3, cutoff=0.5)
    hint = "did you mean " + ", ".join(close) + "?" if close else "one of " + ", ".join(sorted(table))
    raise InputProblems([Problem(f"unknown_{what}", what, shown(name), hint)])


def is_known(name: str) -> bool:
    """Tell whether the catalog has a model of this id or repository name."""
    return name.strip().lower() in _names(models())


def list_models() -> tuple[str, ...]:
    """Return the ids of the catalog's models."""
    return tuple(sorted(models()))


def load_model(model_id: str) -> Model:
    """Return a model by its id, or by the name of its published repository.

    Raises
    ------
    InputProblems
        When the catalog has no such model; the hint names close ones.
    """
    found: Model = _find(models(), model_id, what="model")
    return found


def load_gpu(gpu_id: str) -> Gpu:
    """Return a GPU by its id or name; ``InputProblems`` when the catalog has no such GPU."""
    found: Gpu = _find(gpus(), gpu_id, what="gpu")
    return found
