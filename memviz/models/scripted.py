"""A model that gives prepared answers, in order: the test double that ships with the package."""

from collections.abc import Iterable, Iterator, Sequence

from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.core.model_errors import ScriptExhausted
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.tools import Tool

Item = str | Reply | BaseException
_ALLOWED = "a list of answers: texts, replies (memviz.Reply) or exceptions"


class ScriptedModel(Model):
    """Answers with the items of ``script`` one after the other.

    An item is a text, a :class:`Reply`, or an exception to raise. ``requests`` holds the messages of
    every call so far, ``offered`` the tools that came with it (none where it had to answer). Raises
    :class:`ScriptExhausted` when asked once more than there are items, and :class:`ParameterError` for an item that is
    something else.
    """

    name = "scripted"

    def __init__(self, script: Iterable[Item]) -> None:
        if isinstance(script, str | bytes) or not isinstance(script, Iterable):
            raise ParameterError("script", script, _ALLOWED)
        self._script = iter(
            [_check_item(item) for item in script]
            if isinstance(script, list | tuple)
            else script
        )
        self.requests: list[tuple[Message, ...]] = []
        self.offered: list[tuple[Tool, ...]] = []

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """The next item of the script."""
        self.requests.append(tuple(messages))
        self.offered.append(tuple(tools) if tool_choice == "auto" else ())
        try:
            item = _check_item(next(self._script))
        except StopIteration:
            raise ScriptExhausted(
                f"The script has {len(self.requests) - 1} items and was asked for one more. Give it more answers.",
                model=self.name,
            ) from None
        if isinstance(item, BaseException):
            raise item
        return Reply(item) if isinstance(item, str) else item

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """The next item of the script, line by line."""
        reply = self.complete(messages, tools, tool_choice)
        yield from reply.text.splitlines(keepends=True)
        yield reply


def _check_item(item: Item) -> Item:
    if not isinstance(item, Item):
        raise ParameterError("script", item, _ALLOWED)
    return item
