"""A view of the study pages as the query of an address, and back: what one visitor sees, another can open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from time import time
from typing import Any, TypeVar
from urllib.parse import parse_qs, parse_qsl, urlencode

import streamlit as st

from memviz.core.bounds import quoted, read_json, whole_number
from memviz.core.counters import counter
from memviz.core.errors import MemvizError
from memviz.core.text.address_parts import recall_part, setting_part
from memviz.dashboard.ui.controls.selected_request import (
    choose_request,
    chosen_call,
    chosen_turn,
)
from memviz.dashboard.ui.controls.study import MAX_SETTINGS, AddedRecall, CompareState
from memviz.dashboard.ui.shell.linked import (
    Query,
    address_now,
    ask_linked,
    forget_own,
    is_own,
    note_own,
    shown_parts,
)
from memviz.dashboard.ui.shell.presenting import PRESENTED_PARTS, presented_parts
from memviz.dashboard.ui.shell.state import set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.recall import parse_numbers
from memviz.models.names import RECORDED_FIRST
from memviz.models.registry import is_like_a_key
from memviz.storage.workspace import Workspace
from memviz.strategies import strategy

T = TypeVar("T")
CONVERSATION, FIRST, SETTING, AS_WRITTEN, COUNTER, RECALL, REPLIES, TAKE, LOOK, TURN, CALL = (
    "conversation", "first", "setting", "as-written", "counter", "recall", "replies", "take", "look", "turn", "call"
)  # fmt: skip
ALL_MESSAGES = "all"
STAGE = "stage"
"""Whether a link plays the requests on the stage; read before the page is drawn, like its view."""
SUMMARIZER, CHAT_MODEL = "summarizer", "chat-model"
"""Parts of a link, and the pickers of these models; the key of their names' control is ``{part}-name``."""
KNOWN = (
    CONVERSATION,
    FIRST,
    SETTING,
    AS_WRITTEN,
    COUNTER,
    RECALL,
    REPLIES,
    TAKE,
    LOOK,
    TURN,
    CALL,
    SUMMARIZER,
    CHAT_MODEL,
    "view",
    STAGE,
    *PRESENTED_PARTS,
)
HELD_CHAT = "chat"
"""What a link looks at where that is the chat as it was held, which is none of the settings."""
MAX_NAME_CHARS = 200
FREE_RUN = "free-run"
MAX_RECALLS, MAX_TAKES, MOST_NAMED = 100, 50, 3
Pairs = Iterable[tuple[str, str]]


def link_query(
    state: CompareState,
    turn: int | None,
    models: Pairs = (),
    parts: Pairs = (),
    *,
    call: int | None = None,
) -> str:
    """Return the query (without question mark) of an address that opens what ``state`` shows, at this turn, and at this
    call of it (``None``: the last one). ``models`` are names by :data:`SUMMARIZER` and :data:`CHAT_MODEL`, ``parts``
    what else is open on the page.

    Keys, base URLs and reworded summaries are not in it: they stay with the visitor."""
    query = link_parts(state, turn, call=call)
    for part, name in models:
        if name and name != RECORDED_FIRST and _is_model_name(name):
            query.append((part, name))
    query += [(name, text) for name, text in parts if text]
    return urlencode(query)


def link_parts(
    state: CompareState, turn: int | None, *, call: int | None = None
) -> list[tuple[str, str]]:
    """Return the parts of such an address that are settled by ``state`` and the request, for a link on a page of
    memviz."""
    return [(name, text) for name, text in _pairs(state, turn, call) if text]


def _is_model_name(name: str) -> bool:
    """Return true if it may stand in a link. A key that was typed into the wrong field may not."""
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
                f"The link's {part} was passed over: it is not the name of a model."
            )
    return names, problems


