"""The answer to why a fact was forgotten, below its story: the message that seems to need it, and what would have kept
it, with prices. Worked out when somebody opens it."""

from functools import partial

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.pictures import folded
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.elements import error_shown, show_caption, show_table
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.why import CAREFUL, life_sentences, remedy_words
from memviz.metrics.retention.life_lines import LifeLine
from memviz.tuning.forgotten import Why
from memviz.tuning.why import why_lost

QUESTION = noop("Why did it forget?")
KEY = "facts-why"


def explain_loss(result: RetentionResult, life: LifeLine) -> None:
    """Draw the question, and its answer when it is opened; nothing for a fact that was never lost."""
    if life.lost_turn is not None:
        show = partial(_show, result, life)
        folded(_(QUESTION), KEY, ":material/search_insights:", show)


def _show(result: RetentionResult, life: LifeLine) -> None:
    with (
        st.spinner(_("Trying what would have kept it"), show_time=True),
        error_shown(),
    ):
        why = _answer(result, life)
        for sentence in life_sentences(why):
            st.markdown(plain(sentence))
        rows = []
        others = []
        for remedy in why.remedies:
            words = remedy_words(remedy)
            if not remedy.keeps:
                others.append(words.what)
                continue
            row = {
                _("What would have kept it"): plain(words.what),
                _("Price in this conversation"): plain(words.price),
            }
            rows.append(row)
        if rows:
            show_table(rows, _("What would have kept the fact, and its price"))
        for sentence in others:
            show_caption(sentence)
        st.caption(_(CAREFUL))


def _answer(result: RetentionResult, life: LifeLine) -> Why:
    """Return why a fact was forgotten, and what would have kept it: worked out once for a run and the prices in
    force."""
    transcript, _log = studied_conversation()
    probe = result.retention.probes[life.probe]
    prices = prices_in_force()
    return result.run.once(
        (why_lost, probe, repr(prices)),
        partial(why_lost, transcript, result.run, probe, prices),
    )
