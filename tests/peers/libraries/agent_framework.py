"""The compaction strategies of Microsoft's Agent Framework, applied as a chat client applies them before a request."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from memviz.core.counters import Counter
from memviz.core.messages import Message
from memviz.strategies.library import Ask, Asking, FromLibrary, run_to_end


class CompactionAtWork:
    """One compaction strategy of Agent Framework, and the messages that it marks."""

    def __init__(
        self, name: str, arguments: Mapping[str, Any], ask: Ask, counter: Counter
    ) -> None:
        self._library = import_module("agent_framework")
        self._compaction = import_module("agent_framework._compaction")
        self._ask = Asking(ask)
        made = getattr(self._compaction, name)
        more = dict(arguments)
        if name == "SummarizationStrategy":
            more["client"] = SimpleNamespace(get_response=self._answer)
            more["tokenizer"] = SimpleNamespace(count_tokens=counter)
        self._strategy = made(**more)
        self._said: dict[str, FromLibrary] = {}
        self._history: list[Any] = []

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
        work = self._compaction.apply_compaction(self._history, strategy=self._strategy)
        left = run_to_end(work)
        self._ask.raise_failure()  # the library goes on without a summary, and says so in its log alone
        return [
            self._said.get(message.message_id)
            or FromLibrary(Message(message.role, message.text))
            for message in left
        ]
