"""DeepSeek's export: its tree, its fragments, and that it is not taken for ChatGPT's."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript
from tests.transcripts.sample_files import FOLDER as SAMPLES

SAMPLE = SAMPLES / "deepseek_export__branches.json"


def test_the_branch_that_was_continued_last_is_read_with_thoughts_and_files():
    transcript = load_file(SAMPLE).transcripts[0]
    assert [(message.role, message.content) for message in transcript.messages] == [
        ("user", "[file: garden.pdf]\nDo ferns like shade?"),
        ("assistant", "Yes, most do."),
        ("user", "And water?"),
    ]
    assert transcript.messages[1].meta == {
        "time": "2025-02-02T10:01:00+00:00",
        "model": "deepseek-chat",
        "reasoning": "Ferns grow in woods.",
    }
    assert (transcript.title, transcript.held_at.hour) == ("Ferns", 10)
    assert transcript.warnings == (
        "the file does not say which branch was the conversation, so the newest was taken.",
        "1 message of another branch was left out: only the branch that was continued last is read.",
        "a fragment that is neither said nor thought, such as a search, was left out: node 3.",
    )


def test_without_branches_there_is_nothing_to_say():
    transcript = load_file(SAMPLE).transcripts[1]
    assert [message.content for message in transcript.messages] == ["Hi", "Hello"]
    assert transcript.warnings == ()


def test_named_for_another_file_it_says_so():
    with pytest.raises(
        TranscriptError,
        match="conversations with a mapping of nodes that have fragments was expected",
    ):
        load_transcript(json.dumps([{"mapping": {}}]).encode(), "deepseek_export")
    with pytest.raises(
        TranscriptError, match="conversations with a mapping of nodes was expected"
    ):
        load_transcript(SAMPLE, "chatgpt_export")
