"""An encoding of tiktoken."""

import tiktoken

COUNTER = "o200k_base"
ENCODING = tiktoken.get_encoding(COUNTER)


def count_tokens(text: str) -> int:
    """Tokens of a text."""
    return len(ENCODING.encode_ordinary(text))


def token_ids(text: str) -> list[int]:
    """The tokens themselves, for libraries that count them on their own."""
    return ENCODING.encode_ordinary(text)
