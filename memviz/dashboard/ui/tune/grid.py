"""The controls that choose the grid of a sweep: its conversations, strategies and values."""

from collections.abc import Mapping, Sequence
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
    expand_grid,
    find_largest_sizes,
    list_axes,
    list_first_strategies,
    list_recorded_values,
    suggest_values,
)

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


def largest_sizes_of(ids: Sequence[str]) -> dict[str, int]:
    """Return the sizes of the largest conversation by unit: larger values change nothing."""
    logs = [looked_at_conversation(id)[1] for id in ids]
    return find_largest_sizes(logs, find_counter(compare_state().counter))


def choose_settings(
    largest: Mapping[str, int], recorded: Sequence[Strategy]
) -> tuple[Strategy, ...]:
    """Draw the controls of strategies and values, and return the settings they make.

    At first the values that were ``recorded`` are among them. A value that is not allowed
    says so and is left out.
    """
    # Before the controls of values are drawn: one that is drawn takes no value any more.
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
    own = expand_grid(grid) if grid else ()
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
    at_first = [id for id in list_first_strategies() if id in choices]
    ids = begin_with(STRATEGIES_KEY, at_first)
    # Before the strategies are drawn: a whole family that is chosen changes which of them are.
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
    grid = {}
    for id, cls in choices.items():
        if id in chosen:
            grid[id] = _choose_axes(cls, largest, list_recorded_values(cls, recorded))
    return grid


def _choose_axes(
    cls: type[Strategy],
    largest: Mapping[str, int],
    recorded: Mapping[str, tuple[Any, ...]],
) -> dict[str, tuple[Any, ...]]:
    """Return the values chosen on all axes of a strategy, folded below its name."""
    if not list_axes(cls):
        return {}
    # What an axis begins with: suggested values, of a step its own default, and what was recorded.
    at_first = suggest_values(cls.id, largest=largest)
    for step_axis in step_axes(cls):
        at_first[step_axis.name] = (step_axis.default,)
    for name, values in recorded.items():
        at_first[name] = tuple(sorted({*at_first[name], *values}))
    settings_in_words = counted(_number_of_settings(cls, at_first), "setting")
    label = f"{_(cls.title)} · {settings_in_words}"
    values_of_axes = {}
    with st.expander(label, key=f"tune-axes-{cls.id}"):
        for axis in (*list_axes(cls), *step_axes(cls)):
            values = _choose_values(cls, axis, at_first[axis.name])
            values_of_axes[axis.name] = values
        if any(values_of_axes.get("embedding_percent", ())):
            values_of_axes[NAME] = (choose_embedding(cls),)
        st.caption(in_the_guide(cls))
        if recorded:
            in_words = _(SEMICOLON).join(map(_recorded_words, recorded.items()))
            show_caption(_("Recorded with a language model: {told}.", told=in_words))
    return values_of_axes


def _recorded_words(recorded: tuple[str, tuple[Any, ...]]) -> str:
    """Return recorded values as words: ``summary_words 0 and 120``."""
    name, values = recorded
    return f"{name} {listed(f'{value:,}' for value in values)}"


def _number_of_settings(
    cls: type[Strategy], at_first: Mapping[str, tuple[Any, ...]]
) -> int:
    """Return the number of settings that the values chosen make.

    A value that was just changed counts already, though its control stands below the
    label with the number.
    """
    number = 1
    for name, values in at_first.items():
        chosen_values = widget_value(_key(cls, name, values)) or values
        number *= len(chosen_values)
    return number


def _key(cls: type[Strategy], name: str, at_first: tuple[Any, ...]) -> str:
    """Return the key of a control of values: ``tune-values-window-window_size-6-10-20``."""
    # Other values are suggested for a conversation of another size: what was chosen
    # before does not fit them.
    values = "-".join(map(str, at_first))
    return f"tune-values-{cls.id}-{name}-{values}"


def _choose_values(
    cls: type[Strategy], axis: Parameter, values: tuple[Any, ...]
) -> tuple[Any, ...]:
    """Draw the control of the values of one axis, and return them; ``values``, with which it begins, where it has
    none."""
    key = _key(cls, axis.name, values)
    tune_state().value_keys[cls.id, axis.name] = key
    name = f"{cls.id}.{axis.name}"
    if axis.kind is bool:
        linked_list(name, key, [False, True])
        switches = st.pills(
            axis.title,
            [False, True],
            selection_mode="multi",
            key=key,
            help=_(axis.help),
            default=begin_with(key, list(values)),
            format_func=lambda value: _("on") if value else _("off"),
            persist_state="session",
        )
        return tuple(switches) or values
    linked_list(name, key, None)
    # The control holds texts, because a visitor may type any.
    first_texts = [str(value) for value in values]
    texts = begin_with(key, first_texts)
    typed_texts = st.multiselect(
        axis_title(axis),
        list(dict.fromkeys([*first_texts, *texts])),
        key=key,
        accept_new_options=True,
        default=texts,
        help=f"{_(axis.help)}\n\n{_(VALUES_HELP)}",
        placeholder=_("Type a number"),
        persist_state="session",
    )
    numbers = [read_number(cls, axis, text) for text in typed_texts]
    allowed = {number for number in numbers if number is not None}
    return tuple(sorted(allowed)) or values
