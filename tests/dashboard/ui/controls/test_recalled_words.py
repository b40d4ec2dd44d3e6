"""The first line of a request into which turns were recalled: which, for how many tokens, and what came back."""

from __future__ import annotations

import memviz
from memviz.dashboard.ui.controls.request_reasons import recalled_words
from memviz.transcripts.samples import sample


def test_it_names_the_turns_what_they_add_and_the_facts_that_are_known_by_them_alone() -> (
    None
):
    trip, strategy = (
        sample("trip"),
        memviz.strategy("summary_buffer", max_token_limit=1500),
    )
    bare, run = (
        memviz.replay(trip, strategy, recalls=recalls)
        for recalls in ({}, {9: memviz.Recall(turns=[3])})
    )
    more = run.turns[8].total_tokens - bare.turns[8].total_tokens
    said = recalled_words(run.turns[8], trip.probes)
    assert (
        said
        == f"Recalled here: turn 3 (+{more} tokens); brought back: cashews and pistachios"
    )
    assert recalled_words(bare.turns[8], trip.probes) == ""
    full = memviz.replay(
        trip, memviz.strategy("buffer"), recalls={9: memviz.Recall(turns=[3])}
    )
    assert recalled_words(full.turns[8], trip.probes) == "", (
        "it was sent word for word anyway"
    )
