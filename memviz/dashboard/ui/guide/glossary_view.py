"""The glossary: every word with its meaning, a search, and the word that the address asks for."""

from collections.abc import Iterable
from typing import NamedTuple

import streamlit as st
from markupsafe import Markup

from memviz.core.text.wording import COMMA
from memviz.core.translation import _
from memviz.dashboard.guide.glossary import Entry, glossary, shown_terms
from memviz.dashboard.markup import element
from memviz.dashboard.ui.guide.views import SEARCH, search_field
from memviz.dashboard.ui.shell.terms import address


class Meaning(NamedTuple):
    """A name, as an element, what stands small below it (may be empty), and what it means."""

    name: Markup
    note: str
    meaning: str


def meanings_html(meanings: Iterable[Meaning]) -> Markup:
    """Return them as a list; on a phone what one means stands below its name."""
    return element("dl", *map(_row, meanings), class_="memviz-meanings")


def _row(one: Meaning) -> Markup:
    name = [one.name]
    if one.note:
        name += [Markup(" "), element("small", one.note)]
    return element("div", element("dt", *name), element("dd", one.meaning))


SEARCH_KEY = "guide-search"


def glossary_view(asked: str) -> None:
    """The word that is ``asked`` for first, if any, then all words that hold what is searched."""
    if asked:
        with st.container(border=True, key="guide-asked"):
            st.html(_list([glossary()[asked]]))
    search = search_field(
        _("Search the glossary"),
        _("A word, or part of its meaning"),
        SEARCH_KEY,
        SEARCH,
    )
    found = [one for one in shown_terms().values() if one.matches(search)]
    if found:
        st.html(_list(found))
    else:
        st.info(
            _("No word, and no meaning, holds that. Search for another word."),
            icon=":material/search_off:",
        )


def _list(entries: Iterable[Entry]) -> Markup:
    return meanings_html(map(_meaning, entries))


def _meaning(one: Entry) -> Meaning:
    forms = one.other_names
    link = element(
        "a", one.name, href=address(one.term), title=_("The address of this word")
    )
    note = _("also: {forms}", forms=_(COMMA).join(forms)) if forms else ""
    return Meaning(link, note, one.explained)
