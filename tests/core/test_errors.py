"""Every error that a user can cause, caused: of one family, in plain words, with its values, safe to hand on."""

from __future__ import annotations

import copy
import pickle
import socket
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest.mock import ANY

import pytest
from starlette.applications import Starlette

import memviz
from memviz import Message, testing
from memviz.cli import errors as problems
from memviz.cli.suite_figures import read_figures
from memviz.code_export import Setting, targets
from memviz.core import errors, model_errors, storage_errors
from memviz.core.counters import ENCODING_FILES
from memviz.core.errors import MemvizError
from memviz.core.model_errors import ModelError
from memviz.dashboard.guide.glossary import tooltip
from memviz.engine.library import SummarizerFailedError
from memviz.models.access import ServerAccess
from memviz.models.budget import Budget
from memviz.models.budgeted import Budgeted
from memviz.models.recordings.player import RecordedModel
from memviz.models.recordings.recording import About, Recording
from memviz.storage.limits import Limits
from memviz.storage.store import Store
from memviz.strategies.presets import presets
from memviz.transcripts.samples import sample
from memviz.tuning.executors import KilledWorkersError
from memviz.watching.bodies import inflate
from memviz.watching.model_apis import APIS, read_wire
from memviz.watching.otlp import make_receiver
from memviz.watching.own_process import MOST_WAITING, _WaitingRoom
from memviz.watching.proxy import checked_address
from memviz.watching.serving import LocalServer
from tests.tables import for_each

KEY = "sk-secret-0123456789abcdef"
HELLO = [Message("user", "Hello")]


class Case(NamedTuple):
    """How to cause an error, the words its message has to hold, and its attributes."""

    cause: Callable[[Path], object]
    words: tuple[str, ...]
    attributes: Mapping[str, Any] = MappingProxyType({})


def wrong_file(folder: Path, text: str) -> Path:
    path = folder / "wrong.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def without_protobuf(_folder: Path) -> object:
    with pytest.MonkeyPatch.context() as patch:
        logs = "opentelemetry.proto.collector.logs.v1"
        patch.setitem(sys.modules, logs, None)
        return make_receiver(list)


def an_exchange_too_many(_folder: Path) -> None:
    waiting = _WaitingRoom()
    for _ in range(MOST_WAITING + 1):
        waiting.enter(size_bytes=1)


def a_taken_port(_folder: Path) -> object:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return LocalServer(Starlette(), taken.getsockname()[1])


def missing_encoding(folder: Path) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENCODING_FILES, "o200k_base", "nowhere")
        patch.setattr(
            "memviz.core.counters._encode", memviz.core.counters._encode.__wrapped__
        )
        # Short words that were counted before are remembered.
        return memviz.counter("o200k_base")(50 * "x")


def removed_database(folder: Path) -> object:
    store = Store(folder / "x.db")
    (folder / "x.db").unlink()
    return store.add_conversation(sample("trip"))


def changed_by_another(folder: Path) -> None:
    mine, others = (
        memviz.MemoryStore(persistence=folder / "memories.db").memory("ann")
        for _ in range(2)
    )
    others.put(Message("user", "Hello"))
    mine.put(Message("user", "Hi"))


def with_damage(folder: Path, statement: str) -> Store:
    path = folder / f"{len(list(folder.iterdir()))}.db"
    store = Store(path)
    store.add_conversation(sample("trip"), "trip")
    store.save_run(
        "trip",
        memviz.replay(sample("trip"), memviz.strategy("buffer"), counter="chars4"),
        "k",
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)
    return store


def too_large_prompt(_: Path) -> object:
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=5, count_initial_tokens=True
    )
    return memviz.replay(HELLO, strategy, counter="chars4", system_prompt="x" * 4_000)


def full_library(folder: Path) -> object:
    store = Store(folder / "full.db")
    store.limits = Limits(conversations=2, bytes=10**9)
    return [store.add_conversation(memviz.Transcript(tuple(HELLO))) for _ in range(3)]


def another_setting(_: Path) -> None:
    store = memviz.MemoryStore(memviz.strategy("buffer"))
    store.append("ann", Message("user", "Hello"))
    memviz.build_chat_memory(
        "offline", token_limit=500, chat_store=store, chat_store_key="ann"
    )


def switched_off(_: Path) -> object:
    strategy = memviz.strategy("summary_only", enable_recall=False)
    return memviz.replay(
        HELLO, strategy, recalls={1: memviz.Recall(turns=[1])}, counter="chars4"
    )


