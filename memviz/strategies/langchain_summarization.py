"""LangChain's SummarizationMiddleware itself, run inside memviz."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from typing import Any, ClassVar

from memviz.core.counters import Counter
from memviz.core.errors import MemvizError
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes
from memviz.strategies.clauses import (
    AllOf,
    AtLeast,
    Headroom,
    MemoryAmounts,
    TriggerClause,
)
from memviz.strategies.langchain_messages import as_langchain
from memviz.strategies.library import Ask, Counted, FromLibrary, LibraryStrategy
from memviz.strategies.thresholds import Thresholds

_MESSAGES = "<messages>"
"""The line of LangChain's prompt that the messages follow."""


class LangchainSummarization(LibraryStrategy, Thresholds):
    """Runs LangChain's own SummarizationMiddleware and sends what that would send.

    Gains: what happens is the installed library's doing, with its own prompt, whichever version that is.

    Loses: nobody can say beforehand when it will summarize, and LangChain has to be installed and takes a second to
    load. The strategy *threshold summary* is the same rule without LangChain.

    Hurts when: the same as threshold summary; and where results have to be the same tomorrow: an update of LangChain
    may change them.

    Used by:
    - LangChain SummarizationMiddleware: agents made with create_agent that are given it (run with langchain 1.4.7)

    As in an agent of LangChain the middleware is asked before each call of the model. It counts with memviz's counter
    of contents, and its model is memviz's summarizer. Differences: LangChain asks three times with pauses where its
    model fails, and goes on with an empty answer; here the summarizer is asked once, and where it fails or answers
    nothing, the messages stay as they are and it is asked again in a later turn. The input is always sent, where
    LangChain may send its summary alone. Nothing is reported to LangSmith, even where the environment switches that
    on. Checked with langchain 1.4.7.
    """

    title: ClassVar[str] = "LangChain summarization"
    reference: ClassVar[str] = (
        "The SummarizationMiddleware of LangChain that is installed"
    )
    order: ClassVar[int] = 90
    library_name: ClassVar[str] = "LangChain"
    package: ClassVar[str] = "langchain"
    modules: ClassVar[tuple[str, ...]] = ("langchain", "langgraph")

    def headroom(self, memory: Memory) -> Headroom | None:
        """Unknown: LangChain decides."""
        return None

    def reason(self, memory: Memory) -> str:
        """The thresholds that were reached, in numbers."""
        verdict = self.triggers.judge(self.measure(memory))
        return verdict.reason if verdict.is_over else super().reason(memory)

    def measure(self, memory: Memory) -> MemoryAmounts:
        """The numbers that the thresholds count: all that LangChain sent last, the summary or its fixed words among
        it, and what was said since."""
        tokens = messages = 0
        for piece in self.select(memory):
            if isinstance(piece, Messages):
                tokens += memory.sums.between(piece.start, piece.stop)
                messages += piece.stop - piece.start
            elif isinstance(piece, Notes):
                tokens += memory.space.summaries.tokens(piece.start, piece.stop)
                messages += 1
            elif isinstance(piece, Line):
                tokens += memory.sums.counter(piece.message.content)
                messages += 1
        return MemoryAmounts(tokens=tokens, messages=messages)

    def open(self, ask: Ask, counter: Counter) -> LangchainAtWork:
        """A middleware of its own."""
        return LangchainAtWork(self, ask, counter)

    def arguments(self) -> dict[str, Any]:
        """The middleware's arguments in LangChain's words."""
        keep = ("messages", self.keep_messages)
        if self.kept_tokens:
            keep = ("tokens", self.kept_tokens)
        triggers = [_in_langchain(clause) for clause in self.triggers.clauses]
        arguments: dict[str, Any] = {
            "trigger": triggers or None,
            "keep": keep,
            "trim_tokens_to_summarize": self.summarizer_reads_tokens or None,
        }
        if self.summary_words:
            arguments["summary_prompt"] = self._limited_prompt()
        return arguments

    def _limited_prompt(self) -> str:
        """Return LangChain's own prompt with a length at the end of what it tells to do, before the messages."""
        prompt = import_module(
            "langchain.agents.middleware.summarization"
        ).DEFAULT_SUMMARY_PROMPT
        told, mark, messages = prompt.partition(_MESSAGES)
        return (
            self.limited(told.rstrip()) + "\n\n" + mark + messages
            if mark
            else self.limited(prompt)
        )


def _in_langchain(clause: TriggerClause) -> dict[str, Any]:
    """A clause as LangChain has it: what has to be reached of each unit, a share of the window as its tokens."""
    parts = clause.clauses if isinstance(clause, AllOf) else (clause,)
    amounts: dict[str, int] = {}
    for part in parts:
        assert isinstance(part, AtLeast)  # noqa: S101 - thresholds are all of this kind
        amounts[part.unit] = max(part.amount, amounts.get(part.unit, 0))
    return amounts


class LangchainAtWork:
    """The middleware, with the state that an agent would keep for it."""

    def __init__(
        self, strategy: LangchainSummarization, ask: Ask, counter: Counter
    ) -> None:
        middleware = import_module("langchain.agents.middleware")
        self._add_messages = import_module("langgraph.graph.message").add_messages
        self._tracing_context = import_module("langsmith").tracing_context
        self._said: dict[str, FromLibrary] = {}
        self._state: list[Any] = []
        self._middleware = middleware.SummarizationMiddleware(
            _model_that_asks()(ask=ask),
            token_counter=Counted(counter).in_messages,
            **strategy.arguments(),
        )

    def take(self, position: int, message: Message) -> None:
        """Put the next message into the state, under its position as its id."""
        self._said[str(position)] = FromLibrary(message, position)
        self._state.append(as_langchain(message, str(position)))

    def request(self) -> Sequence[FromLibrary]:
        """The agent's state after the middleware had its turn."""
        # The environment may switch on that LangSmith is told every prompt; a replay is nobody else's business.
        with self._tracing_context(enabled=False):
            try:
                update = self._middleware.before_model({"messages": self._state}, None)
            except _failure() as failure:
                raise failure.__cause__ or failure from None
        if update is not None:
            self._state = self._add_messages(self._state, update["messages"])
        return [
            self._said.get(message.id) or _its_own(message) for message in self._state
        ]


def _its_own(message: Any) -> FromLibrary:
    return FromLibrary(Message("user", message.content))


@cache
def _failure() -> type[Exception]:
    """The class of an error of LangChain's kind, after which it does not try again."""
    base: type[Exception] = import_module("langchain_core.exceptions").ModelError
    return type("SummarizerGaveUp", (base,), {"is_retryable": False})


@cache
def _model_that_asks() -> Any:
    """The class of a chat model that asks memviz's summarizer. Made when LangChain is loaded, which is its base."""
    messages = import_module("langchain_core.messages")
    outputs = import_module("langchain_core.outputs")
    models = import_module("langchain_core.language_models")

    class Asking(models.BaseChatModel):  # type: ignore[misc, name-defined]
        ask: Any

        @property
        def _llm_type(self) -> str:
            return "memviz"

        def _generate(
            self, prompt: Any, stop: Any = None, run_manager: Any = None, **options: Any
        ) -> Any:
            try:
                answer = self.ask(
                    [Message("user", message.content) for message in prompt]
                )
            except MemvizError as error:
                raise _failure()(str(error)) from error
            return outputs.ChatResult(
                generations=[outputs.ChatGeneration(message=messages.AIMessage(answer))]
            )

    return Asking
