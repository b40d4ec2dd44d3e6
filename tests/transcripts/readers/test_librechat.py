"""LibreChat: the branch that was continued last, in a tree and in a list, with thoughts, calls and results."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_transcript
from memviz.transcripts.base import REASONING
from tests.transcripts.sample_files import FOLDER as SAMPLES


def said(read):
    return [(message.role, message.content) for message in read.messages]


def test_the_newest_branch_of_a_tree_is_read():
    read = load_transcript((SAMPLES / "librechat__tree.json").read_bytes())
    assert read.format == "librechat"
    assert said(read) == [
        ("user", "Hi"),
        ("assistant", ""),
        ("tool", "res"),
        ("assistant", "Ho"),
    ]
    assert read.messages[1].meta[REASONING] == "Hmm"
    assert read.messages[1].tool_calls[0].id == read.messages[2].tool_call_id
    assert read.title == "Bikes"
    assert "1 message of another branch" in read.warnings[0]


def test_a_list_is_read_by_the_message_before_each():
    read = load_transcript((SAMPLES / "librechat__list.json").read_bytes())
    assert said(read) == [("user", "Hi"), ("assistant", "Ho")]


def tree_of(count):
    """A conversation in which each message lies inside the one before it."""
    heads = [
        f'{{"messageId": "{number}", "text": "m{number}", "isCreatedByUser": true, "children": ['
        for number in range(count)
    ]
    tree = "".join(heads) + "]}" * count
    return f'{{"conversationId": "c", "messagesTree": [{tree}]}}'.encode()


def test_a_tree_may_be_deeper_than_other_files():
    read = load_transcript(tree_of(300))
    assert [message.content for message in read.messages] == [
        f"m{number}" for number in range(300)
    ]


def test_a_tree_that_is_too_deep_is_a_sentence():
    for count in (450, 5_000):
        with pytest.raises(TranscriptError, match="nested more"):
            load_transcript(tree_of(count))


def test_a_list_of_ten_thousand_messages_is_read():
    top = {"messageId": "0", "text": "0", "isCreatedByUser": True, "children": []}
    chat = {"conversationId": "c", "messages": [top]}
    for number in range(1, 10_000):
        before = str(number - 1)
        message = {"messageId": str(number), "parentMessageId": before, "text": "x"}
        chat["messages"].append({**message, "isCreatedByUser": number % 2 == 0})
    assert len(load_transcript(json.dumps(chat).encode()).messages) == 10_000


def test_messages_that_follow_each_other_in_a_circle_are_read_once():
    messages = [
        {
            "messageId": "a",
            "parentMessageId": "b",
            "text": "A",
            "isCreatedByUser": True,
        },
        {
            "messageId": "b",
            "parentMessageId": "a",
            "text": "B",
            "isCreatedByUser": False,
        },
    ]
    read = load_transcript(json.dumps({"messages": messages}).encode())
    assert sorted(said(read)) == [("assistant", "B"), ("user", "A")]
    assert "cycle" in read.warnings[0]


def test_another_file_is_refused():
    with pytest.raises(TranscriptError, match="LibreChat"):
        load_transcript(b'[{"role": "user", "content": "x"}]', "librechat")
