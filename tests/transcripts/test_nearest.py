"""What the refusal of a file says: what it almost is, at which place it is not, and which format would read it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.core.translation import use_language
from memviz.transcripts import formats, load_file, load_transcript
from tests.tables import for_each

HI, HO = {"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}
VIDEO = {
    "role": "user",
    "content": [
        {"type": "text", "text": "see"},
        {"type": "video_url", "video_url": {}},
    ],
}


def refused(value: Any) -> TranscriptError:
    return refused_bytes(json.dumps(value).encode())


def refused_bytes(data: bytes) -> TranscriptError:
    with pytest.raises(TranscriptError) as caught:
        load_file(data)
    assert caught.value.remedy
    titles = [reader.title for reader in formats().values()]
    assert sum(title in str(caught.value) for title in titles) <= 1, (
        "not a list of all formats"
    )
    return caught.value


@for_each(
    ("value", "format", "place"),
    [
        ([HI, HO, VIDEO, HO], "role_content", "3 of 4 messages fit, but index 2"),
        (
            {"messages": [HI, VIDEO]},
            "chat_request",
            "1 of 2 messages fit, but 'messages', index 1",
        ),
        (
            [{"messages": [HI, HO]}, {"messages": [VIDEO, HO]}],
            "finetuning",
            "but index 1, 'messages', index 0",
        ),
    ],
)
def test_one_part_of_an_unknown_type(value: Any, format: str, place: str) -> None:
    error = refused(value)
    assert f"nearly {format}: " in error.reason
    assert f"{place} has a part of the type 'video_url'" in error.reason
    assert f"--format {format}" in error.remedy
    read = load_file(json.dumps(value).encode(), format).transcripts
    assert any(
        "[video_url]" in message.content
        for transcript in read
        for message in transcript.messages
    )


def test_in_json_lines_the_place_is_the_line() -> None:
    error = refused_bytes("\n".join(map(json.dumps, [HI, HO, VIDEO])).encode())
    assert "2 of 3 messages fit, but line 3 has a part" in error.reason


def test_a_key_of_another_product() -> None:
    error = refused([{**HI, "session_id": "s"}, HO])
    assert "index 0 has the key 'session_id'" in error.reason
    assert (
        len(
            load_transcript(
                json.dumps([{**HI, "session_id": "s"}, HO]).encode(), "role_content"
            ).messages
        )
        == 2
    )


def test_unknown_roles_alone_are_asked_about() -> None:
    talk = [{"role": "Ana", "content": "a"}, {"role": "Ben", "content": "b"}]
    error = refused(talk)
    assert isinstance(error, UnclearUserError)
    assert error.names == ("Ana", "Ben")
    assert "index 0 has the unknown role 'Ana'" in error.reason


def test_messages_without_a_role() -> None:
    assert (
        "index 0 has no role: its keys are 'speaker', 'text'"
        in refused([{"speaker": "user", "text": "a"}]).reason
    )


def test_messages_under_keys_that_no_format_has() -> None:
    error = refused({"log": {"chat": [HI, HO]}})
    assert "2 messages stand under 'chat' in 'log'" in error.reason


@for_each(
    ("data", "where"),
    [
        (json.dumps(json.dumps([HI, HO])), "it is a text"),
        (json.dumps({"messages": json.dumps([HI, HO])}), "'messages' is a text"),
        (json.dumps([json.dumps(HI), json.dumps(HO)]), "the first item is a text"),
        (
            "\n".join(json.dumps(json.dumps(item)) for item in (HI, HO)),
            "each line is a text",
        ),
    ],
)
def test_json_that_was_encoded_twice(data: str, where: str) -> None:
    error = refused_bytes(data.encode())
    assert f"{where} that holds JSON: it was encoded twice" in error.reason
    assert "json.loads" in error.remedy


@for_each(
    ("text", "reason"),
    [
        (
            "content,time\nhi,1\nho,2",
            "nearly a table: its columns are 'content', 'time', and none for the role",
        ),
        (
            "speaker;when\nAna;1\nBen;2",
            "nearly a table: its columns are 'speaker', 'when', and none for what is said",
        ),
        (
            "a,b\n1,2\n3,4",
            "nearly a table: its columns are 'a', 'b', and none of them for the role",
        ),
        (
            "Hello.\nUser: hi\nthere",
            "nearly a dialogue: only line 2 names a speaker ('User')",
        ),
        (
            "Dear diary,\nwhat a day",
            "found a text that starts with 'Dear diary, what a day'",
        ),
    ],
)
def test_texts(text: str, reason: str) -> None:
    assert reason in refused_bytes(text.encode()).reason


def test_names_that_come_once_are_asked_about() -> None:
    for names in (("Ana", "Ben"), ("User", "Dave")):
        text = "{}: hi\n{}: ho".format(*names).encode()
        error = refused_bytes(text)
        assert isinstance(error, UnclearUserError)
        assert error.names == names
        assert [
            message.role for message in load_transcript(text, user=names[0]).messages
        ] == ["user", "assistant"]


def test_what_several_formats_claim_names_how_to_choose(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(formats()["sharegpt"]), "recognise", lambda *_: True)
    error = refused([HI, HO])
    assert "it could be each of: role_content, sharegpt" in error.reason
    assert "--format role_content or --format sharegpt" in error.remedy


def test_a_long_list_is_refused_at_once() -> None:
    assert (
        "has a part of the type 'video_url'"
        in refused([HI, HO] * 20_000 + [VIDEO]).reason
    )


def test_a_dump_of_postgresql_is_refused_with_the_command_that_exports_its_messages():
    dump = (
        "--\n-- PostgreSQL database dump\n--\n\n"
        "COPY public.users (id, name) FROM stdin;\n1\tAna\n\\.\n\n"
        "COPY public.messages (id, role, content) FROM stdin;\n"
        "1\tuser\tHi\n2\tassistant\tHo\n\\.\n"
    )
    with pytest.raises(TranscriptError, match=r"dump of PostgreSQL") as caught:
        load_file(dump.encode())
    assert '"\\copy (select * from public.messages) to ' in caught.value.remedy


def test_in_chinese_no_space_stands_between_two_sentences():
    with use_language("zh"), pytest.raises(TranscriptError) as error:
        load_transcript(b'{"tickets": [{"a": 1}]}')
    assert "。 " not in str(error.value)
