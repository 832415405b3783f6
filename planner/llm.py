"""KV size of a language model: bytes per token, what a store keeps, and what fits into GPU memory.

Model figures are data with their source; bytes per token follow from the attention layout and are spelled out.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from planner.errors import InputProblems, Problem, shown
from planner.provenance import Basis

DTYPE_BYTES: Mapping[str, int] = MappingProxyType({"bf16": 2, "fp8": 1})


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model's attention layout and sizes. None: the source does not say."""

    id: str
    name: str
    architecture: str
    attention_kind: str
    layers_count: int
    kv_layers_count: int
    kv_heads_count: int
    head_dim: int
    max_context_tokens: int
    kv_bytes_per_token_bf16: float
    kv_bytes_per_token_fp8: float
    source: str
    basis: Basis
    kv_lora_rank: int | None = None
    rope_dim: int | None = None
    window_tokens: int | None = None
    window_layers_count: int = 0
    state_bytes: float = 0
    mtp_layers_count: int = 0
    attention_heads_count: int | None = None
    params_total_count: float | None = None
    params_active_count: float | None = None
    aliases: tuple[str, ...] = ()


@cache
def _models() -> Mapping[str, Model]:
    raw = tomllib.loads(files("planner").joinpath("catalog/models.toml").read_text("utf-8"))
    basis = Basis(raw["basis"])
    records = (dict(record, aliases=tuple(record.get("aliases", ()))) for record in raw["model"])
    return MappingProxyType({record["id"]: Model(basis=basis, **record) for record in records})


@cache
def _names() -> Mapping[str, str]:
    names: dict[str, str] = {}
    for model in _models().values():
        for name in (model.id, model.name, *model.aliases):
            names[name.lower()] = model.id
    return MappingProxyType(names)


def list_models() -> tuple[str, ...]:
    """Return the ids of the catalog's models."""
    return tuple(sorted(_models()))


def load_model(model_id: str) -> Model:
    """Return a model by its id, or by the name of its published repository.

    Raises
    ------
    InputProblems
        When the catalog has no such model; the hint names close ones.
    """
    found = _names().get(str(model_id).lower())
    if found is None:
        close = get_close_matches(str(model_id).lower(), list(_names()), n=3, cutoff=0.5)
        hint = "did you mean " + ", ".join(close) + "?" if close else "one of " + ", ".join(list_models())
        raise InputProblems([Problem("unknown_model", "model", shown(model_id), hint)])
    return _models()[found]


def kv_bytes_per_token(config_or_id: str, kv_dtype: str = "bf16") -> float:
    """Return the KV bytes that one more token adds on the GPU, far beyond any window.

    Examples
    --------
    >>> kv_bytes_per_token("qwen3-coder-480b-a35b")
    253952
    """
    model = load_model(config_or_id)
    if kv_dtype not in DTYPE_BYTES:
        raise InputProblems([Problem("unknown", "kv_dtype", shown(kv_dtype), "one of " + ", ".join(DTYPE_BYTES))])
    return model.kv_bytes_per_token_bf16 if kv_dtype == "bf16" else model.kv_bytes_per_token_fp8
