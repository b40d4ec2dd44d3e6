"""What is kept because of what it holds, on conversations counted by hand, and against a slow reference."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Log, Message
from memviz.core.importance import Importance, importance_of
from tests.strategies.comparison import compare
from tests.strategies.conversations import COUNTERS, conversations
from tests.strategies.looked_up import FILLER, turns
from tests.tables import for_each

ASKED = Message("user", "Which one?")


@for_each(
    ("message", "before", "found", "points"),
    [
        (Message("user", "Please never call me."), None, (1, 0, 0, 0, 1), 5),
        (Message("assistant", "You must see it."), None, (0, 0, 0, 0, 0), 0),
        (Message("user", "We fly on 4 May, at 9:30."), None, (0, 2, 1, 0, 1), 6),
        (Message("user", "1, 2, 3, 4 and 5?"), None, (0, 5, 0, 0, 0), 6),
        (Message("assistant", "The red one."), ASKED, (0, 0, 0, 1, 0), 1),
        (Message("user", "我们必须在“云根”买28斤。"), None, (1, 1, 1, 0, 1), 8),
        (Message("user", ""), None, (0, 0, 0, 0, 0), 0),
    ],
)
def test_points_of_a_message(
    message: Message, before: Message | None, found: tuple[int, ...], points: int
) -> None:
    assert importance_of(message, before) == Importance(*found)
    assert importance_of(message, before).points == points


@for_each(
    "rule",
    [
        *("NEVER ring", "Always ring", "You must", "You mustn't", "You mustn’t"),
        *(
            "Don't ring",
            "don’t ring",
            "Do not ring",
            "from now on we ring",
            "mu\u017ft",
        ),
        *("不要打", "永远打", "一律打", "从不打", "绝不打", "只能打", "必须打"),
        *("不能打", "以后都打"),
    ],
)
def test_every_form_of_a_rule_is_seen(rule: str) -> None:
    assert importance_of(Message("user", f"Well, {rule}."), None).rules == 1


def test_words_that_are_part_of_a_rule_are_none() -> None:
    assert importance_of(Message("user", "Mustard, donuts?"), None).rules == 0


TALK = turns("The code is 4711.", "I like it here.", *FILLER, "And now?")


def test_the_most_important_stays_and_the_newest_are_sent_whatever_they_say() -> None:
    strategy = memviz.strategy("importance", max_tokens=4, newest_messages=2)
    run = memviz.replay(TALK, strategy, counter="chars4")
    record = run.requests[-1]
    assert [one.content for one in record.context.messages] == [
        "The code is 4711.",
        "Noted.",
        "And now?",
    ]
    assert set(run.fates()[-1].tolist()[1:-3]) == {Fate.DROPPED}
    assert strategy.why_sent(record.memory, 0) == (
        "number 7 of 8 by importance: 3 points (rules 0, numbers 1, names 0, answers 0, statements of the user 1) in "
        "17 characters"
    )
    assert strategy.why_sent(record.memory, 1) == ""


def test_a_log_that_grew_is_ranked_anew() -> None:
    log = Log(TALK[:2])
    assert log.importance_index().best(0, 2).tolist() == [0]
    log.append(Message("user", "Never tell 4711, and never 4712."))
    assert log.importance_index().best(0, 3).tolist() == [2, 0]
    assert log.importance_index().best(1, 3).tolist() == [2]


def test_one_that_does_not_fit_makes_room_for_a_smaller_one() -> None:
    long = "Never on 1, 2 or 3. " * 4
    talk = turns(long, "The code is 4711.", "Well.", "And now?")
    strategy = memviz.strategy("importance", max_tokens=5, newest_messages=1)
    run = memviz.replay(talk, strategy, counter="chars4")
    sent = [one.content for one in run.requests[-1].context.messages]
    assert sent == ["The code is 4711.", "Well.", "And now?"]


def test_results_of_tools_are_not_kept_without_their_calls() -> None:
    call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
    talk = [
        Message("user", "Weather?"),
        Message("assistant", "10, 20, 30", tool_calls=(call,)),
        Message("tool", "10, 20, 30", tool_call_id="a"),
        *turns("So?", *FILLER)[1:],
    ]
    strategy = memviz.strategy("importance", newest_messages=1)
    run = memviz.replay(talk, strategy)
    assert not any(record.flags for record in run.requests)


@given(
    messages=conversations(),
    most=st.integers(1, 60),
    newest=st.integers(1, 4),
    counter=st.sampled_from(COUNTERS),
)
def test_agrees_with_the_reference(
    messages: list[Message], most: int, newest: int, counter: str
) -> None:
    parameters = {"max_tokens": most, "newest_messages": newest}
    compare("importance", parameters, messages, ["good"], counter, "Be kind.")
