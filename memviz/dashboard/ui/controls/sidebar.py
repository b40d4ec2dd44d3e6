"""The sidebar of the pages of analysis: one conversation under up to six settings. Choosing it on one page chooses it
on all of them, and a setting keeps its colour."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core import page_titles
from memviz.core.counters import counter as find_counter
from memviz.core.errors import MemvizError
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.lessons.study import MAX_SETTINGS
from memviz.dashboard.ui.controls.conversations import (
    conversation_choices,
    first_sample,
    size_words,
    studied_conversation,
)
from memviz.dashboard.ui.controls.links import (
    SUMMARIZER,
    links_opened,
    open_shared_view,
)
from memviz.dashboard.ui.controls.models_panel import choose_models, open_models
from memviz.dashboard.ui.controls.pickers import (
    ModelChoice,
    Models,
    counter_picker,
    free_choice,
    model_name_in,
)
from memviz.dashboard.ui.controls.recalls import added_recalls, recalls_label
from memviz.dashboard.ui.controls.replaying import make_runs, run_key
from memviz.dashboard.ui.controls.selected_request import choose_request, look_at_chosen
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.setting_file import COUNTER_KEY, setting_from_file
from memviz.dashboard.ui.controls.setting_rows import mark_row, setting_rows
from memviz.dashboard.ui.controls.study import (
    FREE_RUN,
    REPLAYED,
    REPLIES_KEY,
    compare_state,
)
from memviz.dashboard.ui.shell.elements import error_shown, segments, show_info
from memviz.dashboard.ui.shell.frame import store, workspace
from memviz.dashboard.ui.shell.presence import looks_at
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import bundled_words
from memviz.models.names import OFFLINE, is_free

REPLIES = {REPLAYED: noop("As they were said"), FREE_RUN: noop("Free run")}
REPLIES_WORDS = {
    False: noop("Replies: **as they were said**."),
    True: noop("Replies: **free run**."),
}
REPLIES_HELP = noop(
    "As they were said: every setting is replayed with the conversation's own replies, so only the "
    "memory differs. Free run: a model answers every message under each setting, so you see what it "
    "still knew."
)
TITLE_CHARS = 28
"""A longer title is cut in the chooser, so it stands below it once more."""
MORE = noop("Models and more")
"""The name of the menu of what is seldom changed."""
SHARE_AND_MORE = noop("Models, sharing and more")
"""The name of the panel where it also shares the page."""
CHAT_LABEL = noop("Chat as it was held")


class StudyControls(NamedTuple):
    """The models that were chosen, and the place in their menu for what shares the page."""

    models: Models
    share_place: DeltaGenerator


def study_controls(
    *, replies: bool = False, offer: Callable[[], object] | None = None
) -> StudyControls:
    """The sidebar: conversation, settings, and one menu with models, sharing, and what is
    seldom changed. ``replies``: whether the page can show replies of the settings' own as
    well. ``offer`` draws what else the page has that is seldom changed."""
    state = compare_state()
    _open_link()
    turn_count = _choose_conversation()
    if replies:
        # The rows of the settings, drawn before that control, depend on it.
        state.free_run = is_free_run()
    if state.conversation_id is None:
        labels = setting_rows()
    else:
        labels = setting_rows(_needed_tokens, _writer)
    name = _(SHARE_AND_MORE)
    if state.recalls:
        name = _("Models, sharing and more · {recalls}", recalls=recalls_label())
    sentence = _(REPLIES_WORDS[is_free_run()]) if replies else ""
    panel = open_models(name, sentence)
    share_place = panel.container()
    models = choose_models(
        panel,
        _choose_replies if replies else None,
        partial(_choose_more, labels, turn_count, offer),
    )
    return StudyControls(models, share_place)


def _choose_more(
    labels: dict[int | str, str],
    turn_count: int,
    offer: Callable[[], object] | None,
) -> None:
    """Draw what is seldom changed: recalls, a setting from a file, and the counter."""
    state = compare_state()
    recalls, others = st.columns(2)
    with recalls:
        st.markdown(_("**Recall turns into requests**"), help=tooltip("recall"))
        added_recalls(labels, turn_count)
    with others:
        st.markdown(_("**Settings and counter**"))
        if len(state.settings) < MAX_SETTINGS:
            setting_from_file()
        state.counter = counter_picker(state.counter, COUNTER_KEY)
        if offer is not None:
            offer()
        if state.conversation_id is not None:
            entry = store().entry(state.conversation_id)
            st.markdown(_("**About the conversation**"))
            st.caption(
                plain(bundled_words(entry.description)) or _("It has no description.")
            )


def _open_link() -> None:
    """Open what the address asks for, also where other things were chosen in this session before."""
    state = compare_state()
    if open_shared_view():
        set_widget(COUNTER_KEY, state.counter)
        set_widget(REPLIES_KEY, FREE_RUN if state.free_run else REPLAYED)


def _needed_tokens() -> int:
    """Return the tokens of all that was said in the conversation, without the system messages that it begins with."""
    _transcript, log = studied_conversation()
    totals = log.token_sums(find_counter(compare_state().counter)).totals
    return int(totals[-1] - totals[log.system_stop])


def _writer(setting: Setting) -> str | None:
    """Return the source of a setting's summaries (recorded, the built-in model, not in the recording that was chosen),
    where its conversation has recordings."""
    state = compare_state()
    if state.free_run or not is_free(model_name_in(SUMMARIZER)):
        return None
    with suppress(MemvizError):
        transcript, log = studied_conversation()
        if not setting.build().writes_notes:
            return None
        if not workspace().recordings.has_any(transcript, log):
            return None
        key = run_key(
            workspace(), state, setting, free_choice(model_name_in(SUMMARIZER))
        )
        if key.summarizer == OFFLINE:
            return _("built-in")
        is_recorded = workspace().recordings.plays(
            key.summarizer, transcript, log, key.strategy, key.counter, key.recalls
        )
        return _("recorded") if is_recorded else _("not recorded")
    return None


def counter_and_models() -> Models:
    """Models and token counter, for a page without settings of its own."""
    return choose_models(open_models(_(MORE)), below=_choose_counter)


def _choose_counter() -> None:
    state = compare_state()
    state.counter = counter_picker(state.counter, COUNTER_KEY)


def _choose_replies() -> None:
    # A link may ask for either.
    begin_with(REPLIES_KEY, FREE_RUN if compare_state().free_run else REPLAYED)
    chosen = segments(
        _("Replies"),
        list(REPLIES),
        key=REPLIES_KEY,
        width="stretch",
        format_func=lambda replies: _(REPLIES[replies]),
        help=_(REPLIES_HELP),
    )
    compare_state().free_run = chosen == FREE_RUN


def is_free_run() -> bool:
    """Return true if the replies are to be each setting's own."""
    replies = widget_value(REPLIES_KEY)
    return compare_state().free_run if replies is None else bool(replies == FREE_RUN)


