"""Suggestions from file and folder names: for a form to show, never taken as measured."""

import re

_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("suggested_tensor_parallel_count", re.compile(r"(?<![a-z])tp[-_]?(\d{1,3})(?![\d.])")),
    ("suggested_prompt_tokens", re.compile(r"(?<![a-z])(?:isl|input|in)[-_]?(\d{1,7})(?![\d.])")),
    ("suggested_output_tokens", re.compile(r"(?<![a-z])(?:osl|output|out)[-_]?(\d{1,6})(?![\d.])")),
    ("suggested_concurrency_count", re.compile(r"(?<![a-z])(?:concurrency|conc|parallel|con)[-_]?(\d{1,6})(?![\d.])")),
    ("suggested_request_rate_per_s", re.compile(r"(?<![a-z])(?:qps|rate|rps)[-_]?(\d{1,5}(?:\.\d{1,3})?)(?!\d)")),
    ("suggested_request_rate_per_s", re.compile(r"_output_(\d{1,4}\.\d{1,3})(?=[_.])")),
)
_GPU = re.compile(
    r"(?<![a-z0-9])(h20|h100|h200|h800|a10|a100|a800|b200|b300|gb200|gb300|l4|l20|l40s?|mi300x|mi325x|mi355x|910b)(?![a-z0-9])"
)
_PRECISION = re.compile(r"(?<![a-z0-9])(bf16|fp16|fp8|fp4|nvfp4|mxfp4|int8|int4|awq|gptq)(?![a-z0-9])")


def suggestions(name: str, folder: str = "") -> dict[str, float | str]:
    """Return what ``name`` (and the name of its folder) suggests, under keys that begin with ``suggested_``.

    >>> suggestions("glm_fp8_tp8_isl1024_osl128_conc64.json")["suggested_tensor_parallel_count"]
    8.0
    """
    found: dict[str, float | str] = {}
    for text in (name.lower(), folder.lower()):
        for key, pattern in _PATTERNS:
            if match := pattern.search(text):
                found.setdefault(key, float(match.group(1)))
        if match := _GPU.search(text):
            found.setdefault("suggested_gpu", match.group(1))
        if match := _PRECISION.search(text):
            found.setdefault("suggested_precision", match.group(1))
    return found
