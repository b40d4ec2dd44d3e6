"""Four characters are a token."""


def count_tokens(text: str) -> int:
    """An estimate: one token for every four characters."""
    return max(1, len(text) // 4)


def token_ids(text: str) -> list[int]:
    """An estimate: one token for every four characters."""
    return [0] * max(1, len(text) // 4)
