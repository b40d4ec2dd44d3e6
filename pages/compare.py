"""The page Compare: the tokens, dollars and messages of every setting over one conversation."""

from functools import partial

import streamlit as st

from memviz.dashboard.ui.compare.dollars import draw_dollars_view
from memviz.dashboard.ui.compare.first_steps import draw_first_steps, help_key
from memviz.dashboard.ui.compare.free_run import make_free_runs
from memviz.dashboard.ui.compare.memory_map import draw_memory_map_view
from memviz.dashboard.ui.compare.playing import is_staged
from memviz.dashboard.ui.compare.tokens import choose_scale, draw_tokens_view
from memviz.dashboard.ui.compare.views import DOLLARS, MEMORY_MAP, TOKENS, compare_views
from memviz.dashboard.ui.controls.conversations import (
    say_beginnings,
    studied_conversation,
)
from memviz.dashboard.ui.controls.effects import with_effect
from memviz.dashboard.ui.controls.links import share_page
from memviz.dashboard.ui.controls.sidebar import (
    expect_conversation,
    say_nothing_yet,
    setting_runs,
    study_controls,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.lessons.keep_step import keep_as_step
from memviz.dashboard.ui.shell.frame import open_views
from memviz.dashboard.ui.shell.views import COMPARE_VIEW

state = compare_state()
view = open_views(
    COMPARE_VIEW, with_effect("compare", compare_views()), draw_first_steps, help_key()
)
has_scale = view == TOKENS and not is_staged()
with st.sidebar:
    offer = choose_scale if has_scale else None
    models, share_place = study_controls(replies=True, offer=offer)
expect_conversation()
say_beginnings([state.conversation_id or ""])
if state.free_run:
    settings = make_free_runs(models)
else:
    settings = setting_runs(models.summarizer)
with_turns = [setting for setting in settings if setting.run.turns]
transcript = studied_conversation()[0]
if not with_turns:
    say_nothing_yet(settings)
elif view == DOLLARS:
    draw_dollars_view(with_turns, transcript)
elif view == MEMORY_MAP:
    draw_memory_map_view(with_turns, transcript)
else:
    draw_tokens_view(with_turns, transcript, models)
# Last: a step holds what is chosen above it and in the pictures.
with share_place:
    share_page(partial(keep_as_step, "compare", view, models.summarizer))
