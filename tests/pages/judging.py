"""Let a model judge answers, and read its judgements."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.driving import labelled


def ask(session: AppTest) -> AppTest:
    return session.button(key="judged-ask").click().run()


def results(session: AppTest) -> dict[str, list[str]]:
    table = next(
        table.value
        for table in session.table
        if "Answer contained" in table.value.index
    )
    return {measure: list(table.loc[measure]) for measure in table.index}


def only_the_buffer(session: AppTest) -> AppTest:
    return labelled(session.button_group, "Settings").set_value(["Full buffer"]).run()