def too_many_cells(_: Path) -> object:
    messages = [Message(role, "Hm.") for role in ("user", "assistant")] * 10_000
    return memviz.replay(messages, memviz.strategy("window"), counter="chars4").fates()


def empty_reply(_: Path) -> object:
    return memviz.Chat(
        memviz.strategy("buffer"), model=memviz.ScriptedModel([" "])
    ).send("Hello")


def budget_used_up(_: Path) -> object:
    model = memviz.ScriptedModel(["Hello."])
    return Budgeted(model, Budget(0.01), usd_per_million=(1.0, 1000.0)).complete(HELLO)


def without_vectors(_: Path) -> object:
    strategy = memviz.strategy(
        "retrieval",
        embedding_percent=50,
        embedding_model="openai/any",
        newest_messages=1,
    )
    return memviz.replay(HELLO * 4, strategy, counter="chars4")


def missing_library(_: Path) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            import_module("memviz.strategies.library"),
            "find_spec",
            lambda _: None,
        )
        return memviz.replay(
            [Message("user", "x")], memviz.strategy("langchain_summarization")
        )


CASES: dict[str, Case] = {
    "strategy whose library is missing": Case(
        missing_library, ("LangChain", "pip install langchain")
    ),
    "a library that replays as much as it may": Case(
        lambda _: Limits(1, 1, replays=0).expect_room([], []),
        ("replays 0 settings at once", "when these are done"),
    ),
    "parameter out of range": Case(
        lambda _: memviz.strategy("window", window_size=0),
        ("window_size", "'window'", "0", "1 or more"),
        {
            "name": "window_size",
            "value": 0,
            "strategy": "window",
            "allowed": "a whole number of messages, 1 or more",
        },
    ),
    "unknown parameter": Case(
        lambda _: memviz.strategy("window", window_siz=4),
        ("'window'", "has no parameter 'window_siz'", "The nearest is window_size."),
        {
            "name": "window_siz",
            "value": 4,
            "strategy": "window",
            "allowed": "window_size",
        },
    ),
    "a library that has no code for a strategy": Case(
        lambda _: targets()["llamaindex"].write(
            Setting(memviz.strategy("head_and_tail"))
        ),
        ("LlamaIndex", "'head_and_tail'", "memviz_code or memory_yaml"),
        {"strategy": "head_and_tail"},
    ),
    "a server that others reach": Case(
        lambda _: ServerAccess("0.0.0.0").check(),
        ("0.0.0.0", "--password-file FILE", "--trust-everyone"),
        {},
    ),
    "a library that is full": Case(
        full_library, ("library", "2 conversations", "Delete"), {}
    ),
    "unknown strategy": Case(
        lambda _: memviz.strategy("windw"),
        ("strategy", "'windw'", "The nearest", "window"),
        {"name": "windw", "known": (*memviz.strategies(), *presets())},
    ),
    "unknown counter": Case(
        lambda _: memviz.counter("o200k"),
        ("token counter", "'o200k'", "The nearest", "o200k_base"),
        {
            "name": "o200k",
            "known": ("o200k_base", "cl100k_base", "p50k_base", "chars4", "bytes4"),
        },
    ),
    "unknown sample": Case(
        lambda _: sample("trp"),
        ("bundled conversation", "'trp'", "The nearest", "trip"),
        {"name": "trp"},
    ),
    "counter without its file": Case(
        missing_encoding, ("o200k_base", "litellm", "Install", "chars4")
    ),
    "message with an unknown role": Case(
        lambda _: Message("bot", "x"), ("'bot'", "allowed", "assistant")
    ),
    "message that is no text": Case(
        lambda _: Message("user", 3), ("content", "user", "int", "text")
    ),
    "conversation without a user": Case(
        lambda _: memviz.replay([Message("assistant", "x")], memviz.strategy("buffer")),
        ("1 message ", "user"),
    ),
    "system prompt over the limit": Case(
        too_large_prompt, ("1,000", "token_limit", "5", "Shorten")
    ),
    "recall of nothing": Case(
        lambda _: memviz.Recall(), ("turns", "messages", "last_n", "keywords")
    ),
    "recall of no number": Case(
        lambda _: memviz.Recall(turns=["2"]), ("turns", "whole numbers", "'2'")
    ),
    "recall of one number for a list": Case(
        lambda _: memviz.Recall(turns=1),
        ("turns", "1", "list of whole numbers", "[1, 3]"),
    ),
    "name of a strategy in its place": Case(
        lambda _: memviz.MemoryStore("summary"),
        ("strategy", "'summary'", "memviz.strategy('summary')"),
        {"name": "strategy", "value": "summary"},
    ),
    "text in the place of a memory store": Case(
        lambda _: memviz.build_chat_memory(None, chat_store={}),
        ("chat_store", "{}", "memviz.MemoryStore"),
    ),
    "another database": Case(
        lambda _: memviz.MemoryStore(persistence="mysql://me:secret@host/x"),
        ("mysql", "memory, sqlite, postgresql"),
    ),
    "a server that is not there": Case(
        lambda _: memviz.MemoryStore(
            persistence="postgresql+psycopg://me:secret@127.0.0.1:1/x"
        ),
        ("postgresql://me@127.0.0.1:1/x cannot be reached", "try again"),
    ),
    "session under other settings": Case(
        another_setting,
        ("'ann'", "Full buffer", "offline", "another name"),
        {"session": "ann", "summarizer": "offline"},
    ),
    "recall switched off": Case(switched_off, ("Summary only", "enable_recall")),
    "decision that nobody asked for": Case(
        lambda _: memviz.Chat(memviz.strategy("buffer")).accept(),
        ("No summarization", "waiting", "decision"),
    ),
    "configuration": Case(
        lambda folder: memviz.load_memory_config(
            wrong_file(folder, "memory:\n  token_limt: 3\n")
        ),
        ("wrong.yaml", "line 2", "memory.token_limt", "known are token_limit"),
        {"key": "memory.token_limt", "line": 2},
    ),
    "transcript": Case(
        lambda folder: memviz.load_transcript(
            wrong_file(folder, "[]"), format="nonsense"
        ),
        ("wrong.yaml", "'nonsense'", "Choose one of", "messages"),
        {
            "format": "nonsense",
            "place": "wrong.yaml",
            "reason": "there is no format 'nonsense'.",
        },
    ),
    "file of no kind": Case(
        lambda folder: memviz.load_transcript(wrong_file(folder, '{"colour": "red"}')),
        (
            "wrong.yaml",
            "no known format",
            "'colour'",
            "a list of messages",
            "docs/formats.md",
        ),
        {"place": "wrong.yaml"},
    ),
    "file that does not show who the user is": Case(
        lambda folder: memviz.load_transcript(
            wrong_file(folder, "Ana: a\nBen: b\nAna: c\nBen: d")
        ),
        ("wrong.yaml", "who the user is", "'Ana', 'Ben'", "--user"),
        {"names": ("Ana", "Ben"), "place": "wrong.yaml"},
    ),
    "sweep over nothing": Case(
        lambda _: memviz.sweep([], {"buffer": {}}),
        ("no conversation", "Give a transcript"),
    ),
    "design over too few conversations": Case(
        lambda _: memviz.design([sample("trip")] * 3, 4),
        ("at least 4 different", "Found: 1."),
    ),
    "storage": Case(
        lambda folder: Store(folder / "x.db").conversation("nowhere"),
        ("conversation", "'nowhere'", "Choose"),
    ),
    "database of another kind": Case(
        lambda folder: Store(wrong_file(folder, "no database" * 99)),
        ("wrong.yaml", "not a memviz database", "choose"),
    ),
    "database that was removed": Case(
        removed_database,
        ("x.db was removed", "Nothing was saved", "new file"),
        {"problem": ANY},
    ),
    "memory that another program changed": Case(
        changed_by_another,
        (
            "changed by another program or tab",
            "nothing was saved",
            "put the message again",
        ),
    ),
    "damaged conversation": Case(
        lambda folder: with_damage(
            folder, "UPDATE conversation SET probes = '42'"
        ).conversation("trip"),
        (
            "Two weeks in Portugal",
            "id trip",
            "value of probes is damaged",
            "list",
            "left aside",
            "The Library offers",
        ),
        {"conversation_id": "trip", "title": sample("trip").title},
    ),
    "damaged run": Case(
        lambda folder: with_damage(folder, "UPDATE record SET value = '{}'").find_run(
            "trip", "k"
        ),
        (
            "The stored run of 'buffer' is damaged",
            "requests.0.turn: Field required",
            "Run it again",
        ),
        {"what": "The stored run of 'buffer'"},
    ),
    "unknown model": Case(
        lambda _: memviz.model("gpt-4o-mimi"),
        ("'gpt-4o-mimi'", "gpt-4o-mini"),
        {"model": "gpt-4o-mimi", "partial": "", "retryable": False},
    ),
    "key in the place of a name": Case(
        lambda _: memviz.model(KEY), ("API key", "api_key")
    ),
    "key that cannot be one": Case(
        lambda _: memviz.model("gpt-4o", api_key=KEY + " x"),
        ("gpt-4o", "copy it again"),
    ),
    "key in the place of an address": Case(
        lambda _: memviz.model("gpt-4o", api_key=KEY, api_base=KEY),
        ("base URL", "gpt-4o", "http://"),
    ),
    "model setting out of range": Case(
        lambda _: memviz.model("gpt-4o", timeout=0),
        ("timeout", "0", "above 0"),
        {"name": "timeout", "value": 0},
    ),
    "matrix of too many cells": Case(
        too_many_cells,
        (
            "run.fates",
            "10,000 requests x 20,000 messages",
            "200,000,000",
            "100,000,000",
            "Ask for slices",
        ),
        {"requests": range(10_000), "messages": range(20_000)},
    ),
    "empty reply": Case(
        empty_reply, ("scripted", "empty reply", "Try again"), {"model": "scripted"}
    ),
    "budget used up": Case(
        budget_used_up,
        ("$0.01", "scripted", "may cost $4.09", "Raise the limit"),
        {"limit_usd": 0.01, "spent_usd": 0.0, "model": "scripted"},
    ),
    "script at its end": Case(
        lambda _: memviz.ScriptedModel([]).complete(HELLO),
        ("0 items", "Give it more"),
        {"model": "scripted"},
    ),
    "phrase that nobody says": Case(
        lambda _: memviz.why(HELLO, "nowhere"), ("No message says 'nowhere'",)
    ),
    "vectors that nobody asked for": Case(
        without_vectors,
        ("openai/any was not asked for the vector of 1 text", "memviz.embedder"),
        {"model": "openai/any", "texts": 1},
    ),
    "NotRecordedError": Case(
        lambda _: RecordedModel(Recording.of("mine", About(), ())).complete(HELLO),
        ("“mine” holds no reply", "no request at all", "Choose another model"),
        {"model": "recording:mine"},
    ),
    "RecordingError": Case(
        lambda folder: memviz.model(f"recording:{wrong_file(folder, 'a text')}"),
        ("no recording of memviz",),
        {"line": 1},
    ),
    "LessonError": Case(
        lambda folder: memviz.lesson(
            wrong_file(folder, "id: mine\ntitle: Mine\nsteps: [{title: a}]\n")
        ),
        ("line 3: step 1: has no text; it needs one",),
        {"line": 3, "place": "step 1"},
    ),
    "UnknownTermError": Case(
        lambda _: tooltip("nowhere"), ("named 'nowhere'",), {"name": "nowhere"}
    ),
    "JSON that is cut off": Case(
        lambda _: memviz.load_transcript(b'[{"role": "user", "content": "Hel'),
        ("the text ends inside the string that starts here",),
        {"format": "JSON", "place": "line 1, column 30"},
    ),
    "traces without their package": Case(
        without_protobuf, ("opentelemetry-proto", "memviz[watch]")
    ),
    "exchanges that wait for a slow library": Case(
        an_exchange_too_many, ("An exchange was dropped", "wait for the library")
    ),
    "port of another program": Case(
        a_taken_port, ("Port", "127.0.0.1 is in use"), {"port": ANY}
    ),
    "address of an API with a key in it": Case(
        lambda _: checked_address(f"https://me:{KEY}@example.com"),
        ("no plain web address", "https://api.openai.com"),
    ),
    "exchange that is none": Case(
        lambda _: read_wire(APIS["/chat/completions"], b"[]", b"{}", ""),
        ("no object in JSON",),
    ),
    "body that is no gzip": Case(
        lambda _: inflate(b"text", "gzip"), ("no whole gzip",), {"status": 400}
    ),
    "UnknownRecordingError": Case(
        lambda _: memviz.recordings()["nowhere"],
        ("no bundled recording named 'nowhere'",),
        {"name": "nowhere"},
    ),
    "a memory of no known kind": Case(
        lambda _: testing.replay(HELLO, object()),
        ("type object", "put and get", "cannot be called"),
    ),
    "figures that are none": Case(
        lambda folder: read_figures(wrong_file(folder, "[]")),
        ("wrong.yaml", "--memviz-json"),
    ),
}
# What only a provider can cause; tests/models does so and reads the sentences.
FROM_PROVIDERS = {
    model_errors.MissingKeyError, model_errors.RateLimitError, model_errors.ModelTimeoutError,
    model_errors.ContextTooLongError, model_errors.ServerError, model_errors.ConnectionRefusedModelError,
    model_errors.UnusableSummarizerError,
}  # fmt: skip
# What only the command line meets; tests/cli does so and reads the sentences.
FROM_TERMINAL = {
    problems.OutputError, problems.UnknownConversationError, problems.UnknownExportError,
    problems.UnknownFormatNameError, problems.UnknownTargetError,
}  # fmt: skip
# What only a cluster of Dask can cause; tests/tuning does so and reads the sentences.
FROM_CLUSTERS = {KilledWorkersError}
PASSING = {
    model_errors.RateLimitError, model_errors.ModelTimeoutError, model_errors.ServerError,
    model_errors.ConnectionRefusedModelError,
}  # fmt: skip


