"""Free runs on the pages."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.driving import labelled

QUESTIONS = (
    "My budget is 3,000 euros.",
    "We go by train.",
    "We like museums.",
    "What is my budget?",
)


def as_free_run(session: AppTest) -> AppTest:
    return labelled(session.button_group, "Replies").set_value("free-run").run()


def answer(session: AppTest) -> AppTest:
    return session.button(key="free-run").click().run()
