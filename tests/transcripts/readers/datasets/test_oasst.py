"""OpenAssistant trees, whole or message by message."""

import json
from datetime import UTC, datetime

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import TIME
from memviz.transcripts import load_transcript
from memviz.transcripts.loading import load_file
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES


def row(id, parent, role="assistant", **fields):
    known = {
        "message_id": id,
        "parent_id": parent,
        "message_tree_id": "t",
        "role": role,
        "text": id,
        "deleted": False,
    }
    return {**known, **fields}


def load(*rows):
    return load_transcript(json.dumps(rows).encode())


def texts(transcript):
    return [message.content for message in transcript.messages]


ROOT = row("root", None, "prompter")


@for_each("file", ["oasst__trees.jsonl", "oasst__messages.jsonl", "oasst__tree.json"])
def test_the_best_ranked_branch_is_the_conversation(file):
    transcript = load_file(SAMPLES / file).transcripts[0]
    assert [(message.role, message.content) for message in transcript.messages] == [
        ("user", "¿Qué es un faro?"),
        ("assistant", "Una torre con luz."),
        ("user", "¿Y de noche?"),
        ("assistant", "Se ve de lejos."),
    ]
    assert (transcript.format, transcript.language) == ("oasst", "es")
    assert transcript.held_at == datetime(2023, 2, 5, 14, 23, 50, tzinfo=UTC)
    assert transcript.messages[0].meta == {TIME: "2023-02-05T14:23:50+00:00"}
    assert transcript.warnings == (
        "left out 1 message of 1 other branch.",
        "left out 1 message, deleted or broken.",
    )


@for_each("file", ["oasst__trees.jsonl", "oasst__messages.jsonl"])
def test_every_tree_is_a_conversation(file):
    second = load_file(SAMPLES / file).transcripts[1]
    assert (texts(second), second.warnings) == (["¿Hola?", "Hola."], ())


@for_each(
    ("ranks", "best"),
    [
        ((2, 0, 1), "b"),
        ((1.0, 2.0, 0.0), "c"),
        ((None, None, None), "a"),
        ((None, 3, None), "b"),
        (("0", True, []), "a"),
    ],
)
def test_the_lowest_rank_is_the_best_and_without_ranks_the_first(ranks, best):
    transcript = load(
        ROOT,
        *(row(id, "root", rank=rank) for id, rank in zip("abc", ranks, strict=True)),
    )
    assert texts(transcript) == ["root", best]
    assert transcript.warnings == ("left out 2 messages of 2 other branches.",)


def test_what_reviewers_rejected_comes_last():
    assert texts(
        load(
            ROOT,
            row("a", "root", rank=0, review_result=False),
            row("b", "root", rank=1),
        )
    ) == ["root", "b"]
    assert texts(load(ROOT, row("a", "root", review_result=False))) == ["root", "a"]


def test_nothing_follows_a_deleted_message():
    transcript = load(ROOT, row("a", "root", deleted=True), row("b", "a", "prompter"))
    assert texts(transcript) == ["root"]
    assert transcript.warnings == (
        "left out 1 message of 1 other branch.",
        "left out 1 message, deleted or broken.",
    )


def test_messages_in_any_order_and_without_their_root():
    assert texts(load(row("b", "a", "prompter"), row("a", "root"), ROOT)) == [
        "root",
        "a",
        "b",
    ]
    assert texts(load(row("b", "a", "prompter"), row("a", "root"))) == ["a", "b"]
    assert texts(load(row("x", "lost", rank=0), row("a", "root"), ROOT)) == [
        "root",
        "a",
    ]


def test_a_circle_is_an_error():
    with pytest.raises(TranscriptError, match="in a circle"):
        load(row("a", "b"), row("b", "a"))


def test_a_circle_beside_the_tree_is_left_out():
    assert load(ROOT, row("a", "b"), row("b", "a")).warnings == (
        "left out 2 messages of 1 other branch.",
    )


def test_a_deleted_tree_is_no_conversation():
    with pytest.raises(TranscriptError, match="its first message was deleted"):
        load(row("root", None, "prompter", deleted=True), row("a", "root"))


def test_a_message_of_an_unknown_role_is_left_out_and_counted():
    transcript = load(
        ROOT,
        row("a", "root", "critic"),
        row("b", "a", "prompter", text=5),
        row("c", "b"),
    )
    assert texts(transcript) == ["root", "c"]
    assert transcript.warnings == (
        "imported 2 of 4 messages: index 1 has no known role, index 2 has no text.",
    )


def test_deep_trees_and_broken_replies():
    prompt = {
        "role": "prompter",
        "text": "0",
        "replies": [3, {"role": "assistant", "text": "1", "replies": "x"}],
    }
    transcript = load_transcript(
        json.dumps({"message_tree_id": "t", "prompt": prompt}).encode()
    )
    assert texts(transcript) == ["0", "1"]
    assert transcript.warnings == ("left out 1 message, deleted or broken.",)


@for_each(
    "foreign",
    [{"message_tree_id": "t"}, {"message_tree_id": "t", "prompt": "x"}, {"prompt": {}}],
)
def test_other_files_are_not_claimed(foreign):
    with pytest.raises(TranscriptError, match="no known format"):
        load(foreign)
