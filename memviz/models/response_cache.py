"""Answers kept on disk, so that a request that was paid once is not paid again.

litellm has such a cache, but it cannot be used from here. Measured with litellm 1.106.2: every hit of it, streamed
or not, ends in ``ModuleNotFoundError: No module named 'fastapi'``, since reading one imports litellm's proxy server;
it is switched on for all calls of a process; its key leaves the base URL out; and its disk store, ``diskcache``, has
had no release since 2023 and unpickles whatever it finds in its folder (CVE-2025-69872). So the answers are JSON in
a table of SQLite: nothing read from the folder can be run, and threads and processes may share it.
"""

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from memviz.core.errors import ParameterError
from memviz.core.messages import ToolCall
from memviz.core.storage_errors import StorageError
from memviz.models.base import (
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    Reply,
    Usage,
    unmetered,
)

FILE_NAME = "replies.sqlite"
VERSION = 1
"""Part of every key: raise it when what is kept of an answer changes."""
BUSY_SECONDS = 30.0


class ResponseCache:
    """Answers in a folder by a hash of their request, which itself is not kept.

    Raises :class:`memviz.core.storage_errors.StorageError` if there can be no such folder, or
    if the file in it is no cache. One that breaks later holds nothing: the model is
    then asked.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        try:
            # Private conversations are summarized: nobody else may look into it.
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._run(
                "CREATE TABLE IF NOT EXISTS reply (key TEXT PRIMARY KEY, content TEXT NOT NULL)"
            )
            self._run("SELECT key, content FROM reply LIMIT 1")
        except (OSError, sqlite3.Error) as error:
            raise StorageError(
                f"{self.folder} cannot hold answers of models ({error}): choose another folder, or delete "
                f"{FILE_NAME} in it."
            ) from None

    def get(self, key: str) -> Reply | None:
        """The answer kept for this request, as one that costs nothing now; ``None`` if there is no readable one."""
        return self.find([key]).get(key)

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer. One that cannot be written has been given all the same."""
        self.put_all({key: reply})

    def find(self, keys: Sequence[str]) -> dict[str, Reply]:
        """The answers that are there, of those to the requests with these ``keys``, by key."""
        replies = {}
        with suppress(sqlite3.Error), self._connected() as connection:
            for key in keys:
                query = "SELECT content FROM reply WHERE key = ?"
                for (content,) in connection.execute(query, (key,)):
                    with suppress(ValueError, TypeError, KeyError, AttributeError):
                        replies[key] = _reply(json.loads(content))
        return replies

    def put_all(self, replies: Mapping[str, Reply]) -> None:
        """Keep several answers at once. Those that cannot be written have been given all the same."""
        rows = [(key, json.dumps(asdict(reply))) for key, reply in replies.items()]
        with suppress(sqlite3.Error), self._connected() as connection:
            connection.executemany("INSERT OR REPLACE INTO reply VALUES (?, ?)", rows)

    def __len__(self) -> int:
        return int(self._run("SELECT COUNT(*) FROM reply")[0][0])

    def _run(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        with self._connected() as connection:
            return connection.execute(sql, values).fetchall()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        file = self.folder / FILE_NAME
        with (
            closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection,
            connection,
        ):
            yield connection


class CachedModel(ModelWrapper):
    """``model``, asked once for each request: the answer is kept in ``folder`` and given again, with its usage, at a
    cost of 0 and marked as ``cached``. It comes in one piece.

    What makes a request the same: the model's :attr:`~memviz.models.base.Model.identity` (name, base URL, options,
    never a key), the messages, and the tools. Failures, empty and cut-off answers are not kept. Threads that ask the
    same at the same time wait for one answer.

    Raises :class:`memviz.core.errors.ParameterError` for a model whose identity is unknown, and
    :class:`memviz.core.storage_errors.StorageError` for a folder that cannot be used.
    """

    def __init__(self, model: Model, folder: str | Path) -> None:
        if model.identity is None:
            raise ParameterError(
                "cache", str(folder), f"no cache with {type(model).__name__}"
            )
        super().__init__(model)
        self.replies = ResponseCache(folder)

    def __repr__(self) -> str:
        return f"CachedModel({self._model!r}, {str(self.replies.folder)!r})"

    def limited(self, max_output_tokens: int) -> Model | None:
        """The limited model with the same cache: its answers are others, and so are their keys."""
        limited = self._model.limited(max_output_tokens)
        return limited and CachedModel(limited, self.replies.folder)

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """The answer in one piece, kept or new. The meter is not asked for one that is at hand."""
        key = self._key(request)
        with _lock_of(key):
            reply = self.replies.get(key)
            if reply is None:
                # Asked for as a whole: a stream that the caller leaves open must not keep others waiting.
                *_, last = self._model.answer(request, meter)
                assert isinstance(last, Reply)  # noqa: S101 - the last item of every stream
                reply = last
                if reply.is_whole:
                    self.replies.put(key, reply)
        if reply.text:
            yield reply.text
        yield reply

    def _key(self, request: ModelRequest) -> str:
        request_parts = [self._model.identity, *request.as_json, request.tool_choice]
        content = json.dumps([VERSION, *request_parts], sort_keys=True, default=repr)
        return hashlib.sha256(content.encode()).hexdigest()


_turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()
_turns_guard = Lock()


def _lock_of(key: str) -> Lock:
    """The lock of a request, one in the process for as long as anybody holds or awaits it."""
    with _turns_guard:
        return _turns.setdefault(key, Lock())


def _reply(entry: Mapping[str, Any]) -> Reply:
    calls = tuple(ToolCall(**call) for call in entry["tool_calls"])
    usage = None if entry["usage"] is None else Usage(**entry["usage"])
    reply = Reply(
        entry["text"],
        calls,
        usage,
        0.0,
        entry["model"],
        entry["finish_reason"],
        cached=True,
    )
    if not (
        isinstance(reply.text, str)
        and isinstance(reply.model, str)
        and isinstance(reply.finish_reason, str)
    ):
        raise TypeError("not an answer as it was kept")
    return reply
