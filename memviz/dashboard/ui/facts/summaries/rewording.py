"""Rewrite a version of a summary, and see what the rest of the conversation would have been like with it."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from memviz.core import page_titles
from memviz.core.errors import MemvizError
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.lessons.study import MAX_SETTINGS
from memviz.dashboard.ui.controls.chat_state import open_in_chat
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import run_key
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import button, main_button, show_error
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.server.checks import is_shared
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, turn_to
from memviz.engine.compaction import Compaction
from memviz.engine.review import check_wording
from memviz.storage.workspace import RunKey
from memviz.transcripts.base import Probe

TEXT_PIXELS = 260
_REWORD = noop(
    "Reword it as you like. The conversation is replayed with your wording: it is sent in place of the "
    "summarizer's, and later summaries take it in."
)
_RECORDING_ENDS = noop(
    "What was recorded ends there: the built-in model writes the later ones."
)
_STAYS_HERE = noop(
    "Others reach this server, so your wording stays in this browser session."
)


class Desk(NamedTuple):
    """All that working on a summary takes: the setting's line, who summarizes, and what finds the facts that it
    should keep."""

    setting: SettingRun
    summarizer: ModelChoice
    probes: Callable[[], Sequence[Probe]] = tuple


def rewrite_version(desk: Desk, compaction: Compaction) -> None:
    """The text of a version, to be changed; the run is then replayed with it."""
    version = compaction.written
    setting = compare_state().setting_at(desk.setting.index)
    if version is None:
        return
    if setting is None:
        _draw_in_chat()
        return
    key = run_key(workspace(), compare_state(), setting, desk.summarizer)
    key = replace(key, edits=())
    sentences = [_REWORD]
    if compaction.recorded:
        sentences.append(_RECORDING_ENDS)
    if is_shared():
        sentences.append(_STAYS_HERE)
    st.caption(" ".join(map(_, sentences)))
    text = st.text_area(
        _("Your wording of version {version}", version=version.version),
        version.text,
        height=TEXT_PIXELS,
        key=f"wording-{hash(key)}-{version.version}-{hash(version.text)}",
    )
    _draw_buttons(setting, key, version.version, text)


def _draw_buttons(setting: Setting, key: RunKey, version: int, text: str) -> None:
    """Draw what can be done with ``text`` and with the wordings that are in force."""
    mine = compare_state().edits.get(key, {})
    stands_beside = _stands_beside(setting)
    with st.container(horizontal=True):
        if main_button(_("Replay with my wording"), "wording-save", ":material/edit:"):
            _keep(key, version, text)
        if version in mine and button(
            _("Take my wording back"), "wording-undo", ":material/undo:"
        ):
            _keep(key, version, None)
        if (
            mine
            and not stands_beside
            and button(
                _("Compare with the wording as it was"),
                "wording-beside",
                ":material/splitscreen_right:",
                disabled=len(compare_state().settings) >= MAX_SETTINGS,
                help=_("At most {number} settings at once.", number=MAX_SETTINGS),
            )
        ):
            compare_state().add(
                setting.strategy_id, setting.parameters, as_written=True
            )
            st.rerun()  # all of the page: the sidebar has a row more
    if mine and stands_beside:
        _draw_way_to_both()


def _draw_way_to_both() -> None:
    """Say that the setting stands in the sidebar with both wordings, and draw the way to their comparison."""
    st.caption(
        _(
            "The same setting with the wording as it was stands in the sidebar, as a line of its own."
        )
    )
    if button(
        _("See both in {compare}", compare=_(page_titles.COMPARE)),
        "wording-compare",
        ":material/stacked_line_chart:",
    ):
        turn_to("compare", COMPARE_VIEW, "tokens")


def _stands_beside(setting: Setting) -> bool:
    """Return whether a setting is compared with the summarizer's own wording already."""
    strategy = setting.build()
    return any(
        other.as_written and other.build() == strategy
        for other in compare_state().settings
    )


def _keep(key: RunKey, version: int, text: str | None) -> None:
    """Use a wording from now on; ``None`` takes it back."""
    mine = compare_state().edits.setdefault(key, {})
    try:
        wording = None if text is None else check_wording(text)
        if not is_shared():
            workspace().keep_wording(key, version, wording)
    except MemvizError as error:
        show_error(error)
        return
    if wording is None:
        mine.pop(version, None)
    else:
        mine[version] = wording
    st.rerun()


def _draw_in_chat() -> None:
    st.caption(
        _(
            "This is the chat as it was held. What is in force can be reworded there, from its next message on."
        )
    )
    if button(_("Open the chat"), "wording-chat", ":material/forum:"):
        open_in_chat(compare_state().conversation_id)
