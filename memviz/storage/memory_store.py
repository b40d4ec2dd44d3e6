"""Memories of many conversations by name, and the classic way to build one."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.errors import ParameterError, SessionExistsError
from memviz.core.messages import Message, clean_text
from memviz.core.storage_errors import ConversationChangedError, StorageError
from memviz.core.translation import _, noop
from memviz.engine.chat_memory import ChatMemory, Given
from memviz.engine.in_thread import in_thread
from memviz.engine.memory_config import DEFAULT_STRATEGY, strategy_of
from memviz.engine.persistence import database_of
from memviz.engine.replay import as_model
from memviz.engine.state import Prepared
from memviz.models.base import Model
from memviz.storage.store import Store
from memviz.strategies import strategy as find_strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

THE_STORES_OWN: Any = object()
"""Stands for the model of the store where a session is asked for without one."""
FORMAT = "memory"
"""The format of such a conversation in the library."""
ID_PREFIX = "memory-"
"""A session's conversation has this and the session's name as its id."""
_CHANGED = noop(
    "The conversation was changed by another program or tab, so nothing was saved. What is stored now "
    "has been read: put the message again."
)


class KeptMemory(ChatMemory):
    """A memory whose messages and summaries are kept in a store, as the conversation ``memory-<session>``."""

    def __init__(
        self, store: Store, session: str, strategy: Strategy, **options: Any
    ) -> None:
        self._store: Store | None = (
            None  # nothing is kept while the memory is being made
        )
        super().__init__(strategy, **options)
        session = clean_text(session)
        named = Transcript(
            (), title=session, format=FORMAT, system_prompt=self.system_prompt
        )
        self._id = store.add_conversation(named, ID_PREFIX + session)
        self._take_over(store)
        self._store = store

    def _take_over(self, store: Store) -> None:
        """Go on with what is stored."""
        kept = store.chat_run(self._id)
        if kept is None:
            # A library of memviz 0.1 brought the messages alone.
            said = store.conversation(self._id).messages
            if said:
                self.set(said)
            return
        counts_alike = kept.counter.name == self.run.counter.name
        if counts_alike and kept.strategy == self.strategy:
            self._go_on(kept)
        else:
            self.set(kept.log)

    def append(self, message: Given) -> None:
        """Take in the next message, and keep it. One that cannot be kept is not taken in, so it can be put again.

        Raises :class:`memviz.StorageError` for what the database refuses. Where another program changed the
        conversation meanwhile, the memory goes on with what is stored now.
        """
        with self._lock, self._as_stored():
            super().append(message)
            self._keep()

    def clear(self) -> None:
        """Forget everything, what is kept included."""
        with self._lock, self._as_stored():
            super().clear()
            if self._store is not None:
                self._store.rewrite_chat(
                    self._id, self.run, summarizer=self.summarizer_name
                )

    @contextmanager
    def _as_stored(self) -> Iterator[None]:
        """Leave the memory as it was where the database refuses a change, or make it what is stored now."""
        session = self._session
        recalls = self._recalls
        length = len(session.log)
        compactions = len(session.compactions)
        try:
            yield
        except StorageError as error:
            self._session = session
            self._recalls = recalls
            if len(session.log) > length:
                # A new question sums up the turn before it, so where the log ended does not tell which are new.
                del session.compactions[compactions:]
                session.rewind(length)
            if not isinstance(error, ConversationChangedError):
                raise
            self._read_again()
            raise ConversationChangedError(_(_CHANGED)) from error

    def _read_again(self) -> None:
        store = self._store
        self._store = None  # what is read is not written back
        try:
            if store is not None:
                self._take_over(store)
        finally:
            self._store = store

    def _prepare(self) -> Prepared:
        with self._as_stored():
            prepared = super()._prepare()
            self._keep()  # a summary that this needed
        return prepared

    def _keep(self) -> None:
        if self._store is not None:
            self._store.save_turn(self._id, self.run, summarizer=self.summarizer_name)


def kept_sessions(store: Store) -> tuple[str, ...]:
    """Names of the sessions that are kept in a store, the oldest first."""
    ids = store.conversation_ids(FORMAT)
    return tuple(id.removeprefix(ID_PREFIX) for id in ids if id.startswith(ID_PREFIX))


class MemoryStore:
    """One :class:`ChatMemory` a session name, all under the same strategy, model and counter.

    With ``persistence`` (a path, an SQLite URL, or the mapping of ``configs/memory.yaml``) messages and summaries are
    kept in that database as they come, and a later store on the same one goes on where this one ended. The dashboard
    shows them in its library. Every method has an async twin (``aput`` for ``put``). Safe to use from several threads
    and tasks.

    Raises :class:`memviz.ParameterError` for a wrong type, and :class:`memviz.StorageError` for a database that
    cannot be used.
    """

    def __init__(
        self,
        strategy: Strategy | None = None,
        *,
        model: Model | str | None = "offline",
        counter: AnyCounter = DEFAULT_COUNTER,
        system_prompt: str | None = None,
        persistence: str | Path | Mapping[str, Any] | None = None,
        repair_tool_pairs: bool = True,
    ) -> None:
        if strategy is None:
            strategy = find_strategy(DEFAULT_STRATEGY)
        self.strategy = strategy
        self._model = as_model(model)
        self._options: dict[str, Any] = {
            "counter": counter,
            "system_prompt": system_prompt,
            "repair_tool_pairs": repair_tool_pairs,
        }
        # Wrong types fail here, not at the first message.
        ChatMemory(self.strategy, model=self._model, **self._options)
        database = database_of(persistence)
        self._store = Store(database) if database is not None else None
        self._memories: dict[str, ChatMemory] = {}
        self._lock = RLock()
        self._locks: dict[str, RLock] = {}

    def memory(
        self,
        session: str,
        strategy: Strategy | None = None,
        *,
        model: Model | str | None = THE_STORES_OWN,
    ) -> ChatMemory:
        """The memory of this session; the first call makes it, or brings back the one that is kept.

        A new one is made with the store's strategy and model unless others are given. Raises
        :class:`memviz.core.errors.SessionExistsError` where it is there already with others than those that are given.
        """
        wanted = as_model(model, "llm") if model is not THE_STORES_OWN else model
        with self._lock_of(session):  # one session's summarizer keeps no other waiting
            memory = self._memories.get(session)
            if memory is None:
                chosen = strategy or self.strategy
                memory = self._make_memory(session, chosen, wanted)
                self._memories[session] = memory
            elif not _is_under(memory, strategy, wanted):
                raise SessionExistsError(
                    session, memory.strategy.label, memory.summarizer_name
                )
            return memory

    def _make_memory(
        self, session: str, strategy: Strategy, model: Model | None
    ) -> ChatMemory:
        if model is THE_STORES_OWN:
            model = self._model
        if self._store is None:
            return ChatMemory(strategy, model=model, **self._options)
        return KeptMemory(self._store, session, strategy, model=model, **self._options)

    def _lock_of(self, session: str) -> RLock:
        if not isinstance(session, str):
            raise ParameterError("session", session, "a text: the name of the session")
        with self._lock:
            return self._locks.setdefault(session, RLock())

    def sessions(self) -> tuple[str, ...]:
        """Names of all sessions, those that were kept before this store was opened included, the oldest first."""
        if self._store is None:
            return tuple(self._memories)
        return kept_sessions(self._store)

    def append(self, session: str, message: Given) -> None:
        """Take in the next message of a session."""
        self.memory(session).append(message)

    def load(self, session: str) -> list[Message]:
        """The messages to send to the model now."""
        return self.memory(session).load()

    def clear(self, session: str) -> None:
        """Forget what a session said."""
        self.memory(session).clear()

    def put(self, session: str, message: Given) -> None:
        """The same as :meth:`append`."""
        self.append(session, message)

    def put_messages(self, session: str, messages: Iterable[Given]) -> None:
        """Take in several messages of a session in order."""
        self.memory(session).put_messages(messages)

    def get(self, session: str, input: str | None = None) -> list[Message]:
        """The same as :meth:`load`; ``input`` changes nothing (see :meth:`ChatMemory.get`)."""
        return self.memory(session).get(input)

    def get_all(self, session: str) -> list[Message]:
        """All messages of a session."""
        return self.memory(session).get_all()

    def set(self, session: str, messages: Iterable[Given]) -> None:
        """Start a session over with these messages."""
        self.memory(session).set(messages)

    def reset(self, session: str) -> None:
        """The same as :meth:`clear`."""
        self.clear(session)

    amemory = in_thread(memory)
    asessions = in_thread(sessions)
    aappend = in_thread(append)
    aload = in_thread(load)
    aclear = in_thread(clear)
    aput = in_thread(put)
    aput_messages = in_thread(put_messages)
    aget = in_thread(get)
    aget_all = in_thread(get_all)
    aset = in_thread(set)
    areset = in_thread(reset)


def _is_under(
    memory: ChatMemory, strategy: Strategy | None, model: Model | None
) -> bool:
    """Return whether a memory is under this strategy, and summarized by this model, where they are given."""
    if strategy is not None and strategy != memory.strategy:
        return False
    return model is THE_STORES_OWN or _is_same(model, memory.summarizer)


def _is_same(model: Model | None, other: Model | None) -> bool:
    """Return whether two models are one, or two objects that answer alike."""
    if model is other or model is None or other is None:
        return model is other
    if model.identity is None or model.name != other.name:
        return False
    return model.identity == other.identity


def build_chat_memory(
    llm: Model | str | None,
    token_limit: int = 64000,
    summarize_prompt: str | None = None,
    chat_store: MemoryStore | None = None,
    chat_store_key: str = "default",
    *,
    persistence: str | Path | Mapping[str, Any] | None = None,
    strategy: str = DEFAULT_STRATEGY,
    parameters: Mapping[str, Any] | None = None,
    counter: AnyCounter | None = None,
    summarizer: str | None = None,
    system_prompt: str | None = None,
    repair_tool_pairs: bool | None = None,
    memory: Mapping[str, Any] | None = None,
) -> ChatMemory:
    """A chat summary buffer in one call. ``llm`` writes the summaries; ``None``: what does not fit is dropped.

    With ``chat_store`` the memory is the one that this store has under ``chat_store_key``, or a new one there; with
    ``persistence`` it is kept in that database under ``chat_store_key``.

    All settings of :func:`memviz.load_memory_config` are taken, as ``**config`` or ``**config["memory"]``: another
    ``strategy`` by its id with its ``parameters``, the ``counter``, the name of the ``summarizer``, which writes the
    summaries where ``llm`` is ``None``, the ``system_prompt``, and ``repair_tool_pairs`` (on unless said otherwise).

    Raises :class:`memviz.ParameterError` for a wrong type or a value out of range, and
    :class:`memviz.core.errors.SessionExistsError` where the store has the session already under other settings.
    """
    if memory is not None:
        return build_chat_memory(
            llm, chat_store=chat_store, chat_store_key=chat_store_key, **memory
        )
    settings = {
        "token_limit": token_limit,
        "summarize_prompt": summarize_prompt,
        "parameters": parameters or {},
    }
    chosen = strategy_of({"memory": {"strategy": strategy, **settings}})
    model = as_model(summarizer, "summarizer") if llm is None else as_model(llm, "llm")
    if chat_store is None:
        chat_store = MemoryStore(
            chosen,
            model=model,
            counter=counter or DEFAULT_COUNTER,
            persistence=persistence,
            system_prompt=system_prompt,
            repair_tool_pairs=repair_tool_pairs is not False,
        )
        return chat_store.memory(chat_store_key)
    if not isinstance(chat_store, MemoryStore):
        raise ParameterError(
            "chat_store",
            chat_store,
            "a memviz.MemoryStore, or None for a memory of its own",
        )
    _refuse_beside_a_store(
        persistence=database_of(persistence),
        counter=counter,
        system_prompt=system_prompt,
        repair_tool_pairs=repair_tool_pairs,
    )
    return chat_store.memory(chat_store_key, chosen, model=model)


def _refuse_beside_a_store(**settings: object) -> None:
    for name, given in settings.items():
        if given is not None:
            raise ParameterError(
                name, given, "nothing beside a chat_store, which has its own"
            )
