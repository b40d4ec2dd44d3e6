"""Values of the wrong type anywhere in these files: a transcript or a TranscriptError, and never the safety net."""

import json
import sqlite3
from copy import deepcopy
from random import Random

import pytest

from memviz.errors import TranscriptError
from memviz.transcripts.document import Document
from memviz.transcripts.loading import UNFORESEEN, formats, load_file
from tests.transcripts.readers.library_files import FILES, NAMES, as_database, recognised, sample_bytes

JUNK = [
    None, True, -1, 2.5, 10**30, "", "x", "2026-01-01", [], [[]], {}, [None], {"id": []}, [{"type": []}],
    {"type": "text", "text": {}}, {"block_type": []}, {"lc": 1, "id": [3], "type": "constructor", "kwargs": {}},
]  # fmt: skip
CELLS = [
    None, -1, 2.5, b"\xff\0", "", "x", "[]", "null", '{"role": []}', '{"text_ref": [3, {"fragment": {}}]}', "[" * 200,
]  # fmt: skip
JSON_FILES = [path for path in FILES if path.suffix != ".sql"]
DATABASES = [path for path in FILES if path.suffix == ".sql"]


def slots(value):
    """Every container in a JSON value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys:
        yield value, key
        yield from slots(value[key])


def read_without_net(data, name):
    try:
        failures = load_file(data, name, name="x").failures
    except TranscriptError as error:
        failures = (error,)
    assert not [str(failure) for failure in failures if UNFORESEEN in str(failure)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_each_sample_is_of_its_own_format_alone(path):
    assert recognised(sample_bytes(path.name)) == [path.name.split("__")[0]]


@pytest.mark.parametrize("path", JSON_FILES, ids=lambda path: path.name)
def test_each_value_of_a_json_file_may_be_of_any_type(path):
    name, text = path.name.split("__")[0], path.read_text(encoding="utf-8")
    value = [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else json.loads(text)
    random = Random(path.name)
    for number, _ in enumerate(slots(value)):
        for junk in random.sample(JUNK, 4):
            spoilt = deepcopy(value)
            inside, key = list(slots(spoilt))[number]
            inside[key] = junk
            data = json.dumps(spoilt).encode()
            read_without_net(data, name)
            for reader in formats().values():
                if reader.name in NAMES:
                    reader.recognise(Document(data))


@pytest.mark.parametrize("path", DATABASES, ids=lambda path: path.name)
def test_each_cell_of_a_database_may_hold_anything(path):
    name, whole = path.name.split("__")[0], sample_bytes(path.name)
    source = sqlite3.connect(":memory:")
    source.deserialize(whole)
    tables = [row[0] for row in source.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in (table for table in tables if not table.startswith("sqlite")):
        info = source.execute(f'SELECT name, type FROM pragma_table_info("{table}")').fetchall()  # noqa: S608
        columns = [column for column, kind in info if kind != "INTEGER"]
        count = source.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]  # noqa: S608
        for column in columns if count else ():
            for junk in CELLS:
                connection = sqlite3.connect(":memory:")
                connection.deserialize(whole)
                row = f'(SELECT max(rowid) FROM "{table}")'  # noqa: S608
                connection.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE rowid = {row}', (junk,))  # noqa: S608
                connection.commit()
                read_without_net(connection.serialize(), name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("data", [b"[]", b"{}", b"[3]", b'"x"', b"hello", b"", as_database("CREATE TABLE t (a);")])
def test_a_file_of_another_kind_is_refused_in_words(name, data):
    with pytest.raises(TranscriptError) as refused:
        load_file(data, name, name="x")
    assert UNFORESEEN not in str(refused.value)