def _pairs(
    state: CompareState, turn: int | None, call: int | None
) -> Iterator[tuple[str, str]]:
    yield CONVERSATION, state.conversation_id or ""
    if state.conversation_id in state.firsts:
        yield FIRST, str(state.first or ALL_MESSAGES)
    for setting in state.settings:
        yield SETTING, setting_part(setting.strategy_id, setting.parameters)
    numbers = {}
    looks = {MAX_SETTINGS: HELD_CHAT}
    for number, setting in enumerate(state.settings):
        numbers[setting.uid] = number
        looks[setting.index] = str(number)
        if setting.as_written:
            yield AS_WRITTEN, str(number)
    yield COUNTER, state.counter
    for recall in state.recalls:
        whose = None if recall.uid is None else numbers.get(recall.uid)
        yield RECALL, recall_part(recall.turn, recall.turns, whose)
    if state.free_run:
        yield REPLIES, FREE_RUN
    if state.take:
        yield TAKE, str(state.take)
    if state.looked_at in looks:
        yield LOOK, looks[state.looked_at]
    if turn:
        yield TURN, str(turn)
        yield CALL, str(call or "")


def open_link(state: CompareState, query: Query) -> tuple[int | None, list[str]]:
    """Make ``state`` what the query says; returns the turn, and a sentence for each part of
    it that cannot be used."""
    problems: list[str] = []

    def parts(name: str, read: Callable[[str], T], at_most: int = 1) -> list[T]:
        found = []
        asked = query.get(name, ())
        if len(asked) > at_most > 1:
            problems.append(_left_out(name, asked[at_most:], at_most))
        for text in asked[:at_most]:
            try:
                found.append(read(text))
            except (MemvizError, ValueError, IndexError) as error:
                problems.append(_passed_over(name, text, error))
        return found

    def part(name: str, read: Callable[[str], T], default: T) -> T:
        found = parts(name, read)
        return found[0] if found else default

    settings = parts(SETTING, _setting, MAX_SETTINGS)
    if settings:
        state.settings = []
        for strategy_id, parameters in settings:
            state.add(strategy_id, parameters)
        for setting in parts(
            AS_WRITTEN, lambda text: state.settings[whole_number(text)], MAX_SETTINGS
        ):
            setting.as_written = True
    state.open(next(iter(query.get(CONVERSATION, ())), state.conversation_id))
    for first in parts(FIRST, _first):
        state.firsts[state.conversation_id or ""] = first
    state.counter = part(COUNTER, lambda text: counter(text).name, state.counter)
    uids = [setting.uid for setting in state.settings]
    state.recalls = parts(RECALL, lambda text: _recall(text, uids), MAX_RECALLS)
    state.free_run = FREE_RUN in query.get(REPLIES, ())
    state.take = part(TAKE, lambda text: range(MAX_TAKES)[whole_number(text)], 0)
    state.looked_at = part(LOOK, partial(_looked_at, state), None)
    return part(TURN, whole_number, None), problems


def _passed_over(name: str, text: str, error: Exception) -> str:
    return f"The link's {name} {quoted(text)} was passed over: {error}"


def _first(text: str) -> int | None:
    """Return the number of messages of a long conversation that a link shows; ``None`` for all of them."""
    return None if text == ALL_MESSAGES else max(1, whole_number(text))


def named_call(query: Query) -> tuple[int | None, list[str]]:
    """Return the call of its turn that a link opens, ``None`` for the last one, and a sentence if what it names is no
    number."""
    for text in query.get(CALL, ())[:1]:
        try:
            return whole_number(text) or None, []
        except ValueError as error:
            return None, [_passed_over(CALL, text, error)]
    return None, []


def _looked_at(state: CompareState, text: str) -> int | None:
    if text == HELD_CHAT:
        return MAX_SETTINGS
    return state.settings[whole_number(text)].index


