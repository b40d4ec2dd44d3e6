"""Sessions of Claude Code: one reply from many rows, one branch of many, compactions, and what is bookkeeping."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING, UNTITLED
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def said(text):
    return {"type": "text", "text": text}


def used(id, **input):
    return {"type": "tool_use", "id": id, "name": "Read", "input": input}


def result(id, content):
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def row(kind, id, parent, content, message_id=None, **more):
    message = {
        "role": kind,
        "content": content,
        **({"id": message_id} if message_id else {}),
    }
    return {
        "type": kind,
        "uuid": id,
        "parentUuid": parent,
        "sessionId": "s",
        "message": message,
        **more,
    }


def load(*rows):
    return load_transcript("\n".join(map(json.dumps, rows)).encode(), "claude_code")


def bare(transcript):
    return [(message.role, message.content) for message in transcript.messages]


ASK = row("user", "u", None, "Hello")


def test_the_rows_of_one_reply_are_one_message_with_its_parallel_calls():
    read = load(
        ASK,
        row("assistant", "a", "u", [{"type": "thinking", "thinking": "Hm."}], "m"),
        row("assistant", "b", "a", [said("I read.")], "m"),
        row("assistant", "c", "b", [used("1", path="x")], "m"),
        row("user", "d", "c", [result("1", "x!")]),
        row("assistant", "e", "c", [used("2", path="é")], "m"),
        row("user", "f", "e", [result("2", [said("y!"), {"type": "image"}])]),
        row("assistant", "g", "f", [said("Both.")], "n"),
    )
    assert bare(read) == [
        ("user", "Hello"),
        ("assistant", "I read."),
        ("tool", "x!"),
        ("tool", "y!\n[image]"),
        ("assistant", "Both."),
    ]
    assert read.messages[1].tool_calls == (
        ToolCall("1", "Read", '{"path": "x"}'),
        ToolCall("2", "Read", '{"path": "é"}'),
    )
    assert read.messages[1].meta == {REASONING: "Hm."}
    assert read.warnings == ()


def test_a_row_may_repeat_what_the_row_before_it_had_of_the_reply():
    pieces = [
        [said("One")],
        [said("One two")],
        [said("One two"), used("1")],
        [used("1")],
    ]
    rows = [
        row("assistant", str(n), str(n - 1) if n else "u", piece, "m")
        for n, piece in enumerate(pieces)
    ]
    read = load(ASK, *rows, row("user", "r", "3", [result("1", "ok")]))
    assert bare(read) == [("user", "Hello"), ("assistant", "One two"), ("tool", "ok")]
    assert len(read.messages[1].tool_calls) == 1


def test_two_equal_blocks_of_one_row_are_both_kept():
    assert bare(load(ASK, row("assistant", "a", "u", [said("Ha"), said("Ha")], "m")))[
        1
    ] == ("assistant", "Ha\nHa")


def test_a_piece_of_a_reply_beside_the_chain_belongs_to_it():
    calls = [
        row("assistant", "a", "u", [used("1")], "m"),
        row("assistant", "b", "a", [used("2")], "m"),
    ]
    results = [
        row("user", "d", "b", [result("2", "y")]),
        row("user", "c", "a", [result("1", "x")]),
    ]
    read = load(ASK, *calls, *results, row("assistant", "e", "c", [said("Both.")], "n"))
    assert [call.id for call in read.messages[1].tool_calls] == ["1", "2"]
    assert sorted(message.content for message in read.messages[2:]) == [
        "Both.",
        "x",
        "y",
    ]


def test_results_come_before_the_words_in_the_same_row():
    call = row("assistant", "a", "u", [used("1")], "m")
    read = load(ASK, call, row("user", "b", "a", [said("Stop."), result("1", "x")]))
    assert bare(read)[2:] == [("tool", "x"), ("user", "Stop.")]


def test_the_branch_of_the_last_message_is_the_conversation():
    read = load(
        ASK,
        row("assistant", "a", "u", [said("No.")], "m"),
        row("user", "v", None, "Hello"),
        row("assistant", "b", "v", [said("Yes.")]),
    )
    assert bare(read) == [("user", "Hello"), ("assistant", "Yes.")]
    assert read.warnings == (
        "branches that the user went back on were left out (messages: 2).",
    )


def test_a_repeated_row_is_read_once():
    assert bare(load(ASK, ASK, row("assistant", "a", "u", [said("Hi")]), ASK)) == [
        ("user", "Hello"),
        ("assistant", "Hi"),
    ]


def test_where_a_parent_is_missing_the_row_above_is_taken():
    read = load(
        ASK, row("assistant", "a", "u", [said("Hi")]), row("user", "v", "gone", "And?")
    )
    assert [message.content for message in read.messages] == ["Hello", "Hi", "And?"]


def test_a_cycle_ends_the_walk():
    read = load(row("user", "a", "b", "One"), row("assistant", "b", "a", [said("Two")]))
    assert [message.content for message in read.messages] == ["One", "Two"]


def test_subagents_are_counted_and_left_out_unless_they_are_all_there_is():
    side = [
        row("user", "x", None, "Count.", isSidechain=True),
        row("assistant", "y", "x", [said("3")], isSidechain=True),
    ]
    read = load(ASK, *side, row("assistant", "a", "u", [said("Three.")]))
    assert bare(read) == [("user", "Hello"), ("assistant", "Three.")]
    assert "(rows: 2)" in read.warnings[0]
    alone = load(*side)
    assert (bare(alone), alone.warnings) == (
        [("user", "Count."), ("assistant", "3")],
        (),
    )


@for_each(
    "extra",
    [
        row("user", "x", "u", "Meta", isMeta=True),
        row(
            "user",
            "x",
            "u",
            "<command-name>/init</command-name>\n<command-args></command-args>",
        ),
        row("user", "x", "u", "<local-command-stdout>done</local-command-stdout>"),
        row("user", "x", "u", "<bash-input>ls</bash-input>"),
        row("user", "x", "u", "<task-notification>done</task-notification>"),
        row("user", "x", "u", [said("[Request interrupted by user for tool use]")]),
        row("user", "x", "u", [said("<system-reminder>a\nb</system-reminder>")]),
        row("user", "x", "u", "Shown only", isVisibleInTranscriptOnly=True),
        row("assistant", "x", "u", [said("API Error: 529")], isApiErrorMessage=True),
        {
            **row("assistant", "x", "u", []),
            "message": {
                "model": "<synthetic>",
                "content": [said("No response requested.")],
            },
        },
        {"type": "progress", "uuid": "x", "parentUuid": "u", "sessionId": "s"},
        {
            "type": "system",
            "subtype": "turn_duration",
            "uuid": "x",
            "parentUuid": "u",
            "sessionId": "s",
        },
        {
            "type": "queue-operation",
            "operation": "enqueue",
            "content": "Hi",
            "sessionId": "s",
        },
    ],
)
def test_bookkeeping_is_no_message_but_part_of_the_chain(extra):
    read = load(ASK, extra, row("assistant", "a", extra.get("uuid", "u"), [said("Hi")]))
    assert (bare(read), read.warnings) == ([("user", "Hello"), ("assistant", "Hi")], ())


@for_each(
    "words",
    [
        "<command-line tools> help me?",
        "<system-reminder>a</system-reminder> Why?",
        "[Request] interrupted",
    ],
)
def test_words_that_look_like_bookkeeping_are_kept(words):
    assert bare(load(row("user", "u", None, words))) == [("user", words)]


def test_words_typed_while_the_model_works_stand_in_an_attachment():
    queued = {"type": "queued_command", "prompt": "Faster!", "commandMode": "prompt"}
    notice = {
        "type": "queued_command",
        "prompt": "done",
        "commandMode": "task-notification",
    }
    rows = [
        {
            "type": "attachment",
            "uuid": str(n),
            "parentUuid": str(n - 1) if n else "u",
            "sessionId": "s",
            "attachment": item,
        }
        for n, item in enumerate((notice, queued))
    ]
    assert bare(load(ASK, *rows)) == [("user", "Hello"), ("user", "Faster!")]


BOUNDARY = {
    "type": "system", "subtype": "compact_boundary", "uuid": "c", "parentUuid": None, "logicalParentUuid": "a",
    "sessionId": "s", "compactMetadata": {"trigger": "auto", "preTokens": 150},
}  # fmt: skip


def test_the_conversation_goes_on_after_a_compaction():
    summary = row(
        "user",
        "d",
        "c",
        "They met.",
        isCompactSummary=True,
        isVisibleInTranscriptOnly=True,
    )
    read = load(
        ASK,
        row("assistant", "a", "u", [said("Hi")]),
        BOUNDARY,
        summary,
        row("user", "v", "d", "And?"),
    )
    (event,) = read.events
    assert [message.content for message in read.messages] == ["Hello", "Hi", "And?"]
    assert (event.kind, event.after_message, event.text) == (
        "compaction",
        2,
        "They met.",
    )
    assert (event.reason, event.tokens_before, read.warnings) == ("auto", 150, ())


def test_a_compaction_follows_its_logical_parent_and_not_the_row_above():
    left = row("user", "x", "a", "Never mind")
    read = load(
        ASK,
        row("assistant", "a", "u", [said("Hi")]),
        left,
        BOUNDARY,
        row("user", "v", "c", "And?"),
    )
    assert [message.content for message in read.messages] == ["Hello", "Hi", "And?"]


def test_a_compaction_beside_the_chain_is_kept():
    summary = row("user", "d", "c", "They met.", isCompactSummary=True)
    read = load(
        ASK,
        row("assistant", "a", "u", [said("Hi")]),
        BOUNDARY,
        summary,
        row("user", "v", "a", "And?"),
    )
    assert [(event.after_message, event.text) for event in read.events] == [
        (2, "They met.")
    ]
    assert [message.content for message in read.messages] == ["Hello", "Hi", "And?"]


def partly_compacted(direction, logical, **metadata):
    """A session of two rounds, of which the user had one summarized, and a third round."""
    boundary = {
        **BOUNDARY,
        "logicalParentUuid": logical,
        "compactMetadata": {"trigger": "manual", "preTokens": 150},
    }
    summary = row(
        "user",
        "d",
        "c",
        "They met.",
        isCompactSummary=True,
        summarizeMetadata={"messagesSummarized": 2, "direction": direction, **metadata},
    )
    return load(
        ASK,
        row("assistant", "a", "u", [said("Hi")]),
        row("user", "v", "a", "And?"),
        row("assistant", "b", "v", [said("Well.")]),
        boundary,
        summary,
        row("user", "w", "d", "So?"),
        row("assistant", "e", "w", [said("So.")]),
    )


@for_each(("direction", "which"), [("up_to", "first"), ("from", "last")])
def test_a_compaction_of_a_part_loses_nothing_and_says_which_part(direction, which):
    read = partly_compacted(direction, "a")  # where the part ends, or the rest does
    assert [message.content for message in read.messages] == [
        "Hello",
        "Hi",
        "And?",
        "Well.",
        "So?",
        "So.",
    ]
    (event,) = read.events
    assert (event.after_message, event.text, event.reason) == (
        4,
        "They met.",
        f"manual, the {which} 2 messages",
    )
    assert read.warnings == ()


def test_what_the_user_asked_of_a_compaction_of_a_part_is_said():
    (event,) = partly_compacted("up_to", "a", userContext="keep the names").events
    assert event.reason == "manual, the first 2 messages, asked for: keep the names"


@for_each("direction", [None, "sideways", 3])
def test_a_direction_that_is_not_known_is_that_of_a_whole_compaction(direction):
    read = partly_compacted(direction, "b")
    assert [(event.after_message, event.reason) for event in read.events] == [
        (4, "manual")
    ]


def test_a_summary_without_a_boundary_is_a_compaction_and_goes_on_with_the_row_above():
    read = load(
        ASK,
        row("user", "d", None, "They met.", isCompactSummary=True),
        row("user", "v", "d", "And?"),
    )
    assert [(event.after_message, event.text) for event in read.events] == [
        (1, "They met.")
    ]
    assert [message.content for message in read.messages] == ["Hello", "And?"]


@for_each(
    ("titles", "title"),
    [
        (
            [{"type": "summary", "summary": "S", "leafUuid": "of another session"}],
            UNTITLED,
        ),
        ([{"type": "summary", "summary": "S"}], "S"),
        (
            [{"type": "custom-title", "customTitle": "C", "sessionId": "another"}],
            UNTITLED,
        ),
        (
            [
                {"type": "summary", "summary": "S", "leafUuid": "gone"},
                {"type": "summary", "summary": "T", "leafUuid": "u"},
            ],
            "T",
        ),
        (
            [
                {"type": "ai-title", "aiTitle": "A", "sessionId": "s"},
                {"type": "summary", "summary": "S", "leafUuid": "u"},
            ],
            "A",
        ),
        (
            [
                {"type": "custom-title", "customTitle": "C", "sessionId": "s"},
                {"type": "ai-title", "aiTitle": "A", "sessionId": "s"},
            ],
            "C",
        ),
    ],
)
def test_titles(titles, title):
    assert load(*titles[:1], ASK, *titles[1:]).title == title


def test_several_sessions_are_several_conversations_but_one_that_goes_on_is_not():
    other = {**row("user", "v", None, "Other"), "sessionId": "t"}
    on = {**row("user", "w", "u", "On"), "sessionId": "r"}
    loaded = load_file("\n".join(map(json.dumps, [ASK, other, on])).encode())
    found = sorted(
        [message.content for message in read.messages] for read in loaded.transcripts
    )
    assert found == [["Hello", "On"], ["Other"]]


def test_the_log_of_the_web_has_no_chain():
    read = load_transcript((SAMPLES / "claude_code__web_log.json").read_bytes())
    assert (read.format, len(read.messages), read.warnings) == ("claude_code", 3, ())
    assert [(event.after_message, event.text) for event in read.events] == [
        (2, "Sums were asked for.")
    ]


def test_the_sample_with_everything():
    read = load_transcript(
        (SAMPLES / "claude_code__branches_and_compaction.jsonl").read_bytes()
    )
    assert [message.role[0] for message in read.messages] == list("uattauautaua")
    assert [
        message.tool_call_id for message in read.messages if message.role == "tool"
    ] == ["t1", "t2", "t1"]
    assert read.messages[0].content == "Compare the two readme files.\n[image]"
    assert (read.title, read.events[0].after_message) == ("Comparing readme files", 10)


def test_a_row_of_an_unknown_type_with_a_message_is_counted():
    other = {**row("user", "v", "u", "Words"), "type": "novelty"}
    for rows in [(ASK, other, row("user", "w", "v", "And?")), (ASK, other)]:
        (warning,) = load(*rows).warnings
        assert "line 2 has the type 'novelty', which is not known" in warning


def test_a_row_without_a_type_is_of_whoever_speaks_in_its_message():
    untyped = {
        key: value
        for key, value in row("assistant", "a", "u", "Hi").items()
        if key != "type"
    }
    assert bare(load(ASK, untyped)) == [("user", "Hello"), ("assistant", "Hi")]


def test_a_block_of_an_unknown_kind_is_named():
    read = load(ASK, row("assistant", "a", "u", [{"type": "novelty", "x": "y"}]))
    assert bare(read)[1][:2] == ("assistant", "[novelty]")
    assert "shown by its name only: line 2" in read.warnings[0]


def test_thoughts_before_no_reply_are_told():
    thought = row("assistant", "a", "u", [{"type": "thinking", "thinking": "Hm."}])
    read = load(ASK, thought, row("user", "v", "a", "And?"))
    assert [message.content for message in read.messages] == ["Hello", "And?"]
    assert read.warnings == (
        "what the model thought before no reply was left out: line 2.",
    )


def test_a_row_without_a_message_is_counted():
    (warning,) = load(
        ASK, {"type": "assistant", "uuid": "a", "parentUuid": "u", "sessionId": "s"}
    ).warnings
    assert "imported 1 of 2" in warning
    assert "line 2" in warning


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="user and assistant"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "claude_code")
