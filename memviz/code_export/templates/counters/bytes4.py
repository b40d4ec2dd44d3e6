"""Four bytes are a token."""


def count_tokens(text: str) -> int:
    """An estimate: one token for every four bytes."""
    return max(1, len(text.encode("utf-8", "replace")) // 4)


def token_ids(text: str) -> list[int]:
    """An estimate: one token for every four bytes."""
    return [0] * max(1, len(text.encode("utf-8", "replace")) // 4)
