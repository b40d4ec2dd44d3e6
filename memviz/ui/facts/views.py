"""The two views of Facts: the lives of facts, and the summaries that they live in."""

from __future__ import annotations

from memviz.ui.shell.presenting import presents
from memviz.ui.shell.views import View

LIVES, SUMMARIES, KEPT = "lives", "summaries", "kept"
VIEWS = (
    View(
        LIVES, "Facts", "Which facts could the model still know?",
        "Facts of the conversation, looked up in what was sent with every request. No model is asked.",
    ),
    View(
        SUMMARIES, "Summaries", "How did the memory change?",
        "Every version of the summary, and all that was cleared or shortened: why, at what cost, and which facts it "
        "kept or lost.",
    ),
)  # fmt: skip
_PRESENTED = View(
    KEPT, "Kept", "How much does each setting still know?",
    "The share of the facts that each request could still know, one line a setting.",
)  # fmt: skip


def facts_views() -> tuple[View, ...]:
    """The views; before an audience the lines of all settings, which stand below the lives of facts, are one more."""
    return (*VIEWS, _PRESENTED) if presents() else VIEWS
