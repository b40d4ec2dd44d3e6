"""Rollouts of the Codex CLI: items once, the context that the CLI sends, compactions and turns that were taken back."""

import json

import pytest

from memviz import replay, strategy
from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES
from tests.watching.growing import SAMPLES as OF_THE_PROGRAM


def wrap(kind, **payload):
    return {"timestamp": "2026-03-01T08:00:00Z", "type": kind, "payload": payload}


def item(role, *texts):
    return wrap(
        "response_item",
        type="message",
        role=role,
        content=[{"type": "input_text", "text": text} for text in texts],
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
    "session_meta",
    id="x",
    timestamp="2026-03-01T07:00:00Z",
    instructions="Mine.",
    base_instructions={"text": "Base."},
)


def test_the_sample_with_everything():
    read = sample("compaction_and_rollback.jsonl")
    assert [message.role for message in read.messages[:3]] == ["system"] * 3
    assert [message.content.split("\n")[0] for message in read.messages[:3]] == [
        "<permissions instructions>",
        "# AGENTS.md instructions for /p",
        "<environment_context>",
    ]
    assert bare(read)[3:] == [
        ("user", "List the files."),
        ("assistant", ""),
        ("tool", "a.txt"),
        ("tool", "Success"),
        ("assistant", "There is a.txt."),
        ("user", "Rename it."),
        ("assistant", "Renamed."),
    ]
    assert read.messages[4].tool_calls == (
        ToolCall("call_1", "shell", '{"command":["ls"]}'),
        ToolCall("call_2", "apply_patch", "*** Begin Patch"),
    )
    assert read.messages[4].meta[REASONING] == "Use ls."
    (compaction,) = read.events
    assert (compaction.after_message, compaction.text) == (8, "The folder holds a.txt.")
    assert (compaction.tokens_before, compaction.tokens_after) == (9000, 700)
    assert read.system_prompt == "You write code."
    assert read.warnings == ("turns that the user took back were left out: 1.",)
    assert read.messages[3].meta[TIME].startswith("2026-03-01T08:00:01")


def test_the_system_prompt_is_that_of_the_first_session():
    read = load(
        META,
        wrap("session_meta", id="parent", instructions="Other."),
        item("user", "Hi"),
    )
    assert (read.system_prompt, read.held_at.hour) == ("Base.\n\nMine.", 7)


@for_each(
    "words",
    [
        "<turn_aborted>x</turn_aborted>",
        "<USER_SHELL_COMMAND>ls</USER_SHELL_COMMAND>",
        "<subagent_notification>x</subagent_notification>",
        "<context_window>x</context_window>",
    ],
)
def test_what_the_cli_reports_in_the_name_of_the_user_is_no_message(words):
    read = load(META, item("user", words), item("user", "Hi"))
    assert (bare(read), read.warnings) == ([("user", "Hi")], ())


@for_each(
    ("role", "words"),
    [
        ("user", "<user_instructions>\nx\n</user_instructions>"),
        ("user", "<environment_context>x</environment_context>"),
        ("user", "# AGENTS.md instructions for /p\n\nx"),
        ("user", "<recommended_plugins>x</recommended_plugins>"),
        ("user", "<SKILL>x</SKILL>"),
        ("developer", "<permissions instructions>x</permissions instructions>"),
        ("developer", "<collaboration_mode>x</collaboration_mode>"),
    ],
)
def test_context_that_the_cli_sends_is_sent_with_every_request(role, words):
    read = load(
        META,
        item(role, words),
        item("user", "Hi"),
        item("assistant", "Yo"),
        item("user", "Bye"),
    )
    assert bare(read)[:2] == [("system", words), ("user", "Hi")]
    run = replay(read, strategy("window", window_size=1))
    assert [request.context.messages[1].content for request in run.requests] == [
        words
    ] * len(run.requests)


def test_context_that_is_sent_again_as_it_was_is_there_once():
    first, other = (
        f"<environment_context>{folder}</environment_context>" for folder in "ab"
    )
    read = load(
        META,
        *(
            item("user", words)
            for words in (first, "Hi", first, other, "Bye", other, first)
        ),
    )
    assert [content for _, content in bare(read)] == [first, "Hi", other, "Bye"]


def test_instructions_that_a_message_repeats_are_no_system_prompt_as_well():
    read = load(
        META,
        item("user", "<user_instructions>\n\nMine.\n\n</user_instructions>"),
        item("user", "Hi"),
    )
    assert (read.system_prompt, len(read.messages)) == ("Base.", 2)