def caused(name: str, folder: Path) -> MemvizError:
    with pytest.raises(MemvizError) as caught:
        CASES[name].cause(folder)
    return caught.value


def family(cls: type[MemvizError] = MemvizError) -> Iterator[type[MemvizError]]:
    for member in cls.__subclasses__():
        yield member
        yield from family(member)


@pytest.fixture(scope="module")
def errors_caused(
    tmp_path_factory: pytest.TempPathFactory,
) -> Mapping[str, MemvizError]:
    """The error of each case."""
    return {name: caused(name, tmp_path_factory.mktemp("case")) for name in CASES}


class TestCaused:
    @for_each("name", CASES)
    def test_says_what_where_and_what_to_do(
        self, name: str, errors_caused: Mapping[str, MemvizError]
    ) -> None:
        message = str(errors_caused[name])
        for words in CASES[name].words:
            assert words in message
        assert message.endswith("."), "whole sentences"
        assert "Traceback" not in message
        assert "\n" not in message

    @for_each("name", CASES)
    def test_has_its_values_as_attributes(
        self, name: str, errors_caused: Mapping[str, MemvizError]
    ) -> None:
        error = errors_caused[name]
        for attribute, value in CASES[name].attributes.items():
            assert getattr(error, attribute) == value, attribute

    @for_each("name", CASES)
    def test_keeps_the_key_to_itself(
        self, name: str, errors_caused: Mapping[str, MemvizError]
    ) -> None:
        error = errors_caused[name]
        assert KEY not in str(error) + repr(error) + repr(vars(error)) + repr(
            error.args
        )

    @for_each("name", CASES)
    def test_comes_whole_from_another_process(
        self, name: str, errors_caused: Mapping[str, MemvizError]
    ) -> None:
        error = errors_caused[name]
        for again in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301
            assert type(again) is type(error)
            assert str(again) == str(error)
            assert {**vars(again), "__notes__": None} == {
                **vars(error),
                "__notes__": None,
            }


