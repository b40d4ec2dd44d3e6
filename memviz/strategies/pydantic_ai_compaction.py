"""The compactions of pydantic-ai-harness themselves, run inside memviz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, ClassVar, Literal

from memviz.core.counters import Counter
from memviz.core.messages import Message, ToolCall
from memviz.strategies.library import (
    Ask,
    Asking,
    Counted,
    FromLibrary,
    LibraryStrategy,
    run_to_end,
)
from memviz.strategies.parameters import choice, whole_number

_POSITION = "memviz position"


class PydanticAiCompaction(LibraryStrategy):
    """Runs a compaction of pydantic-ai-harness itself and sends what an agent of Pydantic AI would send.

    Gains: what happens is the installed library's doing, with its own prompt, whichever version that is.

    Loses: nobody can say beforehand when it will act, and the library has to be installed and takes a second or two to
    load.

    Hurts when: results have to be the same tomorrow: an update of the library may change them.

    Used by:
    - pydantic-ai-harness SummarizingCompaction: agents that have it among their capabilities (run with
      pydantic-ai-harness 0.62.0)
    - pydantic-ai-harness SlidingWindowCompaction: agents that have it among their capabilities (run with
      pydantic-ai-harness 0.62.0)
    - pydantic-ai-harness ClearToolResults: agents that have it among their capabilities (run with
      pydantic-ai-harness 0.62.0)
    - pydantic-ai-harness TieredCompaction: agents that have it among their capabilities, here of ClearToolResults and
      SummarizingCompaction (run with pydantic-ai-harness 0.62.0)

    The compaction is asked before each request, as in an agent. It counts the contents of messages with memviz's
    counter, and its model is memviz's summarizer. The user's first message stays. It clears results that the model
    still waits for, and where its first message and what it keeps reach the trigger it summarizes again before each
    request. Differences: an agent joins messages of one side that stand in a row and counts them as one message; here
    each is one, so where messages are counted it acts a little earlier. A summarizer that fails ends a request of
    Pydantic AI; here everything stays as it was, and it is asked again in a later turn. The input is always sent, and
    whole but for results that are cleared. Checked with pydantic-ai-harness 0.62.0.
    """

    title: ClassVar[str] = "pydantic-ai-harness"
    reference: ClassVar[str] = (
        "The compactions of the pydantic-ai-harness that is installed"
    )
    order: ClassVar[int] = 94
    main_parameter: ClassVar[str] = "trigger_tokens"
    library_name: ClassVar[str] = "pydantic-ai-harness"
    package: ClassVar[str] = "pydantic-ai-harness"
    modules: ClassVar[tuple[str, ...]] = ("pydantic_ai_harness", "pydantic_ai")

    rule: Literal["summarizing", "sliding_window", "clear_tool_results", "tiered"] = (
        choice(
            "summarizing",
            {
                "summarizing": "the oldest messages become a summary (SummarizingCompaction)",
                "sliding_window": "the oldest messages are left out (SlidingWindowCompaction)",
                "clear_tool_results": "old results become a placeholder (ClearToolResults)",
                "tiered": "old results are cleared, and a summary is written if that is not enough (TieredCompaction)",
            },
            "The compaction that is run.",
        )
    )
    trigger_tokens: int = whole_number(
        4000,
        "tokens",
        "It acts once the messages have more tokens than this. Larger acts later.",
        (500, 100_000),
    )
    trigger_messages: int = whole_number(
        0,
        "messages",
        "All but tiered: it also acts once there are more messages than this. 0: however many.",
        (10, 100),
        minimum=0,
        zero_is_off=True,
    )
    keep_messages: int = whole_number(
        20,
        "messages",
        "So many of the newest messages stay word for word. Larger keeps more.",
        (1, 50),
    )
    keep_results: int = whole_number(
        3,
        "results",
        "Clear tool results and tiered: so many of the newest results stay. Larger keeps more.",
        (1, 10),
        minimum=0,
    )

    def open(self, ask: Ask, counter: Counter) -> CompactionAtWork:
        """A compaction of its own."""
        return CompactionAtWork(self, ask, counter)

    def compaction(self, model: Any, tokenizer: Any) -> Any:
        """The capability of an agent that has this rule. Imports the library."""
        kinds = import_module("pydantic_ai_harness.compaction")
        counts = {"tokenizer": tokenizer}
        reached: dict[str, Any] = {
            "max_tokens": self.trigger_tokens,
            "max_messages": self.trigger_messages or None,
            **counts,
        }
        if self.rule == "sliding_window":
            return kinds.SlidingWindowCompaction(
                keep_messages=self.keep_messages, **reached
            )
        if self.rule == "clear_tool_results":
            return kinds.ClearToolResults(keep_pairs=self.keep_results, **reached)
        summary = {"keep_messages": self.keep_messages, "model": model}
        if self.rule == "summarizing":
            return kinds.SummarizingCompaction(**summary, **reached)
        # The tiers act whenever they are asked: the target decides that.
        tiers = [
            kinds.ClearToolResults(
                max_tokens=1, keep_pairs=self.keep_results, **counts
            ),
            kinds.SummarizingCompaction(max_messages=1, **summary, **counts),
        ]
        return kinds.TieredCompaction(
            target_tokens=self.trigger_tokens, tiers=tiers, **counts
        )


class CompactionAtWork:
    """One capability of pydantic-ai-harness, and the history that an agent would keep for it."""

    def __init__(
        self, strategy: PydanticAiCompaction, ask: Ask, counter: Counter
    ) -> None:
        self._messages = import_module("pydantic_ai.messages")
        self._tools = import_module("pydantic_ai.tools")
        self._models = import_module("pydantic_ai.models")
        self._usage = import_module("pydantic_ai.usage")
        self._ask = Asking(ask)
        self._model = import_module("pydantic_ai.models.function").FunctionModel(
            self._answer
        )
        self._said: dict[int, Message] = {}
        self._unchanged: dict[int, Any] = {}
        self._not_contents = set[str]()
        self._counted = Counted(counter)
        self._history: list[Any] = []
        self._capability = strategy.compaction(self._model, self._tokens)

    def _tokens(self, text: str) -> int:
        """The tokens of a content. The library counts names and arguments of calls too, and memviz does not."""
        return 0 if text in self._not_contents else self._counted[text]

    async def _answer(self, asked: Sequence[Any], info: Any) -> Any:
        request = []
        if info.instructions:
            request.append(Message("system", info.instructions))
        for message in asked:
            for part in message.parts:
                if isinstance(part, self._messages.UserPromptPart):
                    request.append(Message("user", part.content))
        answer = self._ask(request)
        return self._messages.ModelResponse([self._messages.TextPart(answer)])

    def take(self, position: int, message: Message) -> None:
        """Put the next message into the history; results of several calls come one by one."""
        self._said[position] = message
        theirs = self._as_theirs(message, {_POSITION: position})
        self._unchanged[position] = theirs
        self._history.append(theirs)
        for call in message.tool_calls:
            self._not_contents |= {call.name, call.arguments}

    def _as_theirs(self, message: Message, metadata: dict[str, Any]) -> Any:
        kinds = self._messages
        if message.role == "assistant":
            parts = [kinds.TextPart(message.content)]
            for call in message.tool_calls:
                parts.append(kinds.ToolCallPart(call.name, call.arguments, call.id))
            return kinds.ModelResponse(parts, metadata=metadata)
        if message.role == "tool":
            part = kinds.ToolReturnPart(
                message.name or "tool", message.content, message.tool_call_id or ""
            )
        elif message.role == "system":
            part = kinds.SystemPromptPart(message.content)
        else:
            part = kinds.UserPromptPart(message.content)
        return kinds.ModelRequest([part], metadata=metadata)

    def request(self) -> Sequence[FromLibrary]:
        """The history after the capability had its turn."""
        context = self._tools.RunContext(
            deps=None,
            model=self._model,
            usage=self._usage.RunUsage(),
            messages=self._history.copy(),
        )
        asked = self._models.ModelRequestContext(
            model=self._model,
            messages=context.messages,
            model_settings=None,
            model_request_parameters=self._models.ModelRequestParameters(),
        )
        answered = run_to_end(self._capability.before_model_request(context, asked))
        self._history = list(answered.messages)
        return [self._as_ours(message) for message in self._history]

    def _as_ours(self, theirs: Any) -> FromLibrary:
        position = (theirs.metadata or {}).get(_POSITION)
        if position is None:
            text = "\n".join(part.content for part in theirs.parts)
            return FromLibrary(Message("user", text))
        message = self._said[position]
        if theirs is not self._unchanged[position]:
            message = self._changed(message, theirs.parts)
        return FromLibrary(message, position)

    def _changed(self, message: Message, parts: Sequence[Any]) -> Message:
        """``message`` with the contents and arguments that the library left of it."""
        calls = []
        content = ""
        for part in parts:
            if isinstance(part, self._messages.ToolCallPart):
                arguments = part.args_as_json_str()
                calls.append(ToolCall(part.tool_call_id, part.tool_name, arguments))
            else:
                content += part.content
        return replace(message, content=content, tool_calls=tuple(calls))
