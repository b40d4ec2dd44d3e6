"""Sweeps on the page, and what it shows of them."""

from __future__ import annotations

import json

from streamlit.testing.v1 import AppTest

from tests.pages.driving import (
    figures,
    finished,
    labelled,
    numbers,
    open_page,
    sentences,
)


def told(session: AppTest) -> str:
    found = [
        *session.markdown,
        *session.caption,
        *session.info,
        *session.success,
        *session.warning,
    ]
    return "\n".join(sentences(found)).replace("\u2060", "")


def strategies_tried(session: AppTest):
    return labelled(session.button_group, "Strategies to try")


def only(session: AppTest, *ids: str) -> AppTest:
    strategies_tried(session).set_value(list(ids))
    return finished(session.run())


def points(session: AppTest) -> set[int]:
    """Numbers of the settings on the main picture."""
    found: set[int] = set()
    for trace in figures(session)[0]["data"]:
        if "customdata" in trace and trace.get("mode") == "markers":
            found |= {int(number) for number in numbers(trace["customdata"])}
    return found


def open_sweep(*ids: str, **query: str) -> AppTest:
    """The page once its sweep of these strategies is through."""
    return finished(open_page("tune", **{"try": json.dumps(ids)}, **query))
