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
from memviz.engine.setting import Setting
from memviz.engine.state import Prepared
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import Headroom

Given = Any
"""A message as it is taken: a :class:`Message`, a dictionary, or a message object of another library."""


class ChatMemory:
    """The memory of a strategy over a conversation that the caller leads.

    Append every message as it comes; ``load`` returns the messages to send now. A message
    is a :class:`Message`, a dictionary with role and content, or a message object of
    LangChain, LlamaIndex or OpenAI's client. The log is never cut: ``get_all`` returns
    every message, whatever was summarized.

    ``model`` writes the summaries; with ``None`` there is nobody to write them.
    ``repair_tool_pairs`` leaves out of what is sent the tool calls without results and the
    results without calls, which providers refuse.

    Every method that may wait for a summarizer has an async twin (``aput`` for ``put``).
    Safe to use from several threads and tasks: one call works at a time, the others wait.
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
        # Held by every method that reads or changes the session. A method may call another.
        self._lock = RLock()
        self._session = Session(Log(), self._setting)
        strategy.expect_live()
        self._recalls: tuple[Recall, ...] = ()
        """The recalls for the requests up to the next answer."""

    def _go_on(self, run: Run) -> None:
        """Go on where ``run`` ended, which has the same strategy and counter. Asks nobody."""
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
        """The name of the summarizer; empty when there is none."""
        return self.summarizer.name if self.summarizer is not None else ""

    @property
    def run(self) -> Run:
        """The compactions and summaries so far, as a run. It has no turn records, because
        the caller sends the requests."""
        with self._lock:
            return self._session.run()

    def headroom(self) -> Headroom | None:
        """Return the messages, tokens or turns that can be said before the next compaction.

        ``None`` where none will come: the strategy never summarizes, or nobody is there to
        write a summary. A turn is complete when the next one begins.
        """
        with self._lock:
            return self._session.headroom(last_turn_is_complete=False)

    def append(self, message: Given) -> None:
        """Take in the next message of the conversation, and summarize if that is due."""
        message = Message.of(message)
        with self._lock:
            session = self._session
            turn_count_before = session.log.turn_count
            # First of all, so that nothing that fails from here on can lose the message.
            session.log.append(message)
            # A final answer ends the turn that messages were recalled for.
            if message.role == "assistant" and not message.tool_calls:
                self._recalls = ()
            if session.log.turn_count > turn_count_before:
                session.complete_turn()
            session.advance(len(session.log))

    def put(self, message: Given) -> None:
        """Take in the next message of the conversation, and summarize if that is due."""
        self.append(message)

    def put_messages(self, messages: Iterable[Given]) -> None:
        """Take in several messages in order. If one of them is bad, none is taken in."""
        checked = _check_messages(messages)
        with self._lock:
            for message in checked:
                self.append(message)

    def load(self) -> list[Message]:
        """Return the messages to send to the model now: system prompt, summary, history,
        recalled messages, input."""
        with self._lock:
            return list(self._prepare().context.messages)

    def get(self, input: str | None = None) -> list[Message]:
        """Return the messages to send to the model now, as :meth:`load` does.

        ``input`` changes nothing. It is accepted because memories with a search take it:
        put the user's message first.
        """
        return self.load()

    def history_for_prompt(self) -> list[Message]:
        """Return the messages between the summary and the input: history and recalled ones.

        Empty for a strategy that sends no history (``summary_only``). Then :meth:`load` has
        the recalled messages, and a turn that could not be summarized yet.
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
        """Return every message of the log."""
        with self._lock:
            return list(self._session.log)

    def set(self, messages: Iterable[Given]) -> None:
        """Start over with these messages. If one of them is bad, the old ones stay."""
        checked = _check_messages(messages)
        with self._lock:
            self.clear()
            for message in checked:
                self.append(message)

    def clear(self) -> None:
        """Forget everything, the log included."""
        with self._lock:
            self._session = Session(Log(), self._setting)
            self._recalls = ()

    def reset(self) -> None:
        """Forget everything, the log included."""
        self.clear()

    def recall_conversation(
        self,
        turn_numbers: Iterable[int] | None = (),
        message_indices: Iterable[int] | None = (),
        last_n: int | None = None,
    ) -> Recalled:
        """Put earlier messages into the requests up to the next answer, and return them.

        Named by turn (from 1), by log position (from 0), or as the last ``last_n``. ``None``
        names nothing: models write it when they call ``memviz.RECALL_CONVERSATION``.

        Raises :class:`memviz.RecallError` for a wrong type, or where nothing is named.
        """
        recall = Recall(
            turns=whole_numbers("turn_numbers", turn_numbers),
            messages=whole_numbers("message_indices", message_indices),
            last_n=last_n,
        )
        with self._lock:
            recalls = (*self._recalls, recall)
            earlier_messages = self._session.memory.before_open_turn
            recalled = self._session.resolve(recalls, earlier_messages)
            # Only now: a recall that the strategy refuses is not kept.
            self._recalls = recalls
        return recalled

    def clear_recalled_messages(self) -> None:
        """Drop the recalls: the next request has none of the recalled messages."""
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


def _check_messages(messages: Iterable[Given]) -> list[Message]:
    # A text and a dictionary can be iterated, but are one message and no list of them.
    is_one_message = isinstance(messages, str | Mapping | Message)
    if is_one_message or not isinstance(messages, Iterable):
        raise MessageError(
            f"The messages are {type_of(messages)}; they have to be a list of messages."
        )
    return [Message.of(message) for message in messages]
