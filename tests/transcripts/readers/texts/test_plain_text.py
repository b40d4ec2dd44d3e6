"""Plain text: names at the start of a line."""

from contextlib import suppress
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

MINE = ("csv", "markdown", "text", "whatsapp")


def said(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def load(text, format=None):
    return load_transcript(text.encode(), format)


def test_speakers_with_blank_lines_code_and_notes():
    transcript = load_transcript(SAMPLES / "text__speakers.txt")
    assert said(transcript) == [
        ("user", "I moved to Oslo.\n\nIt is cold."),
        ("assistant", "Noted.\n\n```\nHuman: code\n```\nNote: no speaker"),
        ("user", "Where do I live?"),
        ("assistant", "Oslo."),
    ]
    assert (transcript.format, transcript.warnings) == ("text", ())


def test_all_names():
    names = [
        "User",
        "Human",
        "You",
        "Me",
        "Customer",
        "Assistant",
        "AI",
        "Bot",
        "ChatGPT",
        "GPT",
        "Claude",
        "Gemini",
        "Model",
        "Agent",
        "System",
        "Tool",
    ]
    roles = [role for role, _ in said(load("\n".join(f"{name}: x" for name in names)))]
    assert roles == ["user"] * 5 + ["assistant"] * 9 + ["system", "tool"]
    names = ["Prompt", "Question", "Q", "Answer", "A"]
    roles = [role for role, _ in said(load("\n".join(f"{name}: x" for name in names)))]
    assert roles == ["user"] * 3 + ["assistant"] * 2


def test_words_of_the_other_kind_of_dialogue_stay_text():
    assert said(load_transcript(SAMPLES / "text__questions.txt"))[1] == (
        "assistant",
        "A kite.\nUser: is a word here",
    )
    assert said(load("User: pick\nA: Paris\nB: Rome\nAssistant: A"))[0] == (
        "user",
        "pick\nA: Paris\nB: Rome",
    )


@for_each(
    "line",
    ["user: root", "  User: x", "- User: x", "User://x", "The User: x", "Username: x"],
)
def test_lines_that_name_nobody(line):
    assert said(load(f"User: hi\n{line}\nAssistant: ho"))[0] == ("user", f"hi\n{line}")


def test_text_before_the_first_speaker_is_left_out_and_said():
    transcript = load_transcript(SAMPLES / "text__preamble.txt")
    assert said(transcript) == [("user", "hi"), ("assistant", "ho"), ("user", "bye")]
    assert transcript.warnings == (
        "text before the first speaker was left out: lines 1 to 2.",
    )


def test_a_last_speaker_without_words_is_left_out_and_others_stay():
    transcript = load("Human: hi\n\nAssistant:\n\nHuman: x\n\nAssistant:")
    assert said(transcript) == [("user", "hi"), ("assistant", ""), ("user", "x")]
    assert transcript.warnings == (
        "the last speaker says nothing and was left out: line 7.",
    )


def test_two_lines_are_a_dialogue_and_one_is_not():
    assert said(load("User: hi\nUser: ho")) == [("user", "hi"), ("user", "ho")]
    with pytest.raises(TranscriptError):
        load("User: hi\nThat is all.")
    assert said(load("User: hi\nThat is all.", "text")) == [
        ("user", "hi\nThat is all.")
    ]


def test_broken_json_is_never_a_dialogue():
    with pytest.raises(TranscriptError, match="JSON"):
        load('[{"role": "user", "content": "\nUser: a\nAssistant: b')


PIECES = st.sampled_from([
    "User:", "\nUser: ", "\nAssistant: ", "\n**User:** ", "\n## AI\n", "\n# T\n", "```", "\n```\n", "\n~~~~\n",
    "role,content", "prompt;answer", "turn,role,content,tool_calls\n", "\nuser,", "\nassistant;", '"', "'", ",",
    ";", "\t", "|", "\n", "\r", "\0", " ", "sep=", "[", "]", "[08/05/2023, 13:56:02] ", "\n99.99.99, 25:61 - ",
    "Ana: ", "\u200e", "<Media omitted>", "5/8/23, 1:56 PM - B: ", "<!-- memviz: ", '{"role": "user"}',
    '{"role": 3}', '{"end": 1}', '{"title": []}', " -->\n", '{"closed": {}, "role": "user"}',
    '{"system_prompt": true}', '{"role": "tool", "tool_calls": 7}', "{", "NaN", "1e999",
    "position,role,name,content,tool_calls,tool_call_id\n", "[[", "---", "中", "\ud800",
])  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=3), max_size=14).map("".join)


@given(TEXTS, st.sampled_from([None, *MINE]))
def test_any_text_is_read_or_refused_in_a_sentence(text, format):
    data = text.encode("utf-8", "surrogatepass")
    try:
        failures = load_file(data, format).failures
    except TranscriptError as error:
        failures = (error,)
    assert not any(failure.template == UNFORESEEN for failure in failures)


@given(TEXTS)
def test_at_most_one_format_says_yes(text):
    document = Document(text.encode("utf-8", "surrogatepass"))
    assert sum(formats()[name].recognise(document) for name in MINE) <= 1


@pytest.mark.parametrize(
    "character",
    [" ", "\t", "#", "*", "`", "~", "\u200e", "-", "|", '"', ",", "(", "\\"],
)
@pytest.mark.parametrize(
    "start",
    [
        "User: a\nAI:",
        "# ",
        "**User",
        "## User ",
        "5/8/23, 1:56 - B: ",
        "role,content\nuser,",
    ],
)
@pytest.mark.slow
def test_long_runs_of_a_character_take_linear_time(start, character):
    began = process_time()
    with suppress(TranscriptError):
        load_file((start + character * 100_000 + "x").encode())
    assert process_time() - began < 5