def test_a_message_with_context_and_words_is_two():
    read = load(
        META,
        item("user", "<environment_context>x</environment_context>", "Look", "<image>"),
    )
    assert bare(read) == [
        ("system", "<environment_context>x</environment_context>"),
        ("user", "Look"),
    ]


def test_words_that_only_mention_a_tag_are_kept():
    assert bare(load(META, item("user", "What is <environment_context>?"))) == [
        ("user", "What is <environment_context>?")
    ]


def test_developer_messages_of_somebody_else_are_kept():
    read = load(
        META,
        item("developer", "<permissions instructions>x"),
        item("developer", "Be brief."),
        item("user", "Hi"),
    )
    assert bare(read)[1:] == [("system", "Be brief."), ("user", "Hi")]


@for_each(
    "marks",
    [
        [wrap("compacted", message="S")],
        [event("context_compacted")],
        [
            wrap("compacted", message="S"),
            wrap("turn_context", model="m"),
            event("context_compacted"),
        ],
        [
            wrap("response_item", type="compaction", encrypted_content="x"),
            wrap("compacted", message="S"),
        ],
        [
            item(
                "user",
                "Another language model started to solve this problem and wrote S",
            )
        ],
    ],
)
def test_rows_about_one_compaction_are_one_event(marks):
    read = load(
        META,
        item("user", "Hi"),
        *marks,
        item("user", "environment?"),
        *marks,
        item("user", "End"),
    )
    assert [recorded.after_message for recorded in read.events] == [1, 2]
    assert [recorded.text[-1:] for recorded in read.events] in (["S", "S"], ["", ""])
    assert len(read.messages) == 3


ENCRYPTED = {"type": "compaction", "encrypted_content": "gAAA"}
SUMMARY = "Another language model started to solve this problem and wrote S"


def rewritten(*history, message=""):
    """A rollout that the program rewrote when it compacted: nothing of the talk stands before."""
    return load(
        META,
        wrap("compacted", message=message, replacement_history=list(history)),
        item("user", "Third"),
    )


def kept(role, text):
    return item(role, text)["payload"]


def test_a_rewritten_file_has_the_messages_that_the_compaction_kept_and_says_what_is_gone():
    read = sample("rewritten_at_a_compaction.jsonl")
    assert [message.role for message in read.messages] == ["system"] * 3 + [
        "user",
        "user",
        "user",
        "assistant",
    ]
    assert [message.content for message in read.messages[3:]] == [
        "Find the bug.",
        "It is in the parser.",
        "Now write a test.",
        "Written.",
    ]
    (compaction,) = read.events
    assert (compaction.after_message, compaction.text, compaction.tokens_after) == (
        5,
        "",
        900,
    )
    assert read.warnings == (
        "Codex rewrote the file when it compacted: what was said before is gone, but for 2 messages that it kept: "
        "line 2.",
        "the summary of a compaction is encrypted, so that nobody can read it: line 2.",
    )


@for_each(
    ("history", "message"),
    [([kept("user", SUMMARY)], ""), ([], SUMMARY), ([kept("user", SUMMARY)], SUMMARY)],
)
def test_a_summary_of_a_rewritten_file_is_read_wherever_it_stands(history, message):
    read = rewritten(
        kept("user", "First"), kept("user", "Second"), *history, message=message
    )
    assert [content for _, content in bare(read)] == ["First", "Second", "Third"]
    assert [(event.after_message, event.text) for event in read.events] == [
        (2, SUMMARY)
    ]
    assert [warning.partition(":")[0] for warning in read.warnings] == [
        "Codex rewrote the file when it compacted"
    ]


def test_a_rewritten_file_may_have_kept_nothing_that_was_said():
    read = rewritten(kept("user", "<environment_context>x</environment_context>"))
    assert [role for role, _ in bare(read)] == ["system", "user"]
    assert read.warnings[0].endswith("but for the context that it sends: line 2.")


def test_context_between_the_kept_messages_is_sent_with_every_request():
    context = kept("user", "<environment_context>x</environment_context>")
    read = rewritten(kept("user", "First"), context, kept("user", "Second"), ENCRYPTED)
    assert [role for role, _ in bare(read)] == ["system", "user", "user", "user"]


