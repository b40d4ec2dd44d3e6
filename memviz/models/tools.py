"""Tools that a model may call: recalling, with what it answers, and thinking."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memviz.core.text.wording import counted

_STANDING = "They stand right before the user's last message."
_AMONG = (
    "They stand right before the user's last message, among others that were recalled."
)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool as it is offered to a model. ``parameters`` is the JSON schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(hash=False)

    def to_request(self) -> dict[str, Any]:
        """The OpenAI shape of the tool."""
        about = {
            "name": self.name,
            "description": self.description,
            "parameters": dict(self.parameters),
        }
        return {"type": "function", "function": about}

    @property
    def text(self) -> str:
        """The schema as compact JSON."""
        return json.dumps(
            self.to_request()["function"], ensure_ascii=False, separators=(",", ":")
        )


def _integers(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "integer"}, "description": description}


RECALL_CONVERSATION = Tool(
    "recall_conversation",
    "Bring earlier messages of this conversation back, word for word, for your next step only. Use it when a "
    "summary mentions what you need but not its details, or when the answer may be in messages that you cannot see.",
    {
        "type": "object",
        "properties": {
            "turn_numbers": _integers("Whole turns, by number; the first turn is 1."),
            "message_indices": _integers(
                "Single messages, by index; the first message is 0."
            ),
            "last_n": {
                "type": "integer",
                "minimum": 1,
                "description": "The newest so many messages.",
            },
        },
    },
)
"""Arguments as in strategies.md; all are optional, but at least one has to be there."""

CONTINUE_THINKING = Tool(
    "continue_thinking",
    "End this round of thinking: say whether you need another one. When you stop, give a summary of this turn "
    "for your own memory: later you will see the summary and not the messages.",
    {
        "type": "object",
        "properties": {
            "continue_thinking": {
                "type": "boolean",
                "description": "Whether to think for another round.",
            },
            "summary": {
                "type": "string",
                "description": "When stopping: what this turn is about, with its names, numbers, dates and decisions.",
            },
            "reason": {"type": "string", "description": "Why, in a few words."},
        },
        "required": ["continue_thinking"],
    },
)
"""What the model says at the end of a round of reflective thinking."""

TOOLS = {tool.name: tool for tool in (RECALL_CONVERSATION, CONTINUE_THINKING)}


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The numbers of messages that a call of the recall tool brought into a request, and of those it did not."""

    fresh: int
    """Messages that were added to the request."""
    held: int = 0
    """Messages that the request had anyway."""
    cut: int = 0
    """Messages that were over the limit."""
    halves: int = 0
    """Calls or results of tools whose other half is not there."""
    missing: tuple[str, ...] = ()
    """The names of what does not exist in the conversation; of messages their index."""
    turns: int = 0
    """Completed turns of the conversation."""
    among: bool = False
    """True if the fresh messages stand among others that were recalled; else they are the last before the input."""
    in_place: int = 0
    """Messages that had been cleared or shortened, and now stand in full where they were said."""

    @property
    def text(self) -> str:
        """The result in words."""
        sentences = [
            f"Recalled {counted(self.held + self.in_place + self.fresh, 'message')}."
        ]
        if self.fresh:
            sentences.append(_AMONG if self.among else _STANDING)
        if self.in_place == 1:
            sentences.append("1 of them stands in full where it was said.")
        elif self.in_place:
            sentences.append(
                f"{self.in_place:,} of them stand in full where they were said."
            )
        if self.held:
            sentences.append(f"{self.held} of them you were sent anyway.")
        if self.cut:
            sentences.append(
                f"{self.cut} more were too many; those asked for by number are kept first, then the newest."
            )
        if self.halves:
            sentences.append(
                f"{self.halves} more were left out: a tool's call and its result only go together."
            )
        if self.missing:
            no = ", no ".join(self.missing)
            sentences.append(
                f"There is no {no}: this conversation has {counted(self.turns, 'turn')} so far."
            )
        return " ".join(sentences)
