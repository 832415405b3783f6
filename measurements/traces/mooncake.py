"""Mooncake JSON Lines: timestamp [ms], input_length, output_length, hash_ids (512 tokens a block)."""

from measurements.traces.lines import Request, ids, json_object, seconds, tokens

NAME = "mooncake"
BLOCK_TOKENS = 512


def recognises(first_line: str) -> bool:
    """Tell whether the first line is of this format."""
    return first_line.startswith("{") and '"hash_ids"' in first_line and '"chat_id"' not in first_line


def request(text: str, block_tokens: int) -> Request:
    """Read one line."""
    row = json_object(text)
    return Request(
        seconds("timestamp", row.get("timestamp"), 1000.0),
        tokens("input_length", row.get("input_length"), low=1),
        tokens("output_length", row.get("output_length"), low=0),
        ids("hash_ids", row.get("hash_ids")),
    )
