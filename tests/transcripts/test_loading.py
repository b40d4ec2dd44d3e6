"""Files as they come: encodings, damage, limits, and what the user is told."""

import json
from io import BytesIO
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from memviz.core.errors import ConfigError, TranscriptError, UnclearUserError
from memviz.transcripts import load_file, load_transcript, load_transcripts
from memviz.transcripts.limits import Limits
from tests.tables import for_each

MESSAGES = [
    {"role": "user", "content": "My sister Inês lives in Lisbon."},
    {"role": "assistant", "content": "Noted."},
    {"role": "user", "content": "Where does she live?"},
    {"role": "assistant", "content": "Lisbon."},
]
TEXT = json.dumps(MESSAGES, ensure_ascii=False)
LINES = "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in MESSAGES)


def refused(data, *parts, format=None):
    with pytest.raises(TranscriptError) as caught:
        load_transcript(data, format)
    for part in parts:
        assert part in str(caught.value)
    assert caught.value.remedy
    return caught.value


def contents(transcript):
    return [message.content for message in transcript.messages]


@for_each("text", [TEXT, LINES])
@for_each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks(text, encoding):
    transcript = load_transcript(text.encode(encoding))
    assert contents(transcript)[0] == "My sister Inês lives in Lisbon."
    assert transcript.warnings == ()


def test_big_endian_utf_16():
    assert len(load_transcript(b"\xfe\xff" + TEXT.encode("utf-16-be")).messages) == 4


