"""The two views of Facts: the lives of facts, and the summaries that they live in."""

from __future__ import annotations

from memviz.ui.shell.views import View

LIVES, SUMMARIES = "lives", "summaries"
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
