"""The address of the study pages.

What a session shows is written into the address, and what the address asks for is shown:
what one visitor sees, another can open, present, or show in a frame of another page.
"""

from collections.abc import Callable, Iterable
from time import time
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode

import streamlit as st

from memviz.core.translation import _, noop, script_words
from memviz.dashboard.lessons.study import STUDY_PARTS, Query, View, parts_of, read_view
from memviz.dashboard.stage.files import controls_style, copy_script, own_text
from memviz.dashboard.ui.controls.selected_request import (
    choose_request,
    chosen_call,
    chosen_turn,
    follow_link,
)
from memviz.dashboard.ui.controls.study import CompareState, compare_state
from memviz.dashboard.ui.shell import views as page_views
from memviz.dashboard.ui.shell.frame import store
from memviz.dashboard.ui.shell.linked import (
    address_now,
    ask_linked,
    forget_own_address,
    is_own_address,
    note_own_address,
    show_not_there,
    shown_parts,
)
from memviz.dashboard.ui.shell.presenting import PRESENTED_PARTS, VIEW, presented_parts
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.models.names import RECORDED_FIRST
from memviz.models.registry import is_like_a_key

STAGE = "stage"
"""The part of a link that plays the requests on the stage; read before the page is drawn, like its view."""
SUMMARIZER = "summarizer"
CHAT_MODEL = "chat-model"
"""Parts of a link, and the pickers of these models; the key of their names' control is ``{part}-name``."""
KNOWN = (*STUDY_PARTS, SUMMARIZER, CHAT_MODEL, VIEW, STAGE, *PRESENTED_PARTS)
"""Parts that are read here. The others belong to controls of the page."""
MAX_NAME_CHARS = 200
Pairs = Iterable[tuple[str, str]]
OPENED_KEY = "opened-link"
OPENED_COUNT_KEY = "opened-link-count"
LINK_HELP = noop(
    "Opens what this page shows for anybody who uses this library. Keys and base URLs are not in it."
)
FRAME_HELP = noop(
    "A frame of another page shows memviz only where the server "
    "allows that page: memviz ui --embeddable-by ORIGIN."
)
ADDRESS_JS = f"{copy_script()}\n{own_text(__package__, 'address.js')}\nexport default"
"""The script of components that show the address, without the name of their function."""
ADDRESS_CSS = f"{controls_style()}\n{own_text(__package__, 'address.css')}"
_copy_button = st.components.v2.component(
    "memviz_copy_link",
    html='<div class="copy-link memviz-buttons"><button type="button"></button></div>',
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} copyLink;",
)
_address = st.components.v2.component(
    "memviz_address",
    html="<span></span>",
    js=f"{ADDRESS_JS} keepAddress;",
)
_share = st.components.v2.component(
    "memviz_share",
    html=own_text(__package__, "share.html"),
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} share;",
)
_whole_page = st.components.v2.component(
    "memviz_whole_page",
    html='<p><span></span> <a target="_blank" rel="noopener"></a></p>',
    css=ADDRESS_CSS,
    js=f"{ADDRESS_JS} openWhole;",
)


def link_query(view: View, models: Pairs, parts: Pairs = ()) -> str:
    """Return the query (without question mark) of an address that opens a view. ``models`` are names by
    :data:`SUMMARIZER` and :data:`CHAT_MODEL`, ``parts`` what else is open on the page.

    Keys, base URLs and reworded summaries are not in it: they stay with the visitor."""
    query = parts_of(view)
    query += [
        (part, name)
        for part, name in models
        if name and name != RECORDED_FIRST and _is_model_name(name)
    ]
    query += [(name, text) for name, text in parts if text]
    return urlencode(query)


def _is_model_name(name: str) -> bool:
    """Return true if a name may stand in a link. A key that was typed into the wrong field may not."""
    return (
        len(name) <= MAX_NAME_CHARS and name.isprintable() and not is_like_a_key(name)
    )


def named_models(query: Query) -> tuple[dict[str, str], list[str]]:
    """Return the names of the models that a link's summaries and answers were written by, and a sentence for each that
    cannot be one. Without a name it was :data:`RECORDED_FIRST`."""
    names = {}
    problems = []
    for part in (SUMMARIZER, CHAT_MODEL):
        texts = query.get(part) or [RECORDED_FIRST]
        name = texts[0].strip()
        if _is_model_name(name):
            names[part] = name or RECORDED_FIRST
        else:
            problems.append(
                _(
                    "The link's {part} was passed over: it is not the name of a model.",
                    part=part,
                )
            )
    return names, problems


def open_link(state: CompareState, query: Query) -> tuple[View, list[str]]:
    """Let ``state`` compare what a query asks for; returns the view, and a sentence for each part of it that cannot be
    used."""
    before = state.view()
    view, problems = read_view(query, before)
    state.show(view, keep_settings=view.study.settings is before.study.settings)
    return view, problems


