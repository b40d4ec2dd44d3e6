"""What does it cost, turn by turn?"""

import streamlit as st

from memviz.ui.compare.dollars.page import costed, in_total, say_what_is_unknown
from memviz.ui.compare.dollars.prompt_cache import from_the_cache
from memviz.ui.compare.dollars.table import turn_by_turn
from memviz.ui.compare.dollars.totals import parts_table
from memviz.ui.compare.dollars.window_use import against_the_window
from memviz.ui.controls.pricing import price_controls
from memviz.ui.controls.sidebar import nothing_yet, setting_runs, study_controls
from memviz.ui.shell.frame import open_page, workspace
from memviz.ui.shell.links import copy_link
from memviz.ui.shell.state import compare_state, costs_state

open_page(
    "What does it cost, turn by turn?",
    "The same conversation under every setting, at a model's list prices. What its prompt cache saves is counted in.",
)
state = compare_state()
with st.sidebar:
    models = study_controls(workspace(), state)
    assumptions = price_controls()
    copy_link(state, "costs-link")
settings = setting_runs(workspace(), state, models.summarizer)
shown = [setting for setting in settings if setting.run.turns]
if not shown:
    nothing_yet(settings)
else:
    costs = costed(shown, assumptions)
    say_what_is_unknown(costs)
    in_total(costs_state(), costs, assumptions)
    parts_table(costs)
    from_the_cache(costs, assumptions)
    against_the_window(costs, assumptions)
    turn_by_turn(costs, workspace().conversation(state.conversation_id or "")[0].title)
