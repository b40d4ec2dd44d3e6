"""Values of the wrong type anywhere in a file: a transcript or a TranscriptError, and never the safety net.

The formats of the OpenAI API have the same test beside their own, see ``openai_files.survives_junk``.
"""

import json
import sqlite3
from random import Random

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file, prefer_readers
from tests.tables import for_each
from tests.transcripts.readers.library_files import (
    as_database,
    sample_bytes,
)
from tests.transcripts.sample_files import FOLDER, format_of

APP_EXPORTS = (
    "anthropic_messages",
    "chatgpt_export",
    "claude_ai_export",
    "gemini_api",
    "open_webui",
    "vercel_ui",
)
AGENT_SESSIONS = ("letta", "claude_code", "codex", "copilot_cli", "gemini_cli")
LIBRARIES = ("langchain", "llamaindex", "openai_agents", "llm_logs")
RECORDS = (
    "sharegpt",
    "locomo",
    "longmemeval",
    "tau_bench",
    "swe_agent",
    "oasst",
    "memorybank",
)
NAMES = (*APP_EXPORTS, *AGENT_SESSIONS, *LIBRARIES, *RECORDS)
FILES = sorted(path for path in FOLDER.iterdir() if format_of(path.name) in NAMES)
JSON_FILES = [path for path in FILES if path.suffix != ".sql"]
DATABASES = [path for path in FILES if path.suffix == ".sql"]
JUNK = [
    None,
    True,
    0,
    -1,
    -1.5,
    2.5,
    1e300,
    10**30,
    "",
    "x",
    "user",
    "assistant",
    "D1:1",
    "2023-04-27",
    "2026-01-01",
    [],
    {},
    [1],
    [None],
    [[]],
    [{}],
    ["x"],
    [3, "y"],
    {"a": 1},
    {"text": 3},
    {"id": []},
    {"text": {"text": 1}},
    {"type": ["x"]},
    [{"type": []}],
    [{"type": {}}],
    [{"type": ["x"]}],
    [{"role": []}],
    {"type": "text"},
    {"type": "text", "text": {}},
    ["a", {"type": "text", "text": 5}],
    [{"type": "tool_result", "content": 1}],
    {"block_type": []},
    {"lc": 1, "id": [3], "type": "constructor", "kwargs": {}},
]
NO_FILES = [
    *JUNK,
    [{"type": "user"}],
    [{"role": {}}, {"payload": 1}],
    {"messages": [], "agents": 1},
    [[{}]],
    {"a": {"history": {"2023-01-01": 3}}},
    {"conversation": 1},
]
CELLS = [
    None,
    -1,
    2.5,
    b"\xff\0",
    "",
    "x",
    "[]",
    "null",
    '{"role": []}',
    '{"text_ref": [3, {"fragment": {}}]}',
    "[" * 200,
]
ROUNDS = 40
RANDOM_KEYS = ("value", "text", "role", "history", "id", "parent_id")

each_file = pytest.mark.parametrize("path", JSON_FILES, ids=lambda path: path.name)


def values_of(path):
    text = path.read_text(encoding="utf-8")
    return (
        [json.loads(line) for line in text.split("\n") if line]
        if path.suffix == ".jsonl"
        else json.loads(text)
    )


def places(value, path=()):
    """The path to every value inside a JSON value, and to the value itself."""
    yield path
    for key, inner in (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    ):
        yield from places(inner, (*path, key))


def replaced(value, path, *junk):
    """The value with ``junk`` at this place; without the place, if there is no junk."""
    if not path:
        return junk[0]
    copy = value.copy()
    if len(path) == 1 and not junk:
        del copy[path[0]]
    else:
        copy[path[0]] = replaced(
            value.get(path[0]) if isinstance(value, dict) else value[path[0]],
            path[1:],
            *junk,
        )
    return copy


def spoilt(value, random):
    """The value with junk in up to three places, sometimes under a key that many formats know."""
    for _ in range(random.randint(1, 3)):
        if found := [place for place in places(value) if place]:
            place = random.choice(found)
            if random.random() < 0.1 and isinstance(place[-1], str):
                place = (*place[:-1], random.choice(RANDOM_KEYS))
            value = replaced(value, place, random.choice(JUNK))
    return value


def read_without_net(data, name):
    """Read the data as the format of this name; ``None`` if it is refused as a whole."""
    loaded, failures = None, []
    try:
        loaded = load_file(data, name, name="x")
        failures = loaded.failures
    except TranscriptError as error:
        failures = [error]
    assert not [str(failure) for failure in failures if failure.template == UNFORESEEN]
    assert all(
        transcript.messages for transcript in (loaded.transcripts if loaded else ())
    )
    return loaded


