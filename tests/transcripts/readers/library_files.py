"""Files of libraries that keep conversations (LangChain, LlamaIndex, the Agents SDK, llm) for tests."""

import json
import sqlite3

from memviz.transcripts import load_transcript
from memviz.transcripts.document import Document
from memviz.transcripts.loading import formats
from tests.transcripts.sample_files import FOLDER as SAMPLES

NAMES = ("langchain", "llamaindex", "openai_agents", "llm_logs")
FILES = sorted(path for path in SAMPLES.iterdir() if path.name.split("__")[0] in NAMES)


def as_json(value):
    return json.dumps(value).encode()


def as_database(*scripts):
    connection = sqlite3.connect(":memory:")
    for script in scripts:
        connection.executescript(script)
    return connection.serialize()


def in_write_ahead_mode(data):
    """The database as one that writes to a file beside it, which is not there."""
    return data[:18] + b"\x02\x02" + data[20:]


def sample_bytes(name):
    path = SAMPLES / name
    return (
        as_database(path.read_text(encoding="utf-8"))
        if path.suffix == ".sql"
        else path.read_bytes()
    )


def sample_of(name, **known):
    return load_transcript(sample_bytes(name), name=name, **known)


def said(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def calls(message):
    return [(call.id, call.name, call.arguments) for call in message.tool_calls]


def recognised(data):
    document = Document(data)
    return [name for name, reader in formats().items() if reader.recognise(document)]
