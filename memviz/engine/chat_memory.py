"""The two classic memory interfaces, for use inside one's own chat loop: append-and-load, put-and-get."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from memviz.conversation import Log, Message
from memviz.counters import AnyCounter
from memviz.counters import counter as find_counter
from memviz.engine.recall import Recall, Recalled
from memviz.engine.replay import DEFAULT_COUNTER, as_model
from memviz.engine.run import Run
from memviz.engine.session import Prepared, Session
from memviz.models.base import Model
from memviz.strategies.base import Strategy


class ChatMemory:
    """What a strategy remembers of a conversation that somebody else holds.

    Append every message as it comes; ``load`` gives what to send now. ``model`` writes the
    summaries; ``None`` means that there is nobody to write them. The log is never cut: ``get_all``
    has every message, whatever was summarized.
    """

    def __init__(
        self,
        strategy: Strategy,
        *,
        model: Model | str | None = "offline",
        counter: AnyCounter = DEFAULT_COUNTER,
        system_prompt: str | None = None,
    ) -> None:
        self.strategy, self.system_prompt = strategy, system_prompt
        self._summarizer, self._counter = as_model(model), find_counter(counter)
        self.clear()

    def clear(self) -> None:
        """Forget everything, the log included."""
        self._session = Session(
            Log(), self.strategy, self._summarizer, self._counter, self.system_prompt, repair_tool_pairs=True
        )
        self._recalls: tuple[Recall, ...] = ()

    reset = clear

    def _go_on(self, run: Run) -> None:
        """Take over a run of the same strategy and counter, summaries included. Asks nobody."""
        self._session = Session.resume(run, self._summarizer, repair_tool_pairs=True)

    @property
    def summarizer_name(self) -> str:
        """The model that writes the summaries; empty when there is none."""
        return self._summarizer.name if self._summarizer is not None else ""

    @property
    def run(self) -> Run:
        """Everything done so far: its compactions and summaries. It has no turn records, because the
        requests are somebody else's."""
        return self._session.run()

    def append(self, message: Message | Mapping[str, Any]) -> None:
        """Take in the next message of the conversation, and summarize if it is time to."""
        message, session = Message.of(message), self._session
        turns = session.log.turn_count
        session.log.append(message)  # first of all: nothing that fails from here on can lose it
        if message.role == "assistant":
            self._recalls = ()  # the request that they were recalled for has been answered
        if session.log.turn_count > turns:
            session.complete_turn()
        session.advance(len(session.log))

    put = append

    def load(self) -> list[Message]:
        """What to send to the model now: system prompt, summary, history, recalled messages, input."""
        return list(self._prepare().context.messages)

    def get(self) -> list[Message]:
        """The same as :meth:`load`."""
        return self.load()

    def history_for_prompt(self) -> list[Message]:
        """Only what stands between the summary and the input: the history and what was recalled."""
        blocks = self._prepare().context.blocks
        return [message for block in blocks if block.kind in ("history", "recalled") for message in block.messages]

    def get_all(self) -> list[Message]:
        """The whole log."""
        return list(self._session.log)

    def set(self, messages: Iterable[Message | Mapping[str, Any]]) -> None:
        """Start over with these messages."""
        taken = [Message.of(message) for message in messages]  # judged first: a bad one must not cost the old ones
        self.clear()
        for message in taken:
            self.append(message)

    async def aput(self, message: Message | Mapping[str, Any]) -> None:
        """:meth:`put`, in a worker thread."""
        await asyncio.to_thread(self.put, message)

    async def aget(self) -> list[Message]:
        """:meth:`get`, in a worker thread."""
        return await asyncio.to_thread(self.get)

    def recall_conversation(
        self, turn_numbers: Iterable[int] = (), message_indices: Iterable[int] = (), last_n: int | None = None
    ) -> Recalled:
        """Put earlier messages into the next request: by turn (1-based), position (0-based) or the last ones."""
        recalls = (*self._recalls, Recall(turn_numbers, message_indices, last_n))
        position = self._session.memory.input_position
        recalled = self._session.resolve(recalls, len(self._session.log) if position is None else position)
        self._recalls = recalls
        return recalled

    def clear_recalled_messages(self) -> None:
        """Recall nothing into the next request."""
        self._recalls = ()

    def _prepare(self) -> Prepared:
        return self._session.prepare(self._recalls)
