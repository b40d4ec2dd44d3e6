"""Who is lost on a page finds three sentences beside its title."""

from __future__ import annotations

import re
from inspect import Parameter, signature

import pytest

from memviz.dashboard.ui.compare.views import compare_views
from memviz.dashboard.ui.facts.views import facts_views
from memviz.dashboard.ui.shell.frame import open_page as open_page_of_app
from memviz.dashboard.ui.shell.views import Lost, View
from tests.page_names import QUESTIONS
from tests.pages.driving import first_seen

LEAST_CHARS, MOST_CHARS = 40, 140
ICONS = (":material/visibility:", ":material/touch_app:", ":material/lightbulb:")


def is_one_sentence(text: str) -> bool:
    return (
        text.endswith(".")
        and re.search(r"[.!?] [A-Z]", text) is None
        and LEAST_CHARS <= len(text) <= MOST_CHARS
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", QUESTIONS)
def test_every_page_has_exactly_three_sentences(name: str) -> None:
    (help,) = [
        one
        for one in first_seen(name).get("popover")
        if one.proto.popover.label.startswith("New here?")
    ]
    texts = [element.value for element in help.markdown]
    assert len(texts) == 3
    for text, icon in zip(
        texts,
        (":material/visibility:", ":material/touch_app:", ":material/lightbulb:"),
        strict=True,
    ):
        assert text.startswith(f"{icon} ")
        assert is_one_sentence(text.removeprefix(f"{icon} ")), text
    look, _, answers = texts
    assert " Look first at " in look
    assert " It answers " in answers


def test_no_two_pages_say_the_same() -> None:
    every = [view.lost for view in (*compare_views(), *facts_views())]
    assert len({sentence for lost in every for sentence in lost}) == 3 * len(every)


def test_no_page_and_no_view_can_be_without() -> None:
    lost = signature(open_page_of_app).parameters["lost"]
    assert lost.default is Parameter.empty
    assert "lost" not in View._field_defaults
    assert not Lost._field_defaults
    assert len(Lost._fields) == 3
