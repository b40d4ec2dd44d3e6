"""The glossary: every word with its meaning, a search, and the word that the address asks for."""

from collections.abc import Iterable
from html import escape
from typing import NamedTuple

import streamlit as st

from memviz.dashboard.guide.glossary import Entry, glossary, shown_terms
from memviz.dashboard.ui.guide.views import SEARCH
from memviz.dashboard.ui.shell.linked import MAX_TEXT_CHARS, keep_in_address
from memviz.dashboard.ui.shell.state import begin_with
from memviz.dashboard.ui.shell.terms import address


class Meaning(NamedTuple):
    """A name as HTML, what stands small below it, and what it means, both as text."""

    name_html: str
    note: str
    meaning: str


def meanings_html(meanings: Iterable[Meaning]) -> str:
    """The list as HTML; on a phone what it means stands below the name."""
    return f'<dl class="memviz-meanings">{"".join(map(_row, meanings))}</dl>'


def _row(one: Meaning) -> str:
    note = f" <small>{escape(one.note)}</small>" if one.note else ""
    return f"<div><dt>{one.name_html}{note}</dt><dd>{escape(one.meaning)}</dd></div>"


SEARCH_KEY = "guide-search"


def glossary_view(asked: str) -> None:
    """The word that is ``asked`` for first, if any, then all words that hold what is searched."""
    begin_with(SEARCH_KEY, st.query_params.get(SEARCH, "")[:MAX_TEXT_CHARS])
    if asked:
        with st.container(border=True, key="guide-asked"):
            st.html(_list([glossary()[asked]]))
    search = st.text_input(
        "Search the glossary",
        key=SEARCH_KEY,
        icon=":material/search:",
        placeholder="A word, or part of its meaning",
    )
    keep_in_address({SEARCH: search})
    found = [one for one in shown_terms().values() if one.matches(search)]
    if found:
        st.html(_list(found))
    else:
        st.info(
            "No word, and no meaning, holds that. Search for another word.",
            icon=":material/search_off:",
        )


def _list(entries: Iterable[Entry]) -> str:
    return meanings_html(map(_meaning, entries))


def _meaning(one: Entry) -> Meaning:
    link = f'<a href="{escape(address(one.term))}" title="The address of this word">{escape(one.term)}</a>'
    return Meaning(
        link, f"also: {', '.join(one.also)}" if one.also else "", one.meaning
    )
