"""The controls that choose the grid of a sweep: its conversations, strategies and values."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import streamlit as st

from memviz.core.counters import counter as find_counter
from memviz.core.text.wording import SEMICOLON, counted, listed
from memviz.core.translation import _, noop
from memviz.dashboard.charts.sweeps.axes import axis_title
from memviz.dashboard.ui.controls.conversations import (
    conversation_choices,
    first_sample,
    looked_at_conversation,
    size_words,
)
from memviz.dashboard.ui.controls.settings_editor import PANEL_PIXELS
from memviz.dashboard.ui.controls.strategy_choice import (
    in_the_guide,
    offered_strategies,
    refused_words,
    title_in_menu,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import show_caption
from memviz.dashboard.ui.shell.linked import linked_list
from memviz.dashboard.ui.shell.state import begin_with, widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.tune.embedding import NAME, choose_embedding
from memviz.dashboard.ui.tune.extent import (
    STRATEGIES_KEY,
    choose_extent,
    choose_programs,
    extent_words,
)
from memviz.dashboard.ui.tune.next_values import fill_value_controls
from memviz.dashboard.ui.tune.state import tune_state
from memviz.dashboard.ui.tune.step_axes import read_number, step_axes
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
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


def choose_conversations() -> list[str]:
    """Draw the control of the conversations to sweep over, and return their ids.

    At first it is the one that the other pages show.
    """
    state = tune_state()
    study = compare_state()
    entries, labels = conversation_choices(study.conversation_id)
    if not state.conversations:
        first = study.conversation_id or first_sample()
        state.conversations = [first] if first in entries else list(entries)[:1]
    linked_list("over", "tune-conversations", entries)
    ids = begin_with("tune-conversations", state.conversations)
    state.conversations = st.multiselect(
        _("Conversations"),
        entries,
        default=[id for id in ids if id in entries],
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
    """Return the sizes of the largest conversation by unit: larger values change nothing."""
    logs = (looked_at_conversation(id)[1] for id in ids)
    return sizes_of(logs, find_counter(compare_state().counter))


def choose_settings(
    largest: Mapping[str, int], recorded: Sequence[Strategy]
) -> tuple[Strategy, ...]:
    """Draw the controls of strategies and values, and return the settings they make.

    At first the values that were ``recorded`` are among them. A value that is not allowed
    says so and is left out.
    """
    fill_value_controls()
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
    """Return the values chosen, by strategy and parameter."""
    choices = offered_strategies()
    linked_list("try", STRATEGIES_KEY, choices)
    at_first = [id for id in tried_at_first() if id in choices]
    ids = begin_with(STRATEGIES_KEY, at_first)
    choose_extent(choices)
    chosen = st.pills(
        _("Strategies to try"),
        choices,
        selection_mode="multi",
        default=[id for id in ids if id in choices],
        format_func=lambda id: title_in_menu(choices[id]),
        key=STRATEGIES_KEY,
        help="\n\n".join([_(STRATEGIES_HELP), *map(plain, refused_words())]),
        persist_state="session",
    )
    return {
        id: _choose_axes(choices[id], largest, recorded_values(choices[id], recorded))
        for id in choices
        if id in chosen
    }


def _choose_axes(
    cls: type[Strategy],
    largest: Mapping[str, int],
    recorded: Mapping[str, tuple[Any, ...]],
) -> dict[str, tuple[Any, ...]]:
    """Return the values chosen on all axes of a strategy, folded below its name."""
    if not axes(cls):
        return {}
    first = suggested(cls.id, largest=largest)
    all_axes = [*axes(cls), *step_axes(cls)]
    first |= {axis.name: (axis.default,) for axis in step_axes(cls)}
    for name, values in recorded.items():
        first[name] = tuple(sorted({*first[name], *values}))
    label = f"{_(cls.title)} · {counted(_number_of_settings(cls, first), 'setting')}"
    with st.expander(label, key=f"tune-axes-{cls.id}"):
        chosen = {
            axis.name: _choose_values(cls, axis, first[axis.name]) for axis in all_axes
        }
        if any(chosen.get("embedding_percent", ())):
            chosen[NAME] = (choose_embedding(cls),)
        st.caption(in_the_guide(cls))
        if recorded:
            in_words = _(SEMICOLON).join(map(_recorded_words, recorded.items()))
            show_caption(_("Recorded with a language model: {told}.", told=in_words))
    return chosen


def _recorded_words(recorded: tuple[str, tuple[Any, ...]]) -> str:
    """Return recorded values as words: ``summary_words 0 and 120``."""
    name, values = recorded
    return f"{name} {listed(f'{value:,}' for value in values)}"


def _number_of_settings(
    cls: type[Strategy], first: Mapping[str, tuple[Any, ...]]
) -> int:
    """Return the number of settings that the values chosen make.

    A value that was just changed counts already, though its control stands below the
    label with the number.
    """
    return prod(
        len(widget_value(_key(cls, name, values)) or values)
        for name, values in first.items()
    )


def _key(cls: type[Strategy], name: str, values: tuple[Any, ...]) -> str:
    # Other values are suggested for a conversation of another size: what was chosen
    # before does not fit them.
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
    texts = begin_with(key, written)
    typed = st.multiselect(
        axis_title(axis),
        list(dict.fromkeys([*written, *texts])),
        key=key,
        accept_new_options=True,
        default=texts,
        help=f"{_(axis.help)}\n\n{_(VALUES_HELP)}",
        placeholder=_("Type a number"),
        persist_state="session",
    )
    numbers = [read_number(cls, axis, text) for text in typed]
    allowed = {number for number in numbers if number is not None}
    return tuple(sorted(allowed)) or values
