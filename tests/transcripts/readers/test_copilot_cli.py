"""Sessions of the Copilot CLI, as files and as the program wrote one."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from tests.transcripts.sample_files import FOLDER as SAMPLES
from tests.watching.growing import SAMPLES as OF_THE_PROGRAM

SAMPLE = SAMPLES / "copilot_cli__subagent.jsonl"


def test_a_session_is_read_with_its_compaction_and_without_its_subagents():
    transcript = load_transcript(SAMPLE)
    assert [(message.role, message.content) for message in transcript.messages] == [
        ("user", "How deep do ferns root?"),
        ("assistant", "I ask somebody."),
        ("tool", "30 cm"),
        ("assistant", "About 30 cm."),
        ("assistant", ""),
        ("tool", "No such tool"),
    ]
    calls = [message.tool_calls for message in transcript.messages]
    assert [call.arguments for (call,) in filter(None, calls)] == [
        '{"prompt": "Look it up"}',
        '{"cm": 30}',
    ]
    assert transcript.messages[1].meta == {
        "time": "2026-11-29T23:41:16+00:00",
        "model": "small",
    }
    (event,) = transcript.events
    assert (event.kind, event.after_message, event.text) == (
        "compaction",
        3,
        "Ferns were looked up.",
    )
    assert (event.tokens_before, event.tokens_after) == (2100, 400)
    assert (transcript.title, transcript.held_at.year) == ("Ferns", 2026)
    assert transcript.system_prompt == "You are the GitHub Copilot CLI."
    assert transcript.warnings == (
        "what subagents said in side conversations was left out (rows: 2).",
    )


def test_a_session_that_the_program_wrote_is_recognised():
    transcript = load_transcript(OF_THE_PROGRAM / "copilot_cli.jsonl")
    assert transcript.format == "copilot_cli"
    assert [message.role for message in transcript.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert transcript.warnings == ()


def test_a_session_without_messages_is_refused():
    start = {"type": "session.start", "data": {"sessionId": "1"}}
    with pytest.raises(TranscriptError, match="rows of a session with messages"):
        load_transcript(json.dumps(start).encode())
