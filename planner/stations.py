"""The stations a request passes: load from a tier, prefill, decode. Plain formulas that broadcast over arrays."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

CHUNK_TOKENS = 8192
"""Token budget of one engine step: the default of vLLM's chunked prefill on this platform."""


def load_s(
    bytes_per_request: ArrayLike, requests_count: ArrayLike, overhead_s: ArrayLike, bytes_per_s: ArrayLike
) -> Array:
    """Return the time to load one request's KV while ``requests_count`` share the tier (processor sharing).

    ``t0 + n·B/C``; zero where nothing is loaded (DESIGN 4.1). Bytes, bytes/s and seconds; shapes broadcast.

    >>> float(load_s(7.5e9, 2, 0.5, 10e9))
    2.0
    """
    loaded = np.asarray(bytes_per_request, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        busy = np.asarray(overhead_s) + np.asarray(requests_count) * loaded / np.asarray(bytes_per_s)
    return np.where(loaded > 0, busy, 0.0)


def prefill_flops(
    new_tokens: ArrayLike, prompt_tokens: ArrayLike, active_params: float, attention_width: float
) -> Array:
    """Return the floating-point operations to compute the last ``new_tokens`` of a prompt.

    ``2·P·m + 2·W·(L² − (L−m)²)/2`` with W = layers × query heads × (key + value head dimension): the causal
    attention of m new tokens over all L, so a reused prefix still costs attention (DESIGN 4.2).
    """
    m, length = np.asarray(new_tokens, dtype=float), np.asarray(prompt_tokens, dtype=float)
    operations: Array = 2 * active_params * m + attention_width * (length**2 - (length - m) ** 2)
    return operations


def decode_interval_s(requests_count: ArrayLike, base_s: ArrayLike, per_request_s: ArrayLike) -> Array:
    """Return the decode interval ``d0 + d1·n`` with ``n`` requests in the running batch (DESIGN 4.3)."""
    interval: Array = np.asarray(base_s) + np.asarray(per_request_s) * np.asarray(requests_count, dtype=float)
    return interval
