"""Right values: the collected KV cases, the published facts, and hand calculations from public configs."""

import csv
import json
from pathlib import Path

import pytest

from planner.llm import kv_bytes_per_token, kv_document, list_models, load_model, model_of, sequence_bytes

KV = Path("cases/kv")
QWEN3_CODER = {
    "model_type": "qwen3_moe",
    "num_hidden_layers": 62,
    "hidden_size": 6144,
    "num_attention_heads": 96,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "max_position_embeddings": 262144,
}


def test_every_expected_row_comes_out(shared_dir: Path) -> None:
    with (shared_dir / KV / "expected.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 14
    for row in rows:
        layout = model_of(shared_dir / KV / "configs" / row["config"]).layout
        got = (layout.bytes_per_token("bf16"), layout.bytes_per_token("fp8"), layout.stored_bytes_per_token("bf16"))
        assert got == (int(row["bf16"]), int(row["fp8"]), int(row["stored_bf16"])), row["config"]


# Hand calculations beside the README of the cases: layers x KV heads x (key + value dimension) x 2 B.
SPECIAL = {
    "meta-llama__Llama-4-Scout-17B-16E-Instruct": (49_152, 1_207_959_552, 196_608),
    "deepseek-ai__DeepSeek-V3.2": (78_324, 0, 78_324),
    "deepseek-ai__DeepSeek-V4-Flash": (6_229, 5_636_096, None),
    "google__gemma-4-26B-A4B": (20_480, 209_715_200, 225_280),
    "XiaomiMiMo__MiMo-V2-Flash": (9 * 4 * 320 * 2, 128 * 39 * 8 * 320 * 2, 9 * 4 * 640 + 39 * 8 * 640),
    "stepfun-ai__Step-3.7-Flash": (2 * 12 * 8 * 128 * 2, 512 * 2 * 33 * 8 * 128 * 2, 2 * 45 * 8 * 128 * 2),
}


@pytest.mark.parametrize(("name", "right"), SPECIAL.items())
def test_the_difficult_configs_come_out(shared_dir: Path, name: str, right: tuple[int, int, int | None]) -> None:
    document = kv_document(shared_dir / KV / "configs" / f"{name}.json")
    keys = ("kv_bytes_per_token", "window_bytes_per_sequence", "stored_bytes_per_token")
    assert tuple(document[key] for key in keys) == right
    assert " B/token" in document["formula"]


def test_deepseek_v32_fp8_uses_the_656_byte_record(shared_dir: Path) -> None:
    path = shared_dir / KV / "configs" / "deepseek-ai__DeepSeek-V3.2.json"
    assert kv_bytes_per_token(path, "fp8") == 61 * (656 + 132) == 48_068
    assert kv_bytes_per_token("deepseek-v4-flash", "fp8") == 3850.25


def test_catalog_formulas_agree_with_the_listed_facts(shared_dir: Path) -> None:
    facts = json.loads((shared_dir / "facts/models.json").read_text("utf-8"))["models"]
    for fact in facts:
        model = load_model(fact["id"])
        for dtype in ("bf16", "fp8"):
            assert model.layout.bytes_per_token(dtype) == fact[f"kv_bytes_per_token_{dtype}"], (fact["id"], dtype)
        assert model.layout.state_bytes() == fact["state_bytes"]
        assert (model.mtp_layers_count, model.max_context_tokens) == (fact["mtp_layers"], fact["max_context"])


def test_catalog_and_config_file_give_one_layout(shared_dir: Path) -> None:
    for path in sorted((shared_dir / KV / "configs").glob("*.json")):
        read, listed = model_of(path), load_model(path.stem.replace("__", "/"))
        for dtype in ("bf16", "fp8"):
            assert read.layout.bytes_per_token(dtype) == listed.layout.bytes_per_token(dtype), path.name
            assert read.layout.window_bytes(dtype) == listed.layout.window_bytes(dtype), path.name
        assert read.layout.state_bytes() == listed.layout.state_bytes(), path.name
        assert read.mtp_layers_count == listed.mtp_layers_count, path.name


def test_catalog_is_large_and_every_listed_figure_is_the_formula_s() -> None:
    assert len(list_models()) >= 40
    for name in list_models():
        model = load_model(name)
        assert model.layout.bytes_per_token("bf16") == model.kv_bytes_per_token_bf16, name
        assert model.layout.bytes_per_token("fp8") == model.kv_bytes_per_token_fp8, name
        assert model.source and model.basis == "public"


def test_qwen3_coder_formula_is_spelled_out() -> None:
    right = "2 × 62 layers × 8 KV heads × 128 head dim × 2 B = 253,952 B/token"
    assert kv_document("qwen3-coder-480b-a35b")["formula"] == right
    assert kv_document(QWEN3_CODER)["formula"] == right
    assert kv_document(json.dumps(QWEN3_CODER))["formula"] == right


def test_a_session_of_the_r2_report_has_its_bytes() -> None:
    assert sequence_bytes("qwen3-coder-480b-a35b", 30_208) == 7_671_382_016
    assert sequence_bytes("qwen3-coder-480b-a35b", 1) == 253_952
    assert sequence_bytes("qwen3-coder-480b-a35b", 262_144) == 66_571_993_088


def test_window_layers_grow_up_to_their_window() -> None:
    # gpt-oss-120b: 18 full and 18 window layers of 2 x 8 x 64 x 2 = 2,048 B; window 128.
    assert sequence_bytes("gpt-oss-120b", 1) == 36 * 2048
    assert sequence_bytes("gpt-oss-120b", 128) == 128 * 36 * 2048
    assert sequence_bytes("gpt-oss-120b", 262_144) == 262_144 * 18 * 2048 + 128 * 18 * 2048


def test_constant_state_counts_from_the_first_token() -> None:
    assert sequence_bytes("qwen3.5-397b-a17b", 1) == 30_720 + 192_061_440


def test_gpu_memory_left_for_kv() -> None:
    # 8 x 192e9 x 0.9 - 960.3e9 = 422.1e9 in all; / 253,952 = 1,662,124.9 per rank share (31,744 B of 52.7625e9 B).
    document = kv_document("qwen3-coder-480b-a35b", gpu="MI308X", tensor_parallel_count=8)
    assert document["hbm_kv_bytes_per_gpu"] == pytest.approx(52.7625e9)
    assert document["hbm_tokens"] == 52_762_500_000 // 31_744


def test_weights_that_do_not_fit_leave_no_token() -> None:
    document = kv_document("qwen3-coder-480b-a35b", gpu="h100")
    assert document["hbm_kv_bytes_per_gpu"] < 0
    assert document["hbm_tokens"] == 0


def test_unknown_weights_leave_the_tokens_unknown() -> None:
    document = kv_document(QWEN3_CODER, gpu="h100")
    assert (document["weights_bytes"], document["hbm_tokens"]) == (None, None)


def test_kv_heads_are_repeated_beyond_their_number_and_mla_is_whole_on_each_rank() -> None:
    llama = kv_document("llama-3.1-70b", tensor_parallel_count=16)
    assert llama["kv_bytes_per_token_per_rank"] == 2 * 80 * 1 * 128 * 2
    assert (llama["replication_factor"], llama["stored_bytes_per_token"]) == (2.0, 327_680)
    copies = {item["store"]: item["copies"] for item in llama["store_copies"]}
    assert copies == {"lmcache": 2.0, "vllm-mooncake": 1.0, "sglang-hicache": 2.0}
    deepseek = kv_document("deepseek-v3", tensor_parallel_count=8)
    assert (deepseek["kv_bytes_per_token_per_rank"], deepseek["replication_factor"]) == (70_272, 8.0)
    assert {item["copies"] for item in deepseek["store_copies"]} == {1.0}


def test_blocks_and_chunks_are_given_apart() -> None:
    document = kv_document("qwen3-coder-480b-a35b", tensor_parallel_count=8)
    assert (document["block_tokens"], document["block_bytes_per_rank"]) == (16, 16 * 31_744)
    assert document["store_chunk_bytes"] == 256 * 253_952


def test_config_in_hand_calculations() -> None:
    mha = {"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32}
    assert kv_bytes_per_token(mha) == 524_288  # Llama-2-7B: no num_key_value_heads, so 32
    mistral = {"model_type": "mistral", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32}
    mistral |= {"num_key_value_heads": 8, "sliding_window": 4096, "max_position_embeddings": 32768}
    document = kv_document(mistral)
    assert (document["kv_bytes_per_token"], document["window_bytes_per_sequence"]) == (0, 4096 * 131_072)
    longcat = {"model_type": "longcat_flash", "num_layers": 28, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    assert kv_bytes_per_token(longcat) == 56 * 576 * 2
    gqa = {"num_hidden_layers": 80, "hidden_size": 8192, "num_attention_heads": 64}
    on = {"attention": {"n_heads_in_group": 8, "no_op": False}}
    off = {"attention": {"n_heads_in_group": None, "no_op": True}}
    nas = gqa | {"model_type": "nemotron-nas", "block_configs": [on] * 49 + [off] * 31}
    assert kv_bytes_per_token(nas) == 2 * 49 * 8 * 128 * 2
    cla = {"model_type": "hunyuan", "num_hidden_layers": 64, "hidden_size": 6400, "num_attention_heads": 80}
    cla |= {"num_key_value_heads": 8, "use_cla": True, "cla_share_factor": 2}
    assert kv_bytes_per_token(cla) == 2 * 32 * 8 * 80 * 2


def test_shared_and_indexed_layers_in_hand_calculations() -> None:
    gemma = {"model_type": "gemma3n_text", "num_hidden_layers": 10, "num_attention_heads": 8, "num_key_value_heads": 2}
    gemma |= {"head_dim": 256, "sliding_window": 512, "num_kv_shared_layers": 5}
    gemma |= {"layer_types": (["sliding_attention"] * 4 + ["full_attention"]) * 2}
    document = kv_document(gemma)
    assert document["kv_bytes_per_token"] == 2 * 1 * 2 * 256 * 2
    assert document["window_bytes_per_sequence"] == 512 * 2 * 4 * 2 * 256 * 2
    glm = {"model_type": "glm_moe_dsa", "num_hidden_layers": 78, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    glm |= {"index_head_dim": 128, "indexer_types": ["full"] * 21 + ["shared"] * 57}
    assert kv_bytes_per_token(glm) == 92_628


def test_state_space_layers_in_hand_calculations() -> None:
    jamba = {"model_type": "jamba", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32}
    jamba |= {"num_key_value_heads": 8, "attn_layer_period": 8, "attn_layer_offset": 4}
    jamba |= {"mamba_d_state": 16, "mamba_d_conv": 4, "mamba_expand": 2}
    document = kv_document(jamba)
    assert document["kv_bytes_per_token"] == 2 * 4 * 8 * 128 * 2
    assert document["state_bytes_per_sequence"] == 28 * (8192 * 16 * 4 + 8192 * 3 * 2)
    kimi = {"model_type": "kimi_linear", "num_hidden_layers": 4, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    linear = {"full_attn_layers": [4], "kda_layers": [1, 2, 3], "num_heads": 96, "head_dim": 128}
    kimi |= {"linear_attn_config": linear | {"short_conv_kernel_size": 4}}
    document = kv_document(kimi)
    assert document["kv_bytes_per_token"] == 576 * 2
    assert document["state_bytes_per_sequence"] == 3 * 449_372_160 // 69  # the figure listed for Kimi-K3's 69 layers
