"""The store: conversations and runs in one SQLite file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from json import JSONDecodeError
from pathlib import Path
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from memviz.conversation import Log, Message, clean_text
from memviz.engine.run import Run
from memviz.errors import StorageError
from memviz.storage import cells, chat, free_runs, library, runs
from memviz.storage.engine import database_path, open_engine, plain_error, writing
from memviz.storage.library import ConversationEntry
from memviz.storage.runs import RunEntry
from memviz.storage.tables import CONVERSATIONS
from memviz.transcripts.base import Probe, Transcript

IDS_A_QUERY = 10_000
DEFAULT_KEPT_DAYS = 30
"""For how many days a deleted conversation can be restored, unless said otherwise."""


class Store:
    """Conversations, their messages and their runs, kept in a file (``":memory:"``: nowhere).

    Every method is one transaction: it happens whole or not at all, also when the process is killed.
    Several threads, processes and tabs may use one file. All failures are :class:`StorageError`.
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

    def _reading(self) -> AbstractContextManager[Session]:
        return self._session(self._engine)

    def _writing(self) -> AbstractContextManager[Session]:
        return self._session(self._writing_engine)

    def add_conversation(self, transcript: Transcript, id: str | None = None) -> str:
        """Keep a conversation; returns its id, a new one unless it is given. One without messages is the
        start of a chat. A given ``id`` that is there already, deleted or not, is left as it is."""
        with self._writing() as session:
            return library.add(session, transcript, id)

    def add_conversations(self, transcripts: Sequence[Transcript]) -> list[str]:
        """Keep several conversations, all or none; returns their new ids."""
        with self._writing() as session:
            return library.add_all(session, transcripts)

    def conversations(self, search: str = "", limit: int = 50, offset: int = 0) -> list[ConversationEntry]:
        """Conversations whose title or messages hold ``search`` (upper or lower case), the last changed first."""
        with self._reading() as session:
            return library.entries(session, *library.matching(search), limit=limit, offset=offset)

    def page(self, search: str, limit: int, offset: int) -> tuple[list[ConversationEntry], int]:
        """``limit`` of the conversations that hold ``search``, from number ``offset`` (0-based) on, and how many do."""
        with self._reading() as session:
            return library.page(session, search, limit, offset)

    def count(self, search: str = "") -> int:
        """How many conversations there are, or hold ``search``."""
        with self._reading() as session:
            return library.count(session, search)

    def conversation(self, id: str) -> Transcript:
        """A conversation with its messages and probes. Raises :class:`StorageError` for an unknown id."""
        with self._reading() as session:
            return library.transcript(session, id)

    def entries(self, ids: Sequence[str]) -> list[ConversationEntry]:
        """What lists show of these conversations, in their order; those that are not there are passed over."""
        with self._reading() as session:
            parts = (ids[at : at + IDS_A_QUERY] for at in range(0, len(ids), IDS_A_QUERY))
            found = {e.id: e for part in parts for e in library.entries(session, CONVERSATIONS.c.id.in_(part))}
            return [found[id] for id in ids if id in found]

    def entry(self, id: str) -> ConversationEntry:
        """What lists show of a conversation."""
        with self._reading() as session:
            return library.entries(session, CONVERSATIONS.c.id == library.found(session, id).id)[0]

    def exists(self, id: str) -> bool:
        """Whether there is a conversation of this id that was not deleted."""
        with self._reading() as session:
            return library.exists(session, id)

    def rename(self, id: str, title: str) -> None:
        """Give a conversation another title."""
        if not title.strip():
            raise StorageError("The title is empty. Write one, or keep the old one.")
        with self._writing() as session:
            library.found(session, id).title = clean_text(title.strip())

    def add_probe(self, id: str, probe: Probe) -> None:
        """Add a question to a conversation, behind those that it has."""
        with self._writing() as session:
            library.change_probes(session, id, probe, add=True)

    def remove_probe(self, id: str, probe: Probe) -> None:
        """Take a question away; one that is not there is no error."""
        with self._writing() as session:
            library.change_probes(session, id, probe, add=False)

    def delete(self, id: str) -> None:
        """Take a conversation out of the library. :meth:`restore` brings it back."""
        with self._writing() as session:
            library.found(session, id).deleted_at = library.now()

    def restore(self, id: str) -> None:
        """Bring a deleted conversation back, with all its runs."""
        with self._writing() as session:
            library.found(session, id, deleted=True).deleted_at = None

    def purge(self, older_than_days: float = DEFAULT_KEPT_DAYS) -> int:
        """Remove for good what was deleted at least ``older_than_days`` ago; returns how many conversations."""
        with self._writing() as session:
            return library.purge(session, older_than_days)

    def save_turn(self, conversation_id: str, run: Run, *, summarizer: str = "offline", key: str = "") -> None:
        """Add what a chat has that is not stored yet: messages, turn records, compactions, summaries.

        Saving again what is stored already changes nothing. After a change of strategy the run's records
        take the place of the stored ones. Raises :class:`StorageError` when the stored messages are not
        the beginning of the run's: another tab has written, or a turn was taken back, which is for
        :meth:`rewrite_chat`.
        """
        with self._writing() as session:
            chat.append(session, conversation_id, run, summarizer, key)

    def rewrite_chat(
        self,
        conversation_id: str,
        run: Run,
        *,
        summarizer: str = "offline",
        key: str = "",
        replaces: Sequence[Message] | None = None,
    ) -> None:
        """Make the stored chat what ``run`` is, after an undo or a retry.

        Replays of messages that are no longer there are removed. ``replaces`` is the log as it was
        before the change: where more or something else is stored, another tab has written, and
        :class:`StorageError` is raised instead of losing that.
        """
        with self._writing() as session:
            chat.rewrite(session, conversation_id, run, summarizer, key, replaces)

    def save_run(self, conversation_id: str, run: Run, key: str, summarizer: str = "offline") -> str:
        """Keep a replay under ``key``; returns its id. A run that is there under this key stays as it is."""
        with self._writing() as session:
            return runs.add_replay(session, conversation_id, run, key, summarizer)

    def find_run(self, conversation_id: str, key: str, log: Log | None = None) -> Run | None:
        """The replay kept under ``key``. Give the conversation's ``log`` if it is at hand: its token
        counts are then shared, and the messages are not read again."""
        with self._reading() as session:
            stored = runs.replay_row(session, library.found(session, conversation_id).id, key)
            return runs.read(session, stored, log) if stored else None

    def chat_run(self, conversation_id: str, log: Log | None = None) -> Run | None:
        """The run of the conversation's chat; ``None`` for one that was only imported."""
        with self._reading() as session:
            stored = runs.chat_row(session, library.found(session, conversation_id).id)
            return runs.read(session, stored, log) if stored else None

    def save_free_run(self, conversation_id: str, run: Run, key: str, message_count: int) -> None:
        """Keep a free run over the first ``message_count`` messages, as far as it has come, in place of what
        was kept under ``key``."""
        with self._writing() as session:
            free_runs.save(session, conversation_id, run, key, message_count)

    def find_free_run(self, conversation_id: str, key: str) -> Run | None:
        """The free run kept under ``key``, whole or not."""
        with self._reading() as session:
            return free_runs.find(session, conversation_id, key)

    def runs(self, conversation_id: str) -> list[RunEntry]:
        """What lists show of all runs of a conversation, the oldest first."""
        with self._reading() as session:
            return runs.entries(session, conversation_id)

    def find_cells(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Those of these cells of sweeps that were kept, as JSON, by key."""
        with self._reading() as session:
            return cells.find(session, keys)

    def keep_cell(self, key: str, cell: Mapping[str, Any]) -> None:
        """Keep a finished cell of a sweep; one that is there under this key stays as it is."""
        with self._writing() as session:
            cells.keep(session, key, cell)

    def prune_cells(self) -> None:
        """Let go of the oldest cells where there are very many."""
        with self._writing() as session:
            cells.prune(session)
