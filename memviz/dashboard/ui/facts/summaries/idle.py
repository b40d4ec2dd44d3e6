"""The reason why a setting never summarized, and a setting that does."""

from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.lessons.study import MAX_SETTINGS
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import button, show_info
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies.base import Trigger

SUGGESTED = ("summary_buffer", {"max_token_limit": 500})


def say_nothing_summarized(setting: SettingRun) -> None:
    """Say why there are no summaries, and offer some."""
    label = plain(setting.label)
    why = _idle_words(setting, label)
    if setting.run.strategy.trigger is Trigger.NEVER:
        why = _(
            "{label} never summarizes: it sends messages word for word or not at all.",
            label=label,
        )
    way_on = _("Choose a strategy with summaries in the sidebar, or a smaller limit.")
    show_info(f"{why} {way_on}")
    if len(compare_state().settings) < MAX_SETTINGS:
        button(
            _("Add a summary buffer of 500 tokens"),
            None,
            ":material/add:",
            _add_suggested,
        )


_IDLE = {
    True: noop("{label} had no reason to summarize in this conversation"),
    False: noop(
        "{label} had no reason to clear or shorten messages in this conversation"
    ),
}
"""By whether the strategy writes summaries."""


def _idle_words(setting: SettingRun, label: str) -> str:
    strategy = setting.run.strategy
    memory = setting.run.memory_after(setting.run.log.turn_count)
    words = _(_IDLE[strategy.writes_notes], label=label)
    idle = strategy.idle_because(memory)
    if idle:
        return _("{said}, because {idle}.", said=words, idle=idle)
    headroom = strategy.headroom(memory)
    if headroom:
        return _(
            "{said}: {headroom} would have been one.", said=words, headroom=headroom
        )
    return _("{said}.", said=words)


def _add_suggested() -> None:
    state = compare_state()
    state.add(*SUGGESTED)
    state.looked_at = state.settings[-1].index
