"""Bring earlier turns back: choose them, see what they will cost, and send them with the next message."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.text.wording import comma_list, counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.ui.chat.desk import ChatDesk
from memviz.dashboard.ui.shell.elements import (
    box,
    buttons_row,
    error_shown,
    main_button,
    popup,
    quiet_button,
)
from memviz.dashboard.ui.shell.state import set_widget
from memviz.dashboard.words import shorten
from memviz.dashboard.words.requests import message_words, role_name
from memviz.engine.chat import Chat
from memviz.engine.recall import Recall, parse_numbers
from memviz.engine.recalling import Waiting

TURNS_KEY = "recall-turns"
LAST_KEY = "recall-last"
WORDS_KEY = "recall-words"
PREVIEW_CHARS = 90
MAX_PREVIEWED = 8
HOW_TO_CHOOSE = noop(
    "Name turns, a number of messages, or words. What is found is shown here first."
)
WAITING_HELP = noop(
    "In the next request only. They are sent right before your message; those that the history holds "
    "cleared or shortened are sent in full at their place in it."
)


def draw_recall_tray(desk: ChatDesk) -> None:
    """Show what waits for the next request, and the controls that add to it."""
    state = desk.state
    chat = desk.chat
    if not chat.log.turn_count:
        return
    if state.kept_ahead != chat.ahead:  # it has to be there after a restart as well
        state.kept_ahead = chat.ahead
        desk.save()
    waiting = chat.waiting
    if waiting.recalled.asked:
        _draw_waiting(chat, waiting)
    if not chat.strategy.allows_recall:
        st.caption(
            _(
                "Recall is switched off in this setting: turn on Enable recall to bring turns back."
            )
        )
        return
    with popup(_("Recall earlier turns"), ":material/history:"):
        _choose_recall(desk)


def _choose_recall(desk: ChatDesk) -> None:
    turns = st.text_input(
        _("Turns"),
        key=TURNS_KEY,
        placeholder="1, 3-5",
        help=_("Whole turns, by number."),
    )
    last = st.number_input(
        _("Last messages"),
        0,
        key=LAST_KEY,
        help=_("The newest messages, however many turns they are."),
    )
    words = st.text_input(
        _("Words"),
        key=WORDS_KEY,
        placeholder=_("budget, Mira"),
        help=_("Messages that hold any of these, separated by commas."),
    )
    with error_shown():
        parts = _recall_arguments(turns, last, words)
        if not parts:
            st.caption(_(HOW_TO_CHOOSE))
            return
        selection = desk.chat.find(Recall(**parts))
        if selection.missing:
            st.caption(_missing_words(selection.missing))
        _draw_previews(desk.chat, selection.indices)
        messages = counted(selection.indices, "message")
        main_button(
            _("Recall {messages}", messages=messages),
            None,
            ":material/history:",
            _recall,
            desk,
            parts,
            disabled=not selection.indices,
        )


def _recall_arguments(turns: str, last: int, words: str) -> dict[str, Any]:
    """Return the arguments of a recall; empty when nothing is asked for."""
    stripped_words = map(str.strip, words.split(","))
    parts = {
        "turns": parse_numbers(turns),
        "last_n": last or None,
        "keywords": tuple(filter(None, stripped_words)),
    }
    return parts if any(parts.values()) else {}


def _recall(desk: ChatDesk, parts: dict[str, Any]) -> None:
    try:
        desk.chat.recall(**parts)
    except MemvizError as error:  # the setting was changed meanwhile
        desk.state.error = error
    set_widget(TURNS_KEY, "")
    set_widget(LAST_KEY, 0)
    set_widget(WORDS_KEY, "")


def _draw_waiting(chat: Chat, waiting: Waiting) -> None:
    """Show what goes along, what need not, and what did not fit."""
    recalled = _("Recalled")
    if waiting.fresh:
        recalled = _(
            "{messages} recalled, {tokens}",
            messages=counted(waiting.fresh, "message"),
            tokens=counted(waiting.tokens, "token"),
        )
    with box():
        st.badge(
            recalled, color="orange", icon=":material/history:", help=_(WAITING_HELP)
        )
        _draw_previews(chat, waiting.fresh)
        for sentence in _describe_waiting(waiting):
            st.caption(sentence)
        with buttons_row():
            _draw_waiting_buttons(chat, waiting.recalled.indices)


def _draw_waiting_buttons(chat: Chat, recalled: Sequence[int]) -> None:
    quiet_button(
        _("Clear"),
        "recall-clear",
        ":material/close:",
        _clear,
        chat,
        help=_("Recall nothing, and pin nothing."),
    )
    pinned = set(chat.pinned)
    if pinned != set(recalled):
        quiet_button(
            _("Pin"),
            "recall-pin",
            ":material/keep:",
            _pin,
            chat,
            recalled,
            help=_("Send them with every request."),
        )
    if pinned:
        quiet_button(
            _("Unpin"),
            "recall-unpin",
            ":material/keep_off:",
            chat.unpin,
            chat.pinned,
            help=_(
                "{messages} pinned: no longer with every request.",
                messages=counted(pinned, "message"),
            ),
        )


def _describe_waiting(waiting: Waiting) -> Iterator[str]:
    if waiting.undecided:
        yield _(
            "{messages} more: whether they are sent word for word anyway depends on your next message. If not, "
            "they are recalled too, so none is missing.",
            messages=counted(waiting.undecided, "message"),
        )
    if waiting.held:
        yield _(
            "{messages} asked for, but sent word for word anyway: not sent twice.",
            messages=counted(waiting.held, "message"),
        )
    if waiting.recalled.cut:
        yield _(
            "{messages} too many: kept were those named by number, then the newest.",
            messages=counted(waiting.recalled.cut, "message"),
        )
    if waiting.recalled.missing:
        yield _missing_words(waiting.recalled.missing)


def _missing_words(missing: Sequence[str]) -> str:
    return _("Not in this conversation: {names}.", names=comma_list(missing))


def _pin(chat: Chat, positions: Iterable[int]) -> None:
    chat.pin(positions)
    chat.clear_recalled()  # pinned messages need no recall any more


def _clear(chat: Chat) -> None:
    chat.clear_recalled()
    chat.unpin(chat.pinned)


def _draw_previews(chat: Chat, positions: Sequence[int]) -> None:
    if positions:
        st.text("\n".join(_preview_messages(chat, positions)))


def _preview_messages(chat: Chat, positions: Sequence[int]) -> Iterator[str]:
    for position in positions[:MAX_PREVIEWED]:
        message = chat.log[position]
        yield _(
            "{number:,} · {role}: {words}",
            number=message_number(position),
            role=role_name(message.role),
            words=shorten(message_words(message), PREVIEW_CHARS),
        )
    more = len(positions) - MAX_PREVIEWED
    if more > 0:
        yield _("and {more} more", more=more)


def draw_recall_turn_button(desk: ChatDesk, turn: int) -> None:
    """Draw the button under a turn that brings it back with one click, or pins it before it is dropped."""
    quiet_button(
        _("Recall"),
        f"recall-turn-{turn}",
        ":material/history:",
        _recall,
        desk,
        {"turns": (turn,)},
        help=_("Send turn {turn} with your next message, or pin it.", turn=turn),
    )
