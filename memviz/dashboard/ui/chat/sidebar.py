"""The chat page's sidebar: conversation, setting, models."""

from collections.abc import Callable
from contextlib import suppress

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.translation import _
from memviz.dashboard.ui.chat.desk import start_new_chat, stores_switches
from memviz.dashboard.ui.controls.chat_state import chat_state
from memviz.dashboard.ui.controls.conversations import conversation_choices
from memviz.dashboard.ui.controls.models_panel import models_panel
from memviz.dashboard.ui.controls.pickers import Models, counter_picker
from memviz.dashboard.ui.controls.settings_editor import edit_parameters, take_over
from memviz.dashboard.ui.controls.strategy_choice import choose_strategy
from memviz.dashboard.ui.controls.vectors import show_budget_for
from memviz.dashboard.ui.shell.elements import button, drawer, switch
from memviz.dashboard.ui.shell.linked import (
    address_now,
    ask_linked,
    keep_in_address,
    linked,
)
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value

QUERY_KEY = "chat"
REVIEW = "review"
MODEL_RECALLS = "model_recalls"
NEW_CHAT = ""


def draw_chat_controls() -> Models:
    """The sidebar: conversation, setting, models, and what is seldom changed."""
    state = chat_state()
    _choose_conversation()
    take_over(state.setting)
    choose_strategy(state.setting)
    edit_parameters(state.setting, live=True, needed_tokens=_tokens_counter())
    _choose_recall_tool()
    _choose_review()
    with suppress(MemvizError):
        show_budget_for([state.setting.build()])
    models = models_panel()
    with drawer(_("More"), ":material/more_horiz:"):
        state.counter = counter_picker(state.counter, f"chat-counter-{state.opened}")
        state.system_prompt = st.text_area(
            _("System prompt"),
            state.system_prompt,
            key=f"chat-system-{state.opened}",
            disabled=state.conversation_id is not None,
            help=_(
                "Sent with every request. It can be set until the first message is sent."
            ),
        )
    return models


def _tokens_counter() -> Callable[[], int] | None:
    """Return what counts the tokens that were said so far; ``None`` if nothing was."""
    chat = chat_state().begun
    if chat is None:
        return None
    memory = chat.memory
    return lambda: int(memory.sums.between(memory.history_start, memory.length))


def _choose_conversation() -> None:
    """Draw the choice of the conversation. A session that has opened none yet begins with the one in the address."""
    state = chat_state()
    if state.conversation_id is None and state.chat is None and state.opened == 0:
        query = address_now()
        switches = {name: query.get(name, []) for name in (REVIEW, MODEL_RECALLS)}
        if any(switches.values()):
            ask_linked(switches, ())
        id_in_address = st.query_params.get(QUERY_KEY)
        if id_in_address:
            state.open(id_in_address)
    entries, titles = conversation_choices(state.conversation_id)
    labels = {NEW_CHAT: _("New chat"), **titles}
    if state.conversation_id is not None and state.conversation_id not in entries:
        if state.begun is not None:
            # It was deleted on another page, or by somebody else: what was said is still there to be read.
            state.deleted = True
            labels[state.conversation_id] = _("Deleted elsewhere")
        else:
            state.missing = True
            state.open(None)
    # A key for each conversation: what the browser still says of the chooser before, when the first message has just
    # made a new chat a saved one, must not count as the visitor's choice of a new chat.
    id = state.conversation_id or NEW_CHAT
    key = f"chat-conversation-{id}"
    set_widget(key, id)
    st.selectbox(
        _("Conversation"),
        list(labels),
        format_func=labels.__getitem__,
        key=key,
        on_change=_open_chosen,
        args=(key,),
        help=_("Start a new chat, or go on where a saved conversation ended."),
    )
    button(
        _("New chat"), None, ":material/add_comment:", start_new_chat, width="stretch"
    )
    keep_in_address({QUERY_KEY: state.conversation_id})


def _choose_recall_tool() -> None:
    """Choose whether the model may recall by itself. A strategy made for it has its own switch. The address holds it,
    since no conversation does."""
    state = chat_state()
    with suppress(MemvizError):
        strategy = state.setting.build()
        if strategy.tool_use.recalls or not strategy.allows_recall:
            state.recall_tool = False
            keep_in_address({MODEL_RECALLS: None})
            return
    state.recall_tool = _linked_switch(
        MODEL_RECALLS,
        _("Let the model recall"),
        f"chat-recall-tool-{state.opened}",
        is_on=state.recall_tool,
        help=_(
            "Offers it a tool that brings earlier turns back. The tool's description costs tokens in every "
            "request."
        ),
    )


def _choose_review() -> None:
    """Choose whether to ask before each summarization. The address holds it as long as no conversation does."""
    state = chat_state()
    state.review = _linked_switch(
        REVIEW,
        _("Ask before summarizing"),
        review_key(),
        is_on=state.review,
        in_address=not stores_switches(state.conversation_id),
        help=_(
            "Stops before messages are summarized and shows what would be summarized and the proposed summary: "
            "use it, reword it, have it written again with another prompt, or skip it."
        ),
    )


def _linked_switch(
    name: str,
    label: str,
    key: str,
    *,
    is_on: bool,
    help: str,
    in_address: bool = True,
) -> bool:
    """Draw a switch that the address may turn, under this ``name``, and that it holds where it is ``in_address``; else
    it begins as ``is_on``."""
    linked(name, key, [False, True])
    begin_with(key, is_on)
    is_on = switch(label, key=key, help=help)
    keep_in_address({name: str(True) if is_on and in_address else None})
    return is_on


def review_key() -> str:
    """Return the key of the switch that asks before each summarization. It belongs to the conversation."""
    return f"chat-review-{chat_state().opened}"


def _open_chosen(key: str) -> None:
    chat_state().open(widget_value(key) or None)
