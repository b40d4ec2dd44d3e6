"""The two views of the guide and their address; the glossary is one of them.

The address holds which strategy, which word, and what was looked for. The glossary shows
every word with its meaning, a search, and the word that the address asks for.
"""

from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from memviz.core import page_titles
from memviz.core.bounds import quoted
from memviz.core.errors import UnknownNameError
from memviz.core.text.wording import comma_list
from memviz.core.translation import _, noop
from memviz.dashboard.guide.glossary import Entry, entry, glossary, shown_terms
from memviz.dashboard.guide.strategies import StrategyPage
from memviz.dashboard.markup import element
from memviz.dashboard.ui.shell.elements import box, show_info
from memviz.dashboard.ui.shell.linked import (
    MAX_TEXT_CHARS,
    keep_in_address,
    show_not_there,
)
from memviz.dashboard.ui.shell.presenting import view_part
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.dashboard.ui.shell.terms import address, term
from memviz.dashboard.ui.shell.views import GUIDE_VIEW, Lost, View, ask_view
from memviz.strategies import strategies
from memviz.strategies.presets import presets

STRATEGIES = "strategies"
GLOSSARY = "glossary"


VIEWS = {
    STRATEGIES: (
        noop("Strategies"),
        noop("How does each strategy remember?"),
        noop(
            "A model knows only what one {request} sends; a {strategy} decides what of the conversation "
            "that is. The bars on a card are ten turns: grey is all that was said by then, colour is what was sent."
        ),
        noop(
            "Look first at the bars of a card: where the grey rises and the colour does not, a strategy leaves "
            "something out or folds it together."
        ),
        noop(
            "Open a strategy, read what it gains and loses, and open its run in {compare}."
        ),
        noop("It answers what each strategy does, who uses it, and when it hurts."),
    ),
    GLOSSARY: (
        noop("Glossary"),
        noop("What do the words mean?"),
        noop("They mean the same on every page."),
        noop(
            "Look first for the word that you met: the field finds it in words and meanings."
        ),
        noop(
            "Wherever a word has dots below it, point at it or tap it to read the same meaning there."
        ),
        noop("It answers what the words of all pages mean."),
    ),
}
"""The name, the title and the sentence of each view, and what helps who is lost: what to look at, what to touch, and
what the view answers."""


def guide_views(page: StrategyPage | None) -> list[View]:
    """Return the views; a strategy that is open gives its page the title."""
    terms = {
        "request": term("request"),
        "strategy": term("strategy"),
        "compare": _(page_titles.COMPARE),
    }
    views = []
    for id, templates in VIEWS.items():
        name, question, sentence, *lost = [_(words, **terms) for words in templates]
        if id == STRATEGIES and page is not None:
            question = page.title
            sentence = page.summary
        views.append(View(id, name, question, sentence, Lost(*lost)))
    return views


STRATEGY = "strategy"

TERM = "term"

SEARCH = "search"

FIND = "find"
"""The part of the address that is searched for among the strategies; the glossary has a search of its own."""

OPENED_KEY = "guide-opened"


class Asked(NamedTuple):
    """The wish of an address: the id of a strategy, a word of the glossary, or neither. ``problem`` says what it asks
    for in vain."""

    strategy: str = ""
    term: str = ""
    problem: str = ""


def open_address() -> Asked:
    """Return what is asked for. An address that is new to the session turns to its view. To be called before anything
    is drawn."""
    strategy = st.query_params.get(STRATEGY, "")
    word = st.query_params.get(TERM, "")
    if (strategy, word) != widget_value(OPENED_KEY):
        set_widget(OPENED_KEY, (strategy, word))
        if strategy or word:
            ask_view(GUIDE_VIEW, GLOSSARY if word else STRATEGIES)
        # A link from one address of a page to another reaches the server, but not the browser's own address.
        st.query_params.from_dict(st.query_params.to_dict())
    if word:
        with suppress(UnknownNameError):
            return Asked(term=entry(word).term)
        problem = noop(
            "The link's term {term} was passed over: it is not in the glossary."
        )
        return Asked(problem=_(problem, term=quoted(word)))
    if strategy and strategy not in {*strategies(), *presets()}:
        problem = noop(
            "The link's strategy {strategy} was passed over: it is not there."
        )
        return Asked(problem=_(problem, strategy=quoted(strategy)))
    return Asked(strategy=strategy)


def keep_address(view: str, asked: Asked) -> None:
    """Let the address say which view is shown, and no longer what only the other one shows."""
    if view == GLOSSARY:
        view_in_address = "" if asked.term else GLOSSARY
        keep_in_address({STRATEGY: "", FIND: "", view_part(): view_in_address})
    else:
        keep_in_address({TERM: "", SEARCH: "", view_part(): ""})
        if asked.strategy:
            keep_in_address({FIND: ""})


def say_problem(asked: Asked) -> None:
    """Say what the address asked for in vain."""
    if asked.problem:
        show_not_there(asked.problem)


def search_field(label: str, placeholder: str, key: str, part: str) -> str:
    """Draw a field to search in, which begins with what the address asks for in ``part`` and keeps it there; return
    what is searched."""
    begin_with(key, st.query_params.get(part, "")[:MAX_TEXT_CHARS])
    search = st.text_input(
        label, key=key, icon=":material/search:", placeholder=placeholder
    )
    keep_in_address({part: search})
    return search


class Meaning(NamedTuple):
    """A name, as an element, what stands small below it (may be empty), and what it means."""

    name: Markup
    note: str
    meaning: str


def meanings_html(meanings: Iterable[Meaning]) -> Markup:
    """Return them as a list; on a phone what one means stands below its name."""
    return element("dl", *map(_row, meanings), class_="memviz-meanings")


def _row(meaning: Meaning) -> Markup:
    name = [meaning.name]
    if meaning.note:
        name += [Markup(" "), element("small", meaning.note)]
    return element("div", element("dt", *name), element("dd", meaning.meaning))


SEARCH_KEY = "guide-search"


def glossary_view(word: str) -> None:
    """Draw the entry of ``word`` first, if any, then all words that hold what is searched."""
    if word:
        with box("guide-asked"):
            st.html(_list([glossary()[word]]))
    search = search_field(
        _("Search the glossary"),
        _("A word, or part of its meaning"),
        SEARCH_KEY,
        SEARCH,
    )
    entries = [entry for entry in shown_terms().values() if entry.matches(search)]
    if entries:
        st.html(_list(entries))
    else:
        show_info(
            _("No word, and no meaning, holds that. Search for another word."),
            ":material/search_off:",
        )


def _list(entries: Iterable[Entry]) -> Markup:
    return meanings_html(map(_meaning, entries))


def _meaning(entry: Entry) -> Meaning:
    forms = entry.other_names
    link = element(
        "a", entry.name, href=address(entry.term), title=_("The address of this word")
    )
    note = _("also: {forms}", forms=comma_list(forms)) if forms else ""
    return Meaning(link, note, entry.explained)
