"""A conversation of one question that nobody answered: no request, one that is pending, and every page opens."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz
from memviz import Message
from memviz.storage.store import Store
from tests.pages.driving import open_page

ALONE = (Message("user", "Is anybody there? I am Ana, and my budget is 3,000 euros."),)
PAGES = [
    *("compare", "costs", "memory_map", "retention", "summaries", "chat"),
    pytest.param("tune", marks=pytest.mark.slow),
]


@pytest.fixture
def alone(database: Path) -> str:
    return Store(database).add_conversation(
        memviz.Transcript(ALONE, title="Nobody answered")
    )


@pytest.mark.parametrize("page", PAGES)
def test_every_page_opens(page: str, alone: str) -> None:
    session = open_page(page, chat=alone, **{"try": '["buffer", "summary_buffer"]'})
    assert [error.value for error in session.error] == []
