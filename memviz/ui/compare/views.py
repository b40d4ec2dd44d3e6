"""The three views of Compare: the same settings over the same conversation, seen by what they send, what they cost and
what becomes of every message."""

from __future__ import annotations

from memviz.ui.compare.tokens.percent import choose_percent
from memviz.ui.controls.sidebar import is_free_run
from memviz.ui.shell.terms import term
from memviz.ui.shell.views import View

TOKENS, DOLLARS, MEMORY_MAP = "tokens", "dollars", "memory_map"
_REPLAYED = f"The same conversation and replies under every {term('setting')}."
_FREE_RUN = f"A {term('free run')}: a model answers one conversation under every {term('setting')}."


def compare_views() -> tuple[View, ...]:
    """The views, by where the replies come from."""
    replies = _FREE_RUN if is_free_run() else _REPLAYED
    return (
        View(
            TOKENS, "Tokens", "What does each strategy send?",
            f"{replies} Click a mark to see what changed, and why.",
            choose_percent,
        ),
        View(
            DOLLARS, "Dollars", "What does it cost, turn by turn?",
            f"The same conversation under every {term('setting')}, at a model's list prices. What its "
            f"{term('prompt cache')} saves is counted in.",
        ),
        View(
            MEMORY_MAP, "Memory map", "What became of every message?",
            f"One column a {term('request')}, one row a {term('message')}. Click a cell to read both, drag to zoom, "
            "double-click to go back.",
        ),
    )  # fmt: skip
