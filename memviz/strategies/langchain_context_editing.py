"""LangChain's ContextEditingMiddleware itself, run inside memviz."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from types import SimpleNamespace
from typing import Any, ClassVar

from memviz.core.counters import Counter
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.strategies.langchain_messages import as_langchain
from memviz.strategies.library import Ask, Counted, FromLibrary, LibraryStrategy
from memviz.strategies.parameters import free_text, names_in, whole_number


class LangchainContextEditing(LibraryStrategy):
    """Runs LangChain's own ContextEditingMiddleware and sends what that would send.

    Gains: what happens is the installed library's doing, whichever version that is.

    Loses: nobody can say beforehand when it will act, and the library has to be installed and takes a second or two to
    load.

    Hurts when: results have to be the same tomorrow: an update of the library may change them.

    Used by:
    - LangChain ContextEditingMiddleware with ClearToolUsesEdit: agents made with create_agent that are given it (run
      with langchain 1.5.2)

    As in an agent of LangChain the middleware is asked before each call of the model, and remembers nothing. It counts
    with memviz's counter of contents. Differences: none are known. Checked with langchain 1.5.2.
    """

    title: ClassVar[str] = "LangChain context editing"
    reference: ClassVar[str] = (
        "The ContextEditingMiddleware of LangChain that is installed"
    )
    order: ClassVar[int] = 90
    main_parameter: ClassVar[str] = "trigger_tokens"
    library_name: ClassVar[str] = "LangChain"
    package: ClassVar[str] = "langchain"
    modules: ClassVar[tuple[str, ...]] = ("langchain", "langgraph")

    trigger_tokens: int = whole_number(
        100_000,
        "tokens",
        "It acts once the messages have more tokens than this. Larger acts later.",
        (500, 100_000),
        minimum=0,
    )
    keep_results: int = whole_number(
        3,
        "results",
        "Newest tool results that stay word for word. Larger keeps more and costs more.",
        (1, 20),
        minimum=0,
    )
    clear_at_least_tokens: int = whole_number(
        0,
        "tokens",
        "Once so many tokens are gone it clears no more. Larger clears more at a time. 0 clears all old results.",
        (1, 10_000),
        minimum=0,
    )
    excluded_tools: str | None = free_text(
        "Names of tools, divided by commas, whose results are never cleared."
    )

    @property
    def writes_notes(self) -> bool:
        """No summarizer is asked."""
        return False

    def idle_because(self, memory: Memory) -> str:
        """There is nothing to clear without results of tools."""
        results = memory.log.tools.results
        return "" if bisect_left(results, memory.length) else "no tool has answered yet"

    def open(self, ask: Ask, counter: Counter) -> EditingAtWork:
        """A middleware of its own."""
        return EditingAtWork(self, counter)

    def edit(self) -> Any:
        """LangChain's edit with these parameters. Imports LangChain."""
        return import_module("langchain.agents.middleware").ClearToolUsesEdit(
            trigger=self.trigger_tokens,
            keep=self.keep_results,
            clear_at_least=self.clear_at_least_tokens,
            exclude_tools=names_in(self.excluded_tools),
        )


class EditingAtWork:
    """The middleware, with the state of an agent."""

    def __init__(self, strategy: LangchainContextEditing, counter: Counter) -> None:
        middleware = import_module("langchain.agents.middleware")
        self._middleware = middleware.ContextEditingMiddleware(
            edits=[strategy.edit()],
            token_counter=Counted(counter).in_messages,
        )
        self._said: list[FromLibrary] = []
        self._state: list[Any] = []

    def take(self, position: int, message: Message) -> None:
        """Put the next message into the state."""
        self._said.append(FromLibrary(message, position))
        self._state.append(as_langchain(message, str(position)))

    def request(self) -> Sequence[FromLibrary]:
        """The messages that the middleware hands on to the model."""
        asked = SimpleNamespace(
            messages=self._state, override=lambda messages: messages
        )
        edited = self._middleware.wrap_model_call(asked, lambda messages: messages)
        sent = []
        for ours, theirs in zip(self._said, edited, strict=True):
            if theirs.content != ours.message.content:
                message = replace(ours.message, content=theirs.content)
                ours = ours._replace(message=message)
            sent.append(ours)
        return sent
