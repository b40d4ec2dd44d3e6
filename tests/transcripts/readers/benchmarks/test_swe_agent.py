"""SWE-agent trajectories of both ages."""

import json

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import Message, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HISTORY = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a"},
]


def load(**trajectory):
    return load_transcript(json.dumps(trajectory).encode())


def test_the_history_is_the_conversation_and_nothing_is_told_twice():
    transcript = load_transcript(SAMPLES / "swe_agent__text.json")
    assert [(message.role, message.content) for message in transcript.messages] == [
        ("system", "You mend code."),
        ("user", "Here is a demonstration: ls, then submit."),
        ("user", "Mend a.py."),
        ("assistant", "Look.\n```\nls\n```"),
        ("user", "a.py"),
        ("assistant", "```\nsubmit\n```"),
    ]
    assert (transcript.format, transcript.warnings) == ("swe_agent", ())


def test_what_the_steps_have_and_the_history_has_not_is_told():
    steps = [
        {"response": "a", "observation": "seen"},
        {"response": "wrong edit", "observation": "the patch"},
    ]
    assert load(trajectory=steps, history=HISTORY).warnings == (
        "what came of the last action, which the model never saw, was left out.",
        "replies that were asked for again, and are not in the history, were left out: 1.",
    )


def test_demonstrations_are_kept_marked_and_described():
    transcript = load_transcript(SAMPLES / "swe_agent__text.json")
    assert [message.meta for message in transcript.messages] == [
        None,
        {"is_demo": True},
        None,
        None,
        None,
        None,
    ]
    assert transcript.description == (
        "1 of the messages is a demonstration that the agent was shown first. It ended with: submitted."
    )


def test_tool_calls_parts_and_thinking():
    transcript = load_transcript(SAMPLES / "swe_agent__tool_calls.json")
    call = ToolCall("toolu_1", "bash", '{"command": "ls"}')
    assert transcript.messages == (
        Message("system", "You mend code."),
        Message("user", "Mend b.py."),
        Message(
            "assistant",
            "I look first.",
            tool_calls=(call,),
            meta={REASONING: "Where is it?"},
        ),
        Message("tool", "b.py", tool_call_id="toolu_1"),
        Message("assistant", "Done."),
    )
    assert Log(transcript.messages).tools.results_of == {2: [3]}
    assert transcript.warnings == ()


def test_attempts_are_conversations_where_none_was_chosen():
    loaded = load_file(SAMPLES / "swe_agent__attempts.json")
    assert [len(transcript.messages) for transcript in loaded.transcripts] == [2, 5]
    chosen = load(
        attempts=[{"history": HISTORY}, {"history": HISTORY[:1]}],
        trajectory=[],
        history=HISTORY,
    )
    assert len(chosen.messages) == 3


def test_a_broken_attempt_is_named():
    loaded = load_file(
        json.dumps({"attempts": [{"trajectory": [], "history": HISTORY}, 7]}).encode()
    )
    assert "attempt 1: it is a number" in str(loaded.failures[0])


@for_each(
    "beside", [{"trajectory": []}, {"environment": "main"}, {"replay_config": "{}"}]
)
def test_it_is_known_by_what_is_beside_the_history(beside):
    assert load(history=HISTORY, **beside).format == "swe_agent"


@for_each(
    "own",
    [
        {"agent": "main"},
        {"message_type": "action"},
        {"thought": ""},
        {"is_demo": False},
    ],
)
def test_it_is_known_by_what_is_in_the_history(own):
    assert (
        load(history=[*HISTORY, {"role": "user", "content": "x", **own}]).format
        == "swe_agent"
    )


@for_each(
    "foreign",
    [
        {"history": HISTORY},
        {"history": {"a": 1}, "trajectory": []},
        {"trajectory": HISTORY},
    ],
)
def test_other_files_are_not_claimed(foreign):
    with pytest.raises(TranscriptError, match="no known format"):
        load(**foreign)


@for_each("ids", [None, [], "x", [None], 3])
def test_a_result_without_a_usable_id_belongs_to_the_call_before(ids):
    call = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{}"}}],
    }
    transcript = load(
        trajectory=[],
        history=[
            *HISTORY,
            call,
            {"role": "tool", "content": "r", "tool_call_ids": ids},
        ],
    )
    assert Log(transcript.messages).tools.results_of == {3: [4]}
    assert transcript.warnings == ()
