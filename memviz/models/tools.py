"""Tools that a model may call, and the two that memory needs: recalling and thinking."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


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
