"""Words that explain themselves where they stand: a dotted underline, the meaning under the pointer, at the keyboard's
focus or after a tap, and the glossary behind a click.

A page says ``term("recall")`` in Markdown, ``term_html("recall")`` in HTML, and ``tooltip("recall")`` of
:mod:`memviz.dashboard.guide.glossary` for a ``help``. Of texts that are written elsewhere, such as those of lessons,
``FirstMentions`` finds the words. Legends and titles of axes on charts are explained without that.
"""

import re
from functools import cache
from urllib.parse import quote

import streamlit as st
from markupsafe import Markup, escape

from memviz.core.errors import UnknownNameError
from memviz.core.translation import language_now, pgettext
from memviz.dashboard.guide.glossary import TERM_CONTEXT, entry, shown_terms
from memviz.dashboard.markup import element
from memviz.dashboard.stage.files import own_text

ADDRESS = "guide?term="
"""Beside every page of memviz, wherever the server itself stands."""
_EVERYDAY = frozenset((
    "answer", "block", "bound", "budget", "call", "constraints", "counter", "draft", "edge", "fate", "front",
    "generation", "grounds", "health", "history", "input", "judge", "kept", "knee", "lesson", "live", "log", "lost",
    "pause between turns", "pin", "prediction", "review", "run", "animation", "survival", "trigger",
))  # fmt: skip
"""Terms that sentences also use in their everyday sense, so that only a person can tell which one is meant."""
_FORMS = {
    form: word.term
    for word in shown_terms().values()
    if word.term not in _EVERYDAY
    for form in (*word.also, word.term)
}
"""The term of every form that is explained where it stands in a text: ``"tokens"`` is a form of ``"token"``."""
_MENTION = re.compile(
    rf"\b(?:{'|'.join(re.escape(form) for form in sorted(_FORMS, key=len, reverse=True))})\b",
    re.IGNORECASE,
)
_explain = st.components.v2.component(
    "memviz_terms",
    html="<span></span>",
    js=own_text(__package__, "terms.js"),
)


def explain_terms() -> None:
    """Let the browser show what words mean, on every page."""
    _explain(data={"terms": _meanings(language_now())}, key="terms")


@cache
def _meanings(_language: str) -> dict[str, dict[str, str]]:
    """Return the meaning of each form of each word, in the language that texts are translated into now. Put together
    once, for every page says all of it."""
    meanings = {}
    for word in shown_terms().values():
        meaning = {"term": word.name, "meaning": word.explained}
        for form in (*word.also, word.term):
            meanings[form] = meaning
            meanings[pgettext(TERM_CONTEXT, form).lower()] = meaning
    return meanings


def term(word: str, shown: str | None = None) -> str:
    """A word of the glossary, or one of its forms, as Markdown that explains it, in the language of its reader.
    ``shown`` stands for it on the page. Raises :class:`memviz.dashboard.guide.glossary.UnknownTermError`."""
    return f"[{shown or pgettext(TERM_CONTEXT, word)}]({address(word)})"


def term_html(words: str, shown: str | None = None) -> Markup:
    """Words that stand alone, as HTML: explained if the glossary has them, with an article or without, and in any case
    escaped. ``shown`` stands for them on the page."""
    try:
        return _link_html(words.removeprefix("A "), shown or words)
    except UnknownNameError:
        return escape(shown or words)


def _link_html(term: str, words: str) -> Markup:
    return element("a", words, href=address(term), target="_blank")


class FirstMentions:
    """Words of the glossary in one text: each explains itself where the text first has it."""

    def __init__(self) -> None:
        self._seen = set[str]()

    def html(self, words: str) -> Markup:
        """The next words of the text as HTML, escaped."""
        html = Markup()
        at = 0
        for mention in _MENTION.finditer(words):
            term = _FORMS[mention[0].casefold()]
            if term not in self._seen:
                self._seen.add(term)
                html += words[at : mention.start()]
                html += _link_html(term, mention[0])
                at = mention.end()
        return html + words[at:]


def address(word: str) -> str:
    """Return the address where the glossary explains a word, seen from any page."""
    return ADDRESS + quote(entry(word).term)
