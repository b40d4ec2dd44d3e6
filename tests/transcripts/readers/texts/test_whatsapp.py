"""Chats from phones: who is who, what the app says itself, and when it was."""

import pytest

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.transcripts import load_transcript
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def told(transcript):
    return [
        (message.role, message.name, message.content) for message in transcript.messages
    ]


def load(*lines, format=None):
    return load_transcript("\n".join(lines).encode(), format)


def test_an_android_chat():
    transcript = load_transcript(SAMPLES / "whatsapp__android.txt")
    assert told(transcript) == [
        ("user", "Ana", "See you: at nine?"),
        ("assistant", "Ben", "[media]"),
        ("assistant", "Ben", "[file: plan.pdf]\nthe plan\n\nof today"),
    ]
    assert transcript.messages[0].meta == {"time": "2024-05-13T09:16:00+00:00"}
    assert (
        transcript.description == "Chat of people: Ana is the user, Ben the assistant."
    )
    assert transcript.warnings == (
        "a line of the app itself, which nobody said, was left out: line 1, line 8.",
    )


def test_an_iphone_chat_of_a_group():
    transcript = load_transcript(SAMPLES / "whatsapp__ios.txt")
    assert told(transcript) == [
        ("user", "Ana", "Who drives?"),
        ("assistant", "+44 7700 900", "[image]"),
        ("assistant", "Cid", "I do"),
    ]
    assert [message.meta["time"][5:16] for message in transcript.messages] == [
        "05-18T13:06",
        "05-18T13:07",
        "05-19T00:07",
    ]
    assert transcript.held_at == transcript.held_at.replace(2024, 5, 18, 13, 6)
    assert transcript.warnings == (
        "3 people speak: Ana is the user, all others are the assistant.",
        "a line of the app itself, which nobody said, was left out: line 1, line 2.",
    )


@for_each(
    "stamp",
    [
        "[08/05/2023, 13:56:02] ",
        "08.05.23, 13:56 - ",
        "5/8/23, 1:56 PM - ",
        "5/8/23, 1:56\u202fp.\u00a0m. - ",
        "\u200e[2023-05-08, 13:56:02] ",
        "08/05/2023 13:56 - ",
        "[8.5.23, 13:56:02] ",
        "08-05-2023, 13.56 - ",
    ],
)
def test_stamps_of_every_kind(stamp):
    transcript = load(
        f"{stamp}Ana: hi",
        "still: hi",
        f"{stamp}Ben:",
        f"{stamp}Ben: \u200e<attached: a.jpg>",
    )
    assert told(transcript) == [
        ("user", "Ana", "hi\nstill: hi"),
        ("assistant", "Ben", ""),
        ("assistant", "Ben", "[file: a.jpg]"),
    ]
    assert (transcript.format, transcript.warnings) == ("whatsapp", ())


def test_dates_that_could_be_two_days_give_no_time():
    assert (
        load("5/8/23, 1:56 - Ana: hi", "5/8/23, 1:57 - Ben: ho").messages[0].meta
        is None
    )
    transcript = load(
        "5/8/23, 1:56 - Ana: hi", "6/7/23, 1:57 - Ben: ho"
    )  # in the other order time ran backwards
    assert transcript.messages[1].meta == {"time": "2023-06-07T01:57:00+00:00"}


def test_a_chat_with_a_model_in_this_shape_has_its_roles():
    transcript = load("[2023-05-08 13:56] Assistant: hi", "[2023-05-08 13:57] User: ho")
    assert told(transcript) == [("assistant", None, "hi"), ("user", None, "ho")]
    assert transcript.description == ""


def test_a_model_under_its_own_name_is_the_assistant_also_if_it_speaks_first():
    transcript = load("[2023-05-08 13:56] Grok: hi", "[2023-05-08 13:57] User: ho")
    assert [(role, text) for role, _, text in told(transcript)] == [
        ("assistant", "hi"),
        ("user", "ho"),
    ]


def test_who_the_user_is_can_be_said():
    lines = b"8/5/23, 1:56 - Ana: hi\n8/5/23, 1:57 - Ben: ho"
    transcript = load_transcript(lines, user="ben")
    assert told(transcript) == [("assistant", "Ana", "hi"), ("user", "Ben", "ho")]
    assert (
        transcript.description == "Chat of people: Ben is the user, Ana the assistant."
    )
    with pytest.raises(UnclearUserError, match="nobody called 'Cid'"):
        load_transcript(lines, user="Cid")


def test_one_person_alone_is_said():
    assert load("8/5/23, 1:56 - Ana: hi", "8/5/23, 1:57 - Ana: ho").warnings == (
        "only one person speaks, 'Ana'.",
    )


def test_what_the_app_tells_with_a_colon_in_a_name_is_nobody_s():
    transcript = load(
        "8/5/23, 1:56 - Ana: hi",
        '8/5/23, 1:57 - Ben named the group "Trip: May"',
        "8/5/23, 1:58 - Ben: x",
    )
    assert [name for _, name, _ in told(transcript)] == ["Ana", "Ben"]


@for_each(
    "text",
    [
        "08.05.23, 13:56 - Ana: hi",
        "hello\n8/5/23, 1:56 - Ana: hi\n8/5/23, 1:56 - Ana: hi",
    ],
)
def test_other_texts_are_no_chats(text):
    with pytest.raises(TranscriptError):
        load(text)


def test_the_format_named_wrongly():
    with pytest.raises(
        TranscriptError, match="was expected, found a text that starts with 'hello'"
    ):
        load("hello", format="whatsapp")