@for_each("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_known_without_its_mark(encoding):
    transcript = load_transcript(TEXT.encode(encoding))
    assert contents(transcript)[0] == "My sister Inês lives in Lisbon."
    assert transcript.warnings == ()


def test_values_one_after_the_other_are_told_where_they_part():
    refused(
        b'{"role": "user"} {"role": "user"}',
        "line 1, column 18: one JSON value ends here",
        "one value a line",
    )


def test_windows_1252_is_read_and_reported_with_the_offset():
    data = TEXT.encode("cp1252")
    transcript = load_transcript(data)
    assert contents(transcript)[0] == "My sister Inês lives in Lisbon."
    assert (
        f"byte 0xEA at offset {data.index(0xEA)} is not UTF-8" in transcript.warnings[0]
    )


def test_a_stray_byte_does_not_spoil_the_rest():
    data = (
        json.dumps([{"role": "user", "content": "中文 X ê"}], ensure_ascii=False)
        .encode()
        .replace(b"X", b"\xff")
    )
    assert contents(load_transcript(data)) == ["中文 ÿ ê"]


def test_a_large_windows_1252_file_is_read_in_one_go():
    text = "é" * 200_001
    data = json.dumps([{"role": "user", "content": text}], ensure_ascii=False).encode(
        "cp1252"
    )
    transcript = load_transcript(data)
    assert contents(transcript) == [text]
    assert "the file was read as Windows-1252" in transcript.warnings[0]


def test_damaged_utf_16_is_read_with_replacements():
    data = "[".encode("utf-16") + TEXT[1:].encode("utf-16-le").replace(
        b"\xea\x00", b"\x00\xd8"
    )
    transcript = load_transcript(data)
    assert contents(transcript)[0] == "My sister In\ufffds lives in Lisbon."
    assert "replaced by U+FFFD" in transcript.warnings[0]


def test_padding_is_ignored_and_reported():
    transcript = load_transcript(LINES.encode() + b"\0" * 4096)
    assert len(transcript.messages) == 4
    assert transcript.warnings == ("4096 NUL characters after the end were ignored.",)


def test_nul_within_a_message_stays():
    assert contents(load_transcript(b'[{"role":"user","content":"a\\u0000b"}]')) == [
        "a\0b"
    ]


def test_half_surrogates_are_replaced_everywhere_and_whole_pairs_stay():
    item = '{"role":"user","content":"a \\ud800 \\ud83d\\ude00","name":"\\udfff","tag":"\\udc00"}'
    transcript = load_transcript(f"[{item}]".encode())
    (message,) = transcript.messages
    assert (message.content, message.name, message.meta) == (
        "a \ufffd 😀",
        "\ufffd",
        {"tag": "\ufffd"},
    )
    assert len(transcript.warnings) == 1


def test_numbers_that_json_does_not_know_become_null():
    transcript = load_transcript(
        b'[{"role":"user","content":"hi","a":NaN,"b":[-Infinity,1e999],"c":1e3}]'
    )
    assert transcript.messages[0].meta == {"b": [None, None], "c": 1000.0}
    assert transcript.warnings == (
        "numbers that JSON does not know (NaN, Infinity) were read as null (3 times).",
    )


@for_each(
    "data", [b"", b" \n\t\r\n ", b"\xef\xbb\xbf", b"\0" * 100, "  \n".encode("utf-16")]
)
def test_empty_files(data):
    refused(data, "the file is empty")


@for_each("length", range(2, len(TEXT) - 1, 7))
def test_a_truncated_list_is_refused_with_line_and_column(length):
    error = refused(TEXT[:length].encode(), "line 1, column")
    assert "the text ends" in error.reason
    assert "incomplete" in error.remedy


def test_text_after_the_end_is_not_taken_for_a_missing_end():
    assert "incomplete" not in refused(b"[] x", "line 1, column 4").remedy


def test_the_line_of_a_syntax_error_counts_from_the_top():
    refused(
        b'[\n{"role": "user",\n "content" "hi"}]',
        "line 3, column 12",
        "found '\"hi\"}]'",
    )


def test_a_truncated_last_line_is_left_out_with_the_count():
    whole = LINES.strip()
    last_line_start = whole.rindex("\n") + 1
    for stop in range(last_line_start + 1, len(whole)):
        transcript = load_transcript(whole[:stop].encode())
        assert len(transcript.messages) == 3
        assert transcript.warnings == (
            "imported 3 of 4 lines: line 4 ends in the middle of a message.",
        )


def test_any_other_broken_line_is_refused_with_its_number():
    first, *rest = LINES.splitlines()
    refused(
        "\n".join([first, "", '{"role": oops}', *rest]).encode(), "line 3, column 10"
    )
    refused((LINES + "the end").encode(), "line 5, column 1")


@for_each(
    "data",
    [repr(MESSAGES).encode(), "\n".join(map(repr, MESSAGES)).encode(), b"[None]"],
)
def test_python_is_recognised(data):
    refused(data, "this is Python, not JSON", "json.dumps")


@for_each("depth", [101, 990, 100_000])
@for_each(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_deep_nesting(depth, opening, closing):
    refused(
        f"{opening * depth}1{closing * depth}".encode(),
        "nested more than 100 deep",
        "MEMVIZ_IMPORT_DEPTH",
    )
    refused(f"{opening * depth}".encode())


def test_nesting_below_the_limit_is_read():
    item = {"role": "user", "content": "hi", "deep": "x"}
    text = json.dumps([item]).replace('"x"', "[" * 90 + "1" + "]" * 90)
    assert len(load_transcript(text.encode()).messages) == 1


def test_long_numbers():
    data = b'[{"role": "user",\n"content": ' + b"7" * 5000 + b"}]"
    refused(data, "line 2, column 12", "5,000 digits")
    refused(
        LINES.encode() + b'{"role": "user", "content": ' + b"7" * 5000 + b"}",
        "line 5, column 29",
    )


@for_each(
    ("data", "found"),
    [
        (b"42", "found a number"),
        (b"null", "found null"),
        (b'"text"', "found a text"),
        (b"true", "found true or false"),
        (b'{"mapping": 1, "title": 2}', "found an object with 'mapping', 'title'"),
        (b"[1, 2]", "found a list of 2 that starts with a number"),
        (
            b'{"chosen": 1}\n{"chosen": 2}',
            "found lines that start with an object with 'chosen'",
        ),
    ],
)
def test_json_that_is_no_conversation_says_what_was_found_and_what_to_write(
    data, found
):
    assert '{"role": "user"' in refused(data, "no known format", found).remedy


@for_each(("data", "found"), [(b"[]", "an empty list"), (b"{}", "an empty object")])
def test_nothing_at_all_is_said_to_be_so(data, found):
    refused(data, f"there are no messages, found {found}")


@for_each(
    ("magic", "reason"),
    [
        (b"PK\x03\x04", "archive: it is damaged"),
        (b"\x1f\x8b", "archive: it is damaged"),
        (b"SQLite format 3\0", "SQLite: the database cannot be read"),
        (b"%PDF-", "this is a PDF document"),
        (b"\x89PNG\r\n\x1a\n", "this is a PNG image"),
        (b"\xff\xd8\xff\xe0", "this is a JPEG image"),
        (b"PAR1\x15\x04", "this is a Parquet file. Write its rows as JSON lines"),
        (b"\xd0\xcf\x11\xe0", "this is an old Office document"),
        (b"{\\rtf1", "this is an RTF document"),
        (b"RIFF\0\0\0\0WEBP", "this is a WebP image"),
        (b"\0\0\0\x18ftypmp42", "this is an MP4 video"),
        (b"\x01\x02\x03\x04", "this is a binary file of no known kind"),
        (b"<!DOCTYPE html>\n<html>", "this is an HTML page"),
        (b'<?xml version="1.0"?>', "this is an XML file"),
    ],
)
def test_binary_files_that_are_damaged_or_hold_no_text(magic, reason):
    refused(magic + bytes(range(256)), reason)


def broken_parquet():
    rows = BytesIO()
    parquet.write_table(pa.table({"a": ["x"]}), rows)
    return rows.getvalue()[:-20] + b"PAR1"


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (b"PK\x03\x04" + bytes(90), {}),
        (b"\x1f\x8b" + bytes(range(256)), {}),
        (b"SQLite format 3\0" + bytes(range(256)), {}),
        (broken_parquet(), {"mapping": "rows: '*'\ntext: a\n"}),
    ],
)
def test_the_sentence_of_a_damaged_file_is_no_librarys(data, options):
    with pytest.raises(TranscriptError) as raised:
        load_file(data, name="x", **options)
    # What a library says of it would stand in brackets: "(File is not a zip file)".
    assert "it is damaged" in str(raised.value)
    assert "(" not in str(raised.value)


