"""Ask all settings one question, and read their answers."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from streamlit.testing.v1 import AppTest

from tests.pages.driving import click, labelled

FLIGHT = "What is the flight booking code of the family?"


class Card(NamedTuple):
    """One answer as the page shows it."""

    label: str
    answer: str
    source: str


def ask(session: AppTest, question: str) -> AppTest:
    labelled(session.text_input, "One question to all settings").set_value(question)
    return click(session, "Ask ")


def cards(session: AppTest) -> list[Card]:
    """The answers in order: a name, the words, and the badge of the source."""
    shown: list[Any] = [
        node for node in session.main if node.type in ("markdown", "text")
    ]
    return [
        Card(
            title.value.replace("\\", "").strip("*"),
            said.value,
            badge.value.partition("[")[2].rstrip("]"),
        )
        for title, said, badge in zip(shown, shown[1:], shown[2:], strict=False)
        if said.type == "text"
        and title.value.startswith("**")
        and re.match(r":\w+-badge\[", badge.value)
    ]


def sources(session: AppTest) -> dict[str, str]:
    return {card.label: card.source for card in cards(session)}
