"""The name of the request that all pages look at."""

from __future__ import annotations

import memviz
from memviz.dashboard.ui.controls.selected_request import name_in_full
from tests.tool_talk import tool_talk


def test_only_turns_of_several_calls_name_a_call() -> None:
    run = memviz.replay(
        tool_talk(1, 4, 2, 5),
        memviz.strategy("summary_buffer", max_token_limit=90),
        model=memviz.model("offline"),
    )
    names = [
        name_in_full(run, *place)
        for place in ((1, None), (2, 1), (2, None), (3, 9), (7, None))
    ]
    assert names == [
        "turn 1",
        "turn 2, call 1 of 4",
        "turn 2, call 4 of 4",
        "turn 3, call 2 of 2",
        "turn 7",
    ]