def test_the_size_limit(tmp_path):
    data = TEXT.encode()
    path = tmp_path / "chat.json"
    path.write_bytes(data)
    for source in (data, path, str(path)):
        assert (
            len(load_transcript(source, limits=Limits(file_bytes=len(data))).messages)
            == 4
        )
        with pytest.raises(TranscriptError, match="larger than the limit of 100 bytes"):
            load_transcript(source, limits=Limits(file_bytes=100))


def test_no_more_than_the_limit_is_read_from_a_file(tmp_path):
    path = tmp_path / "endless.json"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # takes no room on the disk, but would not fit in memory
    refused(path, "larger than the limit")


def test_limits_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("MEMVIZ_IMPORT_FILE_BYTES", "1_000")
    refused(
        b" " * 1001, "larger than the limit of 1,000 bytes", "MEMVIZ_IMPORT_FILE_BYTES"
    )
    monkeypatch.setenv("MEMVIZ_IMPORT_FILE_BYTES", "plenty")
    with pytest.raises(
        ConfigError, match=r"MEMVIZ_IMPORT_FILE_BYTES.*'plenty'.*whole number"
    ):
        load_transcript(b"[]")


def test_a_file_gives_its_name_to_title_and_errors(tmp_path):
    path = tmp_path / "holiday chat.json"
    path.write_text(TEXT, encoding="utf-8")
    assert load_transcript(path).title == "holiday chat"
    assert load_transcript(path.read_bytes()).title == "Untitled conversation"
    assert load_transcript(path.read_bytes(), name="upload.json").title == "upload"
    path.write_text("[1", encoding="utf-8")
    error = refused(path, "JSON, holiday chat.json, line 1, column 3: ")
    assert error.place == "holiday chat.json, line 1, column 3"


