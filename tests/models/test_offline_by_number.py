"""What the offline model recalls and says where turns or messages are asked for by their numbers."""

from __future__ import annotations

import json

import pytest

from memviz import Chat, Message, Strategy, strategy
from memviz.core.text.phrases import admits_ignorance
from memviz.models.offline import OfflineModel
from memviz.models.offline.turn_numbers import named_in

SAID = (
    "My boat Sturdy lies in Ghent and the mooring fee is 640 euros.",
    "The cat Biscuit sleeps on the radiator. Our budget is 3,000 euros.",
    "Our hotel in Porto is called Casa Azul.",
    "我女儿对花生过敏。",
    *(f"Today I watered plant number {number}." for number in range(5, 9)),
)
PER_TURN = strategy("summary_only")
WINDOW = strategy("window", window_size=4)


def asked(
    question: str, setting: Strategy = PER_TURN
) -> tuple[list[dict[str, object]], tuple[int, ...], str]:
    """What is called, which messages come back, and what is said."""
    chat = Chat(setting, model=OfflineModel(), recall_tool=True)
    for said in SAID:
        chat.send(said)
    record = chat.send(question)
    calls = [
        json.loads(call.arguments)
        for message in record.context.messages
        for call in message.tool_calls
    ]
    return (
        calls,
        record.recalled.indices if record.recalled else (),
        chat.log[len(chat.log) - 1].content,
    )


@pytest.mark.parametrize(
    "setting", [PER_TURN, WINDOW], ids=["summaries of turns", "no summaries"]
)
@pytest.mark.parametrize(
    ("question", "recalled", "said"),
    [
        (
            "What did I say in turn 3?",
            (4, 5),
            'You told me: "Our hotel in Porto is called Casa Azul."',
        ),
        ("What was in message 3?", (2,), "radiator"),
        ("what did we discuss in turns 2 to 4", (2, 3, 4, 5, 6, 7), "花生"),
        ("What did you answer in turn 3?", (4, 5), 'I said earlier: "Our hotel'),
        (
            "What did I say about the budget in turn 2?",
            (2, 3),
            '"Our budget is 3,000 euros."',
        ),
        ("Repeat turn 1.", (0, 1), "Sturdy"),
        ("What was my third message?", (4, 5), "Casa Azul"),
        ("Was habe ich in Runde 3 gesagt?", (4, 5), "Casa Azul"),
        ("Was habe ich im dritten Turn gesagt?", (4, 5), "Casa Azul"),
        (
            "Worüber haben wir in den Runden 2 bis 3 gesprochen?",
            (2, 3, 4, 5),
            "Biscuit",
        ),
        ("第三轮我说了什么？", (4, 5), "Casa Azul"),
        ("我们在第二轮到第四轮讨论了什么？", (2, 3, 4, 5, 6, 7), "花生"),
        ("第七条消息写了什么？", (6,), "花生"),
    ],
)
def test_just_what_is_named_is_recalled_and_said(
    setting: Strategy, question: str, recalled: tuple[int, ...], said: str
) -> None:
    calls, indices, reply = asked(question, setting)
    assert len(calls) == 1
    assert indices == recalled
    assert said in reply


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "What did I say in turn 40?",
            "There is no turn 40: there were 8 turns before this one.",
        ),
        (
            "What did I say in turn 9?",
            "There is no turn 9: there were 8 turns before this one.",
        ),
        (
            "What did we discuss in turns 40 to 42?",
            "There is no turn 40 to 42: there were 8 turns before this one.",
        ),
        (
            "What was in message 90?",
            "There is no message 90: there were 8 turns before this one.",
        ),
        ("What was in message 0?", "There is no message 0"),
        ("Was habe ich in Runde 40 gesagt?", "There is no turn 40"),
        ("第四十轮我说了什么？", "没有第40轮：在这之前的对话有8轮。"),
    ],
)
@pytest.mark.parametrize(
    "setting", [PER_TURN, WINDOW], ids=["summaries of turns", "no summaries"]
)
def test_of_what_does_not_exist_nothing_is_recalled_and_it_says_so(
    setting: Strategy, question: str, said: str
) -> None:
    calls, indices, reply = asked(question, setting)
    assert indices == ()
    assert reply.startswith(said)
    assert admits_ignorance(reply), "it is no answer to a later question"
    assert not (setting is PER_TURN and "message" not in question and calls), (
        "the summaries tell how many turns"
    )


def test_in_the_first_turn_there_is_no_earlier_one() -> None:
    chat = Chat(PER_TURN, model=OfflineModel())
    chat.send("What did I say in turn 3?")
    assert (
        chat.log[len(chat.log) - 1].content
        == "There is no turn 3: there were 0 turns before this one."
    )


def test_what_exists_of_a_range_is_said_and_the_rest_named() -> None:
    calls, indices, reply = asked("What did I say in turns 3 to 40?")
    assert calls == [{"turn_numbers": [3, 4, 5, 6, 7, 8]}]
    assert indices == tuple(range(4, 16))
    assert "Casa Azul" in reply
    assert "There is no turn 9 to 40" in reply


def test_another_question_beside_it_is_answered_as_well() -> None:
    calls, _, reply = asked("What did I say in turn 3 and where does Biscuit sleep?")
    assert calls == [{"turn_numbers": [2, 3]}]
    assert reply.index("Casa Azul") < reply.index("radiator")
    assert "budget" not in reply


def test_where_it_cannot_be_sure_which_messages_are_meant_it_does_not_guess() -> None:
    sent_anyway = asked("What did I say in turn 8?", WINDOW)[2]
    assert sent_anyway.startswith("I cannot tell which of the messages those are")
    without_tool = OfflineModel().complete(
        [*(Message("user", text) for text in SAID), Message("user", "Repeat turn 2")]
    )
    assert without_tool.text.startswith("I cannot tell which")
    chat = Chat(WINDOW, model=OfflineModel(), recall_tool=True)
    for said in SAID:
        chat.send(said)
    chat.recall(turns=[3])
    chat.send("What did I say in turn 1?")
    assert "Casa Azul" not in chat.log[len(chat.log) - 1].content


def test_without_the_tool_the_summary_of_the_turn_is_quoted() -> None:
    calls, _, reply = asked(
        "What did I say in turn 3?", strategy("summary_only", enable_recall=False)
    )
    assert calls == []
    assert (
        reply
        == 'My summary of our earlier conversation says: "Our hotel in Porto is called Casa Azul."'
    )


@pytest.mark.parametrize(
    "text",
    [
        "How do I turn 3 knobs?",
        "Who won in round 3 of the match?",
        "Can you turn two pages?",
        "When is my turn?",
        "Wer hat in Runde 3 des Turniers gewonnen?",
        "轮到谁了？",
    ],
)
def test_not_every_turn_is_one_of_the_conversation(text: str) -> None:
    assert named_in(text) is None


@pytest.mark.parametrize(
    ("text", "turns", "positions"),
    [
        ("What did I say in turns 2, 4 and 5?", (2, 4, 5), ()),
        ("What did I say in the second and third turn?", (2, 3), ()),
        ("Summarize turns 2-4", (2, 3, 4), ()),
        ("What did I say in turn #12?", (12,), ()),
        ("What was the first message?", (), (0,)),
        ("第一百零五轮我说了什么？", (105,), ()),
        ("第二十三轮和第2轮", (2, 23), ()),
    ],
)
def test_numbers_are_read_as_people_write_them(
    text: str, turns: tuple[int, ...], positions: tuple[int, ...]
) -> None:
    named = named_in(text)
    assert named is not None
    assert (named.turns, named.positions) == (turns, positions)
