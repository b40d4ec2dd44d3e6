"""The two views of Facts: the lives of facts, and the summaries that they live in."""

from __future__ import annotations

from memviz.ui.shell.presenting import presents
from memviz.ui.shell.terms import term
from memviz.ui.shell.views import View

LIVES, SUMMARIES, KEPT = "lives", "summaries", "kept"
VIEWS = (
    View(
        LIVES, "Facts", "Which facts could the model still know?",
        f"{term('facts', 'Facts')} of the conversation, looked up in what was sent with every {term('request')}. No "
        "model is asked.",
    ),
    View(
        SUMMARIES, "Summaries", "How did the memory change?",
        f"Every {term('version')} of the {term('summary')}, and all that was {term('cleared')} or {term('shortened')}: "
        f"why, at what cost, and which {term('facts')} it kept or lost.",
    ),
)  # fmt: skip
_PRESENTED = View(
    KEPT, "Kept", "How much does each setting still know?",
    "The share of the facts that each request could still know, one line a setting.",
)  # fmt: skip


def facts_views() -> tuple[View, ...]:
    """The views; before an audience the lines of all settings, which stand below the lives of facts, are one more."""
    return (*VIEWS, _PRESENTED) if presents() else VIEWS
