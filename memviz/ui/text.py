"""Text from users and models is text: nothing in it may become markup."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~:$<>&@=])")


def plain(text: str) -> str:
    """``text`` for a place that reads Markdown, such that it shows exactly as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))


def shortened(text: str, chars: int) -> str:
    """The first ``chars`` characters of ``text`` on one line, with an ellipsis if there is more."""
    flat = " ".join(text.split())
    return flat if len(flat) <= chars else flat[: chars - 1] + "…"
