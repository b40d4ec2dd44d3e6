"""Rollouts of the Codex CLI: items once, what the CLI adds left out, compactions and turns that were taken back."""

import json

import pytest

from memviz.conversation import TIME, ToolCall
from memviz.errors import TranscriptError
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from tests.transcripts.sample_files import FOLDER as SAMPLES


def wrap(kind, **payload):
    return {"timestamp": "2026-03-01T08:00:00Z", "type": kind, "payload": payload}


def item(role, *texts):
    return wrap(
        "response_item", type="message", role=role, content=[{"type": "input_text", "text": text} for text in texts]
    )


def event(kind, **fields):
    return wrap("event_msg", type=kind, **fields)


def load(*rows):
    return load_transcript("\n".join(map(json.dumps, rows)).encode(), "codex")


def bare(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def sample(name):
    return load_transcript((SAMPLES / f"codex__{name}").read_bytes(), "codex")


META = wrap(
    "session_meta", id="x", timestamp="2026-03-01T07:00:00Z", instructions="Mine.", base_instructions={"text": "Base."}
)


def test_the_sample_with_everything():
    read = sample("compaction_and_rollback.jsonl")
    assert bare(read) == [
        ("user", "List the files."), ("assistant", ""), ("tool", "a.txt"), ("tool", "Success"),
        ("assistant", "There is a.txt."), ("user", "Rename it."), ("assistant", "Renamed."),
    ]  # fmt: skip
    assert read.messages[1].tool_calls == (
        ToolCall("call_1", "shell", '{"command":["ls"]}'),
        ToolCall("call_2", "apply_patch", "*** Begin Patch"),
    )
    assert read.messages[1].meta[REASONING] == "Use ls."
    (compaction,) = read.events
    assert (compaction.after_message, compaction.text) == (5, "The folder holds a.txt.")
    assert (compaction.tokens_before, compaction.tokens_after) == (9000, 700)
    assert read.system_prompt == "You write code."
    assert read.warnings == ("turns that the user took back were left out: 1.",)
    assert read.messages[0].meta[TIME].startswith("2026-03-01T08:00:01")


def test_the_system_prompt_is_that_of_the_first_session():
    read = load(META, wrap("session_meta", id="parent", instructions="Other."), item("user", "Hi"))
    assert (read.system_prompt, read.held_at.hour) == ("Base.\n\nMine.", 7)


@pytest.mark.parametrize(
    "words",
    [
        "<user_instructions>\nx\n</user_instructions>", "<environment_context>x</environment_context>",
        "# AGENTS.md instructions for /p\n\nx", "<turn_aborted>x</turn_aborted>", "<SKILL>x</SKILL>",
        "<user_shell_command>ls</user_shell_command>", "<subagent_notification>x</subagent_notification>",
    ],
)  # fmt: skip
def test_what_the_cli_says_in_the_name_of_the_user_is_no_message(words):
    read = load(META, item("user", words), item("user", "Hi"))
    assert (bare(read), read.warnings) == ([("user", "Hi")], ())


def test_only_the_injected_parts_of_a_message_are_left_out():
    read = load(META, item("user", "<environment_context>x</environment_context>", "Look", "<image>"))
    assert bare(read) == [("user", "Look")]


def test_words_that_only_mention_a_tag_are_kept():
    assert bare(load(META, item("user", "What is <environment_context>?"))) == [
        ("user", "What is <environment_context>?")
    ]


def test_developer_messages_of_somebody_else_are_kept():
    read = load(
        META, item("developer", "<permissions instructions>x"), item("developer", "Be brief."), item("user", "Hi")
    )
    assert bare(read) == [("system", "Be brief."), ("user", "Hi")]


@pytest.mark.parametrize(
    "marks",
    [
        [wrap("compacted", message="S")],
        [event("context_compacted")],
        [wrap("compacted", message="S"), wrap("turn_context", model="m"), event("context_compacted")],
        [wrap("response_item", type="compaction", encrypted_content="x"), wrap("compacted", message="S")],
        [item("user", "Another language model started to solve this problem and wrote S")],
    ],
)
def test_rows_about_one_compaction_are_one_event(marks):
    read = load(META, item("user", "Hi"), *marks, item("user", "environment?"), *marks, item("user", "End"))
    assert [recorded.after_message for recorded in read.events] == [1, 2]
    assert [recorded.text[-1:] for recorded in read.events] in (["S", "S"], ["", ""])
    assert len(read.messages) == 3


def test_a_rollback_drops_turns_and_no_more_than_there_are():
    turns = [
        row
        for n in "123"
        for row in (item("user", f"u{n}"), event("user_message", message=f"u{n}"), item("assistant", f"a{n}"))
    ]
    assert [m.content for m in load(META, *turns, event("thread_rolled_back", num_turns=2)).messages] == ["u1", "a1"]
    read = load(META, *turns, event("thread_rolled_back", num_turns=9), item("user", "u4"))
    assert bare(read) == [("user", "u4")]


@pytest.mark.parametrize("turns", [0, -1, None, True, "2"])
def test_a_rollback_of_nothing_drops_nothing(turns):
    assert len(load(META, item("user", "u"), event("thread_rolled_back", num_turns=turns)).messages) == 1


def test_events_are_used_where_they_are_all_there_is():
    read = sample("events_only.jsonl")
    assert bare(read) == [("user", "Look at this.\n[image]"), ("assistant", "A picture.")]


def test_bare_items_after_a_description_of_the_session():
    read = sample("bare_items.jsonl")
    assert [message.role for message in read.messages] == ["user", "assistant", "tool", "assistant"]
    assert read.messages[1].tool_calls[0].id == read.messages[2].tool_call_id == "call_9"
    assert (read.system_prompt, read.held_at.year, read.warnings) == ("Be brief.", 2025, ())


@pytest.mark.parametrize(
    ("fields", "arguments"),
    [
        ({"action": {"type": "search", "query": "owls"}}, {"type": "search", "query": "owls"}),
        ({"action": None}, {}),
        ({}, {}),
        ({"action": {"type": "search", "query": "owls"}, "metadata": {"n": 1}}, {"type": "search", "query": "owls"}),
    ],
)
def test_a_web_search_has_the_arguments_that_are_in_the_file(fields, arguments):
    searched = wrap("response_item", type="web_search_call", status="completed", **fields)
    (call,) = load(META, item("user", "Hi"), searched).messages[1].tool_calls
    assert (call.name, json.loads(call.arguments)) == ("web_search", arguments)


def test_a_session_that_is_one_object():
    read = sample("one_object.json")
    assert (bare(read), read.system_prompt) == ([("user", "Hello there."), ("assistant", "Hello.")], "Be kind.")


def test_a_bare_message_may_have_no_type():
    described = {"id": "s", "timestamp": "2025-08-18T01:16:13Z", "instructions": "Be brief."}
    words = {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    asked = {"type": "message", **words}
    assert bare(load(described, asked, words)) == [("user", "Hi")] * 2


def test_rows_of_an_unknown_type_are_named():
    read = load(META, item("user", "Hi"), wrap("novelty", text="A new thing."))
    assert read.warnings == ("rows of the type 'novelty', which is not known, were left out: line 3.",)


def test_a_broken_item_is_counted():
    (warning,) = load(META, item("user", "Hi"), {"type": "response_item", "payload": 3}).warnings
    assert "imported 1 of 2" in warning
    assert "line 3" in warning


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="a type and a payload"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "codex")
