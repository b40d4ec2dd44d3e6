"""The store: conversations and runs in one SQLite file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from json import JSONDecodeError
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from memviz.errors import StorageError
from memviz.storage import cells, chat, free_runs, library
from memviz.storage import runs as kept_runs
from memviz.storage.engine import database_path, open_engine, plain_error, writing

P = ParamSpec("P")
T = TypeVar("T")


def _reads(work: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Store, P], T]:
    """A method of the store that does ``work`` in one transaction that reads."""

    @wraps(work)
    def method(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with store._session(store._engine) as session:
            return work(session, *args, **kwargs)

    return method


def _writes(work: Callable[Concatenate[Session, P], T]) -> Callable[Concatenate[Store, P], T]:
    """A method of the store that does ``work`` in one transaction that writes."""

    @wraps(work)
    def method(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with store._session(store._writing_engine) as session:
            return work(session, *args, **kwargs)

    return method


class Store:
    """Conversations, their messages and their runs, kept in a file (``":memory:"``: nowhere).

    Every method is one transaction: it happens whole or not at all, also when the process is killed.
    Several threads, processes and tabs may use one file. All failures are :class:`StorageError`.
    What a method takes, does and returns is written at the function that it stands for, in the
    module of its subject; only the session, which comes first there, is the store's own.
    """

    def __init__(self, path_or_url: str | Path) -> None:
        self.path = database_path(path_or_url)
        self._engine = open_engine(self.path)
        self._writing_engine = writing(self._engine)

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    @contextmanager
    def _session(self, engine: Engine) -> Iterator[Session]:
        try:
            with Session(engine, expire_on_commit=False) as session, session.begin():
                yield session
        except SQLAlchemyError as error:
            raise plain_error(error, self.path) from error
        except JSONDecodeError as error:
            raise StorageError(f"{self.path} is damaged: a stored value cannot be read ({error}).") from error

    conversations = _reads(library.conversations)
    page = _reads(library.page)
    count = _reads(library.count)
    conversation = _reads(library.conversation)
    entries = _reads(library.entries)
    entry = _reads(library.entry)
    exists = _reads(library.exists)
    add_conversation = _writes(library.add)
    add_conversations = _writes(library.add_all)
    rename = _writes(library.rename)
    add_probe = _writes(library.add_probe)
    remove_probe = _writes(library.remove_probe)
    delete = _writes(library.put_away)
    restore = _writes(library.restore)
    purge = _writes(library.purge)

    chat_run = _reads(kept_runs.find_chat)
    add_chat = _writes(chat.add)
    bring_back_chat = _writes(chat.bring_back)
    save_turn = _writes(chat.save_turn)
    rewrite_chat = _writes(chat.rewrite)

    runs = _reads(kept_runs.entries)
    find_run = _reads(kept_runs.find_replay)
    save_run = _writes(kept_runs.add_replay)
    find_free_run = _reads(free_runs.find)
    save_free_run = _writes(free_runs.save)

    find_cells = _reads(cells.find)
    keep_cell = _writes(cells.keep)
    prune_cells = _writes(cells.prune)
