"""The answer of a sweep in a box, with what it rests on, and the way to the facts."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import FACTS_VIEW, turn_to
from memviz.tuning.constraints import Constraints
from memviz.tuning.grounds import Grounds
from memviz.tuning.recommendation import Recommendation, recommend
from memviz.tuning.results import Sweep


def recommendation(sweep: Sweep, constraints: Constraints) -> Recommendation:
    """Say which setting to take, why, and on what grounds."""
    best = recommend(sweep, constraints)
    answer_box(best.headline, best.why, best.grounds, fits=best.setting is not None)
    return best


def answer_box(headline: str, text: str, grounds: Grounds, *, fits: bool) -> None:
    """An answer: green where there are facts enough to rely on it, blue on few, amber where nothing fits. It ends with
    the facts that it was measured on."""
    text = plain(f"{text} {grounds.sentence}")
    words = f"**{plain(headline)}** {text}" if headline else text
    if not fits:
        st.warning(words, icon=":material/help:")
    elif grounds.are_thin:
        st.info(words, icon=":material/lightbulb:")
    else:
        st.success(words, icon=":material/check_circle:")


def facts_button(conversations: Sequence[str]) -> None:
    """The way to the facts that the answer was measured on."""
    if st.button(
        "Open the facts", icon=":material/checklist:", key="tune-facts", type="tertiary"
    ):
        _open_facts(conversations)


def _open_facts(conversations: Sequence[str]) -> None:
    """The facts of the conversation that was swept over; of several, of the one that other pages show or the first."""
    study = compare_state()
    if study.conversation_id not in conversations:
        study.open(conversations[0])
    turn_to("facts", FACTS_VIEW, "lives")
