"""Where the views of a lesson lead to."""

from __future__ import annotations

from dataclasses import replace

import memviz
from memviz.dashboard.lessons.playing import follow_fact, format_address, play_study
from memviz.dashboard.lessons.study import Highlight
from memviz.storage.workspace import Workspace


def test_a_view_to_try_follows_the_fact_of_the_step_unless_it_names_one(
    workspace: Workspace,
) -> None:
    step = memviz.lesson("a-fact-dies").steps[0]
    shown = replace(step.view, highlight=Highlight(fact="Ottoline", message=52))
    facts = replace(step.view, page="facts", highlight=Highlight(setting=0))
    played = play_study(step.view.study, workspace)
    assert f"fact={played.fact('Ottoline')}" in format_address(
        follow_fact(facts, shown), played
    )
    named = replace(facts, highlight=Highlight(fact="4471"))
    assert follow_fact(named, shown) is named
    assert follow_fact(facts, facts) is facts