@for_each("path", ["missing.json", "x" * 5000, "nul\0.json", "", "/"])
def test_paths_that_cannot_be_opened(path):
    refused(path, "the file cannot be opened")


def test_a_folder_is_named_as_such(tmp_path):
    refused(Path(tmp_path), "this is a folder")


def test_a_device_is_named_as_such():
    refused(Path("/dev/null"), "this is a device or a pipe, not a file")


def test_an_unknown_format_is_answered_with_those_of_nearly_its_name():
    error = refused(TEXT.encode(), "no format 'openai'", format="openai")
    assert "openai_messages" in error.remedy
    for name in ("chatgpt", "ChatGPT-export", "chatgpt_exprot"):
        error = refused(TEXT.encode(), f"no format {name!r}", format=name)
        assert error.remedy.startswith("Did you mean chatgpt_export")
        assert "letta" not in error.remedy
    assert "memviz formats" in refused(TEXT.encode(), format="zzz").remedy


@for_each(
    ("arguments", "reason"),
    [
        ({"source": None}, "cannot be read from a value of type NoneType"),
        ({"source": 3}, "cannot be read from a value of type int"),
        ({"source": b"[]", "format": 3}, "the format is a value of type int"),
        ({"source": b"[]", "user": 3}, "the user is a value of type int"),
        ({"source": b"[]", "name": 3}, "the name is a value of type int"),
    ],
)
def test_arguments_of_another_type_are_refused_in_a_sentence(arguments, reason):
    with pytest.raises(TranscriptError, match=reason) as caught:
        load_transcript(**arguments)
    assert caught.value.remedy


@for_each("inside", [False, True])
def test_the_name_of_the_user_alone_is_enough_for_roles_that_nobody_knows(inside):
    listed = [
        {"role": role, "content": "words"} for role in ("client", "operator", "client")
    ]
    data = json.dumps({"messages": listed} if inside else listed).encode()
    transcript = load_transcript(data, user="Client")
    assert [message.role for message in transcript.messages] == [
        "user",
        "assistant",
        "user",
    ]
    lines = "\n".join(map(json.dumps, listed)).encode()
    assert [
        message.role for message in load_transcript(lines, user="operator").messages
    ] == [
        "assistant",
        "user",
        "assistant",
    ]
    with pytest.raises(UnclearUserError, match="'client', 'operator'"):
        load_transcript(data, user="Bob")


def test_all_conversations_of_a_file_are_loaded_in_its_order(tmp_path):
    several = [
        {"title": f"Chat {number}", "messages": MESSAGES[: 2 * number]}
        for number in (1, 2)
    ]
    lines = "".join(json.dumps(one) + "\n" for one in several)
    path = tmp_path / "chats.jsonl"
    path.write_text(lines, encoding="utf-8")
    found = load_transcripts(path)
    assert [len(one.messages) for one in found] == [2, 4]
    assert [contents(one) for one in found] == [
        contents(load_transcript(path, conversation=n)) for n in (1, 2)
    ]
    assert load_transcripts(lines.encode()) == found
    assert len(load_transcripts(TEXT.encode())) == 1
    with pytest.raises(TranscriptError):
        load_transcripts(b"")


def test_a_conversation_that_cannot_be_read_is_told_with_the_others():
    broken = [
        {"messages": MESSAGES},
        {"messages": [{"role": "user", "content": {"no": "text"}}]},
    ]
    try:
        found = load_transcripts(
            "".join(json.dumps(one) + "\n" for one in broken).encode()
        )
    except TranscriptError as error:
        pytest.fail(str(error))
    assert contents(found[0]) == [message["content"] for message in MESSAGES]
