"""A replay that takes longer than a visitor likes to wait: what there is is drawn, and it can be stopped."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from benchmarks.synthetic.generator import generate
from memviz.core.text.wording import counted
from memviz.dashboard.ui.controls import replaying
from memviz.storage.workspace import Workspace
from tests.pages.driving import click, open_page, token_lines

TURNS = 200
LABEL = memviz.strategy("summary_only").label


def has(page: AppTest, label: str) -> bool:
    return any(button.label == label for button in page.button)


def turns_drawn(page: AppTest) -> list[float]:
    (tokens,) = token_lines(page).values()
    return tokens


@pytest.mark.slow
def test_the_part_that_was_replayed_is_drawn_and_it_can_be_stopped_and_gone_on_with() -> (
    None
):
    talk = generate(TURNS, seed=5)
    id = Workspace().store.add_conversation(talk)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replaying, "AT_ONCE_SECONDS", 0.02)
        page = open_page("compare", conversation=id, setting="summary_only")
        ((label, tokens),) = token_lines(page).items()
        assert 0 < len(tokens) < TURNS
        assert label == f"{LABEL} · first {counted(len(tokens), 'turn')}"
        (bar,) = page.get("progress")
        assert f"Replaying under {LABEL}: turn" in bar.proto.text
        click(page, "Stop")
        tokens = turns_drawn(page)
        assert turns_drawn(page.run()) == tokens, "nothing is replayed any more"
    click(page, "Go on")
    page.run()
    assert not has(page, "Stop")
    run = memviz.replay(talk, memviz.strategy("summary_only"))
    assert token_lines(page) == {LABEL: [record.total_tokens for record in run.turns]}
