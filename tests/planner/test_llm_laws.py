"""Laws of KV sizes, for random configs."""

from hypothesis import given
from hypothesis import strategies as st

from planner.llm import kv_bytes_per_token, kv_document, list_models, load_model, sequence_bytes

GROUPS = st.sampled_from([(32, 1), (32, 4), (32, 8), (32, 32), (64, 8), (96, 8)])


def plain(layers: int, heads: tuple[int, int], dim: int) -> dict[str, object]:
    return {
        "model_type": "qwen3_moe",
        "num_hidden_layers": layers,
        "num_attention_heads": heads[0],
        "num_key_value_heads": heads[1],
        "head_dim": dim,
    }


@given(st.integers(1, 200), GROUPS, st.sampled_from([64, 80, 128, 256]))
def test_bytes_are_linear_in_layers_and_halve_in_fp8(layers: int, heads: tuple[int, int], dim: int) -> None:
    one, many = plain(1, heads, dim), plain(layers, heads, dim)
    assert kv_bytes_per_token(many) == layers * kv_bytes_per_token(one) == layers * 2 * heads[1] * dim * 2
    assert 2 * kv_bytes_per_token(many, "fp8") == kv_bytes_per_token(many)


@given(st.integers(1, 100), st.integers(1, 128), st.integers(64, 1024), st.integers(16, 128))
def test_mla_never_exceeds_its_expanded_form(layers: int, heads: int, rank: int, rope: int) -> None:
    config = {"model_type": "deepseek_v3", "num_hidden_layers": layers, "kv_lora_rank": rank, "qk_rope_head_dim": rope}
    expanded = layers * max(heads, 1) * 2 * max(rank, rope) * 2
    assert kv_bytes_per_token(config) <= expanded + layers * rope * 2
    assert kv_bytes_per_token(config | {"num_key_value_heads": heads}) == layers * (rank + rope) * 2


@given(GROUPS, st.sampled_from([1, 2, 4, 8, 16, 32]))
def test_replication_grows_with_ranks_and_shares_shrink(heads: tuple[int, int], ranks: int) -> None:
    config = plain(8, heads, 128)
    one = kv_document(config, tensor_parallel_count=ranks)
    assert one["kv_bytes_per_token_all_ranks"] >= one["kv_bytes_per_token"]
    assert one["replication_factor"] == max(1, ranks / heads[1])
    if ranks > 1:
        half = kv_document(config, tensor_parallel_count=ranks // 2)
        assert one["replication_factor"] >= half["replication_factor"]
        assert one["kv_bytes_per_token_per_rank"] <= half["kv_bytes_per_token_per_rank"]


@given(st.sampled_from(list_models()), st.integers(1, 262_144))
def test_a_longer_sequence_never_takes_less(name: str, tokens: int) -> None:
    layout = load_model(name).layout
    bound = tokens * layout.bytes_per_token("bf16") + layout.window_bytes("bf16") + layout.state_bytes()
    assert sequence_bytes(name, tokens - 1) <= sequence_bytes(name, tokens) <= bound
    stored = layout.stored_bytes_per_token("bf16")
    assert stored is None or stored >= layout.bytes_per_token("bf16")
