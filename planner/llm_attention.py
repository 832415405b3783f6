"""Layouts of models whose layers keep keys and values by head: full, window, chunked, shared and per-layer variants."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

from planner.llm_keys import DIM_MAX, TOKENS_MAX, Keys, unsupported
from planner.llm_layout import AttentionCache, Layout

FULL, WINDOW, CHUNK = "full_attention", "sliding_attention", "chunked_attention"
Family = Mapping[str, Any]
WINDOWED_BY_DEFAULT = frozenset({"mistral", "ministral"})
SHARING_BY_DEFAULT = frozenset({"gemma3n_text"})
"""Architectures that take a value other than none where the key is absent: the key is asked for."""


def kind_of(attention_heads_count: int, kv_heads_count: int) -> str:
    """Return mha, mqa or gqa."""
    if kv_heads_count == attention_heads_count:
        return "mha"
    return "mqa" if kv_heads_count == 1 else "gqa"


def heads(keys: Keys, family: Family) -> tuple[int, int, int]:
    """Return attention heads, KV heads and head dimension, checked against each other; zeros where they are wrong."""
    attention = keys.count("num_attention_heads")
    if family.get("kv_heads") == "heads" and not keys.has("num_key_value_heads"):
        kv = attention
    else:
        kv = keys.count("num_key_value_heads")
    if attention and kv > attention:
        keys.check.add(
            "contradiction", keys.prefix + "num_key_value_heads", kv, f"at most the {attention} attention heads"
        )
    elif attention and kv and attention % kv:
        hint = f"a divisor of the {attention} attention heads"
        keys.check.add("contradiction", keys.prefix + "num_key_value_heads", kv, hint)
    return attention, kv, head_dim(keys, attention, family.get("head_dim", "hidden/heads"))


def head_dim(keys: Keys, attention_heads_count: int, default: object) -> int:
    """Return ``head_dim`` where given, else hidden/heads if the architecture's own default does not contradict it."""
    if keys.has("head_dim"):
        if keys.has("hidden_size"):
            keys.dim("hidden_size")
        return keys.dim("head_dim")
    hidden = keys.count("hidden_size", high=DIM_MAX)
    if not hidden or not attention_heads_count:
        return 0
    if hidden % attention_heads_count:
        hint = f"head_dim given, or hidden_size {hidden} divisible by the {attention_heads_count} attention heads"
        keys.check.add("contradiction", keys.prefix + "hidden_size", hidden, hint)
        return 0
    dim = hidden // attention_heads_count
    if isinstance(default, int) and default != dim:
        hint = f"head_dim: this architecture takes {default} where it is absent, hidden/heads is {dim}"
        keys.check.add("missing", keys.prefix + "head_dim", None, hint)
        return 0
    return dim


def _window(keys: Keys, name: str = "sliding_window") -> int:
    return keys.count(name, high=TOKENS_MAX)


def _longest(keys: Keys) -> int | None:
    value = keys.part.get("max_position_embeddings")
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def attention_kinds(keys: Keys, layers: int, family: Family, mtp: int) -> tuple[str, ...]:
    """Return full, sliding or chunked for each layer, by ``layer_types`` or the architecture's own rule."""
    if keys.has("layer_types"):
        return _listed(keys, layers, family, mtp)
    rule = family.get("window")
    if rule == "all" and keys.has("sliding_window"):
        window, longest = _window(keys), _longest(keys)
        return (FULL if longest is not None and window >= longest else WINDOW,) * layers
    if rule == "all" and "sliding_window" not in keys.part and keys.model_type in WINDOWED_BY_DEFAULT:
        hint = "the window in tokens, or null: this architecture takes 4,096 where the key is absent"
        keys.check.add("missing", keys.prefix + "sliding_window", None, hint)
    if rule == "switch":
        keys.used.add("sliding_window")
        if keys.flag("use_sliding_window") and keys.has("sliding_window"):
            first = keys.count("max_window_layers", low=0)
            return tuple(WINDOW if index >= first else FULL for index in range(layers))
    if rule == "layers":
        return _patterned(keys, layers)
    return (FULL,) * layers


def _listed(keys: Keys, layers: int, family: Family, mtp: int) -> tuple[str, ...]:
    kinds = keys.names("layer_types", layers, (FULL, WINDOW, CHUNK), extra=mtp)
    keys.used |= {"sliding_window_pattern", "_sliding_window_pattern"}
    if family.get("window") == "switch":
        keys.used.add("sliding_window")
    if WINDOW in kinds and keys.part.get("use_sliding_window") is False:
        hint = "true, or no sliding_attention in layer_types"
        keys.check.add("contradiction", keys.prefix + "use_sliding_window", False, hint)
    if WINDOW not in kinds:
        keys.used.add("sliding_window")
    return kinds


