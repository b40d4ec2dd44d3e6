"""The compactions of pydantic-ai-harness, called as an agent calls them before each request of its model."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from memviz.core.counters import Counter
from memviz.core.messages import Message, ToolCall
from memviz.strategies.library import Ask, Asking, FromLibrary, run_to_end

_POSITION = "memviz position"


class CompactionAtWork:
    """One capability of pydantic-ai-harness, and the history that an agent would keep for it."""

    def __init__(
        self, name: str, arguments: Mapping[str, Any], ask: Ask, counter: Counter
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
        self._count = counter
        self._history: list[Any] = []
        self._capability = self._capability_of(name, arguments)

    def _capability_of(self, name: str, arguments: Mapping[str, Any]) -> Any:
        made: Callable[..., Any] = getattr(
            import_module("pydantic_ai_harness.compaction"), name
        )
        more = dict(arguments)
        if "tiers" in more:
            more["tiers"] = [self._capability_of(*tier) for tier in more["tiers"]]
        if "model" in made.__dataclass_fields__:  # type: ignore[attr-defined]
            more["model"] = self._model
        return made(tokenizer=self._tokens, **more)

    def _tokens(self, text: str) -> int:
        """The tokens of a content. The library counts names and arguments of calls too, and memviz does not."""
        return 0 if text in self._not_contents else self._count(text)

    async def _answer(self, asked: Sequence[Any], info: Any) -> Any:
        parts = [part for message in asked for part in message.parts]
        prompt = [
            Message("user", part.content)
            for part in parts
            if isinstance(part, self._messages.UserPromptPart)
        ]
        system = [Message("system", info.instructions)] if info.instructions else []
        answer = self._ask([*system, *prompt])
        return self._messages.ModelResponse([self._messages.TextPart(answer)])

    def take(self, position: int, message: Message) -> None:
        """Put the next message into the history; results of several calls come one by one."""
        self._said[position] = message
        made = self._as_theirs(message, {_POSITION: position})
        self._unchanged[position] = made
        self._history.append(made)
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
        kinds = self._messages
        calls = tuple(
            ToolCall(part.tool_call_id, part.tool_name, part.args_as_json_str())
            for part in parts
            if isinstance(part, kinds.ToolCallPart)
        )
        texts = [
            part.content for part in parts if not isinstance(part, kinds.ToolCallPart)
        ]
        return replace(message, content="".join(texts), tool_calls=calls)
