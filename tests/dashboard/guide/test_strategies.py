"""Every strategy says of itself what the field guide shows."""

from __future__ import annotations

from typing import ClassVar

import pytest

from memviz.core.memory import Memory
from memviz.core.pieces import Piece
from memviz.dashboard.guide.strategies import (
    SECTIONS,
    StrategyPage,
    User,
    strategy_pages,
)
from memviz.strategies import strategies
from memviz.strategies.base import Strategy
from memviz.strategies.families import FAMILIES, OTHERS

PAGES = strategy_pages()
KNOWN_BY = ("read in ", "run with ", "documentation of ")


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


@pytest.mark.parametrize("id", strategies())
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


@pytest.mark.parametrize(
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
