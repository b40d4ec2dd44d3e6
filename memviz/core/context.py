"""The contents of one request, block by block, and the fate of every message."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Literal

from memviz.core.messages import Message

BlockKind = Literal["system", "summary", "history", "recalled", "input", "tools"]
BLOCK_ORDER: tuple[BlockKind, ...] = (
    "system",
    "summary",
    "history",
    "recalled",
    "input",
    "tools",
)
"""The order of blocks in a request, unless a strategy places one elsewhere. A recalled message that the strategy sends
with less in it stands whole in its own place, as a block between those of the history. Tools stand last: what the model
did with them in this turn follows the input. (Their schemas are no messages; a provider renders them where it
likes.)"""

TOKEN_PARTS = ("system", "summary", "recalled", "history", "input", "overhead")
"""The parts a request's tokens are always split into."""
PARTS_IN_USE = ("tools", "names")
"""The parts that a request has only where it has any: tools with their calls, and the names
of those who speak."""
ALL_PARTS = (*TOKEN_PARTS, *PARTS_IN_USE)

TOKENS_PER_MESSAGE = 4
"""What the OpenAI chat format adds to every message, as OpenAI's cookbook counts it: 3 tokens and that of its role,
which is one token in the encodings of that format and is taken for one under every other counter."""
TOKENS_PER_REQUEST = 3
"""What the OpenAI chat format adds to every request: the primer of the reply."""

OVER_BUDGET = "over_budget"
ORPHANED_TOOL_MESSAGE = "orphaned_tool_message"
SUMMARY_NOT_ASKED = "summary_not_asked"
"""The flag of the open request at the end of a replay that would be sent with another
summary, for which no model was paid."""


class Fate(IntEnum):
    """The fate of one message at one request."""

    NOT_YET = 0
    DROPPED = 1
    SUMMARIZED = 2
    RECALLED = 3
    VERBATIM = 4
    CLEARED = 5
    SHORTENED = 6
    OPAQUE = 7
    """A block stands for it that only the provider can read."""


@dataclass(frozen=True, slots=True)
class Block:
    """One part of a context, such as its summary or its history."""

    kind: BlockKind
    messages: tuple[Message, ...]
    indices: tuple[int, ...]
    """The log positions of its messages; of a summary those that it covers. Empty for a line
    in the strategy's own words."""
    tokens: int
    """Content tokens, without the overhead of the chat format."""
    text: str = ""
    """The text of a summary inside the system prompt, which has no message of its own."""


def joined(
    blocks: Iterable[Block],
    kinds: Collection[BlockKind] = ("history", "recalled", "input"),
) -> Iterator[Block]:
    """Return the blocks, neighbours of one kind among ``kinds`` merged if both hold messages
    of the log."""
    last: Block | None = None
    for block in blocks:
        if last is None:
            last = block
            continue
        is_one_kind = block.kind == last.kind and block.kind in kinds
        if is_one_kind and last.indices and block.indices:
            last = Block(
                last.kind,
                last.messages + block.messages,
                last.indices + block.indices,
                last.tokens + block.tokens,
            )
        else:
            yield last
            last = block
    if last is not None:
        yield last


@dataclass(frozen=True)
class Context:
    """The blocks of one request, in the order in which they are sent. Empty blocks are left out."""

    blocks: tuple[Block, ...]

    @cached_property
    def messages(self) -> tuple[Message, ...]:
        """The exact messages sent, in order."""
        return tuple(message for block in self.blocks for message in block.messages)

    def block(self, kind: BlockKind) -> Block | None:
        """The first block of this kind, if one was sent."""
        return next((block for block in self.blocks if block.kind == kind), None)
