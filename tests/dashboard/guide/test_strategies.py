"""Every strategy says of itself what the field guide shows."""

from __future__ import annotations

from html import escape
from typing import ClassVar

import pytest

from docs.guide_pictures import picture_svg
from memviz.core.memory import Memory
from memviz.core.pieces import Piece
from memviz.dashboard.guide.examples import example_of
from memviz.dashboard.guide.strategies import (
    SECTIONS,
    StrategyPage,
    User,
    strategy_pages,
)
from memviz.dashboard.words.requests import picture_words
from memviz.strategies import strategies
from memviz.strategies.base import Strategy, Trigger
from memviz.strategies.families import FAMILIES, OTHERS
from tests.engine.probes import REPRESENTATIVES
from tests.strategies.conversations import RUN_HERE
from tests.tables import for_each

PAGES = strategy_pages()
KNOWN_BY = ("read in ", "run with ", "documentation of ")
IDS = [
    id for id in RUN_HERE if id != "langchain_summarization"
]  # LangChain takes a second to load


class Odd(Strategy):
    """Sends nothing at all.

    A detail
    on two lines.

    Hurts when: one asks
    for more.

    Used by:
    - First (of its kind): does so: always, or
      nearly (read in first 1.0)
    - Second: never does (documentation of second)
    """

    title: ClassVar[str] = "Odd"

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Nothing."""
        return ()


class Brief(Odd):
    """Says one line."""


@for_each("id", strategies())
def test_every_strategy_has_every_section(id: str) -> None:
    page = PAGES[id]
    for text in (page.summary, page.gains, page.loses, page.hurts_when):
        assert text.endswith((".", '"')), text
        assert not any(f"{section}:" in text for section in SECTIONS), (
            "a section begins a paragraph of its own"
        )
    assert not any(detail.startswith(SECTIONS) for detail in page.details)
    assert page.users
    assert page.family in FAMILIES
    assert page.family != OTHERS, "it is of memviz: its family is one of families.py"


@for_each(
    ("id", "user"), [(id, user) for id, page in PAGES.items() for user in page.users]
)
def test_every_user_has_a_rule_and_says_where_it_is_known_from(
    id: str, user: User
) -> None:
    assert user.name
    assert not user.rule.endswith(".")
    assert user.source.startswith(KNOWN_BY), user.source


def test_sections_are_told_from_details_and_lines_are_joined() -> None:
    page = StrategyPage.of(Odd)
    assert (page.summary, page.gains, page.loses) == ("Sends nothing at all.", "", "")
    assert page.hurts_when == "one asks for more."
    assert page.details == ("A detail on two lines.",)
    assert page.users == (
        User("First (of its kind)", "does so: always, or nearly", "read in first 1.0"),
        User("Second", "never does", "documentation of second"),
    )


def test_a_strategy_of_another_package_may_say_less() -> None:
    page = StrategyPage.of(Brief)
    assert (page.summary, page.users, page.details) == ("Says one line.", (), ())


def test_a_user_without_a_source_is_left_out_and_noted(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Wrong(Odd):
        """Sends nothing.

        Used by:
        - Somebody: does so
        - Another: does so too (read in another 1.0)
        """

    assert StrategyPage.of(Wrong).users == (
        User("Another", "does so too", "read in another 1.0"),
    )
    (note,) = caplog.messages
    assert "'Somebody: does so'" in note
    assert "NAME: RULE (SOURCE)" in note


def test_no_line_of_a_strategy_of_memviz_is_left_out(
    caplog: pytest.LogCaptureFixture,
) -> None:
    strategy_pages()
    assert not caplog.messages


def test_parameters_say_what_more_of_them_does() -> None:
    silent = {
        f"{id}.{one.name}"
        for id, page in PAGES.items()
        for one in page.parameters
        if one.is_number
        and not one.live_only
        and not any(word in one.help for word in ("Larger", "0:", "Most "))
    }
    assert silent == set()


@for_each("id", IDS)
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


@for_each("id", REPRESENTATIVES)
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
