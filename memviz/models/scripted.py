"""A model that gives prepared answers, in order: the test double that ships with the package."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from memviz.conversation import Message
from memviz.errors import ScriptExhausted
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.tools import Tool


class ScriptedModel(Model):
    """Answers with the items of ``script`` one after the other.

    An item is a text, a :class:`Reply`, or an exception to raise. ``requests`` holds the messages of
    every call so far, ``offered`` the tools that came with it (none where it had to answer). Raises
    :class:`ScriptExhausted` when asked once more than there are items.
    """

    name = "scripted"

    def __init__(self, script: Iterable[str | Reply | BaseException]) -> None:
        self._script = iter(script)
        self.requests: list[tuple[Message, ...]] = []
        self.offered: list[tuple[Tool, ...]] = []

    def complete(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Reply:
        """The next item of the script."""
        self.requests.append(tuple(messages))
        self.offered.append(tuple(tools) if tool_choice == "auto" else ())
        try:
            item = next(self._script)
        except StopIteration:
            raise ScriptExhausted(
                f"The script has {len(self.requests) - 1} items and was asked for one more. Give it more answers.",
                model=self.name,
            ) from None
        if isinstance(item, BaseException):
            raise item
        return Reply(item) if isinstance(item, str) else item

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = (), tool_choice: ToolChoice = "auto"
    ) -> Iterator[str | Reply]:
        """The next item of the script, line by line."""
        reply = self.complete(messages, tools, tool_choice)
        yield from reply.text.splitlines(keepends=True)
        yield reply