@st.fragment
def copy_link(key: str, *, with_request: bool = False) -> None:
    """Draw a button that puts the address of this view into the clipboard, as it is when the button is clicked, and
    that address in the browser. ``with_request``: the page looks at one request, and the address opens it."""
    asked = (widget_value(key) or {}).get("asked")
    data = shown_now(with_request=with_request)
    _copy_button(
        data={
            **data,
            "asked": asked,
            "help": _(LINK_HELP),
            "words": script_words(ADDRESS_JS),
        },
        key=key,
        on_asked_change=_do_nothing,
    )


def keep_address(key: str) -> None:
    """Write the address of this view, with its request, into the browser. For the end of a fragment that changes what
    is shown: the button of :func:`copy_link` stands outside of it and is not drawn again."""
    _address(data=shown_now(with_request=True), key=key)


def shown_now(*, with_request: bool) -> dict[str, Any]:
    """Return the query of what the page shows, and when that was, for who writes it into the address."""
    state = compare_state()
    models = [
        (part, widget_value(f"{part}-name") or "") for part in (SUMMARIZER, CHAT_MODEL)
    ]
    view = state.view()
    if with_request:
        view = state.view(chosen_turn(), chosen_call())
    query = link_query(view, models, [*shown_parts(), *presented_parts()])
    note_own_address(query)
    return {"query": query, "at": time()}


def follow(page: str, query: str, view: str) -> None:
    """Go to a page, the file ``page`` below ``pages/``, to its ``view`` of this id (empty: the one that it stands at),
    and open there what ``query`` says, also where the session opened or wrote the same before."""
    if view and page in page_views.SWITCHES:
        page_views.ask_view(page_views.SWITCHES[page], view)
    follow_again(parse_qsl(query))
    st.switch_page(f"pages/{page}.py", query_params=parse_qs(query))


def _do_nothing() -> None:
    """Do nothing: a click draws the fragment of its button again, and that is all that is wanted."""


def is_link_opened() -> bool:
    """Return true if the address of the page asks for something that was not shown yet. Once :func:`open_shared_view`
    has shown it, it does not."""
    query = address_now()
    return (
        bool(query) and query != widget_value(OPENED_KEY) and not is_own_address(query)
    )


def follow_again(parts: Iterable[tuple[str, str]]) -> None:
    """Let a link of these parts, which a page of memviz offers, open what it names also where it was followed
    before."""
    query = parse_qs(urlencode([*parts]))
    if widget_value(OPENED_KEY) == query:
        set_widget(OPENED_KEY, None)
    forget_own_address(query)


def links_opened() -> int:
    """Return the number of links that this session has opened: controls that are to begin anew after each have it in
    their key."""
    return widget_value(OPENED_COUNT_KEY) or 0


def open_shared_view() -> bool:
    """Show what the address of the page asks for, once in a session; what it asks for in vain is said. An address that
    the session's own page wrote asks for nothing. Returns whether anything was opened.
    """
    state = compare_state()
    if not is_link_opened():
        return False
    query = address_now()
    set_widget(OPENED_KEY, query)
    set_widget(OPENED_COUNT_KEY, links_opened() + 1)
    before = state.conversation_id
    view, problems = open_link(state, query)
    names, wrong_names = named_models(query)
    problems += wrong_names
    for part, name in names.items():
        set_widget(f"{part}-name", name)
    state.linked_summarizer = names.get(SUMMARIZER)
    ask_linked(query, KNOWN)
    id = state.conversation_id
    if id is not None and not store().exists(id):
        problems.append(
            _("The conversation of the link is not in this library, or was deleted.")
        )
        state.open(before)
    if view.turn is not None:
        choose_request(view.turn, view.call)
        follow_link()
    for problem in problems:
        show_not_there(problem)
    return True


def share_page(keep: Callable[[], object], *, has_link: bool = True) -> None:
    """Draw what shares this page: its link (``has_link``: no button of the page copies
    it), the way before an audience, the code that shows its picture in a frame of another
    page, and what ``keep`` draws."""
    with st.container(gap="xsmall", key="share-choice"):
        words = script_words(ADDRESS_JS)
        data = {
            "help": _(FRAME_HELP),
            "has_link": has_link,
            "link_help": _(LINK_HELP),
            "words": words,
        }
        _share(data=data, key="share")
        keep()


def open_in_memviz(words: str) -> None:
    """Draw one line under a picture that stands in a frame: what it shows, and the way to the whole page in a tab of
    its own."""
    _whole_page(
        data={
            "words": words,
            "open": _("Open in memviz"),
            "query": shown_now(with_request=True)["query"],
        },
        key="open-in-memviz",
    )
