"""Token counters: an encoding of tiktoken, and estimates."""

import tiktoken

COUNTER = "o200k_base"
ENCODING = tiktoken.get_encoding(COUNTER)


def count_tokens(text: str) -> int:
    """Tokens of a text."""
    return len(ENCODING.encode_ordinary(text))


def token_ids(text: str) -> list[int]:
    """The tokens themselves, for libraries that count them on their own."""
    return ENCODING.encode_ordinary(text)


def count_tokens_for_chars4(text: str) -> int:
    """An estimate: one token for every four characters."""
    return max(1, len(text) // 4)


def token_ids_for_chars4(text: str) -> list[int]:
    """An estimate: one token for every four characters."""
    return [0] * max(1, len(text) // 4)


def count_tokens_for_bytes4(text: str) -> int:
    """An estimate: one token for every four bytes."""
    return max(1, len(text.encode("utf-8", "replace")) // 4)


def token_ids_for_bytes4(text: str) -> list[int]:
    """An estimate: one token for every four bytes."""
    return [0] * max(1, len(text.encode("utf-8", "replace")) // 4)