def judge(value, name, lines=False):
    """Recognise and read a JSON value as the format of this name, as lines if these are asked for and it is a list."""
    text = (
        "\n".join(map(json.dumps, value))
        if lines and isinstance(value, list)
        else json.dumps(value)
    )
    assert formats()[name].recognise(Document(text.encode())) in (True, False)
    return read_without_net(text.encode(), name)


@for_each("path", FILES)
def test_each_sample_is_of_its_own_format_alone(path):
    document = Document(sample_bytes(path.name))
    hits = [one for one in formats().values() if one.recognise(document)]
    assert [one.name for one in prefer_readers(hits)] == [format_of(path.name)]


@pytest.mark.slow
@each_file
def test_each_value_may_be_of_any_type(path):
    name, value, random = format_of(path.name), values_of(path), Random(path.name)
    for place in places(value):
        for junk in random.sample(JUNK, 4 if name in LIBRARIES else 1):
            judge(replaced(value, place, junk), name)


@pytest.mark.slow
@each_file
def test_each_value_may_be_missing(path):
    name, value = format_of(path.name), values_of(path)
    for place in places(value):
        if place and isinstance(place[-1], str):
            judge(replaced(value, place), name)


@each_file
def test_several_values_may_be_of_any_type(path):
    name, value, random = format_of(path.name), values_of(path), Random(path.name)
    outcomes = set()
    for number in range(ROUNDS):
        bad = spoilt(value, random)
        outcomes.add(
            judge(bad, name, lines=path.suffix == ".jsonl" and number % 2 == 0) is None
        )
        document = Document(json.dumps(bad).encode())
        for known in NAMES:
            formats()[known].recognise(document)
    assert False in outcomes


@for_each("path", JSON_FILES)
def test_the_other_formats_refuse_a_sample_or_judge_it(path):
    for name in NAMES:
        read_without_net(path.read_bytes(), name)


@pytest.mark.slow
@pytest.mark.parametrize("path", DATABASES, ids=lambda path: path.name)
def test_each_cell_of_a_database_may_hold_anything(path):
    name, whole = format_of(path.name), sample_bytes(path.name)
    source = sqlite3.connect(":memory:")
    source.deserialize(whole)
    tables = [
        row[0]
        for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
    ]
    for table in (table for table in tables if not table.startswith("sqlite")):
        info = source.execute(
            f'SELECT name, type FROM pragma_table_info("{table}")'  # noqa: S608
        ).fetchall()
        columns = [column for column, kind in info if kind != "INTEGER"]
        count = source.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]  # noqa: S608
        for column in columns if count else ():
            for junk in CELLS:
                connection = sqlite3.connect(":memory:")
                connection.deserialize(whole)
                row = f'(SELECT max(rowid) FROM "{table}")'  # noqa: S608
                connection.execute(
                    f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = {row}',  # noqa: S608
                    (junk,),
                )
                connection.commit()
                read_without_net(connection.serialize(), name)


@for_each("name", NAMES)
def test_a_file_of_anything_else_is_refused(name):
    for value in NO_FILES:
        assert (
            formats()[name].recognise(Document(json.dumps(value).encode())) is False
        ), value
        assert judge(value, name) is None, value


@for_each("name", NAMES)
@for_each(
    "data",
    [b"[]", b"{}", b"[3]", b'"x"', b"hello", b"", as_database("CREATE TABLE t (a);")],
)
def test_a_file_of_another_kind_is_refused_in_words(name, data):
    with pytest.raises(TranscriptError) as refused:
        load_file(data, name, name="x")
    assert refused.value.template != UNFORESEEN


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_junk_under_the_keys_of_a_format(name):
    keys = (
        "mapping",
        "chat_messages",
        "chat",
        "messages",
        "contents",
        "candidates",
        "request",
        "result",
        "history",
    )
    for junk in JUNK:
        wrapped = [
            junk,
            [junk],
            [[junk]],
            {"mapping": junk, "chat": junk, "messages": junk, "contents": junk},
        ]
        wrapped += [[{key: junk}] for key in keys[::2]]
        wrapped += [{key: [junk]} for key in keys[1::2]]
        wrapped += [
            [{"role": role, "content": junk, "parts": junk}]
            for role in ("user", "model", junk)
        ]
        for value in wrapped:
            judge(value, name)
