"""Why a statement was forgotten, in words: one sentence a case."""

from __future__ import annotations

from dataclasses import replace

import memviz
from memviz import why
from memviz.dashboard.words.warning import breach_lines, breach_words
from memviz.dashboard.words.why import (
    held_words,
    life_sentences,
    remedy_words,
    said_words,
    statement_line,
    statement_sentences,
)
from memviz.metrics.verify import Breach
from memviz.tuning.forgotten import Remedy
from tests.recorded_session import RULE, session
from tests.tables import for_each

WINDOW = memviz.strategy("window", window_size=2)
TALK = [
    {"role": role, "content": text}
    for text in ("The code is 7742.", "Hi.", "And you?", "Good.")
    for role in ("user", "assistant")
]
RETRIEVAL = memviz.strategy("retrieval")


def test_every_sentence_is_whole() -> None:
    (found,) = why(TALK, "The code is 7742.", strategies=WINDOW)
    assert said_words(found) == (
        "Said in message 1 (turn 1, user): “The code is 7742.”"
    )
    assert [*statement_sentences(found)][1:] == [
        "Said again in message 2.",
        "In every request a sentence is looked up with its value, 7742, and most of its other words.",
    ]
    assert [*life_sentences(found)] == [
        "Sent: turns 1 to 2 word for word; turns 3 to 4 not at all.",
        "Lost at turn 3: Sliding window · 2 messages sends message 4 and the input, and none of them says it.",
        "Since then 2 of 2 requests were without it.",
        "No later message is seen to need it.",
    ]


def test_what_is_said_otherwise_is_quoted_where_it_is_said() -> None:
    marked = "Please DO NOT run `python` through the `-c` flag."
    talk = [
        {"role": "user", "content": f"{'We sail. ' * 60}{marked} {'Whales. ' * 60}"}
    ]
    talk.append({"role": "assistant", "content": "Fine."})
    phrase = "do not run python through the -c flag"
    (found,) = why(talk, phrase, strategies=WINDOW)
    assert said_words(found) == (
        "Message 1 (turn 1, user) says it otherwise: “Please DO NOT run python through the -c flag.”"
    )


def test_a_fact_of_no_message_has_no_place() -> None:
    probe = memviz.Probe("What is the code?", ("7742",), (), "number")
    transcript = memviz.Transcript(tuple(map(memviz.Message.of, TALK)), probes=(probe,))
    (found,) = why(transcript, strategies=WINDOW)
    assert statement_line(found) == (
        "What is the code? 7742, lost at turn 3, 2 requests without it"
    )


def test_a_compaction_of_the_log() -> None:
    transcript = memviz.load_transcript(session().encode(), "claude_code")
    (found,) = why(transcript, RULE)
    told = [*life_sentences(found)]
    assert told[1].startswith("Lost at turn 3: the log says that its program compacted")
    assert "9,000 tokens" in told[1]
    other = memviz.load_transcript(session("All is on main.").encode(), "claude_code")
    (found,) = why(other, RULE)
    assert [*life_sentences(found)][3] == (
        "The summary still has these of its words: main. Read whether they say the same."
    )
    unknown = memviz.load_transcript(session("").encode(), "claude_code")
    (found,) = why(unknown, RULE)
    assert "in what nobody can read" in held_words(found)


@for_each(
    ("changes", "what"),
    [
        ({"kind": "pin"}, "Its message pinned, under the same setting"),
        ({"kind": "limit"}, "A larger limit: Retrieval · 5 messages"),
        (
            {"kind": "preset"},
            "Another rule, scaled to this conversation: Retrieval · 5 messages",
        ),
        (
            {"kind": "preset", "title": "Zed"},
            "Another rule, scaled to this conversation: Zed, here Retrieval · 5 messages",
        ),
        ({"rank": 2}, "Retrieval · 5 messages: it is number 2 of 9 found"),
        ({}, "Retrieval · 5 messages: the request has it"),
        (
            {"keeps": False, "rank": 2},
            "Not Retrieval · 5 messages: the request does not hold all of it, though it is number 2 of 9 found",
        ),
        (
            {"keeps": False, "rank": 8},
            "Not Retrieval · 5 messages: it is number 8 of 9 found",
        ),
        (
            {"keeps": False, "found": 0},
            "Not Retrieval · 5 messages: it finds no message",
        ),
        (
            {"keeps": False},
            "Not Retrieval · 5 messages: it is not among the 9 messages found",
        ),
    ],
)
def test_each_remedy(changes: dict[str, object], what: str) -> None:
    remedy = Remedy("retrieval", RETRIEVAL, "Retrieval", 1200, 0.004, found=9)
    assert remedy_words(replace(remedy, **changes)).what == what  # type: ignore[arg-type]


@for_each(
    ("usd", "price"),
    [
        (0.004, "+1,200 tokens, +$0.004"),
        (-0.004, "+1,200 tokens, -$0.004"),
        (None, "+1,200 tokens, price unknown"),
    ],
)
def test_each_price(usd: float | None, price: str) -> None:
    remedy = Remedy("pin", WINDOW, "Sliding window", 1200, usd)
    assert remedy_words(remedy).price == price


@for_each(
    "breach",
    [
        Breach("no_fate", 2, position=1),
        Breach("unsaid", 2, position=1),
        Breach("sent_twice", 2, position=1),
        Breach("no_rule", 2, position=1),
        Breach("no_reason", 2, position=1),
        Breach("no_call", 2, position=1),
        Breach("unsaid", 2, version=2),
        Breach("sent_twice", 2, version=2),
        Breach("miscounted", 2, on_record=12, counted=10),
        Breach("usage", 2, on_record=12, counted=2),
    ],
)
def test_each_breach_has_its_place_and_its_numbers(breach: Breach) -> None:
    run = memviz.replay(TALK, WINDOW, counter="chars4")
    words = breach_words(run, breach)
    assert words.startswith("Turn 2: ")
    assert words.endswith((".", "it."))
    numbers = [breach.position and 2, breach.version, breach.on_record, breach.counted]
    for number in filter(None, numbers):
        assert str(number) in words


def test_the_same_breach_of_requests_that_follow_each_other_is_one_line() -> None:
    run = memviz.replay(TALK, WINDOW, counter="chars4")
    breaches = [
        Breach("no_call", 1, position=1),
        Breach("usage", 1, on_record=12, counted=2),
        Breach("no_call", 2, position=1),
        Breach("no_call", 2, position=2),
        Breach("usage", 2, on_record=12, counted=2),
        Breach("no_call", 4, position=1),
    ]
    places = [line.partition(": ")[0] for line in breach_lines(run, breaches)]
    assert places == [
        "Turns 1 to 2",
        "Turns 1 to 2, with the numbers of the first",
        "Turn 2",
        "Turn 4",
    ]


def test_a_line_of_the_list_has_the_whole_sentence() -> None:
    probe = memviz.Probe("The code is ___.", ("7742",), (0,), "number")
    said = [memviz.Message("user", "The code is 7742.")]
    said += [memviz.Message(one["role"], one["content"]) for one in TALK[2:]]
    transcript = memviz.Transcript(tuple(said), probes=(probe,))
    (found,) = why(transcript, strategies=WINDOW)
    assert statement_line(found).startswith("The code is 7742. (message 1, turn 1,")
