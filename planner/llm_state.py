"""Layouts of models with linear or state-space layers, which keep a constant state per sequence.

The convolution state is BF16; the recurrent state FP32, unless the config names another type.
"""

from collections.abc import Callable, Mapping

from planner.llm_attention import Family, heads, kind_of
from planner.llm_keys import Keys, unsupported
from planner.llm_layout import AttentionCache, LatentCache, Layout, State

STATE_DTYPE_BYTES = {"float32": 4, "fp32": 4, "bfloat16": 2, "float16": 2}
CONV_BYTES = 2
DEFAULT_DTYPE = "float32"
FULL = "full_attention"


def _state_bytes(keys: Keys, *names: str) -> int:
    for name in names:
        keys.used.add(name)
        value = keys.part.get(name)
        if value is not None:
            if not isinstance(value, str) or value not in STATE_DTYPE_BYTES:
                raise unsupported(f"{keys.prefix}{name} {str(value)[:20]!r}", key=name)
            return STATE_DTYPE_BYTES[value]
    return STATE_DTYPE_BYTES[DEFAULT_DTYPE]


def gdn_state(layers: int, key: tuple[int, int], value: tuple[int, int], kernel: int, state_bytes: int = 4) -> State:
    """Return the state of gated delta-net layers; ``key`` and ``value`` are heads and head dimension."""
    (nk, hk), (nv, hv) = key, value
    size = nv * hk * hv * state_bytes + (2 * nk * hk + nv * hv) * (kernel - 1) * CONV_BYTES
    text = f"({nv} × {hk} × {hv} × {state_bytes} B + (2 × {nk} × {hk} + {nv} × {hv}) × {kernel - 1} × {CONV_BYTES} B)"
    return State(layers_count=layers, bytes_per_layer=size, formula=text)


def kda_state(layers: int, heads_count: int, dim: int, kernel: int) -> State:
    """Return the state of Kimi delta-attention layers."""
    size = heads_count * dim * dim * 4 + 3 * heads_count * dim * (kernel - 1) * CONV_BYTES
    text = f"({heads_count} × {dim} × {dim} × 4 B + 3 × {heads_count} × {dim} × {kernel - 1} × {CONV_BYTES} B)"
    return State(layers_count=layers, bytes_per_layer=size, formula=text)


def mamba2_state(
    layers: int, head: tuple[int, int], state_size: int, groups: int, conv: int, state_bytes: int = 4
) -> State:
    """Return the state of Mamba 2 layers; ``head`` is heads and head dimension."""
    n, d = head
    size = n * d * state_size * state_bytes + (n * d + 2 * groups * state_size) * (conv - 1) * CONV_BYTES
    text = (
        f"({n} × {d} × {state_size} × {state_bytes} B + ({n} × {d} + 2 × {groups} × {state_size}) "
        f"× {conv - 1} × {CONV_BYTES} B)"
    )
    return State(layers_count=layers, bytes_per_layer=size, formula=text)


def mamba1_state(layers: int, inner: int, state_size: int, conv: int, state_bytes: int = 4) -> State:
    """Return the state of Mamba 1 layers."""
    size = inner * state_size * state_bytes + inner * (conv - 1) * CONV_BYTES
    text = f"({inner} × {state_size} × {state_bytes} B + {inner} × {conv - 1} × {CONV_BYTES} B)"
    return State(layers_count=layers, bytes_per_layer=size, formula=text)


def _hybrid(keys: Keys, family: Family, kind: str, full: int, layers: int, state: State) -> Layout:
    _, kv, dim = heads(keys, family)
    caches = (AttentionCache(layers_count=full, kv_heads_count=kv, key_dim=dim, value_dim=dim),) if full else ()
    return Layout(kind=kind, layers_count=layers, caches=caches, states=(state,) if state.layers_count else ())


