"""The two views of Facts: the lives of facts, and the summaries that they live in."""

from __future__ import annotations

from memviz.ui.shell.lost import Lost
from memviz.ui.shell.views import View

LIVES, SUMMARIES = "lives", "summaries"
VIEWS = (
    View(
        LIVES, "Facts", "Which facts could the model still know?",
        "Facts of the conversation, looked up in what was sent with every request. No model is asked.",
        Lost(
            "Look first at the rows: each is a fact, from the turn that said it to the one that no longer knew it.",
            "Click a row to read what became of that fact, and choose another setting above the rows.",
            "It answers what a model could still know under each setting, without asking one.",
        ),
    ),
    View(
        SUMMARIES, "Summaries", "How did the memory change?",
        "Every version of the summary, and all that was cleared or shortened: why, at what cost, and which facts it "
        "kept or lost.",
        Lost(
            "Look first at the marks on the line of time: each is a summary that was written or messages that were "
            "cleared.",
            "Click a mark to read that version, with what is new in it and what was left out.",
            "It answers how a summary changed from version to version, what each cost, and which facts it lost.",
        ),
    ),
)  # fmt: skip
