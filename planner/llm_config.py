"""From the content of a ``config.json`` to a model's attention layout, or to a refusal that names what is not known."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from planner import llm_attention, llm_latent, llm_state
from planner.errors import Checker, InputProblems, NoResult, shown
from planner.llm_catalog import Model
from planner.llm_keys import MTP_KEYS, RELEVANT, TOKENS_MAX, Keys, is_neutral, text_part, unsupported
from planner.llm_layout import AttentionCache, LatentCache, Layout
from planner.provenance import Basis

READERS = {**llm_attention.READERS, **llm_latent.READERS, **llm_state.READERS}
LAYER_KEYS = ("num_hidden_layers", "num_layers", "n_layer")
QUANTIZED = {"fp8": "fp8", "mxfp4": "mxfp4", "fbgemm_fp8": "fp8"}
PLAIN_DTYPES = {"bfloat16": "bf16", "float16": "bf16"}
OUTER_HARMLESS = frozenset({"is_encoder_decoder"})


@cache
def families() -> Mapping[str, Mapping[str, Any]]:
    """Return the family of each known ``model_type``."""
    raw = tomllib.loads(files("planner").joinpath("catalog/attention_families.toml").read_text("utf-8"))
    return MappingProxyType({name: record for record in raw["family"].values() for name in record["types"]})


def read_model(config: Mapping[str, Any], *, file: str = "") -> Model:
    """Return the model that a config describes.

    Raises
    ------
    InputProblems
        All missing, contradictory or impossible keys at once.
    NoResult
        ``unsupported_attention`` where the architecture, or a key that could change the KV's size, is not known here.
    """
    check = Checker(file)
    part, prefix = text_part(config, check)
    keys = Keys(part, prefix, check)
    try:
        layout, mtp = _layout(keys, config)
    except NoResult:
        check.raise_if_any()
        raise
    longest = None
    if keys.part.get("max_position_embeddings") is not None:
        longest = keys.count("max_position_embeddings", high=TOKENS_MAX) or None
    check.raise_if_any()
    return _model(config, keys, layout, mtp=mtp, longest=longest, file=file)


def _layout(keys: Keys, config: Mapping[str, Any]) -> tuple[Layout, int]:
    model_type = keys.part.get("model_type")
    if model_type is None or model_type == "":
        model_type = _type_of(config)
    if model_type is None:
        keys.check.add("missing", keys.prefix + "model_type", None, "the architecture's name, such as qwen3_moe")
    elif not isinstance(model_type, str):
        keys.check.add("not_a_text", keys.prefix + "model_type", model_type, "the architecture's name as text")
        model_type = None
    if config.get("is_encoder_decoder") is True or keys.part.get("is_encoder_decoder") is True:
        raise unsupported("an encoder-decoder (is_encoder_decoder)", key="is_encoder_decoder")
    name = next((key for key in LAYER_KEYS if key in keys.part), LAYER_KEYS[0])
    layers = keys.count(name)
    mtp = max((_drafts(keys, key) for key in MTP_KEYS), default=0)
    if model_type is None:
        if keys.check.problems:
            raise InputProblems(keys.check.problems)
        raise AssertionError("a missing model_type is a problem")
    family = families().get(model_type)
    if family is None:
        raise unsupported(f"the architecture {keys.prefix}model_type {shown(model_type)}", key="model_type")
    if not layers:
        raise InputProblems(keys.check.problems)
    keys.model_type = model_type
    layout = READERS[family["reader"]](keys, family, layers, mtp)
    keys.refuse_unknown(model_type)
    _refuse_outer(keys, config)
    return layout, mtp


def _drafts(keys: Keys, name: str) -> int:
    if is_neutral(keys.part.get(name)):
        return 0
    return keys.count(name, low=0)


def _type_of(config: Mapping[str, Any]) -> str | None:
    """Return the model_type that ``architectures`` implies where the key itself is absent."""
    names = config.get("architectures")
    known = {"LlamaForCausalLM": "llama", "Qwen3ForCausalLM": "qwen3", "Qwen3MoeForCausalLM": "qwen3_moe"}
    known |= {"Qwen2ForCausalLM": "qwen2", "MistralForCausalLM": "mistral", "MixtralForCausalLM": "mixtral"}
    known |= {"DeepseekV3ForCausalLM": "deepseek_v3", "GptOssForCausalLM": "gpt_oss"}
    return known.get(names[0]) if isinstance(names, list) and names and isinstance(names[0], str) else None


def _refuse_outer(keys: Keys, config: Mapping[str, Any]) -> None:
    if keys.part is config:
        return
    left = [
        key
        for key, value in config.items()
        if RELEVANT.search(key)
        and not isinstance(value, Mapping)
        and not is_neutral(value)
        and key not in OUTER_HARMLESS
        and not (key in keys.part and keys.part[key] == value)
        and key not in keys.used
    ]
    if left:
        raise unsupported(f"{shown(left[0])[1:-1]} beside the nested text model", key=left[0])


def _weight_dtype(config: Mapping[str, Any], part: Mapping[str, Any]) -> str | None:
    for source in (part, config):
        quantization = source.get("quantization_config")
        if quantization:
            method = quantization.get("quant_method") if isinstance(quantization, Mapping) else None
            return None if source.get("expert_dtype") else QUANTIZED.get(method) if isinstance(method, str) else None
    for source in (part, config):
        for name in ("torch_dtype", "dtype"):
            value = source.get(name)
            if isinstance(value, str):
                return PLAIN_DTYPES.get(value)
    return None


def _model(config: Mapping[str, Any], keys: Keys, layout: Layout, *, mtp: int, longest: int | None, file: str) -> Model:
    kept = layout.kept()
    first = next((cache for cache in kept if isinstance(cache, (AttentionCache, LatentCache))), None)
    latent = first if isinstance(first, LatentCache) else None
    by_head = first if isinstance(first, AttentionCache) else None
    windows = layout.windowed()
    names = config.get("architectures")
    architecture = names[0] if isinstance(names, list) and names and isinstance(names[0], str) else ""
    model_type = str(keys.part.get("model_type") or "")
    heads = keys.part.get("num_attention_heads")
    return Model(
        id="config",
        name=shown(config.get("_name_or_path") or model_type or architecture)[1:-1],
        architecture=architecture[:80] or model_type,
        attention_kind=layout.kind,
        layers_count=layout.layers_count,
        kv_layers_count=first.layers_count if first else 0,
        kv_heads_count=by_head.kv_heads_count if by_head else 1 if latent else 0,
        head_dim=by_head.key_dim if by_head else latent.kv_lora_rank + latent.rope_dim if latent else 0,
        max_context_tokens=longest,
        kv_bytes_per_token_bf16=layout.bytes_per_token("bf16"),
        kv_bytes_per_token_fp8=layout.bytes_per_token("fp8"),
        source=file or "config.json as given",
        basis=Basis.PUBLIC,
        layout=layout,
        kv_lora_rank=latent.kv_lora_rank if latent else None,
        rope_dim=latent.rope_dim if latent else None,
        window_tokens=windows[0].window_tokens if windows else None,
        window_layers_count=sum(cache.layers_count for cache in windows),
        state_bytes=layout.state_bytes(),
        mtp_layers_count=mtp,
        attention_heads_count=heads if isinstance(heads, int) and not isinstance(heads, bool) else None,
        weight_dtype=_weight_dtype(config, keys.part),
    )
