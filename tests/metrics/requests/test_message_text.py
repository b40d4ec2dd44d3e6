"""What was said and what was sent, as stretches of tokens."""

from __future__ import annotations

import memviz
from memviz.dashboard.words.requests import picture_words
from memviz.metrics.requests.message_text import (
    compare_said_and_sent,
    find_telling_request,
)

TALK = [
    {"role": role, "content": f"{role} says {n} " + "word " * n}
    for n in range(6)
    for role in ("user", "assistant")
]


def summarized() -> memviz.Run:
    return memviz.replay(
        TALK,
        memviz.strategy("summary", buffer_size=2),
        model=memviz.ScriptedModel(["short"] * 5),
    )


def test_messages_have_their_fate_and_their_tokens() -> None:
    run = memviz.replay(
        TALK,
        memviz.strategy("window", window_size=3),
        model=None,
        system_prompt="Be brief.",
    )
    picture = compare_said_and_sent(run, run.requests[-1])
    assert [one.looks for one in picture.said] == ["dropped"] * 8 + ["history"] * 3
    assert [one.position for one in picture.said] == list(range(11))
    assert [one.looks for one in picture.sent] == [
        "system",
        "history",
        "history",
        "input",
        "overhead",
    ]
    assert [one.position for one in picture.sent] == [None, 8, 9, 10, None]
    assert sum(one.tokens for one in picture.sent) == run.requests[-1].total_tokens
    assert picture.folded is None


def test_stretches_stand_one_behind_the_other() -> None:
    run = summarized()
    for stretches in compare_said_and_sent(run, run.requests[-1])[2:]:
        assert [one.start for one in stretches[1:]] == [
            one.start + one.tokens for one in stretches[:-1]
        ]


def test_what_a_summary_stands_for_is_told() -> None:
    run = summarized()
    picture = compare_said_and_sent(run, find_telling_request(run))
    assert picture.folded is not None
    said, sent = picture.folded
    replaced = [one for one in picture.said if one.looks == "summary"]
    assert len(said) == sum(one.tokens for one in replaced)
    assert len(sent) == picture.record.tokens["summary"]
    assert f"{len(replaced)} replaced by a summary" in picture_words(picture)


def test_the_most_telling_request_is_the_last_one_that_something_changed() -> None:
    run = summarized()
    assert find_telling_request(run).compactions
    assert not any(
        record.compactions
        for record in run.requests[run.requests.index(find_telling_request(run)) + 1 :]
    )
    window = memviz.replay(TALK, memviz.strategy("window"), model=None)
    assert find_telling_request(window) == window.requests[-1]


def test_a_cleared_result_has_the_tokens_of_its_placeholder() -> None:
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "1", "name": "look", "arguments": "{}"}],
    }
    result = {"role": "tool", "content": "long " * 100, "tool_call_id": "1"}
    talk = [
        {"role": "user", "content": "Look."},
        call,
        result,
        {"role": "assistant", "content": "Seen."},
        *TALK,
    ]
    run = memviz.replay(
        talk,
        memviz.strategy("clear_tool_results", trigger_tokens=50, keep_results=0),
        model=None,
    )
    picture = compare_said_and_sent(run, run.requests[-1])
    (said,) = [one for one in picture.said if one.looks == "cleared"]
    (sent,) = [one for one in picture.sent if one.looks == "cleared"]
    assert (said.position, sent.position) == (2, 2)
    assert sent.tokens < 5 < 100 <= said.tokens
