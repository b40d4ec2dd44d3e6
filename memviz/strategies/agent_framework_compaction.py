"""The compaction strategies of Microsoft's Agent Framework themselves, run inside memviz."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any, ClassVar, Literal

from memviz.core.counters import Counter
from memviz.core.messages import Message
from memviz.strategies.library import (
    Ask,
    Asking,
    Counted,
    FromLibrary,
    LibraryStrategy,
    run_to_end,
)
from memviz.strategies.parameters import choice, whole_number


class AgentFrameworkCompaction(LibraryStrategy):
    """Runs a compaction strategy of Microsoft's Agent Framework itself and sends what a chat client would send.

    Gains: what happens is the installed library's doing, with its own prompt, whichever version that is.

    Loses: nobody can say beforehand when it will act, and the library has to be installed and takes a second or two to
    load.

    Hurts when: results have to be the same tomorrow: an update of the library may change them.

    Used by:
    - Agent Framework SummarizationStrategy: chat clients that are given it; by default past 6 messages, down to 4 (run
      with agent-framework-core 1.23.0)
    - Agent Framework TruncationStrategy: chat clients that are given it, here with limits in messages (run with
      agent-framework-core 1.23.0)
    - Agent Framework SlidingWindowStrategy: chat clients that are given it (run with agent-framework-core 1.23.0)
    - Agent Framework ToolResultCompactionStrategy: chat clients that are given it (run with agent-framework-core
      1.23.0)

    The strategy is applied before each request, as a chat client applies it to the list of messages that it is handed
    again and again. Messages are counted, a call of tools together with its results as one group. A system message in
    the midst of a conversation stays, and is not counted. Where nothing else may go it summarizes its own summary,
    again before each request. Differences: where its summarizer fails Agent Framework goes on and asks again before the
    next request; here it is asked again in a later turn. The input is always sent. Checked with agent-framework-core
    1.23.0.
    """

    title: ClassVar[str] = "Agent Framework compaction"
    reference: ClassVar[str] = (
        "The compaction strategies of the Agent Framework that is installed"
    )
    order: ClassVar[int] = 93
    main_parameter: ClassVar[str] = "rule"
    library_name: ClassVar[str] = "Agent Framework"
    package: ClassVar[str] = "agent-framework-core"
    modules: ClassVar[tuple[str, ...]] = ("agent_framework",)

    rule: Literal["summarization", "truncation", "sliding_window", "tool_results"] = (
        choice(
            "summarization",
            {
                "summarization": "the oldest messages become a summary (SummarizationStrategy)",
                "truncation": "the oldest messages are left out (TruncationStrategy)",
                "sliding_window": "the newest groups stay (SlidingWindowStrategy)",
                "tool_results": "older results become a line each (ToolResultCompactionStrategy)",
            },
            "The compaction strategy that is run.",
        )
    )
    keep_messages: int = whole_number(
        4,
        "messages",
        "Summarization and truncation: about so many of the newest messages stay. Larger keeps more.",
        (2, 40),
    )
    spare_messages: int = whole_number(
        2,
        "messages",
        "Summarization and truncation: it acts once there are more than so many beyond those. Larger acts less often.",
        (1, 20),
        minimum=0,
    )
    keep_groups: int = whole_number(
        10,
        "groups",
        "Sliding window and tool results: so many of the newest groups stay, of calls with their results where results "
        "are shortened. Larger keeps more.",
        (1, 40),
    )

    def open(self, ask: Ask, counter: Counter) -> CompactionAtWork:
        """A compaction strategy of its own."""
        return CompactionAtWork(self, ask, counter)


class CompactionAtWork:
    """One compaction strategy of Agent Framework, and the messages that it marks."""

    def __init__(
        self, strategy: AgentFrameworkCompaction, ask: Ask, counter: Counter
    ) -> None:
        self._library = import_module("agent_framework")
        self._ask = Asking(ask)
        self._strategy = self._opened(strategy, counter)
        self._said: dict[str, FromLibrary] = {}
        self._history: list[Any] = []

    def _opened(self, strategy: AgentFrameworkCompaction, counter: Counter) -> Any:
        library = self._library
        if strategy.rule == "truncation":
            return library.TruncationStrategy(
                max_n=strategy.keep_messages + strategy.spare_messages,
                compact_to=strategy.keep_messages,
            )
        if strategy.rule == "sliding_window":
            return library.SlidingWindowStrategy(keep_last_groups=strategy.keep_groups)
        if strategy.rule == "tool_results":
            return library.ToolResultCompactionStrategy(
                keep_last_tool_call_groups=strategy.keep_groups
            )
        return library.SummarizationStrategy(
            client=SimpleNamespace(get_response=self._answer),
            tokenizer=SimpleNamespace(count_tokens=Counted(counter).__getitem__),
            target_count=strategy.keep_messages,
            threshold=strategy.spare_messages,
        )

    async def _answer(self, asked: Sequence[Any], **options: Any) -> Any:
        request = [Message(message.role, message.text) for message in asked]
        return SimpleNamespace(text=self._ask(request))

    def take(self, position: int, message: Message) -> None:
        """Add the next message, under its position as its id."""
        self._said[str(position)] = FromLibrary(message, position)
        content = self._library.Content
        if message.role == "tool":
            result = content.from_function_result(
                message.tool_call_id or "", result=message.content
            )
            contents = [result]
        else:
            contents = [content.from_text(message.content)]
            for call in message.tool_calls:
                contents.append(
                    content.from_function_call(
                        call.id, call.name, arguments=call.arguments
                    )
                )
        self._history.append(
            self._library.Message(message.role, contents, message_id=str(position))
        )

    def request(self) -> Sequence[FromLibrary]:
        """The messages that the strategy left in."""
        work = self._library.apply_compaction(self._history, strategy=self._strategy)
        left = run_to_end(work)
        # The library goes on without a summary, and says so in its log alone.
        self._ask.raise_failure()
        return [self._as_ours(message) for message in left]

    def _as_ours(self, theirs: Any) -> FromLibrary:
        if theirs.message_id in self._said:
            return self._said[theirs.message_id]
        return FromLibrary(Message(theirs.role, theirs.text))
