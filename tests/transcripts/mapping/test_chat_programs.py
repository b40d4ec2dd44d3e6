"""Conversations of chat programs and coding agents: who said what, with thoughts, calls and results."""

import json

from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING
from tests.tables import for_each
from tests.transcripts.sample_files import sample_files

SAMPLES = sample_files()
HI = ("user", "Hi")
HO = ("assistant", "Ho")
CALLED = ("assistant", "")
SEEN = ("tool", "seen")
EXPECTED = {
    "anthropic_messages__amp.json": [
        HI, ("assistant", "Let me"), ("tool", "text of a"), ("assistant", "Done"),
    ],
    "big_agi__conversation.json": [HI, HO],
    "big_agi__all.json": [HI, CALLED, SEEN, HO],
    "chatbot_ui__export.json": [HI, HO],
    "chatbox__sessions.json": [HI, HO, SEEN],
    "cherry_studio__data.json": [HI, HO],
    "cherry_studio__tools.json": [HI, HO, SEEN],
    "continue_session__session.json": [
        HI, HO, ("tool", "res"), ("assistant", "Done"),
        ("user", "And?"), ("assistant", "I look."), SEEN,
    ],
    "copilot_chat__session.json": [HI, ("assistant", "Ho more"), ("tool", "Looked")],
    "crush__messages.sql": [
        HI, ("assistant", "Let me"), ("tool", "a.txt"), ("assistant", "One."),
    ],
    "goose__export.json": [HI, CALLED, ("tool", "a.txt"), ("assistant", "One file.")],
    "goose__session.jsonl": [HI, CALLED, ("tool", "a.txt"), ("assistant", "One file.")],
    "lm_studio__conversation.json": [HI, CALLED, ("tool", "res"), HO],
    "lobechat__sessions.json": [HI, HO, SEEN],
    "nextchat__backup.json": [HI, HO],
    "sillytavern__chat.jsonl": [HI, HO],
    "typingmind__export.json": [HI, HO],
}  # fmt: skip


def said(read):
    return [(message.role, message.content) for message in read.messages]


@for_each("name", EXPECTED)
def test_messages_are_read_in_their_order(name):
    read = load_file(SAMPLES[name]).transcripts[0]
    assert read.format == name.partition("__")[0]
    assert said(read) == EXPECTED[name]
    assert read.warnings == ()


@for_each(
    "name", [name for name, spoken in EXPECTED.items() if ("tool" in dict(spoken))]
)
def test_each_result_answers_a_call(name):
    messages = load_file(SAMPLES[name]).transcripts[0].messages
    calls = [call for message in messages for call in message.tool_calls]
    answered = [one.tool_call_id for one in messages if one.role == "tool"]
    assert len(calls) >= len(answered)
    assert all(call.name for call in calls)
    ids = [call.id for call in calls]
    assert all(id is None or id in ids for id in answered)


@for_each(
    "name",
    [
        "big_agi__all.json",
        "chatbox__sessions.json",
        "cherry_studio__data.json",
        "continue_session__session.json",
        "copilot_chat__session.json",
        "crush__messages.sql",
        "lm_studio__conversation.json",
        "lobechat__sessions.json",
    ],
)
def test_thoughts_stay_beside_the_reply(name):
    messages = load_file(SAMPLES[name]).transcripts[0].messages
    thoughts = [(one.meta or {}).get(REASONING) for one in messages]
    assert [text.rstrip(".") for text in thoughts if text] == ["Hmm"]


def test_sessions_of_one_file_stay_apart():
    first, second = load_file(SAMPLES["lobechat__sessions.json"]).transcripts
    assert said(second) == [("user", "Other"), ("assistant", "Chat")]
    assert len(first.messages) == 3


def test_a_block_belongs_to_the_first_message_that_names_it():
    backup = json.loads(SAMPLES["cherry_studio__data.json"])
    messages = backup["indexedDB"]["topics"][0]["messages"]
    messages[0]["blocks"] *= 1_000
    messages.append({"role": "user", "blocks": messages[0]["blocks"]})
    (read,) = load_file(json.dumps(backup).encode()).transcripts
    assert said(read)[:2] == [HI, HO]


def test_the_version_that_was_chosen_is_read():
    chat = json.loads(SAMPLES["lm_studio__conversation.json"])
    other = {"role": "user", "content": [{"type": "text", "text": "Hello"}]}
    chat["messages"][0]["versions"].append(other)
    for chosen, text in ((0, "Hi"), (1, "Hello"), (7, "Hello"), (None, "Hello")):
        chat["messages"][0]["currentlySelected"] = chosen
        (read,) = load_file(json.dumps(chat).encode()).transcripts
        assert said(read)[0] == ("user", text)


@for_each(
    "reference",
    [
        {"inlineReference": {"name": "build", "location": {}}},
        {"inlineReference": {"path": "/home/ana/build", "scheme": "file"}},
        {"inlineReference": {"uri": {"path": "/home/ana/build"}, "range": {}}},
        {"inlineReference": {"path": "/home/ana/house.py"}, "name": "build"},
    ],
)
def test_what_copilot_refers_to_within_a_text_keeps_its_name(reference):
    session = json.loads(SAMPLES["copilot_chat__session.json"])
    session["requests"][0]["response"] = [
        {"value": "See "},
        {"kind": "inlineReference", **reference},
        {"value": "."},
    ]
    read = load_transcript(json.dumps(session).encode())
    assert read.messages[1].content == "See build."