def _patterned(keys: Keys, layers: int) -> tuple[str, ...]:
    model_type = keys.model_type
    if model_type == "gemma2":
        return tuple(FULL if index % 2 else WINDOW for index in range(layers))
    for name in ("sliding_window_pattern", "_sliding_window_pattern"):
        if keys.has(name):
            pattern = keys.part[name]
            if isinstance(pattern, str):
                if not pattern or set(pattern) - {"L", "G"}:
                    raise unsupported(f"{keys.prefix}{name} {pattern[:20]!r}", key=name)
                return tuple(FULL if pattern[i % len(pattern)] == "G" else WINDOW for i in range(layers))
            every = keys.count(name)
            return tuple(FULL if every and (index + 1) % every == 0 else WINDOW for index in range(layers))
    if model_type == "smollm3" and not keys.flag("use_sliding_window"):
        keys.used.add("sliding_window")
        return (FULL,) * layers
    hint = "layer_types or sliding_window_pattern: which layers have the window"
    keys.check.add("missing", keys.prefix + "layer_types", None, hint)
    return (FULL,) * layers


def caches(
    keys: Keys, kinds: tuple[str, ...], kv: int, dim: int, *, full: tuple[int, int] | None = None
) -> tuple[AttentionCache, ...]:
    """Return one cache for each kind of layer; ``full`` gives other KV heads and dimension for the full layers."""
    counted = Counter(kinds)
    found = []
    if counted[FULL]:
        full_kv, full_dim = full or (kv, dim)
        found.append(
            AttentionCache(layers_count=counted[FULL], kv_heads_count=full_kv, key_dim=full_dim, value_dim=full_dim)
        )
    for kind, name in ((WINDOW, "sliding_window"), (CHUNK, "attention_chunk_size")):
        if counted[kind]:
            found.append(
                AttentionCache(
                    layers_count=counted[kind],
                    kv_heads_count=kv,
                    key_dim=dim,
                    value_dim=dim,
                    window_tokens=_window(keys, name),
                    chunked=kind == CHUNK,
                )
            )
    return tuple(found)


def named(kinds: tuple[str, ...], plain: str) -> str:
    """Return the name of the attention: that of its full layers, or the hybrid it is."""
    if CHUNK in kinds:
        return "hybrid_chunked"
    if WINDOW in kinds:
        return "hybrid_swa" if FULL in kinds else "swa"
    return plain


