"""Layouts of models that keep one latent vector per token: MLA, with a sparse indexer, doubled, and DeepSeek V4."""

from collections import Counter
from collections.abc import Callable, Mapping

from planner.llm_attention import Family
from planner.llm_keys import Keys, unsupported
from planner.llm_layout import SCALE_GROUP, CompressedCache, IndexCache, LatentCache, Layout

EXPANDED = ("v_head_dim", "qk_nope_head_dim", "qk_head_dim", "head_dim", "num_key_value_heads", "q_lora_rank")
"""Dimensions of the expanded keys and values: they are computed from the latent and never kept."""
ALL_INDEXED_CONTEXT = 202_752
"""GLM-5 and 5.1. GLM-5.2 (1,048,576) shares indexers between layers, and some of its published files do not say so."""


def _latent(keys: Keys, layers: int, *, sparse: bool = False) -> LatentCache:
    keys.used |= {*EXPANDED, "use_mla"}
    if keys.part.get("use_mla") is False:
        raise unsupported(f"{keys.prefix}use_mla false (the expanded form of this architecture)", key="use_mla")
    rank, rope = keys.dim("kv_lora_rank"), keys.dim("qk_rope_head_dim")
    return LatentCache(layers_count=layers, kv_lora_rank=rank, rope_dim=rope, sparse=sparse)


def mla(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """MLA: one copy per rank on the GPUs, one in a store."""
    del family, mtp
    return Layout(kind="mla", layers_count=layers, caches=(_latent(keys, layers),))


def mla_double(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """LongCat: two MLA modules in each layer."""
    del family, mtp
    keys.used |= {"mla_scale_q_lora", "mla_scale_kv_lora"}
    note = f"two MLA modules per layer: {layers * 2} caches for {layers} layers"
    return Layout(kind="mla", layers_count=layers, caches=(_latent(keys, layers * 2),), notes=(note,))


def dsa(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """MLA with DSA: besides the latent, an index key in each layer that has an indexer of its own."""
    del family, mtp
    latent = _latent(keys, layers, sparse=True)
    keys.used |= {"index_n_heads", "index_topk", "indexer_rope_interleave", "index_skip_topk_offset", "index_topk_freq"}
    keys.used |= {"index_share_for_mtp_iteration", "index_topk_pattern"}
    dim = keys.dim("index_head_dim")
    if dim % SCALE_GROUP or latent.kv_lora_rank % SCALE_GROUP:
        raise unsupported(f"an index or latent dimension that is no multiple of {SCALE_GROUP}", key="index_head_dim")
    indexed = layers
    if keys.has("indexer_types"):
        indexed = keys.names("indexer_types", layers, ("full", "shared")).count("full")
    elif keys.part.get("index_topk_freq") not in (None, 1) or keys.part.get("index_topk_pattern"):
        raise unsupported(f"{keys.prefix}index_topk_freq without indexer_types", key="index_topk_freq")
    elif keys.model_type == "glm_moe_dsa" and _context(keys) > ALL_INDEXED_CONTEXT:
        raise unsupported("glm_moe_dsa of this context length without indexer_types", key="indexer_types")
    index = IndexCache(layers_count=indexed, index_dim=dim)
    return Layout(kind="mla+dsa", layers_count=layers, caches=(latent, index))


def _context(keys: Keys) -> float:
    value = keys.part.get("max_position_embeddings")
    return value if isinstance(value, (int, float)) else 0


def dsv4(keys: Keys, family: Family, layers: int, mtp: int) -> Layout:
    """DeepSeek V4: a record per 4 tokens with an index key, or per 128 tokens, and a short window in every layer."""
    del family
    keys.used |= {"index_n_heads", "index_topk", "num_key_value_heads", "compress_rope_theta"}
    ratios = Counter(keys.names("compress_ratios", layers, (0, 4, 128), extra=mtp))
    dim, rope, index = keys.dim("head_dim"), keys.dim("qk_rope_head_dim"), keys.dim("index_head_dim")
    window = keys.count("sliding_window", high=10**9)
    if dim and rope and index and (dim, rope, index) != (512, 64, 128):
        raise unsupported(
            f"head_dim {dim}, qk_rope_head_dim {rope}, index_head_dim {index} of DeepSeek V4", key="head_dim"
        )
    found = [
        CompressedCache(layers_count=ratios[ratio], ratio=ratio, index_dim=index_dim)
        for ratio, index_dim in ((4, index), (128, None))
        if ratios[ratio]
    ]
    found.append(CompressedCache(layers_count=layers, ratio=1, window_tokens=window))
    note = "what a store keeps of the window and the compressed records is not known"
    return Layout(kind="dsv4_csa_hca", layers_count=layers, caches=tuple(found), notes=(note,), stored_known=False)


READERS: Mapping[str, Callable[[Keys, Family, int, int], Layout]] = {
    "mla": mla,
    "mla_double": mla_double,
    "dsa": dsa,
    "dsv4": dsv4,
}
