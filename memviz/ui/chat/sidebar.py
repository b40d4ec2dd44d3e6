"""The chat page's sidebar, and the chat that follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial

import streamlit as st

from memviz.engine.chat import Chat
from memviz.errors import DamagedRunError, MemvizError
from memviz.strategies.base import Strategy
from memviz.ui.chat.deleted import start_new
from memviz.ui.chat.desk import ChatDesk, Models
from memviz.ui.controls.conversation_choices import conversation_choices
from memviz.ui.controls.pickers import counter_picker, model_picker
from memviz.ui.controls.progress import Progress
from memviz.ui.controls.resumable_job import stoppable
from memviz.ui.controls.settings_editor import edit_setting, take_over
from memviz.ui.shell.errors import errors_shown, show_error
from memviz.ui.shell.state import ChatState, Setting, chat_state, set_widget, widget_value
from memviz.workspace import Workspace

CONVERSATION_KEY = "chat-conversation"
QUERY_KEY = "chat"
NEW_CHAT = ""
REVIEW_KEY = "chat-review"


def chat_controls(workspace: Workspace, state: ChatState) -> Models:
    """The sidebar: conversation, setting, models, and what is seldom changed."""
    _choose_conversation(workspace, state)
    take_over(state.setting)
    edit_setting(state.setting, live=True)
    _choose_recall_tool(state)
    _choose_review()
    chat_model = model_picker(
        "Chat model", "chat-model", "Who answers. The offline model answers only from what it was sent."
    )
    with st.expander("Summarizer, counter, system prompt", icon=":material/tune:"):
        summarizer = model_picker("Summarizer", "chat-summarizer", "Who writes the summaries.")
        state.counter = counter_picker(state.counter, f"chat-counter-{state.opened}")
        state.system_prompt = st.text_area(
            "System prompt", state.system_prompt, key=f"chat-system-{state.opened}",
            disabled=state.conversation_id is not None,
            help="Sent with every request. It can be set until the first message is sent.",
        )  # fmt: skip
    return Models(chat_model, summarizer)


def _choose_conversation(workspace: Workspace, state: ChatState) -> None:
    linked = st.query_params.get(QUERY_KEY)
    if linked and state.conversation_id is None and state.chat is None and state.opened == 0:
        state.open(linked)
    entries, titles = conversation_choices(workspace, state.conversation_id)
    labels = {NEW_CHAT: "New chat", **titles}
    if state.conversation_id is not None and state.conversation_id not in entries:
        if state.chat is not None and len(state.chat.log):
            state.deleted, labels[state.conversation_id] = True, "Deleted elsewhere"
        else:
            state.missing = True
            state.open(None)
    # A key for each conversation: what the browser still says of the chooser before, when the first message has just
    # made a new chat a saved one, must not count as the visitor's choice of a new chat.
    key = f"{CONVERSATION_KEY}-{state.conversation_id or NEW_CHAT}"
    set_widget(key, state.conversation_id or NEW_CHAT)
    st.selectbox(
        "Conversation", list(labels), format_func=labels.__getitem__, key=key, on_change=_open_chosen, args=(key,),
        help="Start a new chat, or go on where a saved conversation ended.",
    )  # fmt: skip
    st.button("New chat", icon=":material/add_comment:", on_click=start_new, args=(state,), width="stretch")
    if state.conversation_id is None:
        st.query_params.pop(QUERY_KEY, None)
    else:
        st.query_params[QUERY_KEY] = state.conversation_id


def _choose_recall_tool(state: ChatState) -> None:
    """Whether the model may recall by itself. A strategy made for it has its own switch."""
    with suppress(MemvizError):
        if state.setting.build().tool_use.recalls or not state.setting.build().allows_recall:
            state.recall_tool = None
            return
    state.recall_tool = st.toggle(
        "Let the model recall", bool(state.recall_tool), key=f"chat-recall-tool-{state.opened}",
        help="Offers it a tool that brings earlier turns back. The tool's description costs tokens in every request.",
    ) or None  # fmt: skip


def _choose_review() -> None:
    st.toggle(
        "Ask before each summarization", key=REVIEW_KEY, persist_state="session",
        help="Stops before messages are summarized and shows what would be summarized and the proposed summary: use "
        "it, reword it, have it written again with another prompt, or skip it.",
    )  # fmt: skip


def _open_chosen(key: str) -> None:
    chat_state().open(widget_value(key) or None)


def current_chat(workspace: Workspace, state: ChatState, models: Models) -> ChatDesk:
    """The chat under the settings as they stand now. Stops the page with a sentence where that fails."""
    with errors_shown():
        chosen = state.setting.build()
        answering, writing = models.chat.build(), models.summarizer.build()
        if state.chat is None or not len(state.chat.log):
            if state.conversation_id is None:
                prompt = state.system_prompt.strip() or None
                state.chat = Chat(
                    chosen, model=answering, summarizer=writing, counter=state.counter, system_prompt=prompt
                )
            else:
                derive = partial(workspace.derive_chat, state.conversation_id, state.counter, writing, chosen)
                progress = Progress("Deriving the memory from the conversation")
                with _damage_offered(derive), _deriving(models, partial(state.open, None)):
                    state.chat = workspace.resume_chat(
                        state.conversation_id, state.counter, answering, writing, chosen, progress
                    )
                progress.close()
                state.kept_ahead = state.chat.ahead
                if (state.chat.strategy, state.chat.run.counter.name) != (chosen, state.counter):
                    _show_setting_of(state, state.chat)
                    st.rerun()
        state.chat.use(answering, writing)
        state.chat.recall_tool, state.chat.review = state.recall_tool, bool(widget_value(REVIEW_KEY))
        if (state.chat.strategy, state.chat.run.counter.name) != (chosen, state.counter):
            _change_setting(state, state.chat, chosen, models)
            ChatDesk(workspace, state, state.chat, models).save()
        desk = ChatDesk(workspace, state, state.chat, models)
        if state.deleted and not desk.is_gone:  # restored elsewhere as well
            desk.restore()
    desk.save_what_was_refused()
    return desk


@contextmanager
def _damage_offered(derive: Callable[[], None]) -> Iterator[None]:
    """Where it cannot be read how the chat was left, offer to derive its memory from the messages; end the page."""
    try:
        yield
    except DamagedRunError as error:
        show_error(error, "The messages of this chat are all there; what was reworded or undone is lost.")
        if st.button("Derive its memory from the messages", icon=":material/restart_alt:", key="chat-derive"):
            derive()
            st.rerun()
        st.stop()


def _change_setting(state: ChatState, chat: Chat, chosen: Strategy, models: Models) -> None:
    had_decisions, waited = chat.run.has_decisions, chat.proposal is not None
    with _deriving(models, partial(_show_setting_of, state, chat)):
        chat.change_strategy(chosen, state.counter)
    state.going_on = waited and chat.unanswered
    if had_decisions:
        st.toast("What you reworded or undid belonged to the setting before.", icon=":material/info:")


def _deriving(models: Models, on_stop: Callable[[], None]) -> AbstractContextManager[None]:
    return stoppable(
        "Deriving the memory from the conversation", "chat-derive-stop", on_stop,
        is_offline=models.summarizer.is_offline,
    )  # fmt: skip


def _show_setting_of(state: ChatState, chat: Chat) -> None:
    """Make the controls show the setting that the chat is under: it was left with it, or is to stay under it."""
    state.opened += 1
    state.setting = Setting(f"chat-{state.opened}", 0, chat.strategy.id, chat.strategy.model_dump())
    state.counter = chat.run.counter.name
