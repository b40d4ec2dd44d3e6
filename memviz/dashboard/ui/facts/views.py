"""The views of the page Facts."""

from memviz.core import page_titles
from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.presenting import presents
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost, View

LIVES = "lives"
SUMMARIES = "summaries"
KEPT = "kept"
_LOST_IN_LIVES = Lost(
    noop(
        "Look first at the rows: each is a fact, from the turn that said it to the one that no longer knew it."
    ),
    noop(
        "Click a row to read what became of that fact, and choose another setting above the rows."
    ),
    noop(
        "It answers what a model could still know under each setting, without asking one."
    ),
)
_LOST_IN_SUMMARIES = Lost(
    noop(
        "Look first at the marks on the line of time: each is a summary that was written or messages that "
        "were cleared."
    ),
    noop(
        "Click a mark to read that version, with what is new in it and what was left out."
    ),
    noop(
        "It answers how a summary changed from version to version, what each cost, and which facts it lost."
    ),
)


def facts_views() -> tuple[View, ...]:
    """Return the views; before an audience the lines of all settings, else below the lives of facts, are one more."""
    lives = View(
        LIVES,
        _(page_titles.FACTS),
        _("Which facts could the model still know?"),
        _(
            "{facts} of the conversation, looked up in what was sent with every {request}. No model is asked.",
            facts=term("facts", _(page_titles.FACTS)),
            request=term("request"),
        ),
        Lost(*map(_, _LOST_IN_LIVES)),
    )
    summaries = View(
        SUMMARIES,
        _("Summaries"),
        _("How did the memory change?"),
        _(
            "Every {version} of the {summary}, and all that was {cleared} or {shortened}: why, at what cost, and "
            "which {facts} it kept or lost.",
            version=term("version"),
            summary=term("summary"),
            cleared=term("cleared"),
            shortened=term("shortened"),
            facts=term("facts"),
        ),
        Lost(*map(_, _LOST_IN_SUMMARIES)),
    )
    if not presents():
        return lives, summaries
    lines = View(
        KEPT,
        _("Kept"),
        _("How much does each setting still know?"),
        _(
            "The share of the facts that each request could still know, one line a setting."
        ),
        lives.lost,
    )
    return lives, summaries, lines
