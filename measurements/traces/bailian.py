"""Qwen-Bailian JSON Lines: chat_id, timestamp [s], input_length, output_length, turn, hash_ids (16 tokens a block)."""

from measurements.traces.lines import Request, ids, json_object, seconds, tokens

NAME = "qwen-bailian"
BLOCK_TOKENS = 16


def recognises(first_line: str) -> bool:
    """Tell whether the first line is of this format."""
    return first_line.startswith("{") and '"hash_ids"' in first_line and '"chat_id"' in first_line


def request(text: str, block_tokens: int) -> Request:
    """Read one line; who talked to whom (chat_id, parent_chat_id) is dropped."""
    row = json_object(text)
    return Request(
        seconds("timestamp", row.get("timestamp")),
        tokens("input_length", row.get("input_length"), low=1),
        tokens("output_length", row.get("output_length"), low=0),
        ids("hash_ids", row.get("hash_ids")),
    )
