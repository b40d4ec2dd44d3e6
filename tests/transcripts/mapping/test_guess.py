"""The first guess is good: the shapes that logs of chats have, each with what it has to find."""

import json
import sqlite3
from contextlib import closing

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file
from memviz.transcripts.document import Document
from memviz.transcripts.mapping.guess import guess_mapping
from tests.tables import for_each

TALK = [
    ("in", "My order is late, can you help?"),
    ("out", "Sure, what is its number?"),
    ("in", "It is 1234, from May."),
    ("out", "It arrives on Friday."),
]
SAID = [text for _who, text in TALK]


def rows(speaker, text, words=("in", "out"), **beside):
    named = dict(zip(("in", "out"), words, strict=True))
    return [{**beside, speaker: named[who], text: said} for who, said in TALK]


def in_database():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table settings (name, value)")
        connection.execute("insert into settings values ('theme', 'dark')")
        connection.execute("create table chat_log (id, sender, message)")
        for at, (who, text) in enumerate(TALK):
            connection.execute(
                "insert into chat_log values (?, ?, ?)", (at, f"{who}bound", text)
            )
        connection.commit()
        return connection.serialize()


def as_json(value):
    return json.dumps(value).encode()


CASES = {
    "lines of a call centre": "\n".join(
        map(json.dumps, rows("direction", "body", id=7))
    ).encode(),
    "inside an object": as_json({"v": 1, "call": {"events": rows("actor", "msg")}}),
    "tickets": as_json({"tickets": [{"id": 1, "events": rows("side", "line")}]}),
    "truth values": as_json(rows("is_bot", "text", (False, True))),
    "objects in rows": as_json(
        [{"meta": {"sender": who}, "payload": {"text": text}} for who, text in TALK]
    ),
    "names": as_json(rows("who", "line", ("Ana", "Ben"))),
    "words of support": as_json(rows("party", "utterance", ("client", "operator"))),
    "a table": (
        "when,direction,body\n"
        + "\n".join(
            f'2024-05-01T10:0{at}:00,{who},"{text}"'
            for at, (who, text) in enumerate(TALK)
        )
    ).encode(),
    "a database": in_database(),
    "pairs": as_json(
        {"turns": [{"usr": SAID[0], "sys": SAID[1]}, {"usr": SAID[2], "sys": SAID[3]}]}
    ),
    "words that take turns": as_json(rows("w", "z", ("Ana", "Ben"))),
    "pairs that nobody knows": as_json(
        {
            "turns": [
                {"x": SAID[0], "y": SAID[1]},
                {"x": "Is it?", "y": "Yes, it is."},
            ]
        }
    ),
    "lists of lists": as_json([rows("from_whom", "content", ("visitor", "agent"))]),
}


def test_a_date_that_is_no_time_of_messages_orders_none():
    dates = ("2025-03-09T10:00:00Z", "2025-03-01T10:00:00Z") * 2
    talk = [
        {"chat_id": "a", "deadline": date, **row}
        for date, row in zip(dates, rows("sender", "text"), strict=True)
    ]
    mapping = guess_mapping(Document(as_json(talk), "talk.json"))
    assert (mapping.conversation, mapping.order) == ("chat_id", "")
    named = [{"sent_at": row["deadline"], **row} for row in talk]
    assert guess_mapping(Document(as_json(named), "t.json")).order == "sent_at"


@for_each("name", CASES)
def test_the_first_guess_reads_the_talk(name):
    mapping = guess_mapping(Document(CASES[name], name))
    (found,) = load_file(CASES[name], mapping=mapping).transcripts
    said = [*SAID[:2], "Is it?", "Yes, it is."] if "nobody" in name else SAID
    assert [one.content for one in found.messages] == said
    assert [one.role for one in found.messages] == ["user", "assistant"] * 2


@for_each(
    "data", [b"[1, 2]", b"{}", b"words alone", b"", b'[{"a": 1}, {"a": 2}]', b"\x89PNG"]
)
def test_what_has_no_rows_is_a_sentence(data):
    with pytest.raises(TranscriptError) as caught:
        guess_mapping(Document(data))
    assert caught.value.remedy


def test_a_bot_that_begins_is_no_user():
    rows = [{"is_bot": who == "in", "text": text} for who, text in TALK]
    mapping = guess_mapping(Document(as_json(rows)))
    (found,) = load_file(as_json(rows), mapping=mapping).transcripts
    assert [one.role for one in found.messages] == ["assistant", "user"] * 2


LONG = "n" * 900
"""A name that no mapping can have."""


@for_each(
    "value",
    [
        rows("from_whom", LONG),
        rows(LONG, "text", ("user", "assistant")),
        {LONG: rows("who", "text")},
    ],
)
def test_what_only_a_name_too_long_leads_to_is_a_sentence(value):
    with pytest.raises(TranscriptError) as caught:
        guess_mapping(Document(as_json(value)))
    assert caught.value.remedy


