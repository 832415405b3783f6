"""Where the KV lies: shares of the ranks of a tensor-parallel group, GPU memory left for it, copies in a store."""

from collections.abc import Mapping
from math import floor
from types import MappingProxyType
from typing import Any

from planner.errors import Checker, InputProblems, Problem, shown
from planner.llm_catalog import Gpu, Model
from planner.llm_layout import AttentionCache, number_text, whole

TENSOR_PARALLEL_MAX = 1024
BLOCK_TOKENS = 16
"""vLLM's default block; hybrid models with state layers use larger ones."""
STORE_CHUNK_TOKENS = 256
"""LMCache's default chunk."""
WEIGHT_BYTES: Mapping[str, float] = MappingProxyType({"bf16": 2.0, "fp8": 1.0, "mxfp4": 0.53125})
"""Bytes per parameter. MXFP4: 4 bits and an 8-bit scale per 32 values; unquantized parts are not in it."""


def check_ranks(model: Model, tensor_parallel_count: object, check: Checker) -> int:
    """Return the ranks if each cache can be split or repeated over them; note the problem and return 1 otherwise."""
    number = check.number("tensor_parallel_count", tensor_parallel_count, low=1, high=TENSOR_PARALLEL_MAX, whole=True)
    ranks = 1 if number is None else int(number)
    for cache in model.layout.caches:
        if isinstance(cache, AttentionCache) and cache.kv_heads_count % ranks and ranks % cache.kv_heads_count:
            hint = f"a divisor or a multiple of {cache.kv_heads_count} KV heads"
            check.add("not_divisible", "tensor_parallel_count", ranks, hint)
            break
    heads = model.attention_heads_count
    if heads is not None and heads % ranks:
        check.add("not_divisible", "tensor_parallel_count", ranks, f"a divisor of {heads} attention heads")
    return ranks


def weights_bytes(model: Model, weight_dtype: str | None = None) -> float | None:
    """Return the bytes of the weights in ``weight_dtype`` (None: as published), or None where a figure is not known."""
    dtype = weight_dtype or model.weight_dtype
    if dtype is not None and dtype not in WEIGHT_BYTES:
        hint = "one of " + ", ".join(WEIGHT_BYTES)
        raise InputProblems([Problem("unknown", "weight_dtype", shown(dtype), hint)])
    if dtype is None or model.params_total_count is None:
        return None
    return whole(model.params_total_count * WEIGHT_BYTES[dtype])


def hbm_tokens(
    model: Model, gpu: Gpu, ranks: int, *, kv_dtype: str, utilization_fraction: float, weights: float | None
) -> tuple[float | None, int | None]:
    """Return the bytes left for KV on one GPU, and the tokens of one sequence that fit there; None where not known.

    Left = memory × utilisation − weights / ranks. Activations and what is outside the framework are not subtracted,
    so that both are upper bounds. Negative bytes mean that the weights do not fit; then no token does.
    """
    if weights is None:
        return None, None
    left = gpu.hbm_bytes * utilization_fraction - weights / ranks
    constant = model.layout.window_bytes(kv_dtype, ranks) + model.layout.state_bytes(ranks)
    per_token = model.layout.bytes_per_token(kv_dtype, ranks)
    if not per_token:
        return left, None
    return left, max(floor((left - constant) / per_token), 0)


def ranks_document(model: Model, kv_dtype: str, ranks: int) -> dict[str, Any]:
    """Return what one rank and all ranks hold, and how many copies of the KV that makes."""
    layout = model.layout
    once, share = layout.bytes_per_token(kv_dtype), layout.bytes_per_token(kv_dtype, ranks)
    block = -(-share * BLOCK_TOKENS // 1)
    stored = layout.stored_bytes_per_token(kv_dtype)
    return {
        "tensor_parallel_count": ranks,
        "kv_bytes_per_token_per_rank": share,
        "kv_bytes_per_token_all_ranks": whole(share * ranks),
        "replication_factor": share * ranks / once if once else None,
        "window_bytes_per_sequence_per_rank": layout.window_bytes(kv_dtype, ranks),
        "state_bytes_per_sequence_per_rank": layout.state_bytes(ranks),
        "block_tokens": BLOCK_TOKENS,
        "block_bytes_per_rank": whole(block),
        "store_chunk_tokens": STORE_CHUNK_TOKENS,
        "store_chunk_bytes": None if stored is None else whole(stored * STORE_CHUNK_TOKENS),
    }


def copies_document(model: Model, ranks: int) -> list[dict[str, Any]]:
    """Return the copies of one token's KV that known stores write, read from their code and not measured."""
    by_head = [cache.kv_heads_count for cache in model.layout.caches if isinstance(cache, AttentionCache)]
    latent = len(by_head) < len(model.layout.caches)
    repeated = max(1.0, ranks / min(by_head)) if by_head else 1.0
    if (latent and by_head) or model.layout.states or not model.layout.stored_known:
        return [{"store": name, "copies": None} for name in ("lmcache", "vllm-mooncake", "sglang-hicache")]
    return [
        {"store": "lmcache", "copies": repeated},
        {"store": "vllm-mooncake", "copies": 1.0},
        {"store": "sglang-hicache", "copies": repeated},
    ]


def weights_text(model: Model, weights: float | None) -> str | None:
    """Return the formula of the weights, or None where they are not known."""
    if weights is None or model.params_total_count is None:
        return None
    each = WEIGHT_BYTES[model.weight_dtype or ""]
    bound = "" if model.weight_dtype == "bf16" else "; a lower bound: scales and unquantized parts are not in it"
    return f"{number_text(model.params_total_count)} parameters × {each:g} B = {number_text(weights)} B{bound}"