def gdn(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Qwen3-Next and Qwen3.5: one layer in ``full_attention_interval`` keeps KV, the others a gated delta-net state."""
    keys.used |= {"full_attention_interval"}
    if keys.has("layer_types"):
        full = keys.names("layer_types", layers, (FULL, "linear_attention"), extra=mtp).count(FULL)
    else:
        every = keys.count("full_attention_interval")
        full = layers // every if every else 0
    key = keys.count("linear_num_key_heads"), keys.dim("linear_key_head_dim")
    value = keys.count("linear_num_value_heads"), keys.dim("linear_value_head_dim")
    size = _state_bytes(keys, "mamba_ssm_dtype")
    state = gdn_state(layers - full, key, value, keys.count("linear_conv_kernel_dim"), size)
    return _hybrid(keys, family, "gdn_hybrid", full, layers, state)


def nemotron_h(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Nemotron-H: ``hybrid_override_pattern`` has M (Mamba 2), * (attention), - and E (no cache)."""
    del mtp
    keys.used |= {"hybrid_override_pattern", "chunk_size", "mamba_chunk_size", "mamba_hidden_act", "mamba_proj_bias"}
    keys.used |= {"use_mamba_kernels", "mamba_expand"}
    pattern = keys.part.get("hybrid_override_pattern")
    if not isinstance(pattern, str) or len(pattern) != layers:
        hint = f"a text with one letter for each of {layers} layers"
        keys.check.add("wrong_length", keys.prefix + "hybrid_override_pattern", pattern, hint)
        pattern = ""
    if set(pattern) - set("M*-E"):
        raise unsupported(f"{keys.prefix}hybrid_override_pattern with other letters than M, *, - and E", key="pattern")
    head = keys.count("mamba_num_heads"), keys.dim("mamba_head_dim")
    groups = keys.count("n_groups")
    state_size, conv = keys.dim("ssm_state_size"), keys.count("conv_kernel")
    size = _state_bytes(keys, "mamba_ssm_cache_dtype")
    state = mamba2_state(pattern.count("M"), head, state_size, groups, conv, size)
    return _hybrid(keys, family, "mamba2_hybrid", pattern.count("*"), layers, state)


def jamba(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Jamba: attention in every ``attn_layer_period``-th layer from ``attn_layer_offset``, Mamba 1 in the others."""
    del mtp
    keys.used |= {"mamba_conv_bias", "mamba_dt_rank", "mamba_proj_bias", "use_mamba_kernels", "mamba_inner_layernorms"}
    period, offset = keys.count("attn_layer_period"), keys.count("attn_layer_offset", low=0)
    full = sum(1 for index in range(layers) if period and index % period == offset)
    inner = keys.dim("hidden_size") * keys.count("mamba_expand")
    state = mamba1_state(layers - full, inner, keys.dim("mamba_d_state"), keys.count("mamba_d_conv"))
    return _hybrid(keys, family, "mamba1_hybrid", full, layers, state)


def bamba(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Bamba and Granite 4: attention where ``attn_layer_indices`` or ``layer_types`` says so, Mamba 2 elsewhere."""
    del mtp
    keys.used |= {"mamba_chunk_size", "mamba_conv_bias", "mamba_expand", "mamba_proj_bias"}
    if keys.has("layer_types"):
        full = keys.names("layer_types", layers, ("attention", "mamba")).count("attention")
    else:
        indices = keys.part.get("attn_layer_indices")
        keys.used.add("attn_layer_indices")
        whole = isinstance(indices, list) and all(type(index) is int and 0 <= index < layers for index in indices)
        if not whole:
            hint = f"a list of layer numbers from 0 to {layers - 1}"
            keys.check.add("out_of_range", keys.prefix + "attn_layer_indices", indices, hint)
        full = len(set(indices)) if whole and isinstance(indices, list) else 0
    head = keys.count("mamba_n_heads"), keys.dim("mamba_d_head")
    state_size, conv = keys.dim("mamba_d_state"), keys.count("mamba_d_conv")
    state = mamba2_state(layers - full, head, state_size, keys.count("mamba_n_groups"), conv)
    return _hybrid(keys, family, "mamba2_hybrid", full, layers, state)


def mamba(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Mamba 1: no KV at all, only state."""
    del family, mtp
    keys.used |= {"use_conv_bias", "use_mambapy", "use_falcon_mambapy", "mixer_rms_eps", "expand"}
    if keys.has("intermediate_size"):
        inner = keys.dim("intermediate_size")
    else:
        inner = keys.dim("hidden_size") * keys.count("expand")
    state = mamba1_state(layers, inner, keys.dim("state_size"), keys.count("conv_kernel"))
    return Layout(kind="mamba1", layers_count=layers, caches=(), states=(state,))


def kimi_linear(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Kimi Linear: MLA in the listed layers (numbered from 1), delta attention in the others."""
    del family, mtp
    keys.used |= {"linear_attn_config", "num_key_value_heads", "head_dim", "v_head_dim", "qk_nope_head_dim"}
    keys.used |= {"mla_use_nope", "q_lora_rank"}
    part = keys.part.get("linear_attn_config")
    if not isinstance(part, Mapping):
        hint = "a table with full_attn_layers and kda_layers"
        keys.check.add("missing", keys.prefix + "linear_attn_config", part, hint)
        part = {}
    inner = Keys(part, keys.prefix + "linear_attn_config.", keys.check)
    full, linear = part.get("full_attn_layers"), part.get("kda_layers")
    listed = [*full, *linear] if isinstance(full, list) and isinstance(linear, list) else []
    whole = all(type(index) is int for index in listed)
    if not whole or sorted(listed) != list(range(1, layers + 1)):
        hint = f"full_attn_layers and kda_layers together name each of the layers 1 to {layers} once"
        keys.check.add("contradiction", keys.prefix + "linear_attn_config", full, hint)
    count = len(full) if isinstance(full, list) else 0
    state = kda_state(
        layers - count, inner.count("num_heads"), inner.dim("head_dim"), inner.count("short_conv_kernel_size")
    )
    latent = LatentCache(
        layers_count=count, kv_lora_rank=keys.dim("kv_lora_rank"), rope_dim=keys.dim("qk_rope_head_dim")
    )
    return Layout(kind="mla+kda", layers_count=layers, caches=(latent,), states=(state,))


__all__ = ["READERS", "gdn_state", "kda_state", "kind_of", "mamba1_state", "mamba2_state"]

READERS: Mapping[str, Callable[[Keys, Family, int, int], Layout]] = {
    "gdn": gdn,
    "nemotron_h": nemotron_h,
    "jamba": jamba,
    "bamba": bamba,
    "mamba": mamba,
    "kimi_linear": kimi_linear,
}
