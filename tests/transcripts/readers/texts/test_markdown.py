"""Markdown: speakers in bold or in headings, and everything else that looks like one."""

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI = [("user", "hi"), ("assistant", "ho")]


def said(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def load(text, format=None):
    return load_transcript(text.encode(), format)


@for_each(
    "style",
    [
        "**{}:** {}",
        "**{}**: {}",
        "**{}**\n{}",
        "__{}:__ {}",
        "## {}\n\n{}",
        "### {}:\n{}",
        "# {}: {}",
        "## **{}**\n{}",
        "## {} ##\n{}",
        "**{} (10:32):** {}",
        "**🧑 {}:** {}",
        "## 🤖 {}\n{}",
        "##### {} said:\n{}",
    ],
)
@for_each(
    "names",
    [
        ("User", "Assistant"),
        ("Human", "AI"),
        ("You", "ChatGPT"),
        ("Q", "A"),
        ("me", "bot"),
    ],
)
def test_styles_and_names(style, names):
    transcript = load(
        f"{style.format(names[0], 'hi')}\n\n{style.format(names[1], 'ho')}\n"
    )
    assert (said(transcript), transcript.format, transcript.warnings) == (
        HI,
        "markdown",
        (),
    )


def test_code_headings_and_bold_words_of_an_answer_stay_in_it():
    transcript = load_transcript(SAMPLES / "markdown__bold.md")
    assert [role for role, _ in said(transcript)] == ["user", "assistant", "user"]
    answer = said(transcript)[1][1]
    assert answer.startswith(
        "Ferns.\n\n````md\n```\n**User:** not me\n```\n**Assistant:** nor me\n````\n\n### Answer"
    )
    assert answer.endswith("**Question:** is this a heading of its own?")
    assert (transcript.title, transcript.warnings) == ("Garden", ())


def test_headings_of_another_level_are_the_answer_s_own():
    transcript = load(
        "## User\nhi\n## Assistant\nho\n### User\nstill\n#### Assistant\nstill"
    )
    assert [role for role, _ in said(transcript)] == ["user", "assistant"]


def test_each_name_may_have_its_own_level():
    assert said(load_transcript(SAMPLES / "markdown__said.md")) == [
        ("user", "hi"),
        ("assistant", "hello"),
        ("user", "bye"),
    ]


def test_a_fence_of_tildes_hides_one_of_backticks():
    transcript = load("**User:** hi\n\n~~~\n```\n**User:** no\n~~~\n**Assistant:** ho")
    assert [role for role, _ in said(transcript)] == ["user", "assistant"]


def test_a_fence_that_is_never_closed_swallows_nothing():
    transcript = load_transcript(SAMPLES / "markdown__unclosed.md")
    assert [role for role, _ in said(transcript)] == ["user", "assistant", "user"]
    assert transcript.warnings == (
        "a code fence is never closed, so it was read as text: line 2.",
    )


def test_rules_between_all_messages_are_layout_and_others_are_text():
    assert said(load("**User:** hi\n\n---\n\n**Assistant:** ho\n\n---\n")) == HI
    assert said(load("**User:** hi\n\n---\n\n**Assistant:** ho\n\n**User:** x"))[0] == (
        "user",
        "hi\n\n---",
    )


def test_title_and_text_before_the_first_speaker():
    transcript = load(
        "# Chat about C#\n\nExported\nby hand\n\n**User:** hi\n**Assistant:** ho\n"
    )
    assert (transcript.title, said(transcript)) == ("Chat about C#", HI)
    assert transcript.warnings == (
        "text before the first speaker was left out: lines 3 to 4.",
    )


def test_the_name_of_the_model_above_is_no_message():
    transcript = load("**Model:** small-1\n\n**User:** hi\n**Assistant:** ho")
    assert said(transcript) == HI
    assert "line 1" in transcript.warnings[0]


def test_indented_first_lines_and_windows_line_ends():
    transcript = load(
        "**User:**\r\n\r\n    code\r\n  more\r\n\r\n**Assistant:** ho\r\n"
    )
    assert said(transcript) == [("user", "    code\n  more"), ("assistant", "ho")]


def test_plain_speakers_inside_stay_text_and_the_kinds_exclude_each_other():
    transcript = load(
        "**User:** hi\nUser: quoted\nAssistant: quoted\n**Assistant:** ho"
    )
    assert (transcript.format, len(transcript.messages)) == ("markdown", 2)
    transcript = load(
        "User: hi\n**User:** quoted\n**Assistant:** quoted\nAssistant: ho"
    )
    assert (transcript.format, len(transcript.messages)) == ("text", 2)


@for_each(
    "text",
    ["**User:** hi", "## User guide\n\n## Model of it\n", "**Usher:** a\n**Ai** is b"],
)
def test_too_few_speakers_are_no_dialogue(text):
    with pytest.raises(TranscriptError):
        load(text)


def test_one_speaker_is_enough_where_the_format_is_named():
    assert said(load("**User:** hi", "markdown")) == [("user", "hi")]
    with pytest.raises(TranscriptError, match="found a text that starts with 'hello'"):
        load("hello\nthere", "markdown")
