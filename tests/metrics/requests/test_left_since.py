"""What one request no longer sends word for word."""

from __future__ import annotations

import memviz
from memviz.core.context import Fate
from memviz.metrics.requests.request_table import list_left_messages
from tests.tool_talk import tool_talk


def test_each_request_is_compared_with_the_one_before_also_within_a_turn() -> None:
    run = memviz.replay(tool_talk(1, 4), memviz.strategy("window", window_size=2))
    sent = [
        {message.content for message in record.context.messages}
        for record in run.requests
    ]
    for number in range(1, len(sent)):
        gone = {
            run.log[position].content
            for position, _ in list_left_messages(run, range(number, number + 1))
        }
        assert {text for text in gone if text} == {
            text for text in sent[number - 1] - sent[number] if text
        }
    assert list_left_messages(run, range(1)) == []
    assert {fate for _, fate in list_left_messages(run, range(1, len(sent)))} == {
        Fate.DROPPED
    }