def _left_out(name: str, texts: Sequence[str], at_most: int) -> str:
    """Return the sentence on parts of a link that are too many."""
    named = ", ".join(map(quoted, texts[:MOST_NAMED]))
    more = f" and {len(texts) - MOST_NAMED:,} more" if len(texts) > MOST_NAMED else ""
    return f"A link holds at most {at_most} {name}s, so of this one {named}{more} were left out."


def _setting(text: str) -> tuple[str, dict[str, Any]]:
    strategy_id, _, parameters = text.partition(" ")
    values = read_json(parameters) if parameters else {}
    if not isinstance(values, dict):
        raise ValueError("its parameters are not an object of names and values.")
    strategy(strategy_id, **values)
    return strategy_id, values


def _recall(text: str, uids: Sequence[int | str]) -> AddedRecall:
    turn, turns, *whose = text.split(" ")
    uid = uids[whole_number(whose[0])] if whose else None
    return AddedRecall(whole_number(turn), parse_numbers(turns), uid)


OPENED_KEY, OPENED_COUNT_KEY = "opened-link", "opened-link-count"
LINK_HELP = "Opens what this page shows for anybody who can reach this server. Keys and base URLs are not in it."
_HTML = '<button type="button">Copy link</button>'
_CSS = """
button {
    font: inherit; font-size: 0.875rem; color: inherit; background: transparent; cursor: pointer;
    white-space: nowrap; width: 100%;
    border: 1px solid color-mix(in srgb, currentColor 25%, transparent);
    border-radius: var(--st-button-radius, 0.5rem); padding: 0.4rem 0.75rem;
}
button:hover { border-color: var(--st-primary-color); color: var(--st-primary-color); }
"""
# The address of the page is the link as well, so that a reload shows what was there. It replaces the one before:
# *Back* leads to the page before, not through every value that a slider had.
_WRITE_ADDRESS = """
function writeAddress(place, data) {
    place.path ??= location.pathname;
    // Of several places that write it the one that was drawn last knows what the page shows.
    if (location.pathname !== place.path || data.at < (window.memvizAddressAt ?? 0)) return;
    window.memvizAddressAt = data.at;
    // Whether the page is embedded is Streamlit's part of the address, and stays as it is.
    const embed = location.search.slice(1).split("&").filter((part) => /^embed(_options)?=/i.test(part));
    const query = "?" + [data.query, ...embed].filter(Boolean).join("&");
    if (location.search !== query) history.replaceState(history.state, "", location.pathname + query);
}
"""
_ADDRESS_JS = """
export default function ({ parentElement, data }) {
    writeAddress(parentElement.querySelector("span"), data);
}
"""
# The clipboard is there on secure pages and on this machine only; elsewhere the browser copies a selection. The server
# is asked for the link when it is clicked: what was changed within a fragment did not draw this button again.
_COPY_JS = """
const ANSWER_MILLISECONDS = 3000; // a browser allows copying for some 5 seconds after a click

export default function ({ parentElement, data, setTriggerValue }) {
    const button = parentElement.querySelector("button");
    const select = (text) => {
        const area = document.createElement("textarea");
        area.value = text;
        document.body.append(area);
        area.select();
        const done = document.execCommand("copy");
        area.remove();
        return done ? Promise.resolve() : Promise.reject();
    };
    button.query = data.query;
    writeAddress(button, data);
    if (button.asked !== undefined && button.asked === data.asked) button.answered();
    button.title = data.help;
    button.onclick = async () => {
        await new Promise((resolve) => {
            button.asked = Date.now() % 1e9;
            button.answered = resolve;
            setTimeout(resolve, ANSWER_MILLISECONDS);
            setTriggerValue("asked", button.asked);
        });
        const address = location.origin + location.pathname + "?" + button.query;
        const copied = navigator.clipboard ? navigator.clipboard.writeText(address) : select(address);
        copied.then(() => { button.textContent = "Copied"; }, () => { prompt("Copy this address", address); });
        setTimeout(() => { button.textContent = "Copy link"; }, 2000);
    };
}
"""
_copy_button = st.components.v2.component(
    "memviz_copy_link", html=_HTML, css=_CSS, js=_WRITE_ADDRESS + _COPY_JS
)
_address = st.components.v2.component(
    "memviz_address", html="<span></span>", js=_WRITE_ADDRESS + _ADDRESS_JS
)