def attention(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Read a model whose layers are alike but for their windows; layers that share another's KV own none."""
    attention_heads, kv, dim = heads(keys, family)
    kinds = attention_kinds(keys, layers, family, mtp)
    if keys.has("attn_type_list"):
        keys.names("attn_type_list", layers, (1,))
    owned = layers
    notes: tuple[str, ...] = ()
    if keys.has("num_kv_shared_layers") or keys.model_type in SHARING_BY_DEFAULT:
        owned = layers - keys.count("num_kv_shared_layers", low=0, high=max(layers - 1, 0))
        if owned < layers:
            notes = (f"the last {layers - owned} layers use the KV of earlier ones and own none",)
    kinds = kinds[:owned]
    return Layout(
        kind=named(kinds, kind_of(attention_heads, kv)),
        layers_count=layers,
        caches=caches(keys, kinds, kv, dim),
        notes=notes,
    )


def gemma4(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Gemma 4: the full layers have their own head dimension and KV heads; K and V are cached apart even if equal."""
    _, kv, dim = heads(keys, family)
    keys.used |= {"attention_k_eq_v"}
    kinds = attention_kinds(keys, layers, family, mtp)
    global_dim = keys.dim("global_head_dim")
    global_kv = keys.count("num_global_key_value_heads") if keys.has("num_global_key_value_heads") else kv
    owned = layers
    if keys.has("num_kv_shared_layers"):
        owned -= keys.count("num_kv_shared_layers", low=0, high=max(layers - 1, 0))
    kinds = kinds[:owned]
    found = caches(keys, kinds, kv, dim, full=(global_kv, global_dim))
    return Layout(kind=named(kinds, "gqa"), layers_count=layers, caches=found)


def llama4(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Llama 4: three of four layers attend in chunks; the layers without rotary embedding attend to everything."""
    del mtp
    _, kv, dim = heads(keys, family)
    keys.used |= {"no_rope_layers", "no_rope_layer_interval", "layer_types"}
    if keys.part.get("no_rope_layers"):
        flags = keys.names("no_rope_layers", layers, (0, 1))
        kinds = tuple(CHUNK if flag else FULL for flag in flags)
    else:
        every = keys.count("no_rope_layer_interval") if keys.has("no_rope_layer_interval") else 4
        kinds = tuple(FULL if every and (index + 1) % every == 0 else CHUNK for index in range(layers))
    if keys.has("layer_types") and keys.names("layer_types", layers, (FULL, CHUNK)) != kinds:
        hint = "chunked_attention in the layers with rotary embedding, full_attention in the others"
        keys.check.add("contradiction", keys.prefix + "layer_types", "another order", hint)
    return Layout(kind=named(kinds, "gqa"), layers_count=layers, caches=caches(keys, kinds, kv, dim))


def mimo_v2(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """MiMo V2: window layers have heads of their own, and keys and values differ in dimension."""
    del mtp
    attention_heads, kv, dim = heads(keys, family)
    flags = keys.names("hybrid_layer_pattern", layers, (0, 1))
    keys.used |= {"sliding_window_size", "attention_chunk_size", "add_swa_attention_sink_bias"}
    keys.used |= {"swa_num_attention_heads", "swa_rope_theta", "add_full_attention_sink_bias"}
    window = _window(keys)
    for name in ("sliding_window_size", "attention_chunk_size"):
        if keys.part.get(name) not in (None, window):
            keys.check.add("contradiction", keys.prefix + name, keys.part[name], f"the window of {window} tokens")
    del attention_heads
    full = AttentionCache(layers_count=flags.count(0), kv_heads_count=kv, key_dim=dim, value_dim=keys.dim("v_head_dim"))
    swa = AttentionCache(
        layers_count=flags.count(1),
        kv_heads_count=keys.count("swa_num_key_value_heads"),
        key_dim=keys.dim("swa_head_dim"),
        value_dim=keys.dim("swa_v_head_dim"),
        window_tokens=window,
    )
    return Layout(
        kind="hybrid_swa", layers_count=layers, caches=tuple(cache for cache in (full, swa) if cache.layers_count)
    )


def mllama(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Llama 3.2 Vision: cross-attention layers keep image tokens only, and none of the text's."""
    del mtp
    attention_heads, kv, dim = heads(keys, family)
    listed = keys.part.get("cross_attention_layers")
    keys.used.add("cross_attention_layers")
    whole = isinstance(listed, list) and all(type(index) is int and 0 <= index < layers for index in listed)
    if not whole or len(set(listed or ())) != len(listed or ()):
        hint = f"a list of different layer numbers from 0 to {layers - 1}"
        keys.check.add("out_of_range", keys.prefix + "cross_attention_layers", listed, hint)
        listed = []
    own = layers - len(listed or ())
    cache = AttentionCache(layers_count=own, kv_heads_count=kv, key_dim=dim, value_dim=dim)
    note = f"{layers - own} cross-attention layers keep the KV of image tokens only; it is not in these figures"
    return Layout(kind=kind_of(attention_heads, kv), layers_count=layers, caches=(cache,), notes=(note,))


def nas(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """DeciLM and Nemotron NAS: each block says whether it has attention, and how many query heads share a KV head."""
    del mtp
    attention_heads = keys.count("num_attention_heads")
    keys.used |= {"block_configs", "num_key_value_heads"}
    dim = head_dim(keys, attention_heads, family["head_dim"])
    blocks = keys.part.get("block_configs")
    if not isinstance(blocks, list) or len(blocks) != layers:
        hint = f"a list with one block for each of {layers} layers"
        keys.check.add("wrong_length", keys.prefix + "block_configs", blocks, hint)
        blocks = []
    counted: Counter[int] = Counter()
    for index, block in enumerate(blocks):
        part = block.get("attention") if isinstance(block, Mapping) else None
        if not isinstance(part, Mapping):
            keys.check.add(
                "missing", f"{keys.prefix}block_configs.{index}.attention", part, "what attention the block has"
            )
        elif not (part.get("no_op") is True or part.get("replace_with_linear") is True):
            if part.get("window_length") or part.get("sparsify"):
                raise unsupported(
                    f"{keys.prefix}block_configs.{index}.attention with a window or sparsity", key="block_configs"
                )
            group = Keys(part, f"{keys.prefix}block_configs.{index}.attention.", keys.check).count("n_heads_in_group")
            if group and attention_heads % group:
                hint = f"a divisor of the {attention_heads} attention heads"
                keys.check.add(
                    "contradiction", f"{keys.prefix}block_configs.{index}.attention.n_heads_in_group", group, hint
                )
            elif group:
                counted[attention_heads // group] += 1
    found = tuple(
        AttentionCache(layers_count=count, kv_heads_count=kv, key_dim=dim, value_dim=dim)
        for kv, count in counted.items()
    )
    return Layout(kind="gqa_nas", layers_count=layers, caches=found)


def cla(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """Hunyuan-Large: with cross-layer attention only one layer of each ``cla_share_factor`` owns KV."""
    del mtp
    attention_heads, kv, dim = heads(keys, family)
    owned = layers
    notes: tuple[str, ...] = ()
    keys.used.add("cla_share_factor")
    if keys.flag("use_cla"):
        factor = keys.count("cla_share_factor")
        owned = -(-layers // factor) if factor else layers
        notes = (f"cross-layer attention: {owned} of {layers} layers own KV",)
    cache = AttentionCache(layers_count=owned, kv_heads_count=kv, key_dim=dim, value_dim=dim)
    return Layout(kind=kind_of(attention_heads, kv), layers_count=layers, caches=(cache,), notes=notes)


READERS: Mapping[str, Callable[[Keys, Family, int, int], Layout]] = {
    "attention": attention,
    "gemma4": gemma4,
    "llama4": llama4,
    "mimo_v2": mimo_v2,
    "mllama": mllama,
    "nas": nas,
    "cla": cla,
}
