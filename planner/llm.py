"""KV size of a language model: bytes per token, what a store keeps, and what fits into GPU memory.

A model is a catalog id (``qwen3-coder-480b-a35b``), a repository name, the content of a ``config.json``,
or a path to it. Bytes follow from the attention layout and are spelled out; what is not known is refused.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from planner.errors import Checker
from planner.llm_catalog import Gpu, Model, gpus, is_known, list_models, load_gpu, load_model
from planner.llm_config import read_model
from planner.llm_file import checked_mapping, parse_config, read_config
from planner.llm_layout import DTYPE_BYTES, Layout
from planner.llm_memory import (
    check_ranks,
    copies_document,
    hbm_tokens,
    ranks_document,
    weights_bytes,
    weights_text,
)

__all__ = [
    "DTYPE_BYTES",
    "Gpu",
    "Layout",
    "Model",
    "gpus",
    "kv_bytes_per_token",
    "kv_document",
    "list_models",
    "load_gpu",
    "load_model",
    "model_of",
    "sequence_bytes",
    "weights_bytes",
]

TOKENS_MAX = 10**12


def model_of(source: object, *, file: str = "") -> Model:
    """Return the model of a catalog id, a repository name, a config's content (mapping or JSON text) or a path to it.

    Raises
    ------
    InputProblems
        Unknown id, unreadable file, or everything that is wrong with a config.
    NoResult
        ``unsupported_attention``, naming the part of the config that is not known here.
    """
    if isinstance(source, Model):
        return source
    if isinstance(source, Path):
        return read_model(read_config(source), file=file or source.name)
    if isinstance(source, bytes):
        return read_model(parse_config(source, file=file), file=file)
    if isinstance(source, str):
        if is_known(source):
            return load_model(source)
        if source.lstrip().startswith(("{", "[")):
            return read_model(parse_config(source, file=file), file=file)
        if source.lower().endswith(".json") or _is_file(source):
            return read_model(read_config(Path(source)), file=file or Path(source).name)
        return load_model(source)
    return read_model(checked_mapping(source, file), file=file)


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):
        return False


def _dtype(kv_dtype: object, check: Checker) -> str:
    return check.choice("kv_dtype", kv_dtype, DTYPE_BYTES) or "bf16"


def kv_bytes_per_token(config_or_id: object, kv_dtype: str = "bf16") -> float:
    """Return the KV bytes that one more token adds on the GPUs, once, far beyond any window.

    Parameters
    ----------
    config_or_id : str, Path, mapping or Model
        See ``model_of``.
    kv_dtype : {"bf16", "fp8"}
        As the engine stores the KV. Scales of a per-tensor FP8 cost nothing per token.

    Examples
    --------
    >>> kv_bytes_per_token("qwen3-coder-480b-a35b")
    253952
    """
    check = Checker()
    dtype = _dtype(kv_dtype, check)
    check.raise_if_any()
    return model_of(config_or_id).layout.bytes_per_token(dtype)


def sequence_bytes(
    config_or_id: object, tokens: int, *, kv_dtype: str = "bf16", tensor_parallel_count: int = 1
) -> float:
    """Return the KV bytes on one rank of a sequence of ``tokens``: growing part, windows so far and constant state.

    Examples
    --------
    >>> sequence_bytes("qwen3-coder-480b-a35b", 30_208)
    7671382016
    """
    model = model_of(config_or_id)
    check = Checker()
    dtype = _dtype(kv_dtype, check)
    count = check.number("tokens", tokens, low=0, high=TOKENS_MAX, whole=True)
    ranks = check_ranks(model, tensor_parallel_count, check)
    check.raise_if_any()
    return model.layout.sequence_bytes(int(count or 0), dtype, ranks)


def kv_document(
    model_or_config: object,
    *,
    kv_dtype: str = "bf16",
    tensor_parallel_count: int = 1,
    gpu: str | None = None,
    gpu_memory_utilization_fraction: float = 0.9,
    file: str = "",
) -> dict[str, Any]:
    """Return the document of the ``kv`` command: KV sizes with their formulas, shares of the ranks, and what fits.

    Bytes are of all ranks together without repetition; ``*_per_rank`` is one rank's share. None: not known.
    """
    model = model_of(model_or_config, file=file)
    check = Checker(file)
    dtype = _dtype(kv_dtype, check)
    ranks = check_ranks(model, tensor_parallel_count, check)
    fraction = check.number(
        "gpu_memory_utilization_fraction", gpu_memory_utilization_fraction, low=0.01, high=1, hint="a fraction up to 1"
    )
    check.raise_if_any()
    layout, weights = model.layout, weights_bytes(model)
    document: dict[str, Any] = {
        "schema": "kv",
        "version": 1,
        "model": model.id if model.id != "config" else model.name,
        "name": model.name,
        "architecture": model.architecture,
        "attention": layout.kind,
        "kv_dtype": dtype,
        "kv_bytes_per_token": layout.bytes_per_token(dtype),
        "window_bytes_per_sequence": layout.window_bytes(dtype),
        "state_bytes_per_sequence": layout.state_bytes(),
        "window_tokens": model.window_tokens,
        "stored_bytes_per_token": layout.stored_bytes_per_token(dtype),
        "weights_bytes": weights,
        "weight_dtype": model.weight_dtype,
        "hbm_tokens": None,
        "max_context_tokens": model.max_context_tokens,
        "mtp_layers_count": model.mtp_layers_count,
        "formula": layout.formula(dtype),
        "window_formula": layout.window_formula(dtype),
        "state_formula": layout.state_formula(),
        "weights_formula": weights_text(model, weights),
        "notes": list(layout.notes),
        **ranks_document(model, dtype, ranks),
        "store_copies": copies_document(model, ranks),
        "sources": [{"source": model.source, "basis": str(model.basis)}],
    }
    return document | _memory(model, gpu, ranks, kv_dtype=dtype, fraction=fraction or 0.0, document=document)


def _memory(
    model: Model, gpu: str | None, ranks: int, *, kv_dtype: str, fraction: float, document: Mapping[str, Any]
) -> dict[str, Any]:
    if gpu is None:
        return {}
    record = load_gpu(gpu)
    left, tokens = hbm_tokens(
        model, record, ranks, kv_dtype=kv_dtype, utilization_fraction=fraction, weights=document["weights_bytes"]
    )
    return {
        "gpu": record.id,
        "gpu_memory_utilization_fraction": fraction,
        "hbm_bytes_per_gpu": record.hbm_bytes,
        "hbm_kv_bytes_per_gpu": left,
        "hbm_tokens": tokens,
        "notes": [*document["notes"], "memory for activations is not subtracted: hbm_tokens is an upper bound"],
        "sources": [*document["sources"], {"source": record.source, "basis": str(record.basis)}],
    }
