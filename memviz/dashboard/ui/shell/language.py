"""The language of a visitor: the one that the address names, else the one that was chosen, else the browser's."""

from dataclasses import dataclass, field

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from memviz.core.recently_used import RecentlyUsed
from memviz.core.translation import (
    ENGLISH,
    ask_for_language,
    known_language,
    language_now,
    languages,
)
from memviz.dashboard.ui.shell.elements import quiet_button
from memviz.dashboard.ui.shell.linked import (
    LANG,
    address_now,
    is_own_address,
    keep_in_address,
)
from memviz.dashboard.ui.shell.state import of_session

SESSIONS_KEPT = 10_000
LANGUAGE_KEY = "language"


@dataclass
class Reading:
    """The language in which a browser session reads the pages."""

    chosen: str = ""
    """The one that an address or the visitor asked for, empty as long as nobody has."""
    taken: list[str] = field(default_factory=list)
    """The languages that the address named when it was read last."""


_of_sessions: RecentlyUsed[str, str] = RecentlyUsed(SESSIONS_KEPT)
"""The languages of sessions by their ids. A fragment runs without the top of the page, and Streamlit's own state may
end a run where it is looked at, which a text must never do."""


def _reading() -> Reading:
    return of_session("reading", Reading)


def _language_of_session() -> str:
    context = get_script_run_ctx(suppress_warning=True)
    return ENGLISH if context is None else language_of(context.session_id)


def language_of(session_id: str) -> str:
    """Return the language in which a browser session reads."""
    return _of_sessions.peek(session_id) or ENGLISH


ask_for_language(_language_of_session)


def take_language() -> None:
    """Read the pages in the language that the visitor wants. To be called before anything is drawn."""
    reading = _reading()
    query = address_now()
    if query and not is_own_address(query):
        # A page that does not write its address keeps what a link said there.
        codes = query.get(LANG, [])
        if codes and codes != reading.taken:
            reading.chosen = known_language(codes[0]) or reading.chosen
        reading.taken = codes
    context = get_script_run_ctx()
    if context is not None:
        code = reading.chosen or known_language(st.context.locale or "") or ENGLISH
        _of_sessions.put(context.session_id, code)


def language_part() -> tuple[str, str]:
    """Return the part of a link that says the language; its text is empty where the browser's own is read."""
    return LANG, _reading().chosen


def choose_language() -> None:
    """Draw a button for each language in which the page is not read now. What draws the page is run anew by a click on
    one."""
    reading = _reading()
    for code, name in languages().items():
        if code == language_now():
            continue
        if quiet_button(name, f"{LANGUAGE_KEY}-{code}", ":material/translate:"):
            reading.chosen = code
            if LANG in st.query_params:
                keep_in_address({LANG: code})
                reading.taken = [code]
            st.rerun()
