"""The compaction of events of Google's ADK, called as a runner calls it: before each request of its model, and
after each invocation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any

from google.adk.apps import compaction
from google.adk.apps.app import EventsCompactionConfig
from google.adk.apps.llm_event_summarizer import LlmEventSummarizer
from google.adk.events.event import Event
from google.adk.flows.llm_flows.context import _compaction
from google.genai import types

from memviz import Message
from memviz.core.counters import Counter
from memviz.strategies.library import Ask, Asking, Counted, FromLibrary, run_to_end
from tests.peers.libraries.adk_filter import as_theirs


class EventsAtWork:
    """The events of a session, and what ADK makes of them."""

    def __init__(self, arguments: dict[str, Any], ask: Ask, counter: Counter) -> None:
        self._ask = Asking(ask)
        model: Any = SimpleNamespace(
            model="scripted", generate_content_async=self._answer
        )
        self._config = EventsCompactionConfig(
            summarizer=LlmEventSummarizer(llm=model), **arguments
        )
        self._counted = Counted(counter)
        self._said: dict[int, FromLibrary] = {}
        self._events: list[Event] = []
        self._turn = 0
        self._turns_compacted = 0

    async def _answer(self, request: Any, **options: Any) -> AsyncIterator[Any]:
        asked = [Message("user", one.parts[0].text) for one in request.contents]
        part = types.Part(text=self._ask(asked))
        yield SimpleNamespace(
            content=types.Content(role="model", parts=[part]), usage_metadata=None
        )

    def take(self, position: int, message: Message) -> None:
        """Add the next event. A message of the user begins an invocation."""
        self._turn += message.role == "user"
        event = Event(
            author="user" if message.role == "user" else "agent",
            content=as_theirs(message),
            timestamp=position + 1,
            invocation_id=f"turn {self._turn}",
        )
        self._said[id(event)] = FromLibrary(message, position)
        self._events.append(event)

    def request(self) -> Sequence[FromLibrary]:
        """What is sent: events that no summary covers, and summaries in place of the others."""
        held = [*self._events]
        try:
            while self._turns_compacted < self._turn - 1:
                self._turns_compacted += 1
                self._compact_after(self._turns_compacted)
            self._compact_before()
            self._ask.raise_failure()  # ADK goes on without a summary
        except Exception:
            self._events = held
            raise
        events = self._events
        left = _compaction._process_compaction_events(events)
        left = _compaction._recover_compacted_function_calls(left, events)
        return [
            self._said.get(id(event)) or FromLibrary(_as_ours(event)) for event in left
        ]

    def _compact_after(self, turn: int) -> None:
        """Compact what an invocation has left, if it is time."""
        later = [f"turn {number}" for number in range(turn + 1, self._turn + 1)]
        known = [one for one in self._events if one.invocation_id not in later]

        async def compact() -> list[Event]:
            app: Any = SimpleNamespace(
                events_compaction_config=self._config, root_agent=SimpleNamespace()
            )
            session: Any = SimpleNamespace(id="session", events=known)
            service: Any = SimpleNamespace()
            run = compaction._run_compaction_for_sliding_window
            return [event async for event in run(app, session, service)]

        if self._config.compaction_interval is not None:
            self._events += run_to_end(compact())

    def _compact_before(self) -> None:
        """Compact what is too large for the next request. Its size is that of contents, by memviz's counter, where ADK
        takes the last one that the provider reported, and a fourth of all characters where there is none."""
        if self._config.token_threshold is None:
            return
        if self._tokens() < self._config.token_threshold:
            return
        session: Any = SimpleNamespace(id="session", events=self._events)
        service: Any = SimpleNamespace(append_event=self._append)
        small: Any = self._config.model_copy(update={"token_threshold": 1})
        run_to_end(
            compaction._run_compaction_for_token_threshold_config(
                config=small, session=session, session_service=service, agent=session
            )
        )

    async def _append(self, session: Any, event: Event) -> None:
        self._events.append(event)

    def _tokens(self) -> int:
        left = _compaction._process_compaction_events(self._events)
        told = [self._said.get(id(event)) for event in left]
        texts = [
            _as_ours(event).content if known is None else known.message.content
            for event, known in zip(left, told, strict=True)
        ]
        return sum(self._counted[text] for text in texts)


def _as_ours(event: Event) -> Message:
    """The message that a summary is: ADK sends it as one of the agent."""
    content: Any = event.content
    return Message("assistant", content.parts[0].text)