def test_no_error_of_the_house_is_left_out(
    errors_caused: Mapping[str, MemvizError],
) -> None:
    seen = (
        {type(error) for error in errors_caused.values()}
        | FROM_PROVIDERS
        | FROM_TERMINAL
        | FROM_CLUSTERS
    )
    # The last three end up in a TranscriptError, and in the record of a failed summarization.
    bases = {
        errors.UnknownNameError,
        ModelError,
        errors.LostMessageError,
        storage_errors.DatabaseGoneError,
        model_errors.UnreadableAnswerError,
        SummarizerFailedError,
    }
    assert {
        cls for cls in family() if cls.__module__.startswith("memviz")
    } == seen | bases


def test_the_public_names_are_of_the_family() -> None:
    public = [name for name in memviz.__all__ if name.endswith("Error")] + [
        "ScriptExhausted"
    ]
    assert len(public) > 10
    assert all(issubclass(getattr(memviz, name), MemvizError) for name in public)


@for_each("kind", [ModelError, *(cls for cls in family(ModelError))])
def test_a_model_error_holds_model_and_partial_answer_and_whether_to_try_again(
    kind: type[ModelError],
) -> None:
    error = pickle.loads(  # noqa: S301
        pickle.dumps(kind("It failed.", model="gpt", partial="Once upon"))
    )
    assert (str(error), error.model, error.partial) == (
        "It failed.",
        "gpt",
        "Once upon",
    )
    assert error.retryable == (kind in PASSING)


def test_a_rate_limit_says_how_long_to_wait() -> None:
    error = model_errors.RateLimitError("Slow down.", retry_after_seconds=1.5)
    assert pickle.loads(pickle.dumps(error)).retry_after_seconds == 1.5  # noqa: S301
    assert model_errors.RateLimitError("Slow down.").retry_after_seconds is None


@for_each(
    "cls",
    [
        errors.ParameterError,
        errors.ConfigError,
        errors.MessageError,
        errors.RecallError,
    ],
)
def test_wrong_values_are_value_errors_too(cls: type[Exception]) -> None:
    assert issubclass(cls, ValueError)
    assert issubclass(errors.UnknownStrategyError, KeyError)
