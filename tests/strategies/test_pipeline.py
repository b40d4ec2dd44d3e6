"""Steps in turn: what each line of a pipeline does, and all of it against a slow reference that builds every request
from texts."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message, ParameterError
from memviz.strategies.steps import steps_from
from tests.strategies.conversations import conversations, looked_up
from tests.strategies.slow_pipeline import (
    FORMED,
    WINDOW,
    Slow,
    contents,
    replay,
    said,
)
from tests.tables import for_each


def test_results_are_cleared_once_the_threshold_is_reached_and_the_newest_stay() -> (
    None
):
    talk = [m for n in range(1, 5) for m in looked_up(n)]
    run = replay(talk, "clear tool results at 300 tokens, keep 1 results")
    kinds = [(one.kind, one.after_message, one.reason) for one in run.compactions]
    # A turn has 121 tokens, one of them that of the empty text of its call; of the third 111 are there.
    assert kinds[0] == ("cleared", 10, "353 tokens ≥ 300")
    assert run.fates()[-1].tolist().count(Fate.CLEARED) == 2
    assert contents(run).count("[cleared]") == 2


def test_no_result_stays_but_those_that_the_model_waits_for() -> None:
    talk = [m for n in range(1, 4) for m in looked_up(n)][:-1]
    run = replay(
        [*talk, Message("assistant", "")], "clear tool results, keep 0 results"
    )
    assert [text for text in contents(run) if "r" in text and "q" not in text] == [
        "[cleared]",
        talk[3].content,
        "[cleared]",
        talk[7].content,
        talk[-1].content,
    ]


def test_a_step_sees_what_the_one_before_it_freed() -> None:
    talk = [m for n in range(1, 5) for m in looked_up(n)]
    both = "clear tool results at 200 tokens\nsummarize at 300 tokens, keep 2 messages"
    assert {one.kind for one in replay(talk, both).compactions} == {"cleared"}
    alone = replay(talk, "summarize at 300 tokens, keep 2 messages")
    assert {one.kind for one in alone.compactions} == {"summarized"}


def test_nothing_is_cleared_where_too_little_would_go() -> None:
    talk = [m for n in range(1, 4) for m in looked_up(n)]
    step = "clear tool results, keep 1 results, if {} tokens go"
    assert not replay(talk, step.format(197)).compactions
    # two results of 100 tokens, with placeholders of 2
    assert len(replay(talk, step.format(196)).compactions) == 1


def test_what_is_dropped_is_covered_by_nothing_and_the_first_user_message_can_stay() -> (
    None
):
    talk = [m for n in range(1, 8) for m in said(n)]
    run = replay(
        talk, "drop at 6 messages, keep 3 messages, keep the first user message"
    )
    assert contents(run)[0].startswith("question 01")
    assert contents(run)[1].startswith("question 06")
    assert run.fates()[-1].tolist()[:4] == [
        Fate.VERBATIM,
        Fate.DROPPED,
        Fate.DROPPED,
        Fate.DROPPED,
    ]


def test_a_share_of_messages_stays_and_a_summary_stands_for_the_others() -> None:
    talk = [m for n in range(1, 6) for m in said(n)]
    run = replay(
        talk,
        "summarize at 0.8 of the window, keep 50% of messages",
        window_tokens=WINDOW,
    )
    first = run.compactions[0]
    assert (first.reason, first.summarized) == (
        "90 tokens ≥ 80 (80% of the window)",
        range(0, 4),  # of 9 messages half is rounded up to 5, as Strands does
    )
    assert contents(run)[0].endswith("summary 1")


def test_a_result_that_stays_keeps_its_call() -> None:
    talk = [*said(1), *said(2), *looked_up(3)]
    run = replay(talk, "drop at 7 messages, keep 1 messages")
    roles = [message.role for message in run.requests[-1].context.messages]
    assert roles == ["assistant", "tool"]
    assert not run.requests[-1].flags


def test_with_keep_at_most_a_call_goes_with_its_results_but_never_with_the_input() -> (
    None
):
    talk = [*said(1), *looked_up(2), *said(3)]
    run = replay(talk, "drop at 7 messages, keep at most 3 messages")
    assert contents(run) == [talk[5].content, talk[6].content]
    waiting = replay(
        [*said(1), *looked_up(2)], "drop at 4 messages, keep at most 1 messages"
    )
    roles = [message.role for message in waiting.requests[-1].context.messages]
    assert roles == ["assistant", "tool"]


def test_a_share_of_messages_is_rounded_up_and_counts_the_summary() -> None:
    """Of 7 messages 3.5 stay, that is 4; then of the summary and 6 messages once more 4."""
    talk = [m for n in range(1, 7) for m in said(n)]
    run = replay(talk, "summarize at 7 messages, keep 50% of messages")
    assert [one.summarized for one in run.compactions[:2]] == [range(3), range(3, 5)]


def test_long_arguments_are_cut_and_stay_an_object() -> None:
    call = {
        "id": "c",
        "function": {"name": "write", "arguments": '{"text": "%s"}' % ("x" * 90)},
    }
    talk = [
        Message("user", "Write."),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "done", tool_call_id="c"),
        Message("assistant", "I wrote it."),
        *said(2),
    ]
    run = replay(talk, "cut arguments over 50 characters to 9, keep 1 turns")
    sent = run.requests[-1].context.messages[1].tool_calls[0]
    assert sent.arguments == '{"cut": "{\\"text\\": "}'
    assert run.fates()[-1].tolist()[1] == Fate.SHORTENED


@for_each(
    ("step", "reduced"),
    [
        ("shorten messages to 20 characters, keep 120 tokens", [0, 2, 3]),
        ("shorten tool results to 20 characters, keep 120 tokens", [2]),
        ("clear tool results, keep 120 tokens", [2]),
    ],
)
def test_kept_tokens_are_those_of_results_only_for_a_step_about_results(
    step: str, reduced: list[int]
) -> None:
    """Messages of 10, 1, 100 and 10 tokens, twice: before the last answer the newest 120 of all begin at the second
    question, those of results alone at the second result."""
    talk = [*looked_up(1), *looked_up(2)]
    sent = replay(talk, step).requests[-1].context.messages
    assert [n for n, message in enumerate(sent) if message != talk[n]] == reduced


def test_thinking_is_left_out_where_a_step_says_so() -> None:
    talk = [
        Message("user", "Hi"),
        Message("assistant", "<think>hm</think>Hello"),
        *said(2),
    ]
    assert contents(replay(talk, "drop thinking, keep 1 turns"))[1] == "Hello"


@for_each(
    "line",
    [
        "summarise at 10 messages",
        "summarize at 10 apples",
        "clear tool results, keep 3 apples",
        "clear tool results, 3 results",
        "clear tool results, if 3 messages go",
        "summarize at 99999999999999999999 tokens",
        "",
    ],
)
def test_a_line_that_is_no_step_is_quoted_and_steps_are_shown(line: str) -> None:
    with pytest.raises(ParameterError) as refused:
        memviz.strategy(
            "pipeline", steps=f"drop thinking\n{line}" if line else "# nothing"
        )
    assert refused.value.name == "steps"
    assert line in str(refused.value)
    assert "clear tool results at 0.5 of the window, keep 3 results" in str(
        refused.value
    )


def test_a_share_grows_with_its_window_and_a_number_does_not() -> None:
    text = "drop at 0.5 of the window and 20 messages, keep 1,000 tokens, keep 0.1 of the window"
    small, large = (steps_from(text, window)[0] for window in (1000, 50_000))
    assert [keep.amount for keep in small.keeps] == [1000, 100]
    assert [keep.amount for keep in large.keeps] == [1000, 5000]


lines = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from(list(FORMED)),
            st.integers(0, 60),
            st.integers(1, 3),
            st.sampled_from(["results", "messages"]),
        ),
        st.tuples(
            st.sampled_from(["drop", "summarize"]),
            st.integers(1, 60),
            st.integers(1, 4),
            st.just("messages"),
        ),
    ),
    min_size=1,
    max_size=4,
)


@given(messages=conversations(), lines=lines)
def test_sends_what_the_slow_reference_sends(
    messages: list[Message], lines: list[tuple[str, int, int, str]]
) -> None:
    log = Log(messages)
    # Results whose call is not right before them have rules of their own, in the tests of clearing.
    assume(all(log.tools.call_of.get(p) == p - 1 for p in log.tools.results))
    text = "\n".join(
        f"{deed} at {at} tokens, keep {kept} {unit}" for deed, at, kept, unit in lines
    )
    run = replay(messages, text)
    expected = Slow(
        messages, [(d, max(1, at), k, u) for d, at, k, u in lines]
    ).requests()
    assert [list(one.context.messages) for one in run.requests] == expected


def test_a_long_result_is_offloaded_and_its_beginning_says_how_much_is_stored() -> None:
    talk = [*looked_up(1), *looked_up(2)]
    run = replay(talk, "offload tool results over 100 characters to 20, keep 1 results")
    old, new = [one.content for one in talk if one.role == "tool"]
    assert contents(run)[2] == (
        f"{old[:20]}\n[{len(old)} characters are stored; a tool can read them]"
    )
    assert contents(run)[-1] == new
    assert run.fates()[-1].tolist()[2] == Fate.SHORTENED