def test_a_file_that_was_not_rewritten_has_its_messages_once():
    compacted = wrap(
        "compacted", message="", replacement_history=[kept("user", "Hi"), ENCRYPTED]
    )
    read = load(
        META,
        item("user", "Hi"),
        item("assistant", "Yo"),
        compacted,
        item("user", "Bye"),
    )
    assert [content for _, content in bare(read)] == ["Hi", "Yo", "Bye"]
    assert [event.after_message for event in read.events] == [2]
    assert read.warnings == (
        "the summary of a compaction is encrypted, so that nobody can read it: line 4.",
    )


def test_a_second_compaction_of_a_rewritten_file_adds_no_message():
    compacted = wrap(
        "compacted", message="", replacement_history=[kept("user", "Hi"), ENCRYPTED]
    )
    read = load(META, compacted, item("user", "Bye"), compacted, item("user", "End"))
    assert [content for _, content in bare(read)] == ["Hi", "Bye", "End"]
    assert [event.after_message for event in read.events] == [1, 2]


def test_a_rollback_drops_turns_and_no_more_than_there_are():
    turns = [
        row
        for n in "123"
        for row in (
            item("user", f"u{n}"),
            event("user_message", message=f"u{n}"),
            item("assistant", f"a{n}"),
        )
    ]
    assert [
        m.content
        for m in load(META, *turns, event("thread_rolled_back", num_turns=2)).messages
    ] == ["u1", "a1"]
    read = load(
        META, *turns, event("thread_rolled_back", num_turns=9), item("user", "u4")
    )
    assert bare(read) == [("user", "u4")]


@for_each("turns", [0, -1, None, True, "2"])
def test_a_rollback_of_nothing_drops_nothing(turns):
    assert (
        len(
            load(
                META, item("user", "u"), event("thread_rolled_back", num_turns=turns)
            ).messages
        )
        == 1
    )


def test_events_are_used_where_they_are_all_there_is():
    read = sample("events_only.jsonl")
    assert bare(read) == [
        ("user", "Look at this.\n[image]"),
        ("assistant", "A picture."),
    ]


def test_bare_items_after_a_description_of_the_session():
    read = sample("bare_items.jsonl")
    assert [message.role for message in read.messages] == [
        "system",
        "user",
        "assistant",
        "tool",
        "assistant",
    ]
    assert (
        read.messages[2].tool_calls[0].id == read.messages[3].tool_call_id == "call_9"
    )
    assert (read.system_prompt, read.held_at.year, read.warnings) == (
        "Be brief.",
        2025,
        (),
    )


@for_each(
    ("fields", "arguments"),
    [
        (
            {"action": {"type": "search", "query": "owls"}},
            {"type": "search", "query": "owls"},
        ),
        ({"action": None}, {}),
        ({}, {}),
        (
            {"action": {"type": "search", "query": "owls"}, "metadata": {"n": 1}},
            {"type": "search", "query": "owls"},
        ),
    ],
)
def test_a_web_search_has_the_arguments_that_are_in_the_file(fields, arguments):
    searched = wrap(
        "response_item", type="web_search_call", status="completed", **fields
    )
    (call,) = load(META, item("user", "Hi"), searched).messages[1].tool_calls
    assert (call.name, json.loads(call.arguments)) == ("web_search", arguments)


def test_a_session_that_is_one_object():
    read = sample("one_object.json")
    assert (bare(read), read.system_prompt) == (
        [("user", "Hello there."), ("assistant", "Hello.")],
        "Be kind.",
    )


def test_a_bare_message_may_have_no_type():
    described = {
        "id": "s",
        "timestamp": "2025-08-18T01:16:13Z",
        "instructions": "Be brief.",
    }
    words = {"role": "user", "content": [{"type": "input_text", "text": "Hi"}]}
    asked = {"type": "message", **words}
    assert bare(load(described, asked, words)) == [("user", "Hi")] * 2


def test_rows_of_an_unknown_type_are_named():
    read = load(META, item("user", "Hi"), wrap("novelty", text="A new thing."))
    assert read.warnings == (
        "rows of the type 'novelty', which is not known, were left out: line 3.",
    )


def test_rows_that_count_tokens_are_known():
    rollout = OF_THE_PROGRAM / "codex.jsonl"
    assert b'"token_usage_record"' in rollout.read_bytes()
    assert load_transcript(rollout).warnings == ()


def test_a_broken_item_is_counted():
    (warning,) = load(
        META, item("user", "Hi"), {"type": "response_item", "payload": 3}
    ).warnings
    assert "imported 1 of 2" in warning
    assert "line 3" in warning


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="a type and a payload"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "codex")
