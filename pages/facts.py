"""The page Facts: the lives of facts under every setting, and what the summaries kept of them."""

from functools import partial

import streamlit as st

from memviz.dashboard.ui.controls.conversations import say_beginnings
from memviz.dashboard.ui.controls.effects import with_effect
from memviz.dashboard.ui.controls.links import copy_link, keep_address, share_page
from memviz.dashboard.ui.controls.sidebar import (
    expect_conversation,
    setting_runs,
    study_controls,
)
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.lives.page import lives_view
from memviz.dashboard.ui.facts.selection import told_fact
from memviz.dashboard.ui.facts.summaries.page import summaries_view
from memviz.dashboard.ui.facts.views import KEPT, SUMMARIES, facts_views
from memviz.dashboard.ui.lessons.keep_step import keep_as_step
from memviz.dashboard.ui.shell.frame import open_views
from memviz.dashboard.ui.shell.views import FACTS_VIEW

state = compare_state()
view = open_views(FACTS_VIEW, with_effect("facts", facts_views()))
with st.sidebar:
    models, share_place = study_controls()
expect_conversation()
say_beginnings([state.conversation_id or ""])
settings = setting_runs(models.summarizer)
if view == SUMMARIES:
    summaries_view(settings, models.summarizer)
else:
    lives_view(settings, models, is_kept_alone=view == KEPT)
keep_address("facts-address")
with st.sidebar:  # one click, without the menu
    copy_link("facts-link", with_request=True)
# Last: a step holds what is chosen above it and in the pictures.
with share_place:
    keep = partial(keep_as_step, "facts", view, models.summarizer, told_fact())
    share_page(keep, has_link=False)
