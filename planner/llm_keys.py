"""The keys of a config: which part of it describes the text model, and which keys could change the size of its KV."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from planner.errors import Checker, NoResult, shown

NESTED = ("text_config", "llm_config", "language_config", "thinker_config")
COUNT_MAX, DIM_MAX, TOKENS_MAX = 10_000, 1_000_000, 10**12
MTP_KEYS = ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", "mtp_num_layers", "num_mtp_layers")

RELEVANT = re.compile(
    r"window|sliding|swa_|layer_types?$|layers?_pattern|override_pattern|kv_lora|latent|^linear_|mamba|ssm|^state_|"
    r"conv_|recurr|lru|rwkv|chunk|kv_shar|share_kv|shared_kv|_shared_layers|cla_|use_cla|cross_attention|cross_attn|"
    r"block_config|block_type|blocks_type|^index|compress|hybrid|global|v_head|qk_.*head|^kv_|_kv_|key_value|"
    r"multi_query|new_decoder|kda|full_att|attn_layer|attention_(layers|types|interval|pattern|other)|attn_type|"
    r"sparse|nsa|moba|lightning|memory|retention|delta|is_encoder_decoder|encoder_layers|head_dim|head_size|"
    r"kv_channels|d_kv|no_rope|use_mla|num_attention_groups|attention_k_eq_v|head_dims|kv_cache|yoco|attn_config|"
    r"mla_|_mla|sink_tokens|csa|hca|per_layer_kv"
)
HARMLESS = frozenset(
    {
        "max_window_layers", "use_sliding_window", "chunk_size_feed_forward", "decoder_sparse_step", "conv_bias",
        "use_conv_bias", "no_rope_layers", "no_rope_layer_interval", "cross_attention_hidden_size", "rms_norm_eps",
        "encoder_no_repeat_ngram_size", "global_batch_size", "vision_feature_layer",
        "mlp_layer_types", "use_kv_cache", "kv_cache_dtype", "qk_head_dim", "sparse_step",
    }
)  # fmt: skip
"""Keys that match ``RELEVANT`` and yet leave the size of the KV as it is."""


def is_neutral(value: object) -> bool:
    """Tell whether a value says that the feature is absent."""
    return value is None or value is False or value == 0 or value == "" or value == [] or value == {}


def text_part(config: Mapping[str, Any], check: Checker) -> tuple[Mapping[str, Any], str]:
    """Return the mapping that describes the text model and the prefix of its fields; nested parts win."""
    part, prefix = config, ""
    for _ in range(2):
        names = [name for name in NESTED if isinstance(part.get(name), Mapping) and part[name]]
        if len(names) > 1:
            check.add("ambiguous", prefix + names[0], names, "one text model; several nested parts describe one")
        if not names:
            break
        inner = part[names[0]]
        for key in ("num_hidden_layers", "num_key_value_heads", "num_attention_heads", "head_dim"):
            if key in part and key in inner and part[key] != inner[key]:
                hint = f"the same value as {prefix}{names[0]}.{key}, {shown(inner[key])}"
                check.add("contradiction", prefix + key, part[key], hint)
        part, prefix = inner, f"{prefix}{names[0]}."
    return part, prefix


class Keys:
    """Reads keys of the text part, notes what is wrong with them, and remembers which ones were understood."""

    def __init__(self, part: Mapping[str, Any], prefix: str, check: Checker) -> None:
        self.part, self.prefix, self.check = part, prefix, check
        self.used: set[str] = set()
        self.model_type = ""

    def has(self, name: str) -> bool:
        """Tell whether the key is present with a value, and count it as understood."""
        self.used.add(name)
        return self.part.get(name) is not None

    def flag(self, name: str) -> bool:
        """Return a switch; absent means off."""
        self.used.add(name)
        value = self.part.get(name)
        if value is not None and not isinstance(value, bool):
            self.check.add("not_a_switch", self.prefix + name, value, "true or false")
        return value is True

    def count(self, name: str, *, high: int = COUNT_MAX, low: int = 1, hint: str = "") -> int:
        """Return a whole number, or note the problem and return 0."""
        self.used.add(name)
        if self.part.get(name) is None:
            self.check.add("missing", self.prefix + name, None, hint or f"a whole number from {low:,} to {high:,}")
            return 0
        value = self.check.number(self.prefix + name, self.part[name], low=low, high=high, hint=hint, whole=True)
        return 0 if value is None else int(value)

    def dim(self, name: str) -> int:
        """Return a dimension."""
        return self.count(name, high=DIM_MAX)

    def names(self, name: str, length: int, allowed: Iterable[object], *, extra: int = 0) -> tuple[Any, ...]:
        """Return a list with one entry per layer (draft layers after them may be listed too and are left out)."""
        self.used.add(name)
        value = self.part.get(name)
        if not isinstance(value, (list, tuple)) or len(value) not in {length, length + extra}:
            found = len(value) if isinstance(value, (list, tuple)) else value
            self.check.add(
                "wrong_length", self.prefix + name, found, f"a list with one entry for each of {length} layers"
            )
            return ()
        choices = tuple(allowed)
        entries = tuple(value[:length])
        wrong = [entry for entry in entries if isinstance(entry, bool) or entry not in choices]
        if wrong:
            raise unsupported(f"{self.prefix}{name} holds {shown(wrong[0])}", key=name)
        return entries

    def refuse_unknown(self, model_type: str) -> None:
        """Refuse when a key that could change the KV's size was not understood."""
        left = [
            key
            for key, value in self.part.items()
            if RELEVANT.search(key) and key not in self.used | HARMLESS and not is_neutral(value)
        ]
        if left:
            named = ", ".join(f"{self.prefix}{shown(key)[1:-1]}" for key in left[:8])
            raise unsupported(f"{named} with model_type {shown(model_type)} may change the KV size", key=left[0])


def unsupported(what: str, **figures: float | str) -> NoResult:
    """Return the refusal that names the part of the attention which is not known here."""
    return NoResult("unsupported_attention", f"no KV size can be given: {what} is not supported", **figures)
