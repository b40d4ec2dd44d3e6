"""tau-bench, first and second generation."""

import json

import pytest

from memviz.core.conversation import Log
from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME, Message, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI = {"role": "user", "content": "hi"}


def first(*messages, **beside):
    return load_transcript(
        json.dumps([{"task_id": 1, "traj": list(messages), **beside}]).encode()
    )


def second(*messages, **beside):
    run = {"id": "s", "task_id": "t", "messages": list(messages), **beside}
    return load_transcript(json.dumps({"simulations": [run]}).encode())


def test_a_run_is_read_with_its_tools_although_ids_are_used_again():
    (transcript,) = load_file(SAMPLES / "tau_bench__results.json").transcripts
    assert transcript.format == "tau_bench"
    assert transcript.messages == (
        Message("system", "You help with seats."),
        Message("user", "Move my seat, please."),
        Message("assistant", "", tool_calls=(ToolCall("call_a", "find", '{"id": 1}'),)),
        Message("tool", "4A", name="find", tool_call_id="call_a"),
        Message("assistant", "To the window?", meta={REASONING: "4A is on the aisle."}),
        Message("user", "Yes."),
        Message("assistant", "", tool_calls=(ToolCall("call_a", "transfer", "{}"),)),
        Message("tool", "done", name="transfer", tool_call_id="call_a"),
    )
    assert Log(transcript.messages).tools.results_of == {2: [3], 6: [7]}
    assert transcript.warnings == ()


def test_the_task_names_and_describes_it():
    loaded = load_file(SAMPLES / "tau_bench__results.json")
    assert loaded.transcripts[0].title == "Task 3, trial 1"
    assert loaded.transcripts[0].description == "You want to move your seat."
    assert "the conversation has no messages" in str(loaded.failures[0])


@for_each(
    "info",
    [None, 3, {}, {"task": "x"}, {"task": {"instruction": 5}}, {"error": "timeout"}],
)
def test_a_run_without_a_known_task_has_no_description(info):
    assert first(HI, info=info).description == ""


def test_runs_may_stand_alone_or_one_a_line():
    run = {"task_id": 1, "traj": [HI]}
    assert load_transcript(json.dumps(run).encode()).messages == (
        Message("user", "hi"),
    )
    assert len(load_file("\n".join([json.dumps(run)] * 2).encode()).transcripts) == 2


def test_what_a_program_keeps_beside_messages_is_dropped():
    reply = {
        "role": "assistant",
        "content": "x",
        "annotations": ["a"],
        "provider_specific_fields": {"refusal": 1},
    }
    assert first(HI, reply).messages[1] == Message("assistant", "x")


def test_the_second_generation():
    transcript = load_transcript(SAMPLES / "tau_bench__second_generation.json")
    assert transcript.messages == (
        Message(
            "assistant", "Hi! How can I help?", meta={TIME: "2025-06-01T10:00:01+00:00"}
        ),
        Message("user", "My data is slow.", meta={TIME: "2025-06-01T10:00:02+00:00"}),
        Message(
            "assistant",
            "",
            tool_calls=(
                ToolCall("c1", "get_line", '{"phone": "555"}'),
                ToolCall("c2", "get_plan"),
            ),
        ),
        Message("tool", '{"on": true}', tool_call_id="c1"),
        Message("tool", "{}", tool_call_id="c2"),
        Message("assistant", "Please look at your status bar."),
        Message("user", "It says no signal."),
    )
    assert (transcript.title, transcript.description) == (
        "Task t1, trial 0",
        "Mend the data link.",
    )
    assert transcript.system_prompt == "Help with phones."
    assert transcript.held_at.isoformat() == "2025-06-01T10:00:00.500000+00:00"
    assert transcript.warnings == (
        "tool calls of the model that plays the customer and their results, which the agent never sees, were left out: "
        "index 6, index 7.",
    )


def test_results_in_one_record_and_speech():
    call = {
        "role": "assistant",
        "tool_calls": [
            {"id": "a", "name": "f", "arguments": {}},
            {"id": "b", "name": "g"},
        ],
    }
    results = {
        "role": "tool",
        "tool_messages": [{"id": "a", "content": "1"}, {"id": "b", "content": "2"}, 3],
    }
    said = {
        "role": "user",
        "content": "UklGRg==",
        "is_audio": True,
        "audio_script_gold": "hello",
    }
    transcript = second(said, {**said, "audio_script_gold": None}, call, results)
    assert [message.content for message in transcript.messages] == [
        "hello",
        "[audio]",
        "",
        "1",
        "2",
    ]
    assert [message.tool_call_id for message in transcript.messages[3:]] == ["a", "b"]
    assert transcript.warnings == (
        "imported 5 of 6 messages: index 3 is a number, not an object.",
    )


@for_each(
    "foreign",
    [
        {"simulations": []},
        {"simulations": [{"messages": 3}]},
        [{"traj": "x"}],
        [{"traj": 1}, {}],
    ],
)
def test_other_files_are_not_claimed(foreign):
    with pytest.raises(TranscriptError, match="no known format"):
        load_transcript(json.dumps(foreign).encode())


def test_a_run_without_messages_does_not_take_the_others_with_it():
    runs = [{"task_id": 1, "messages": [HI]}, {"task_id": 2, "messages": None}, 5]
    loaded = load_file(json.dumps({"simulations": runs}).encode())
    assert (len(loaded.transcripts), len(loaded.failures)) == (1, 2)
    assert "simulation 1: a result with a list called messages was expected" in str(
        loaded.failures[0]
    )
