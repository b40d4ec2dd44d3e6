"""The memories of products and libraries as settings of a sweep, beside the grid of values."""

from collections.abc import Mapping

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.linked import linked_list
from memviz.dashboard.ui.shell.state import begin_with
from memviz.strategies.base import Strategy
from memviz.strategies.presets import presets
from memviz.tuning.scaling import scaled_preset

PROGRAMS_KEY = "tune-programs"
PROGRAMS_HELP = noop(
    "Each is one more setting: what it does when nothing is configured, with its limits scaled to the largest "
    "conversation, or they would never be reached."
)


def choose_programs(largest: Mapping[str, int]) -> tuple[Strategy, ...]:
    """The settings of the programs that were chosen, for a conversation of the ``largest`` sizes, by unit."""
    all_presets = presets()
    linked_list("programs", PROGRAMS_KEY, all_presets)
    chosen = st.multiselect(
        _("What programs do"),
        all_presets,
        default=begin_with(PROGRAMS_KEY, []),
        format_func=lambda id: _(all_presets[id].title),
        key=PROGRAMS_KEY,
        help=_(PROGRAMS_HELP),
        placeholder=_("A product or a library"),
        persist_state="session",
    )
    return tuple(scaled_preset(id, largest["tokens"]) for id in chosen)
