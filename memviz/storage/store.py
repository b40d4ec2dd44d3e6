"""The store: conversations and runs in one database, a file of SQLite or on a server of PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from json import JSONDecodeError
from pathlib import Path
from threading import Lock
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from memviz.core.storage_errors import StorageError
from memviz.core.translation import _
from memviz.storage import (
    chat,
    checking,
    kept_values,
    library,
    watched,
)
from memviz.storage import runs as kept_runs
from memviz.storage.database import Database, copy_rows
from memviz.storage.database_file import DatabaseFile, free_place
from memviz.storage.engine import open_database
from memviz.storage.limits import Limits, Size
from memviz.storage.tables import CONVERSATIONS, KEPT

P = ParamSpec("P")
T = TypeVar("T")
AnyDatabase = str | Path | Database
"""The path of a file, an address, or a database that is open already."""


def _reads(
    work: Callable[Concatenate[Session, P], T],
) -> Callable[Concatenate[Store, P], T]:
    """A method of the store that does ``work`` in one transaction that reads."""

    @wraps(work)
    def method(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with store._reading() as session:
            return work(session, *args, **kwargs)

    return method


def _reads_once(
    work: Callable[Concatenate[Session, P], T],
) -> Callable[Concatenate[Store, P], T]:
    """The same, for what pages ask at every rerun: it is read again only if somebody has written to the database since.
    What it returns is shared, and must not be changed."""
    read = _reads(work)

    @wraps(work)
    def method(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with store._errors_in_words():
            return store._database.read_once(
                (work, args, tuple(kwargs.items())),
                partial(read, store, *args, **kwargs),
            )

    return method


def _writes(
    work: Callable[Concatenate[Session, P], T],
) -> Callable[Concatenate[Store, P], T]:
    """A method of the store that does ``work`` in one transaction that writes."""

    @wraps(work)
    def method(store: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with store._writing() as session:
            return work(session, *args, **kwargs)

    return method


@dataclass
class ChangingText:
    """A text that is kept, while it is being changed; ``None`` where nothing is kept yet."""

    text: str | None


class Store:
    """Conversations, their messages and their runs, kept in a database (``":memory:"``: nowhere).

    Every method is one transaction: it happens whole or not at all, also when the process is killed.
    Several threads, processes, tabs and servers may use one database. All failures are :class:`StorageError`.
    What a method takes, does and returns is written at the function that it stands for, in the
    module of its subject; only the session, which comes first there, is the store's own.
    """

    def __init__(self, database: AnyDatabase) -> None:
        if not isinstance(database, Database):
            database = open_database(database)
        self._database = database
        self.limits: Limits | None = None
        self._moving = Lock()

    @property
    def path(self) -> str:
        """The file, ``:memory:``, or the address of a server, without the password."""
        return self._database.name

    @property
    def file(self) -> Path | None:
        """The file; ``None`` where there is none: in memory, or on a server."""
        return None if self._database.file is None else Path(self.path)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    @property
    def problem(self) -> str:
        """The sentence on a change of the file while it was open (removed, replaced); empty if nothing has."""
        return self._database.file.problem() if self._database.file else ""

    @property
    def used_bytes(self) -> int:
        """The bytes that the library takes."""
        with self._reading() as session:
            return self._database.used_bytes(session.connection())

    def back_up(self, target: str | Path, *, overwrite: bool = False) -> None:
        """Write everything to another file, which can be opened as a library, while this one stays in use. Raises
        StorageError, also where ``target`` is there already and is not to be overwritten."""
        path = Path(target).expanduser().absolute()
        self._database.back_up(path, overwrite=overwrite)

    def copy_to(self, target: Store) -> None:
        """Write everything to another library, which has to be empty: all of it or nothing. Raises
        :class:`memviz.core.storage_errors.StorageError`."""
        with self._reading() as source, target._writing() as session:
            rows = session.connection()
            for table in (CONVERSATIONS, KEPT):
                if rows.execute(select(table).limit(1)).first() is not None:
                    raise StorageError(
                        _(
                            "{path} holds something already, so nothing was written. Choose an empty one.",
                            path=target.path,
                        )
                    )
            copy_rows(source.connection(), rows)

    def try_claim(self, name: str) -> bool:
        """Return whether nobody else has this claim on the library; then it is the caller's until
        :meth:`release_claim`."""
        return self._database.try_claim(name)

    def release_claim(self, name: str) -> None:
        """Give up a claim."""
        self._database.release_claim(name)

    def check(self) -> list[str]:
        """The faults of the database, a sentence each; none where all is well. Deleted conversations, which can be
        restored, are read as well."""
        with self._reading() as session:
            faults = self._database.faults(session.connection())
            return [*faults, *checking.check(session)]

    def rescue(self) -> str:
        """Write everything that the removed or replaced file held to a new file, and go on with that; returns its
        path. It is the old path, unless another file is there now. Without a :attr:`problem`, nothing is done."""
        with self._moving:
            if self.problem:
                place = Path(self.path).resolve()
                target = free_place(place)
                self._moved_file().rescue_to(target)
                self._go_on_with(self.path if target == place else str(target))
            return self.path

    def reopen(self) -> None:
        """Go on with the file that is at the path now. What only the one before held is lost."""
        with self._moving:
            self._moved_file().leave()
            self._go_on_with(self.path)

    def _go_on_with(self, path: str) -> None:
        before = self._database
        self._database = open_database(path)
        before.close()

    def _moved_file(self) -> DatabaseFile:
        if self._database.file is None:
            raise StorageError(_("{path} is no file that could move.", path=self.path))
        return self._database.file

    @contextmanager
    def _reading(self) -> Iterator[Session]:
        made = Session(self._database.reading, expire_on_commit=False)
        with self._errors_in_words(), made as session, session.begin():
            yield session

    @contextmanager
    def _writing(self) -> Iterator[Session]:
        database = self._database
        with (
            self._errors_in_words(),
            Session(database.writing, expire_on_commit=False) as session,
        ):
            with session.begin():
                before = None if self.limits is None else Size.of(session, database)
                yield session
                session.flush()
                if self.limits is not None and before is not None:
                    self.limits.check(session, database, before)
                database.expect_in_place()
            database.expect_in_place()  # it may have gone during the commit: nothing is said to be saved that is not

    @contextmanager
    def _errors_in_words(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, UnicodeDecodeError) as error:
            self._database.expect_in_place()  # if it is not, that is what is wrong
            raise self._database.error_in_words(error) from error
        except JSONDecodeError as error:
            raise StorageError(
                _(
                    "{path} is damaged: a stored value cannot be read ({error}).",
                    path=self.path,
                    error=error,
                )
            ) from error

    @contextmanager
    def changing_class_text(self, key: str) -> Iterator[ChangingText]:
        """Give the text that the servers of a class keep under a key to the block, and keep what the block makes of it.
        Those who change texts come one after the other, on whichever server; a block that raises changes nothing."""
        with self._writing() as session:
            before = kept_values.class_text(session, key)
            changing = ChangingText(before)
            yield changing
            if changing.text is not None and changing.text != before:
                kept_values.put(session, "class", key, changing.text)

    conversations = _reads_once(library.conversations)
    page = _reads_once(library.page)
    count = _reads_once(library.count)
    conversation = _reads(library.conversation)
    said = _reads(library.said)
    about = _reads(library.about)
    entries = _reads(library.entries)
    entry = _reads_once(library.entry)
    request_count = _reads_once(library.request_count)
    conversation_ids = _reads(library.ids_of_format)
    exists = _reads_once(library.exists)
    add_conversation = _writes(library.add)
    add_missing_conversations = _writes(library.add_missing)
    add_conversations = _writes(library.add_all)
    rename = _writes(library.rename)
    add_probe = _writes(library.add_probe)
    remove_probe = _writes(library.remove_probe)
    delete = _writes(library.put_away)
    restore = _writes(library.restore)
    purge = _writes(library.purge)
    stored_rows = _reads(checking.stored_rows)
    delete_unreadable = _writes(checking.put_away)

    chat_run = _reads(kept_runs.find_chat)
    add_chat = _writes(chat.add)
    bring_back_chat = _writes(chat.bring_back)
    save_turn = _writes(chat.save_turn)
    rewrite_chat = _writes(chat.rewrite)

    find_run = _reads(kept_runs.find_replay)
    save_run = _writes(kept_runs.add_replay)
    find_free_run = _reads(kept_values.find_free_run)
    save_free_run = _writes(kept_values.save_free_run)

    find_wordings = _reads_once(kept_values.find_wordings)
    keep_wording = _writes(kept_values.keep_wording)
    remove_wording = _writes(kept_values.remove_wording)
    find_judged_answers = _reads(kept_values.find_judged_answers)
    keep_judged_answers = _writes(kept_values.keep_judged_answers)

    kept = _reads(kept_values.value_of)
    kept_keys = _reads_once(kept_values.keys_of)
    class_text = _reads_once(kept_values.class_text)
    keep = _writes(kept_values.put)
    forget = _writes(kept_values.forget)
    find_cells = _reads(kept_values.find_cells)
    keep_cell = _writes(kept_values.keep_cell)
    prune_cells = _writes(kept_values.prune_cells)

    find_watched = _reads(watched.find_watched)
    newest_watched = _reads_once(watched.find_newest)
    grow_watched = _writes(watched.grow_conversation)