@st.fragment
def copy_link(state: CompareState, key: str, *, with_request: bool = False) -> None:
    """A button that puts the address of this view into the clipboard, as it is when the button is clicked, and that
    address in the browser. ``with_request``: the page looks at one request, and the address opens it."""
    asked = (widget_value(key) or {}).get("asked")
    data = shown_now(state, with_request=with_request)
    _copy_button(
        data={**data, "asked": asked, "help": LINK_HELP},
        key=key,
        on_asked_change=_nothing,
    )


def keep_address(state: CompareState, key: str) -> None:
    """Write the address of this view, with its request, into the browser. For the end of a fragment that changes what
    is shown: the button of :func:`copy_link` stands outside of it and is not drawn again."""
    _address(data=shown_now(state, with_request=True), key=key)


def shown_now(state: CompareState, *, with_request: bool) -> dict[str, Any]:
    """Return the query of what the page shows, and when that was, for who writes it into the address."""
    models = [
        (part, widget_value(f"{part}-name") or "") for part in (SUMMARIZER, CHAT_MODEL)
    ]
    query = link_query(
        state,
        chosen_turn() if with_request else None,
        models,
        [*shown_parts(), *presented_parts()],
        call=chosen_call() if with_request else None,
    )
    note_own(query)
    return {"query": query, "at": time()}


def follow(page: str, query: str) -> None:
    """Go to a page, the file ``page`` below ``pages/``, and open there what ``query`` says, also where the session
    opened or wrote the same before."""
    follow_again(parse_qsl(query))
    st.switch_page(f"pages/{page}.py", query_params=parse_qs(query))


def _nothing() -> None:
    """The button's fragment is drawn again after a click on it, and that is all that it takes."""


def is_link_opened() -> bool:
    """Return true if the address of the page asks for something that was not shown yet. Once :func:`open_shared_view`
    has shown it, it does not."""
    query = address_now()
    return bool(query) and query != widget_value(OPENED_KEY) and not is_own(query)


def follow_again(parts: Iterable[tuple[str, str]]) -> None:
    """A link of these parts, offered by a page of memviz, opens what it names also where it was followed before."""
    query = parse_qs(urlencode([*parts]))
    if widget_value(OPENED_KEY) == query:
        set_widget(OPENED_KEY, None)
    forget_own(query)


def links_opened() -> int:
    """Return the number of links that this session has opened: controls that are to begin anew after each have it in
    their key."""
    return widget_value(OPENED_COUNT_KEY) or 0


def open_shared_view(workspace: Workspace, state: CompareState) -> bool:
    """Show what the address of the page asks for, once in a session; what it asks for in vain is said. An address that
    the session's own page wrote asks for nothing. Returns whether anything was opened.
    """
    if not is_link_opened():
        return False
    query = address_now()
    set_widget(OPENED_KEY, query)
    set_widget(OPENED_COUNT_KEY, links_opened() + 1)
    before = state.conversation_id
    turn, problems = open_link(state, query)
    names, wrong_names = named_models(query)
    call, wrong_call = named_call(query)
    problems += [*wrong_names, *wrong_call]
    for part, name in names.items():
        set_widget(f"{part}-name", name)
    state.linked_summarizer = names.get(SUMMARIZER)
    ask_linked(query, KNOWN)
    if state.conversation_id is not None and not workspace.store.exists(
        state.conversation_id
    ):
        problems.append(
            "The conversation of the link is not on this server, or was deleted."
        )
        state.open(before)
    if turn is not None:
        choose_request(turn, call)
    for problem in problems:
        st.warning(plain(problem), icon=":material/link_off:")
    return True