def _choose_conversation() -> int:
    """Draw the choice of the conversation, and return the number of its turns."""
    state = compare_state()
    entries, labels = conversation_choices(state.conversation_id)
    ids = list(entries)
    if state.conversation_id not in ids:
        # It was deleted, or none was chosen yet.
        first = first_sample()
        state.open(first if first in ids else next(iter(ids), None))
    id = st.selectbox(
        _("Conversation"),
        ids,
        index=ids.index(state.conversation_id) if state.conversation_id else None,
        format_func=labels.__getitem__,
        # A new key has the control begin with what a link opened, and not go on with what was chosen.
        key=f"compare-conversation-{links_opened()}",
    )
    if id != state.conversation_id:
        state.open(id)
        choose_request(None)
    if not id:
        return 0
    looks_at()
    entry = entries[id]
    # The control cuts a long title.
    template = noop("{size}.")
    if len(labels[id]) > TITLE_CHARS:
        template = noop("**{title}**, {size}.")
    st.caption(_(template, title=plain(labels[id]), size=size_words([entry])))
    return entry.turn_count


def expect_conversation() -> None:
    """End the page with a sentence where there is nothing to look at."""
    if compare_state().conversation_id is None:
        _end(
            _(
                "There is no conversation yet. Import one in the {library}, or start one in {chat}.",
                library=_(page_titles.LIBRARY),
                chat=_(page_titles.CHAT),
            )
        )
    entry = store().entry(compare_state().conversation_id or "")
    if entry.message_count and not entry.turn_count:
        _end(
            _(
                "This conversation has no message of a user, so no request was ever sent. Choose another one."
            )
        )


def _end(sentence: str) -> None:
    show_info(sentence)
    st.stop()


def setting_runs(summarizer: ModelChoice) -> list[SettingRun]:
    """Return the conversation replayed under every setting and, if it was held in Chat, the chat itself, which alone
    knows of edited summaries."""
    state = compare_state()
    settings = make_runs(workspace(), state, summarizer)
    if workspace().beginning(state.conversation_id or "", state.first) is not None:
        return settings  # the chat as it was held is one of all messages
    with error_shown():
        chat_run = workspace().held_chat(state.conversation_id or "")
        if chat_run is not None:
            label = f"{_(CHAT_LABEL)} · {chat_run.label}"
            settings.append(SettingRun(chat_run, label, MAX_SETTINGS))
    return settings


def say_nothing_yet(settings: Sequence[SettingRun]) -> None:
    """Say why there is nothing to see, where a setting was replayed at all."""
    if settings:
        show_info(
            _(
                "This conversation has no request yet: nobody has said anything to a model."
            )
        )


def choose_setting_run(
    settings: Sequence[SettingRun], key: str, first: int = 0, *, marks: bool = True
) -> SettingRun:
    """Return the setting that is looked at closely. The visitor's choice holds on all pages, and again once a setting
    that waits for its summarizer is back; before there is one it is number ``first``. ``marks``: its row in the sidebar
    is marked, which one place of a page does."""
    state = compare_state()
    numbers = range(len(settings))
    indices = tuple(setting.index for setting in settings)
    number_before = widget_value(key)
    number = number_before if number_before in numbers else first
    if state.looked_at in indices:
        number = indices.index(state.looked_at)
    # Streamlit holds a control's own value against a default: what was chosen elsewhere is written into it.
    if number_before != number:
        set_widget(key, number)
    number = segments(
        _("Setting"),
        numbers,
        format_func=lambda number: settings[number].label,
        key=key,
        on_change=look_at_chosen,
        args=(key, indices),
        label_visibility="collapsed" if len(settings) == 1 else "visible",
    )
    setting = settings[number or 0]
    if marks:
        mark_row(setting.index)
    return setting
