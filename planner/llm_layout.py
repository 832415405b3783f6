"""What a model keeps per token and per sequence: caches of alike layers, their bytes, and the formula spelled out.

Formulas as in vLLM 0.33.0 (``v1/kv_cache_interface.py``, ``mla_attention.py``, ``MambaStateShapeCalculator``).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from types import MappingProxyType

DTYPE_BYTES: Mapping[str, int] = MappingProxyType({"bf16": 2, "fp8": 1})
INDEX_SCALE_BYTES = 4
SCALE_GROUP = 128


def layers_text(count: int, what: str = "") -> str:
    """Return ``1 layer`` or ``62 layers``, with what kind of layers they are."""
    return f"{count:,} {what + ' ' if what else ''}layer{'' if count == 1 else 's'}"


def number_text(value: float) -> str:
    """Return a byte count with thousands separators, with decimals only where it has some."""
    return f"{int(value):,}" if value == int(value) else f"{value:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionCache:
    """Keys and values by head. ``window_tokens`` is None for layers that keep every token."""

    layers_count: int
    kv_heads_count: int
    key_dim: int
    value_dim: int
    window_tokens: int | None = None
    chunked: bool = False

    def bytes_per_token(self, kv_dtype: str, tensor_parallel_count: int = 1) -> float:
        """Return the bytes that one kept token takes on one of ``tensor_parallel_count`` ranks."""
        heads = max(1, ceil(self.kv_heads_count / tensor_parallel_count))
        return self.layers_count * heads * (self.key_dim + self.value_dim) * DTYPE_BYTES[kv_dtype]

    def term(self, kv_dtype: str) -> str:
        """Return the product with the values put in."""
        what = "" if self.window_tokens is None else "chunked" if self.chunked else "window"
        tail = f"{self.kv_heads_count:,} KV head{'' if self.kv_heads_count == 1 else 's'}"
        if self.key_dim == self.value_dim:
            dim = f"{self.key_dim:,} head dim"
            return f"2 × {layers_text(self.layers_count, what)} × {tail} × {dim} × {DTYPE_BYTES[kv_dtype]} B"
        dims = f"({self.key_dim:,} key dim + {self.value_dim:,} value dim)"
        return f"{layers_text(self.layers_count, what)} × {tail} × {dims} × {DTYPE_BYTES[kv_dtype]} B"


@dataclass(frozen=True, slots=True, kw_only=True)
class LatentCache:
    """MLA: one latent vector and one rotary key per token and layer, whole on each rank.

    ``sparse`` models (DSA) store FP8 as a record: the latent in FP8, a scale per 128 values, the rotary key in BF16.
    """

    layers_count: int
    kv_lora_rank: int
    rope_dim: int
    sparse: bool = False
    window_tokens: None = None

    def bytes_per_token(self, kv_dtype: str, tensor_parallel_count: int = 1) -> float:
        """Return the bytes of one token; every rank holds all of them."""
        del tensor_parallel_count
        if self.sparse and kv_dtype == "fp8":
            return self.layers_count * self._record_bytes()
        return self.layers_count * (self.kv_lora_rank + self.rope_dim) * DTYPE_BYTES[kv_dtype]

    def _record_bytes(self) -> int:
        return self.kv_lora_rank + self.kv_lora_rank // SCALE_GROUP * INDEX_SCALE_BYTES + self.rope_dim * 2

    def term(self, kv_dtype: str) -> str:
        """Return the product with the values put in."""
        layers = layers_text(self.layers_count)
        if self.sparse and kv_dtype == "fp8":
            scales = self.kv_lora_rank // SCALE_GROUP * INDEX_SCALE_BYTES
            return f"{layers} × ({self.kv_lora_rank:,} latent + {scales} scales + {self.rope_dim:,} rope × 2) B"
        return f"{layers} × ({self.kv_lora_rank:,} latent + {self.rope_dim:,} rope) × {DTYPE_BYTES[kv_dtype]} B"


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexCache:
    """DSA indexer: an FP8 key and its FP32 scale per 128 values, whatever the KV precision; whole on each rank."""

    layers_count: int
    index_dim: int
    window_tokens: None = None

    def bytes_per_token(self, kv_dtype: str, tensor_parallel_count: int = 1) -> float:
        """Return the bytes of one token."""
        del kv_dtype, tensor_parallel_count
        return self.layers_count * (self.index_dim + self.index_dim // SCALE_GROUP * INDEX_SCALE_BYTES)

    def term(self, kv_dtype: str) -> str:
        """Return the product with the values put in."""
        del kv_dtype
        scales = self.index_dim // SCALE_GROUP * INDEX_SCALE_BYTES
        return f"{layers_text(self.layers_count, 'index')} × ({self.index_dim:,} index key + {scales} scale) B"


COMPRESSED_RECORD_BYTES: Mapping[str, int] = MappingProxyType({"bf16": 1024, "fp8": 584})
"""DeepSeek V4: head dimension 512, of which 64 rotary; FP8 keeps 448 + 64 × 2 + 8 scales (``flashmla_sparse.py``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompressedCache:
    """DeepSeek V4: one record per ``ratio`` tokens, with an index key where ``index_dim`` is given."""

    layers_count: int
    ratio: int
    index_dim: int | None = None
    window_tokens: int | None = None

    def _record_bytes(self, kv_dtype: str) -> int:
        index = 0 if self.index_dim is None else self.index_dim + self.index_dim // SCALE_GROUP * INDEX_SCALE_BYTES
        return COMPRESSED_RECORD_BYTES[kv_dtype] + index

    def bytes_per_token(self, kv_dtype: str, tensor_parallel_count: int = 1) -> float:
        """Return the mean bytes of one token; a fraction where the record covers several tokens."""
        del tensor_parallel_count
        return self.layers_count * self._record_bytes(kv_dtype) / self.ratio

    def term(self, kv_dtype: str) -> str:
        """Return the product with the values put in."""
        record = f"{COMPRESSED_RECORD_BYTES[kv_dtype]:,}"
        if self.index_dim is not None:
            record = f"({record} + {self._record_bytes(kv_dtype) - COMPRESSED_RECORD_BYTES[kv_dtype]} index)"
        if self.ratio == 1:
            return f"{layers_text(self.layers_count, 'window')} × {record} B"
        return f"{layers_text(self.layers_count)} × {record} B / {self.ratio} tokens"


Cache = AttentionCache | LatentCache | IndexCache | CompressedCache


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Linear or SSM layers: a constant per sequence and layer. ``formula`` spells one layer out."""

    layers_count: int
    bytes_per_layer: int
    formula: str
    splits: bool = True
    listed: bool = False

    def term(self) -> str:
        """Return the product with the values put in; a total that a source lists is said to be one."""
        return self.formula if self.listed else f"{layers_text(self.layers_count, 'state')} × {self.formula}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """All caches of a model. ``notes`` name what is not in the figures; ``stored_known``: a store's share is known."""

    kind: str
    layers_count: int
    caches: tuple[Cache, ...]
    states: tuple[State, ...] = ()
    notes: tuple[str, ...] = ()
    stored_known: bool = True

    def kept(self) -> tuple[Cache, ...]:
        """Return the caches that grow with every token."""
        return tuple(cache for cache in self.caches if cache.window_tokens is None)

    def windowed(self) -> tuple[Cache, ...]:
        """Return the caches that stop growing at a window."""
        return tuple(cache for cache in self.caches if cache.window_tokens is not None)

    def bytes_per_token(self, kv_dtype: str, tensor_parallel_count: int = 1) -> float:
        """Return what one more token adds on one rank, far beyond any window."""
        return whole(sum(cache.bytes_per_token(kv_dtype, tensor_parallel_count) for cache in self.kept()))

    def window_bytes(self, kv_dtype: str, tensor_parallel_count: int = 1, tokens: int | None = None) -> float:
        """Return what the window layers hold of one sequence of ``tokens`` (None: longer than any window)."""
        total = 0.0
        for cache in self.windowed():
            window = cache.window_tokens or 0
            held = window if tokens is None else min(tokens, window)
            total += held * cache.bytes_per_token(kv_dtype, tensor_parallel_count)
        return whole(total)

    def state_bytes(self, tensor_parallel_count: int = 1) -> float:
        """Return the constant state of one sequence on one rank."""
        parts = (s.layers_count * s.bytes_per_layer / (tensor_parallel_count if s.splits else 1) for s in self.states)
        return whole(sum(parts))

    def stored_bytes_per_token(self, kv_dtype: str) -> float | None:
        """Return what a store that keeps every layer's KV of every token writes, once; None where that is not known."""
        return whole(sum(cache.bytes_per_token(kv_dtype) for cache in self.caches)) if self.stored_known else None

    def sequence_bytes(self, tokens: int, kv_dtype: str, tensor_parallel_count: int = 1) -> float:
        """Return the bytes on one rank of a sequence of ``tokens``: growing, window and constant parts."""
        growing = tokens * self.bytes_per_token(kv_dtype, tensor_parallel_count)
        window = self.window_bytes(kv_dtype, tensor_parallel_count, tokens)
        return whole(growing + window + self.state_bytes(tensor_parallel_count))

    def formula(self, kv_dtype: str) -> str:
        """Return the formula of ``bytes_per_token`` with the values put in."""
        terms = " + ".join(cache.term(kv_dtype) for cache in self.kept()) or "no layer keeps every token: 0"
        return f"{terms} = {number_text(self.bytes_per_token(kv_dtype))} B/token"

    def window_formula(self, kv_dtype: str) -> str | None:
        """Return the formula of ``window_bytes``, or None without window layers."""
        terms = [f"{cache.window_tokens:,} tokens × {cache.term(kv_dtype)}" for cache in self.windowed()]
        return " + ".join(terms) + f" = {number_text(self.window_bytes(kv_dtype))} B/sequence" if terms else None

    def state_formula(self) -> str | None:
        """Return the formula of ``state_bytes``, or None without such layers."""
        terms = [state.term() for state in self.states]
        return " + ".join(terms) + f" = {number_text(self.state_bytes())} B/sequence" if terms else None


def whole(value: float) -> float:
    """Return an int where the value is one: byte counts are shown without a decimal point."""
    return int(value) if value == int(value) else value
