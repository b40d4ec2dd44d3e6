"""A replay that takes longer than a visitor likes to wait: what there is is drawn, and it can be stopped."""

from __future__ import annotations

from time import sleep

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from benchmarks.synthetic.generator import generate
from memviz.core.text.wording import counted
from memviz.dashboard.ui.controls import replaying
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript
from tests.pages.driving import click, open_page, token_lines

TURNS = 400
LABEL = memviz.strategy("summary_only").label
MOST_RUNS = 200
WAIT_SECONDS = 0.2


@pytest.fixture
def talk(request: pytest.FixtureRequest) -> Transcript:
    """A conversation of the test's own: one that was read before is replayed too quickly to be stopped."""
    return generate(TURNS, seed=len(request.node.name))


@pytest.fixture
def opened(talk: Transcript, monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setattr(replaying, "AT_ONCE_SECONDS", 0.02)
    id = Workspace().store.add_conversation(talk)
    return open_page("compare", conversation=id, setting="summary_only")


def has(page: AppTest, label: str) -> bool:
    return any(button.label == label for button in page.button)


@pytest.mark.slow
def test_the_part_that_was_replayed_is_drawn_until_all_of_it_is(
    opened: AppTest, talk: Transcript
) -> None:
    ((label, tokens),) = token_lines(opened).items()
    assert has(opened, "Stop")
    assert 0 < len(tokens) < TURNS
    assert label == f"{LABEL} · first {counted(len(tokens), 'turn')}"
    (bar,) = opened.get("progress")
    assert f"Replaying under {LABEL}: turn" in bar.proto.text
    for _ in range(MOST_RUNS):
        if not has(opened, "Stop"):
            break
        sleep(WAIT_SECONDS)  # to draw the page without a pause would take longest
        opened.run()
    run = memviz.replay(talk, memviz.strategy("summary_only"))
    assert token_lines(opened) == {LABEL: [record.total_tokens for record in run.turns]}


@pytest.mark.slow
def test_it_can_be_stopped_and_gone_on_with(opened: AppTest) -> None:
    click(opened, "Stop")
    (tokens,) = token_lines(opened).values()
    opened.run()
    (later,) = token_lines(opened).values()
    assert later == tokens, "nothing is replayed any more"
    assert has(opened, "Go on")
    click(opened, "Go on")
    (later,) = token_lines(opened).values()
    assert len(later) > len(tokens)
