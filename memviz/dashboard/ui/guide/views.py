"""The two views of the guide: the strategies, one by one, and the glossary."""

from __future__ import annotations

from memviz.dashboard.guide.strategies import StrategyPage
from memviz.dashboard.ui.shell.terms import term
from memviz.dashboard.ui.shell.views import Lost, View

STRATEGIES, GLOSSARY = "strategies", "glossary"


def guide_views(page: StrategyPage | None) -> tuple[View, ...]:
    """The views; a strategy that is open gives its page the title."""
    strategies = View(
        STRATEGIES,
        "Strategies",
        "How does each strategy remember?",
        f"A model knows only what one {term('request')} sends; a {term('strategy')} decides what of the conversation "
        "that is. On each card: above, all that was said, below, what was sent.",
        Lost(
            "Look first at the two bars: above all that was said, below what was sent instead.",
            "Open a strategy, read what it gains and loses, and open its run in Compare.",
            "It answers what each strategy does, who uses it, and when it hurts.",
        ),
    )
    if page is not None:
        strategies = strategies._replace(question=page.title, sentence=page.summary)
    words = View(
        GLOSSARY,
        "Glossary",
        "What do the words mean?",
        "They mean the same on every page.",
        Lost(
            "Look first for the word that you met: the field finds it in words and meanings.",
            "Wherever a word has dots below it, point at it or tap it to read the same meaning there.",
            "It answers what the words of all pages mean.",
        ),
    )
    return strategies, words
