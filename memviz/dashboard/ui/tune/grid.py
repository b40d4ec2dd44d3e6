"""The grid of a sweep: conversations, strategies, values, and the settings that were recorded. A sweep has one
summarizer for all: with a recording, only what it holds can be measured."""

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import streamlit as st

from memviz.core.counters import counter as find_counter
from memviz.core.text.wording import SEMICOLON, counted, listed
from memviz.core.translation import _, ngettext, noop
from memviz.dashboard.charts.sweeps.axes import axis_title
from memviz.dashboard.ui.controls.conversations import (
    conversation_choices,
    first_sample,
    looked_at_conversation,
    size_words,
)
from memviz.dashboard.ui.controls.grounds import (
    ALL_STAND_IN,
    LINE_KEY,
    instead,
    swept_by,
)
from memviz.dashboard.ui.controls.settings_editor import (
    PANEL_PIXELS,
    in_the_guide,
    offered,
    refused_words,
    title_in_menu,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.linked import linked_list
from memviz.dashboard.ui.shell.state import begin_with, set_widget, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.embedding import NAME, choose_embedding
from memviz.dashboard.ui.tune.extent import choose_extent, extent_words
from memviz.dashboard.ui.tune.programs import choose_programs
from memviz.dashboard.ui.tune.state import tune_state
from memviz.dashboard.ui.tune.step_axes import read_number, step_axes
from memviz.models.names import RECORDED_FIRST, RECORDING
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.tuning.best_of_each import StrategyBest
from memviz.tuning.grid import (
    axes,
    recorded_values,
    settings,
    suggested,
    tried_at_first,
)
from memviz.tuning.grid import largest_sizes as sizes_of

CONVERSATIONS_HELP = noop(
    "Every setting is tried on each of them. Their costs are added; how much is kept and how large "
    "requests are is that of the middle conversation, or of the worst."
)
STRATEGIES_HELP = noop(
    "Every value chosen below is tried; of a strategy with two parameters every pair of values."
)
VALUES_HELP = noop("Each value is tried. Type a number and press Enter to add one.")
ALONE_HELP = noop(
    "Measure them with the summaries that a language model wrote, beside the settings that summarize "
    "nothing. A sweep has one summarizer for all of its settings, so the others are left out."
)
BACK_HELP = noop(
    "A sweep has one summarizer for all of its settings, and the built-in model writes for any."
)


def choose_conversations() -> list[str]:
    """The conversations to sweep over: at first the one that the other pages show."""
    state = tune_state()
    study = compare_state()
    entries, labels = conversation_choices(study.conversation_id)
    if not state.conversations:
        first = study.conversation_id or first_sample()
        state.conversations = [first] if first in entries else list(entries)[:1]
    linked_list("over", "tune-conversations", entries)
    held = begin_with("tune-conversations", state.conversations)
    state.conversations = st.multiselect(
        _("Conversations"),
        list(entries),
        default=[id for id in held if id in entries],
        format_func=labels.__getitem__,
        key="tune-conversations",
        help=_(CONVERSATIONS_HELP),
    )
    chosen = [entries[id] for id in state.conversations]
    messages = sum(entry.message_count for entry in chosen)
    size = _(
        "{size}, {messages}.",
        size=size_words(chosen),
        messages=counted(messages, "message"),
    )
    # The control itself cuts a long title.
    if len(state.conversations) == 1:
        size = _(
            "{title}: {size}", title=plain(labels[state.conversations[0]]), size=size
        )
    st.caption(size)
    return state.conversations


def largest_sizes(ids: Sequence[str]) -> dict[str, int]:
    """The sizes of the largest conversation, by unit: no larger values are worth trying."""
    logs = (looked_at_conversation(id)[1] for id in ids)
    return sizes_of(logs, find_counter(compare_state().counter))


def choose_settings(
    largest: Mapping[str, int], recorded: Sequence[Strategy] = ()
) -> tuple[Strategy, ...]:
    """All settings to try, at first with the values that were ``recorded``, too. A value that is not allowed says so
    and is left out."""
    _add_next_values()
    place = st.container()
    panel = st.popover(
        _("Strategies and values"),
        key="tune-grid",
        icon=":material/tune:",
        width="stretch",
    )
    with panel, st.container(width=PANEL_PIXELS):
        grid = _choose_grid(largest, recorded)
        programs = choose_programs(largest)
    own = settings(grid) if grid else ()
    chosen = tuple(dict.fromkeys((*own, *programs)))
    with place:
        st.caption(extent_words(chosen))
    return chosen


def _choose_grid(
    largest: Mapping[str, int], recorded: Sequence[Strategy]
) -> dict[str, dict[str, tuple[Any, ...]]]:
    """The values to try, by strategy and parameter."""
    known = offered()
    linked_list("try", "tune-strategies", known)
    at_first = [id for id in tried_at_first() if id in known]
    held = begin_with("tune-strategies", at_first)
    choose_extent(known, "tune-strategies")
    chosen = st.pills(
        _("Strategies to try"),
        list(known),
        selection_mode="multi",
        default=[id for id in held if id in known],
        format_func=lambda id: title_in_menu(known[id]),
        key="tune-strategies",
        help="\n\n".join([_(STRATEGIES_HELP), *map(plain, refused_words())]),
        persist_state="session",
    )
    return {
        id: _values(known[id], largest, recorded_values(known[id], recorded))
        for id in known
        if id in chosen
    }


def _values(
    cls: type[Strategy],
    largest: Mapping[str, int],
    recorded: Mapping[str, tuple[Any, ...]],
) -> dict[str, tuple[Any, ...]]:
    """The values of all axes of a strategy, folded below its name."""
    if not axes(cls):
        return {}
    first = suggested(cls.id, largest=largest)
    tried = [*axes(cls), *step_axes(cls)]
    first |= {one.name: (one.default,) for one in step_axes(cls)}
    for name, values in recorded.items():
        first[name] = tuple(sorted({*first[name], *values}))
    label = f"{_(cls.title)} · {counted(_number_of_settings(cls, first), 'setting')}"
    with st.expander(label, key=f"tune-axes-{cls.id}"):
        found = {
            axis.name: _choose_values(cls, axis, first[axis.name]) for axis in tried
        }
        if any(found.get("embedding_percent", ())):
            found[NAME] = (choose_embedding(cls),)
        st.caption(in_the_guide(cls))
        if recorded:
            told = _(SEMICOLON).join(map(_in_words, recorded.items()))
            st.caption(plain(_("Recorded with a language model: {told}.", told=told)))
    return found


def _in_words(recorded: tuple[str, tuple[Any, ...]]) -> str:
    """``summary_words 0 and 120``."""
    name, values = recorded
    return f"{name} {listed(f'{value:,}' for value in values)}"


def _number_of_settings(
    cls: type[Strategy], first: Mapping[str, tuple[Any, ...]]
) -> int:
    """Return how many settings the values chosen make: what was just changed below a label counts for it already."""
    return prod(
        len(widget_value(_key(cls, name, values)) or values)
        for name, values in first.items()
    )


def _key(cls: type[Strategy], name: str, values: tuple[Any, ...]) -> str:
    # Other values are suggested for a conversation of another size: what was chosen before does not fit them.
    return f"tune-values-{cls.id}-{name}-{'-'.join(map(str, values))}"


def _choose_values(
    cls: type[Strategy], axis: Parameter, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    key = _key(cls, axis.name, values)
    tune_state().value_keys[cls.id, axis.name] = key
    linked_list(
        f"{cls.id}.{axis.name}", key, [False, True] if axis.kind is bool else None
    )
    if axis.kind is bool:
        on_off = st.pills(
            axis.title,
            [False, True],
            selection_mode="multi",
            key=key,
            help=_(axis.help),
            default=begin_with(key, list(values)),
            format_func=lambda value: _("on") if value else _("off"),
            persist_state="session",
        )
        return tuple(on_off) or values
    written = [str(value) for value in values]
    held = begin_with(key, written)
    typed = st.multiselect(
        axis_title(axis),
        list(dict.fromkeys([*written, *held])),
        key=key,
        accept_new_options=True,
        default=held,
        help=f"{_(axis.help)}\n\n{_(VALUES_HELP)}",
        placeholder=_("Type a number"),
        persist_state="session",
    )
    numbers = [read_number(cls, axis, text) for text in typed]
    allowed = {number for number in numbers if number is not None}
    return tuple(sorted(allowed)) or values


def try_values(id: str, parameter: str, values: Iterable[Any]) -> None:
    """Add values of a strategy's parameter, which the page's next run measures."""
    state = tune_state()
    key = state.value_keys[id, parameter]
    # What is typed is text.
    state.next_values[key] = [
        value if isinstance(value, bool) else str(value) for value in values
    ]
    state.go_on = True


def try_next_values(bests: Iterable[StrategyBest]) -> bool:
    """Add the next value for each strategy whose best one lies at the edge of those that
    were tried. Returns whether there is any that was not added before: then the page has
    to run again."""
    state = tune_state()
    is_new = False
    for best in bests:
        edge = best.edge
        if edge is None:
            continue
        place = state.value_keys[best.setting.id, edge.parameter], edge.value
        if place in state.tried_further:
            continue
        state.tried_further.add(place)
        try_values(best.setting.id, edge.parameter, [edge.value])
        is_new = True
    return is_new


def tried_further(settings: Iterable[Strategy]) -> list[str]:
    """The values of these settings that were added because the best one lay at the edge,
    each once: ``Running summary · 40 messages``."""
    state = tune_state()
    words: dict[str, None] = {}
    for setting in settings:
        name = setting.main_parameter
        key = state.value_keys.get((setting.id, name))
        if key and (key, getattr(setting, name)) in state.tried_further:
            words[type(setting)(**{name: getattr(setting, name)}).label] = None
    return list(words)


def _add_next_values() -> None:
    """Add the next values to their controls, as long as these are not yet drawn."""
    state = tune_state()
    for key, more in state.next_values.items():
        values = [*(widget_value(key) or ()), *more]
        set_widget(key, list(dict.fromkeys(values)))
    state.next_values.clear()


class Tried(NamedTuple):
    """The ``settings`` that a sweep can measure with its summarizer, how many it cannot (``left_out``), and of the
    recording that plays the most of them its name and how many: empty where none plays any."""

    settings: tuple[Strategy, ...]
    left_out: int
    recording: str
    recorded: int


def recorded_settings(ids: Sequence[str]) -> list[Strategy]:
    """Return the settings of which recordings hold the summaries of any of these conversations, each once."""
    recordings = workspace().recordings
    counter = compare_state().counter
    found: dict[Strategy, None] = {}
    for id in ids:
        talk = looked_at_conversation(id)
        found |= dict.fromkeys(recordings.settings_of(*talk, counter))
    return list(found)


def tried_with(
    ids: Sequence[str], settings: Sequence[Strategy], summarizer: str
) -> Tried:
    """Return what a sweep of ``settings`` can measure with the summarizer of this name."""
    recordings = workspace().recordings
    talks = [looked_at_conversation(id) for id in ids]
    is_recording = summarizer.startswith(RECORDING)
    names = []
    if recorded_settings(ids):
        names = [RECORDING + name for name in recordings.unasked]
    if is_recording:
        names.append(summarizer)
    played: dict[str, list[Strategy]] = {}
    for name in names:
        played[name] = []
        for one in settings:
            if one.writes_notes and all(
                recordings.plays(name, *talk, one, compare_state().counter)
                for talk in talks
            ):
                played[name].append(one)
    kept = tuple(settings)
    if is_recording:
        held = played[summarizer]
        kept = tuple(one for one in settings if not one.writes_notes or one in held)
    best = max(played, key=lambda name: len(played[name]), default="")
    recorded = len(played.get(best, ()))
    left_out = len(settings) - len(kept)
    return Tried(kept, left_out, best if recorded else "", recorded)


def whose_sweep(summarizer: str, tried: Tried) -> None:
    """One line above the picture: who wrote the summaries of all settings, and the other way to measure them."""
    with st.container(
        key=LINE_KEY, horizontal=True, vertical_alignment="center", gap="xsmall"
    ):
        if not summarizer.startswith(RECORDING):
            swept_by(summarizer)
            if tried.recorded:
                label = ngettext(
                    "Only the recorded one",
                    "Only the {number:,} recorded ones",
                    tried.recorded,
                )
                instead(label, tried.recording, _(ALONE_HELP))
            return
        recording = workspace().recordings.all.get(summarizer.removeprefix(RECORDING))
        swept_by(
            summarizer,
            models=recording.models if recording is not None else (),
            left_out=tried.left_out,
        )
        instead(_(ALL_STAND_IN), RECORDED_FIRST, _(BACK_HELP))


def none_recorded(summarizer: str) -> None:
    """Say that the recording holds none of the settings, with the way back."""
    st.info(
        _(
            "{recording} is a recording that holds none of these settings over these conversations.",
            recording=plain(summarizer.removeprefix(RECORDING)),
        ),
        icon=":material/info:",
    )
    instead(_(ALL_STAND_IN), RECORDED_FIRST, _(BACK_HELP))