def test_a_list_under_a_name_too_long_is_passed_over():
    value = {"turns": rows("who", "text"), LONG: rows("who", "text")}
    assert guess_mapping(Document(as_json(value))).rows == "turns.*"


def by_ids(**beside):
    return {
        "t-1": {"log": rows("side", "line")},
        "t-2": {"log": rows("side", "line")[:2]},
        "t-3": {"log": []},
        **beside,
    }


ALIKE = {
    "below an object": {"meta": {"v": 1}, "threads": by_ids()},
    "the file itself": by_ids(),
    "beside another list": by_ids(tags=[{"name": "late"}]),
    "lists under keys": {"a": rows("side", "line"), "b": rows("side", "line")[:2]},
    "two levels": {"2024": by_ids(), "2025": by_ids()},
    "in each item": [{"threads": by_ids()}, {"threads": {}}],
}


@for_each("name", ALIKE)
def test_lists_that_are_alike_under_keys_are_conversations_of_one_mapping(name):
    data = as_json(ALIKE[name])
    found = load_file(data, mapping=guess_mapping(Document(data)))
    numbers = [len(one.messages) for one in found.transcripts]
    assert numbers == ([4, 2, 4, 2] if name == "two levels" else [4, 2])
    assert not found.warnings


def test_lists_that_are_not_alike_stay_apart():
    data = as_json({"talk": rows("side", "line"), "tools": [{"name": "a", "v": 1}]})
    assert guess_mapping(Document(data)).rows == "talk.*"


def test_a_mapping_of_one_list_of_several_says_that_there_are_others():
    data = as_json({"threads": by_ids()})
    mapping = "rows: threads.t-1.log.*\nspeaker: {field: side, user: in, assistant: out}\ntext: line\n"
    found = load_file(data, mapping=mapping)
    assert len(found.transcripts) == 1
    (warning,) = map(str, found.warnings)
    assert "one of 2 lists" in warning
    assert "conversations: threads.* and rows: log.*" in warning


CHINESE = ["我的预算是三百万元。", "好的，已记下。", "改成三百五十万", "明白。"]


def in_chinese(speaker, text, words=("客户", "客服")):
    return [
        {speaker: words[at % 2], text: said, "时刻": f"2026-03-01 10:0{at}"}
        for at, said in enumerate(CHINESE)
    ]


@for_each("speaker", ["谁", "发送者", "说话人", "角色", "用户", "甲乙"])
@for_each("text", ["内容", "text", "话"])
@for_each("words", [("客户", "客服"), ("甲", "乙")])
def test_a_log_with_chinese_names_is_guessed(speaker, text, words):
    data = as_json({"记录": in_chinese(speaker, text, words)})
    mapping = guess_mapping(Document(data))
    (found,) = load_file(data, mapping=mapping).transcripts
    assert [one.content for one in found.messages] == CHINESE
    assert [one.role for one in found.messages] == ["user", "assistant"] * 2


def test_short_words_and_foreign_names_are_guessed():
    short = [{"who": "client", "say": "ok"}, {"who": "desk", "say": "hi"}] * 2
    assert guess_mapping(Document(as_json(short))).text == ("say",)
    asked = [{"frage": f"{at}+{at}?", "antwort": f"{2 * at}."} for at in range(3)]
    roles = [one.role for one in guess_mapping(Document(as_json(asked))).say]
    assert roles == ["user", "assistant"]


def test_a_category_beside_a_question_is_no_speaker():
    rows = [
        {"prompt": f"What is {at}?", "completion": "It is so.", "level": "ab"[at % 2]}
        for at in range(6)
    ]
    assert len(guess_mapping(Document(as_json(rows))).say) == 2


@for_each(
    ("name", "when", "guessed"),
    [
        ("wann", "2025-03-01T10:00:0", "wann"),
        ("zuletzt", "2025-03-01 10:00:0", "zuletzt"),
        ("stand", "2025-03-0", ""),
        ("score", "10:0", ""),
    ],
)
def test_a_field_of_dates_with_clocks_is_the_time_whatever_its_name(
    name, when, guessed
):
    rows = [
        {
            "wer": ("client", "desk")[at % 2],
            "gesagt": f"Number {at}.",
            name: f"{when}{at + 1}",
        }
        for at in range(4)
    ]
    assert guess_mapping(Document(as_json(rows))).time == guessed


@for_each("when", ["2026年1月1日 10:00", "2026/1/1 10:00"])
def test_a_date_in_any_form_is_no_text(when):
    rows = in_chinese("发送方", "消息")
    for number, row in enumerate(rows):
        row["时刻"] = f"{when}:{number}"
    assert guess_mapping(Document(as_json(rows))).text == ("消息",)
