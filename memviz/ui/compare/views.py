"""The three views of Compare: the same settings over the same conversation, seen by what they send, what they cost and
what becomes of every message."""

from __future__ import annotations

from memviz.ui.compare.tokens.percent import choose_percent
from memviz.ui.controls.sidebar import is_free_run
from memviz.ui.shell.lost import Lost
from memviz.ui.shell.views import View

TOKENS, DOLLARS, MEMORY_MAP = "tokens", "dollars", "memory_map"
_REPLAYED = "The same conversation and replies under every setting."
_FREE_RUN = "A free run: a model answers one conversation under every setting."


def compare_views() -> tuple[View, ...]:
    """The views, by where the replies come from."""
    replies = _FREE_RUN if is_free_run() else _REPLAYED
    return (
        View(
            TOKENS, "Tokens", "What does each strategy send?",
            f"{replies} Click a mark to see what changed, and why.",
            Lost(
                "Look first at the lines: each is one setting, and its height is how many tokens a request sent.",
                "Press Play below the chart or click a diamond, and read beside it what that request sent, and why.",
                "It answers how fast each strategy's requests grow, and what a summary takes out of them.",
            ),
            choose_percent,
        ),
        View(
            DOLLARS, "Dollars", "What does it cost, turn by turn?",
            "The same conversation under every setting, at a model's list prices. What its prompt cache saves is "
            "counted in.",
            Lost(
                "Look first at the ends of the lines: there you read what the whole conversation cost under each "
                "setting.",
                "Change the pause between turns above the chart, and see how the lines change places.",
                "It answers which setting is cheapest at a model's prices, from which turn on, and what the prompt "
                "cache has to do with it.",
            ),
        ),
        View(
            MEMORY_MAP, "Memory map", "What became of every message?",
            "One column a request, one row a message. Click a cell to read both, drag to zoom, double-click to go "
            "back.",
            Lost(
                "Look first at the colours of one row from left to right: they are the life of one message.",
                "Click a cell to read that message and the request of its column, or press Play to walk through "
                "the requests.",
                "It answers which messages are sent word for word, which live on in a summary, and which are gone.",
            ),
        ),
    )  # fmt: skip
