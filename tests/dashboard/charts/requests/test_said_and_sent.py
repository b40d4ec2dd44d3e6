"""The picture of what was said and what was sent."""

from __future__ import annotations

import memviz
from memviz.dashboard.charts.requests.said_and_sent import (
    COLORS,
    SAID,
    SENT,
    TITLES,
    said_and_sent_figure,
)
from memviz.metrics.requests.message_text import compare_said_and_sent

TALK = [
    {"role": role, "content": f"{role} <b>{n}</b> " + "word " * n}
    for n in range(6)
    for role in ("user", "assistant")
]


def test_every_stretch_is_a_bar_at_its_place() -> None:
    run = memviz.replay(
        TALK,
        memviz.strategy("summary", buffer_size=2),
        model=memviz.ScriptedModel(["short"] * 5),
    )
    picture = compare_said_and_sent(run, run.requests[-1])
    figure = said_and_sent_figure(picture)
    bars = {
        (row, start, tokens, trace.name)
        for trace in figure.data
        for row, start, tokens in zip(trace.y, trace.base, trace.x, strict=True)
    }
    expected = {
        (row, one.start, one.tokens, TITLES[one.looks])
        for row, stretches in ((SAID, picture.said), (SENT, picture.sent))
        for one in stretches
    }
    assert bars == expected
    assert len(figure.layout.shapes) == 1


def test_a_tooltip_says_which_message_it_is_and_shows_markup_as_text() -> None:
    run = memviz.replay(TALK, memviz.strategy("window", window_size=2), model=None)
    figure = said_and_sent_figure(compare_said_and_sent(run, run.requests[-1]))
    (gone,) = [trace for trace in figure.data if trace.name == "Not sent"]
    assert gone.text[0].startswith("<b>Message 1 (user), ")
    assert "&lt;b&gt;0&lt;/b&gt;" in gone.text[0]
    assert not figure.layout.shapes


def test_all_that_can_be_drawn_has_a_colour_and_a_name() -> None:
    assert list(COLORS) == list(TITLES)
