"""The two classic memory interfaces, for use inside one's own chat loop: append-and-load, put-and-get."""

from collections.abc import Iterable, Mapping
from threading import RLock
from typing import Any

from memviz.core.bounds import type_of
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.errors import MessageError
from memviz.core.messages import Message
from memviz.engine.in_thread import in_thread
from memviz.engine.recall import Recall, Recalled, whole_numbers
from memviz.engine.replay import as_model
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.state import Prepared, Setting
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import Headroom

Given = Any
"""A message as it is taken: a :class:`Message`, a dictionary, or a message object of another library."""


class ChatMemory:
    """The memory of a strategy over a conversation that somebody else holds.

    Append every message as it comes; ``load`` gives what to send now. A message is a :class:`Message`, a dictionary
    with role and content, or a message object of LangChain, LlamaIndex or OpenAI's client. ``model`` writes the
    summaries; ``None`` means that there is nobody to write them. The log is never cut: ``get_all`` has every message,
    whatever was summarized. Tool calls without results and results without calls, which providers refuse, are left out
    of what is sent unless ``repair_tool_pairs`` is off.

    Every method that may wait for a summarizer has an async twin (``aput`` for ``put``). Safe to use from several
    threads and tasks: one call works at a time, the others wait.
    """

    def __init__(
        self,
        strategy: Strategy,
        *,
        model: Model | str | None = "offline",
        counter: AnyCounter = DEFAULT_COUNTER,
        system_prompt: str | None = None,
        repair_tool_pairs: bool = True,
    ) -> None:
        self.strategy = strategy
        self.system_prompt = system_prompt
        self._setting = Setting(
            strategy,
            find_counter(counter),
            as_model(model),
            system_prompt,
            repair_tool_pairs,
        )
        self._lock = RLock()
        self._forget()

    def _forget(self) -> None:
        self._session = Session(Log(), self._setting)
        self._recalls: tuple[Recall, ...] = ()

    def _go_on(self, run: Run) -> None:
        """Take over a run of the same strategy and counter, summaries included. Asks nobody."""
        self._session = Session.resume(
            run,
            self.summarizer,
            repair_tool_pairs=self._setting.repair_tool_pairs,
        )

    @property
    def summarizer(self) -> Model | None:
        """The model that writes the summaries, if there is one."""
        return self._setting.summarizer

    @property
    def summarizer_name(self) -> str:
        """Its name; empty when there is none."""
        return self.summarizer.name if self.summarizer is not None else ""

    @property
    def run(self) -> Run:
        """Everything done so far: its compactions and summaries. It has no turn records, because the
        requests are somebody else's."""
        return self._session.run()

    def headroom(self) -> Headroom | None:
        """The messages, tokens or turns that can be said before the next summarization; ``None`` where none will
        come: the strategy never summarizes, or nobody is there to write a summary. A turn is complete when the next
        one begins."""
        return self._session.headroom(last_turn_is_complete=False)

    def append(self, message: Given) -> None:
        """Take in the next message of the conversation, and summarize if it is time to."""
        message = Message.of(message)
        with self._lock:
            session = self._session
            turns = session.log.turn_count
            session.log.append(
                message
            )  # first of all: nothing that fails from here on can lose it
            if message.role == "assistant" and not message.tool_calls:
                self._recalls = ()  # the turn that they were recalled for has its answer
            if session.log.turn_count > turns:
                session.complete_turn()
            session.advance(len(session.log))

    def put(self, message: Given) -> None:
        """The same as :meth:`append`."""
        self.append(message)

    def put_messages(self, messages: Iterable[Given]) -> None:
        """Take in several messages in order. A bad one among them is refused before any is taken in."""
        taken = _messages(messages)
        with self._lock:
            for message in taken:
                self.append(message)

    def load(self) -> list[Message]:
        """The messages to send to the model now: system prompt, summary, history, recalled messages, input."""
        with self._lock:
            return list(self._prepare().context.messages)

    def get(self, input: str | None = None) -> list[Message]:
        """The same as :meth:`load`. What the user says is put in first; an ``input`` that is named here as well, as
        memories with a search take it, changes nothing."""
        return self.load()

    def history_for_prompt(self) -> list[Message]:
        """Only what stands between the summary and the input: the history and what was recalled.

        A strategy that sends no history (``summary_only``) gives none at any moment; :meth:`load` has what was
        recalled, and a turn that could not be summarized yet.
        """
        if not self.strategy.sends_history:
            return []
        with self._lock:
            blocks = self._prepare().context.blocks
        return [
            message
            for block in blocks
            if block.kind in ("history", "recalled")
            for message in block.messages
        ]

    def get_all(self) -> list[Message]:
        """The whole log."""
        with self._lock:
            return list(self._session.log)

    def set(self, messages: Iterable[Given]) -> None:
        """Start over with these messages."""
        taken = _messages(
            messages
        )  # judged first: a bad one must not cost the old ones
        with self._lock:
            self.clear()
            for message in taken:
                self.append(message)

    def clear(self) -> None:
        """Forget everything, the log included."""
        with self._lock:
            self._forget()

    def reset(self) -> None:
        """The same as :meth:`clear`."""
        self.clear()

    def recall_conversation(
        self,
        turn_numbers: Iterable[int] | None = (),
        message_indices: Iterable[int] | None = (),
        last_n: int | None = None,
    ) -> Recalled:
        """Put earlier messages into the requests of the next turn: by turn (1-based), position (0-based) or the last
        ones. ``None`` stands for what is left out, as a model writes it that calls ``memviz.RECALL_CONVERSATION``.

        Raises :class:`memviz.RecallError` for a wrong type, or where nothing is named.
        """
        turns = whole_numbers("turn_numbers", turn_numbers)
        recall = Recall(
            turns, whole_numbers("message_indices", message_indices), last_n
        )
        with self._lock:
            recalls = (*self._recalls, recall)
            recalled = self._session.resolve(
                recalls, self._session.memory.before_open_turn
            )
            self._recalls = recalls
        return recalled

    def clear_recalled_messages(self) -> None:
        """Recall nothing into the next request."""
        with self._lock:
            self._recalls = ()

    aappend = in_thread(append)
    aload = in_thread(load)
    aclear = in_thread(clear)
    aput = in_thread(put)
    aput_messages = in_thread(put_messages)
    aget = in_thread(get)
    aget_all = in_thread(get_all)
    aset = in_thread(set)
    areset = in_thread(reset)
    ahistory_for_prompt = in_thread(history_for_prompt)
    arecall_conversation = in_thread(recall_conversation)
    aclear_recalled_messages = in_thread(clear_recalled_messages)

    def _prepare(self) -> Prepared:
        return self._session.prepare(self._recalls)


def _messages(messages: Iterable[Given]) -> list[Message]:
    if isinstance(messages, str | Mapping | Message) or not isinstance(
        messages, Iterable
    ):
        raise MessageError(
            f"The messages are {type_of(messages)}; they have to be a list of messages."
        )
    return [Message.of(message) for message in messages]
