"""Examples show strategies at work, and pictures show what was really sent."""

from __future__ import annotations

from html import escape

import pytest

from memviz.dashboard.guide.examples import example_of
from memviz.dashboard.guide.picture_svg import picture_svg
from memviz.dashboard.words.requests import picture_words
from memviz.strategies.base import Trigger
from tests.engine.probes import REPRESENTATIVES
from tests.strategies.conversations import RUN_HERE

IDS = [
    id for id in RUN_HERE if id != "langchain_summarization"
]  # LangChain takes a second to load


@pytest.mark.parametrize("id", IDS)
def test_a_strategy_that_acts_does_so_in_its_example(id: str) -> None:
    example = example_of(id)
    assert example is not None
    assert example.strategy.id == id
    if (
        id == "langchain_context_editing"
    ):  # it remembers nothing, so nothing is an event
        assert "cleared" in {one.looks for one in example.picture.said}
    else:
        assert bool(example.run.compactions) == (
            example.strategy.trigger is not Trigger.NEVER
        )
    assert all(compaction.error is None for compaction in example.run.compactions)


@pytest.mark.parametrize("id", REPRESENTATIVES)
def test_the_picture_holds_every_token_that_was_sent(id: str) -> None:
    example = example_of(id)
    assert example is not None
    picture = example.picture
    assert sum(one.tokens for one in picture.sent) == picture.record.total_tokens
    assert (
        picture.sent[-1].start + picture.sent[-1].tokens == picture.record.total_tokens
    )
    assert (
        picture.said_tokens
        == picture.record.memory.sums.totals[picture.record.memory.length]
    )


def test_recorded_summaries_are_used_where_there_are_any() -> None:
    found = {
        id
        for id in IDS
        if (example := example_of(id)) is not None and example.is_recorded
    }
    assert {"summary", "summary_buffer", "fifo_facts", "summary_only"} <= found
    assert "buffer" not in found, "it has no summaries"


def test_the_strategy_for_tools_is_shown_where_tools_are_called() -> None:
    example = example_of("clear_tool_results")
    assert example is not None
    assert example.conversation == "support"
    assert "cleared" in {one.looks for one in example.picture.said}


def test_the_file_has_a_title_and_a_piece_for_each_message() -> None:
    example = example_of("summary")
    assert example is not None
    svg = picture_svg(example.picture)
    assert f"<title>{escape(picture_words(example.picture))}</title>" in svg
    legend = len({one.looks for one in (*example.picture.said, *example.picture.sent)})
    assert (
        svg.count("<rect")
        == len(example.picture.said) + len(example.picture.sent) + legend
    )
    assert svg.count("<polygon") == 1, "from what was summarized to the summary"
