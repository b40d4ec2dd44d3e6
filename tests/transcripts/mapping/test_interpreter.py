"""One mapping, over whatever a file is: JSON, JSON lines, a table, Parquet, a database."""

import json
import sqlite3
from contextlib import closing, suppress
from io import BytesIO
from zipfile import ZipFile

import pyarrow as pa
import pytest
from pyarrow import parquet

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.document import Document
from memviz.transcripts.limits import Limits
from memviz.transcripts.mapping.rows import read_content
from tests.tables import for_each

ROWS = [
    {"t": 2, "who": "out", "body": "Hello Ana.", "at": "2024-05-01T10:01:00", "n": 2},
    {"t": 1, "who": "in", "body": "Is it open?", "at": "2024-05-01T10:00:00", "n": 1},
    {"t": 2, "who": "in", "body": "I am Ana.", "at": "2024-05-01T10:00:00", "n": 1},
]
MAPPING = """
speaker: {field: who, user: in, assistant: out}
text: body
time: at
conversation: t
order: n
"""


def as_csv():
    lines = ["t,who,body,at,n"]
    lines += [",".join(str(value) for value in row.values()) for row in ROWS]
    return "\n".join(lines).encode()


def as_parquet(rows=ROWS, **options):
    file = BytesIO()
    parquet.write_table(pa.Table.from_pylist(rows), file, **options)
    return file.getvalue()


def as_database():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table other (x)")
        connection.execute("create table log (t, who, body, at, n)")
        connection.executemany(
            "insert into log values (:t, :who, :body, :at, :n)", ROWS
        )
        connection.commit()
        return connection.serialize()


FILES = {
    "json": json.dumps(ROWS).encode(),
    "lines": "\n".join(map(json.dumps, ROWS)).encode(),
    "joined": "\n".join(json.dumps(row, indent=2) for row in ROWS).encode(),
    "csv": as_csv(),
    "parquet": as_parquet(),
    "database": as_database(),
}


@for_each("kind", FILES)
def test_a_mapping_reads_every_kind_of_file(kind):
    mapping = MAPPING + ("table: log\n" if kind == "database" else "")
    first, second = load_file(FILES[kind], mapping=mapping).transcripts
    assert [(one.role, one.content) for one in first.messages] == [
        ("user", "I am Ana."),
        ("assistant", "Hello Ana."),
    ]
    assert first.messages[0].meta == {"time": "2024-05-01T10:00:00+00:00"}
    assert [one.content for one in second.messages] == ["Is it open?"]


def test_a_mapping_is_given_as_a_path_too(tmp_path):
    path = tmp_path / "log.yaml"
    path.write_text(MAPPING)
    assert load_transcript(FILES["csv"], mapping=path).messages
    assert load_transcript(FILES["csv"], mapping=str(path)).messages


def test_files_of_an_archive_that_hold_one_row_each_are_one_conversation():
    archive = BytesIO()
    with ZipFile(archive, "w") as file:
        for number, row in enumerate(ROWS[::2]):
            file.writestr(f"talk/row_{number}.json", json.dumps(row))
    mapping = f"{MAPPING}files: row_*.json\n"
    (read,) = load_file(archive.getvalue(), name="a.zip", mapping=mapping).transcripts
    assert [one.content for one in read.messages] == ["I am Ana.", "Hello Ana."]


def test_an_unknown_speaker_is_not_guessed():
    with pytest.raises(TranscriptError, match="'out'"):
        load_transcript(
            FILES["json"], mapping="speaker: {field: who, user: in}\ntext: body\n"
        )


def test_the_first_to_speak_is_the_user_unless_one_is_named():
    rows = [{"who": "Ana", "body": "Hi"}, {"who": "Ben", "body": "Yes?"}]
    mapping = "speaker: {field: who, others: first_is_user}\ntext: body\n"
    data = json.dumps(rows).encode()
    roles = [one.role for one in load_transcript(data, mapping=mapping).messages]
    assert roles == ["user", "assistant"]
    named = load_transcript(data, mapping=mapping, user="ben")
    assert [one.role for one in named.messages] == ["assistant", "user"]
    assert [one.name for one in named.messages] == ["Ana", "Ben"]


def test_a_row_says_several_messages_and_none_of_them_empty():
    rows = [{"sys": "Be brief.", "q": "One?", "a": "Two."}, {"q": "Three?", "a": ""}]
    mapping = """
conversations: "*"
rows: "."
say:
- {role: system, text: sys}
- {role: user, text: q}
- {role: assistant, text: a}
"""
    found = load_file(json.dumps(rows).encode(), mapping=mapping).transcripts
    assert [[one.role for one in read.messages] for read in found] == [
        ["system", "user", "assistant"],
        ["user"],
    ]


def test_tool_calls_results_thoughts_and_usage_come_along():
    rows = [
        {"role": "user", "text": "Weather?"},
        {
            "role": "assistant",
            "text": "",
            "why": "It asks for weather.",
            "calls": [{"id": "c1", "function": "look", "arguments": {"at": "Porto"}}],
            "used": {"in": 40, "out": "5"},
            "broke": "ttl_expired",
        },
        {"role": "tool", "text": "Sun", "of": "c1", "tool": "look"},
    ]
    mapping = """
speaker: {field: role}
text: text
thoughts: why
calls: calls
answers: of
name: tool
usage: {input: used.in, output: used.out}
cache_break: broke
"""
    _, asked, result = load_transcript(
        json.dumps(rows).encode(), mapping=mapping
    ).messages
    assert asked.tool_calls[0].name == "look"
    assert json.loads(asked.tool_calls[0].arguments) == {"at": "Porto"}
    assert asked.meta == {
        "reasoning": "It asks for weather.",
        "usage": {"input_tokens": 40, "output_tokens": 5},
        "cache_break": "ttl_expired",
    }
    assert (result.tool_call_id, result.name) == ("c1", "look")


def test_a_path_that_leads_nowhere_is_told():
    with pytest.raises(TranscriptError, match="no rows were found") as caught:
        load_transcript(FILES["json"], mapping="rows: a.b.*\ntext: body\n")
    assert caught.value.remedy


def test_a_parquet_file_of_few_bytes_and_many_rows_is_refused():
    rows = [{"who": "in", "body": "x" * 1000}] * 20_000
    data = as_parquet(rows, compression="zstd")
    assert len(data) < 100_000
    for limits in (Limits(messages=10_000), Limits(inflated_bytes=1_000_000)):
        with pytest.raises(TranscriptError, match="limit"):
            load_file(data, mapping=MAPPING, limits=limits)


def test_a_broken_parquet_file_is_a_sentence():
    data = bytearray(FILES["parquet"])
    for at in range(4, len(data) - 8, 7):
        broken = bytes(data[:at]) + b"\xff" + bytes(data[at + 1 :])
        with suppress(TranscriptError):
            load_file(broken, mapping=MAPPING)


def test_what_cannot_be_read_is_said_anew_each_time():
    document = Document(b"words alone", "words.txt")
    problems = []
    for _again in range(2):
        with pytest.raises(TranscriptError) as raised:
            read_content(document)
        problems.append(raised.value)
    first, second = problems
    assert first is not second
    assert str(first) == str(second)
    assert first.template == second.template
