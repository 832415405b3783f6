"""Bad input is refused with field, value and hint; unknown attention by name; never with a plausible number."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from planner.errors import InputProblems, NoResult
from planner.llm import kv_bytes_per_token, kv_document, load_gpu, load_model, model_of, sequence_bytes, weights_bytes

PLAIN: dict[str, Any] = {
    "model_type": "qwen3_moe",
    "num_hidden_layers": 62,
    "hidden_size": 6144,
    "num_attention_heads": 96,
    "num_key_value_heads": 8,
    "head_dim": 128,
}


def problems_of(config: object) -> dict[str, str]:
    with pytest.raises(InputProblems) as caught:
        kv_bytes_per_token(config)
    assert all(problem.hint and problem.value for problem in caught.value.problems)
    return {problem.field: problem.code for problem in caught.value.problems}


@pytest.mark.parametrize("value", [0, -1, 1.5, "62", True, math.nan, math.inf, 1e30, 10**400, [62], {}])
@pytest.mark.parametrize("key", ["num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"])
def test_it_refuses_numbers_that_are_none(key: str, value: object) -> None:
    assert key in problems_of(PLAIN | {key: value})


@pytest.mark.parametrize("key", ["num_hidden_layers", "num_attention_heads", "num_key_value_heads", "model_type"])
def test_it_refuses_missing_keys(key: str) -> None:
    assert problems_of({name: value for name, value in PLAIN.items() if name != key})[key] == "missing"


def test_it_refuses_contradictions() -> None:
    assert problems_of(PLAIN | {"num_key_value_heads": 97})["num_key_value_heads"] == "contradiction"
    assert problems_of(PLAIN | {"num_key_value_heads": 7})["num_key_value_heads"] == "contradiction"
    assert problems_of(PLAIN | {"head_dim": None, "hidden_size": 6145})["hidden_size"] == "contradiction"
    nested = {"model_type": "qwen3_vl_moe", "num_hidden_layers": 3, "text_config": PLAIN}
    assert problems_of(nested)["num_hidden_layers"] == "contradiction"


def test_it_asks_for_keys_whose_absence_means_a_window_or_sharing() -> None:
    mistral = PLAIN | {"model_type": "mistral"}
    assert problems_of(mistral) == {"sliding_window": "missing"}
    assert kv_bytes_per_token(mistral | {"sliding_window": None}) == 253_952
    assert problems_of(PLAIN | {"model_type": "gpt_oss"}) == {"layer_types": "missing"}
    gemma = PLAIN | {"model_type": "gemma3n_text", "layer_types": ["full_attention"] * 62}
    assert problems_of(gemma) == {"num_kv_shared_layers": "missing"}
    assert problems_of({k: v for k, v in PLAIN.items() if k != "head_dim"} | {"model_type": "qwen3"}) == {
        "head_dim": "missing"
    }


def test_it_names_all_problems_at_once() -> None:
    found = problems_of({"model_type": "qwen3_moe", "num_hidden_layers": -1, "num_attention_heads": "x", "head_dim": 0})
    assert "num_hidden_layers" in found
    found = problems_of(PLAIN | {"num_attention_heads": "x", "num_key_value_heads": 0, "head_dim": math.nan})
    assert set(found) == {"num_attention_heads", "num_key_value_heads", "head_dim"}


UNSUPPORTED: list[tuple[dict[str, Any], str]] = [
    ({"model_type": "brand_new"}, "brand_new"),
    ({"kv_lora_rank": 512}, "kv_lora_rank"),
    ({"linear_num_key_heads": 16}, "linear_num_key_heads"),
    ({"mamba_d_state": 16}, "mamba_d_state"),
    ({"ssm_state_size": 16}, "ssm_state_size"),
    ({"attention_chunk_size": 8192}, "attention_chunk_size"),
    ({"num_kv_shared_layers_2": 4}, "num_kv_shared_layers_2"),
    ({"cross_attention_layers": [3]}, "cross_attention_layers"),
    ({"block_configs": [{}]}, "block_configs"),
    ({"index_head_dim": 128}, "index_head_dim"),
    ({"compress_ratios": [4]}, "compress_ratios"),
    ({"global_head_dim": 512}, "global_head_dim"),
    ({"v_head_dim": 64}, "v_head_dim"),
    ({"hybrid_layer_pattern": [1]}, "hybrid_layer_pattern"),
    ({"layer_types": ["full_attention"] * 61 + ["new_attention"]}, "new_attention"),
    ({"is_encoder_decoder": True}, "is_encoder_decoder"),
    ({"model_type": "llama", "sliding_window": 512}, "sliding_window"),
]


@pytest.mark.parametrize(("change", "named"), UNSUPPORTED)
def test_it_refuses_unknown_attention_by_name(change: dict[str, Any], named: str) -> None:
    with pytest.raises(NoResult) as caught:
        kv_document(PLAIN | change)
    assert caught.value.code == "unsupported_attention"
    assert named in caught.value.message


def test_it_refuses_a_glm_5_2_file_that_does_not_say_which_layers_share_their_indexer() -> None:
    glm = {"model_type": "glm_moe_dsa", "num_hidden_layers": 78, "kv_lora_rank": 512, "qk_rope_head_dim": 64}
    with pytest.raises(NoResult):
        kv_bytes_per_token(glm | {"index_head_dim": 128, "max_position_embeddings": 1_048_576})
    with pytest.raises(NoResult):
        kv_bytes_per_token(glm | {"index_head_dim": 128, "index_topk_freq": 4})


@pytest.mark.parametrize("value", [None, 3, 1.5, [], [PLAIN], {1: 2}, True, object()])
def test_it_refuses_what_is_no_config(value: object) -> None:
    with pytest.raises(InputProblems):
        model_of(value)


def test_it_refuses_values_that_cannot_even_be_shown() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    for value in (deep, 10**5000):
        for key in PLAIN:
            with pytest.raises((InputProblems, NoResult)):
                kv_document(PLAIN | {key: value})
        for key in ("max_position_embeddings", "layer_types"):
            with pytest.raises(InputProblems):
                kv_document(PLAIN | {key: value})
        with pytest.raises(InputProblems):
            model_of(value)


FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty"),
    "blank": (b" \n", "empty"),
    "binary": (b"\x80\x00\xff", "not_text"),
    "list": (b"[1]", "not_a_mapping"),
    "truncated": (b'{"model_type": "llama"', "not_json"),
    "deep": (b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}", "too_deep"),
    "huge": (b'{"a": "' + b"x" * (5 * 1024 * 1024) + b'"}', "too_large"),
    "duplicate": (b'{"num_hidden_layers": 2, "num_hidden_layers": 3}', "duplicate_key"),
    "digits": (b'{"num_hidden_layers": ' + b"9" * 5000 + b"}", "not_json"),
}


@pytest.mark.parametrize(("name", "case"), FILES.items())
def test_it_refuses_broken_files(tmp_path: Path, name: str, case: tuple[bytes, str]) -> None:
    content, code = case
    path = tmp_path / "config.json"
    path.write_bytes(content)
    for source in (path, str(path), content):
        with pytest.raises(InputProblems) as caught:
            model_of(source)
        assert caught.value.problems[0].code == code, name
    assert str(tmp_path) not in str(caught.value)


def test_it_refuses_paths_that_hold_no_file(tmp_path: Path) -> None:
    for source in (tmp_path, tmp_path / "none.json", "none.json", "a\0b.json", "x" * 5000 + ".json"):
        with pytest.raises(InputProblems):
            model_of(source)


def test_it_refuses_unknown_names_with_close_ones() -> None:
    with pytest.raises(InputProblems) as caught:
        load_model("qwen3-coder-480b")
    assert caught.value.problems[0].code == "unknown_model"
    assert "qwen3-coder-480b-a35b" in caught.value.problems[0].hint
    for name in ("", "x" * 100_000, "\0", "模型"):
        with pytest.raises(InputProblems):
            load_model(name)
    with pytest.raises(InputProblems):
        load_gpu("h1000000")


@pytest.mark.parametrize(
    "options",
    [
        {"kv_dtype": "int3"},
        {"kv_dtype": None},
        {"tensor_parallel_count": 0},
        {"tensor_parallel_count": 3},
        {"tensor_parallel_count": 7},
        {"tensor_parallel_count": "8"},
        {"gpu_memory_utilization_fraction": 1.5},
        {"gpu_memory_utilization_fraction": math.nan},
        {"gpu": "abacus"},
    ],
)
def test_it_refuses_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(InputProblems):
        kv_document("qwen3-coder-480b-a35b", **options)


def test_it_refuses_bad_lengths_and_weight_types() -> None:
    for tokens in (-1, 1.5, math.inf, "1"):
        with pytest.raises(InputProblems):
            sequence_bytes("deepseek-v3", tokens)  # type: ignore[arg-type]
    with pytest.raises(InputProblems):
        weights_bytes(load_model("deepseek-v3"), "int1")


def test_no_mutation_of_a_real_config_escapes_the_two_errors(shared_dir: Path) -> None:
    strange = [None, "", -1, 0, math.nan, True, [], {}, "x", 10**40, [1, "a"], {"a": None}]
    for path in sorted((shared_dir / "cases/kv/configs").glob("*.json")):
        config = json.loads(path.read_text("utf-8"))
        part = config.get("text_config", config)
        for key in list(part):
            for value in strange:
                changed = {**part, key: value}
                try:
                    document = kv_document({**config, "text_config": changed} if part is not config else changed)
                except (InputProblems, NoResult):
                    continue
                assert document["kv_bytes_per_token"] >= 0, (path.name, key, value)


def test_importing_it_is_light() -> None:
    heavy = "import sys, planner.llm; sys.exit(bool({'scipy', 'pandas', 'django'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", heavy], check=False).returncode == 0
