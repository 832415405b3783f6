"""Raw token ids, JSON Lines: timestamp [s], token_ids, output_length. Hashed into chained blocks, then dropped."""

from array import array
from hashlib import blake2b

from measurements.traces.lines import BadLine, Request, json_object, seconds, tokens

NAME = "raw-token-ids"
BLOCK_TOKENS = 16
KEYS = ("token_ids", "prompt_token_ids", "input_ids")
TOKEN_ID_MAX = 2**31 - 1


def recognises(first_line: str) -> bool:
    """Tell whether the first line is of this format."""
    return first_line.startswith("{") and any(f'"{key}"' in first_line for key in KEYS)


def request(text: str, block_tokens: int) -> Request:
    """Read one line."""
    row = json_object(text)
    key = next((key for key in KEYS if key in row), KEYS[0])
    found = row.get(key)
    if not isinstance(found, list) or not found:
        raise BadLine("missing", key, found, "a list of at least one token id")
    for item in found:
        if isinstance(item, bool) or not isinstance(item, int) or not 0 <= item <= TOKEN_ID_MAX:
            raise BadLine("not_an_id", key, "a token id", f"whole numbers from 0 to {TOKEN_ID_MAX}")
    return Request(
        seconds("timestamp", row.get("timestamp")),
        len(found),
        tokens("output_length", row.get("output_length"), low=0),
        chained_hashes(found, block_tokens),
    )


def chained_hashes(token_ids: list[int], block_tokens: int) -> list[int]:
    """Return one 64-bit hash a block, each over its tokens and the hash before it: equal only for equal prefixes."""
    hashes: list[int] = []
    state = b""
    for start in range(0, len(token_ids), block_tokens):
        state = blake2b(state + array("I", token_ids[start : start + block_tokens]).tobytes(), digest_size=16).digest()
        hashes.append(int.from_bytes(state[:8], "little", signed=True))
    return hashes
