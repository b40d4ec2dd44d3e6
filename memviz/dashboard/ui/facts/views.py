"""The two views of Facts: the lives of facts, and the summaries that they live in."""

from memviz.core import page_titles
from memviz.dashboard.ui.shell.presenting import presents
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost, View

LIVES = "lives"
SUMMARIES = "summaries"
KEPT = "kept"
_LOST_IN_LIVES = Lost(
    "Look first at the rows: each is a fact, from the turn that said it to the one that no longer knew it.",
    "Click a row to read what became of that fact, and choose another setting above the rows.",
    "It answers what a model could still know under each setting, without asking one.",
)
_LOST_IN_SUMMARIES = Lost(
    "Look first at the marks on the line of time: each is a summary that was written or messages that were cleared.",
    "Click a mark to read that version, with what is new in it and what was left out.",
    "It answers how a summary changed from version to version, what each cost, and which facts it lost.",
)
VIEWS = (
    View(
        LIVES,
        page_titles.FACTS,
        "Which facts could the model still know?",
        f"{term('facts', 'Facts')} of the conversation, looked up in what was sent with every {term('request')}. No "
        "model is asked.",
        _LOST_IN_LIVES,
    ),
    View(
        SUMMARIES,
        "Summaries",
        "How did the memory change?",
        f"Every {term('version')} of the {term('summary')}, and all that was {term('cleared')} or {term('shortened')}: "
        f"why, at what cost, and which {term('facts')} it kept or lost.",
        _LOST_IN_SUMMARIES,
    ),
)
_PRESENTED = View(
    KEPT,
    "Kept",
    "How much does each setting still know?",
    "The share of the facts that each request could still know, one line a setting.",
    _LOST_IN_LIVES,
)


def facts_views() -> tuple[View, ...]:
    """The views; before an audience the lines of all settings, which stand below the lives of facts, are one more."""
    return (*VIEWS, _PRESENTED) if presents() else VIEWS
