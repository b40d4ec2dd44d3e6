"""One request of a run as JSON, ready to be sent once more."""

from __future__ import annotations

import json
from typing import Any

from memviz.engine.records import TurnRecord
from memviz.models.registry import OFFLINE
from memviz.models.tools import TOOLS


def request_json(record: TurnRecord, model: str = "") -> str:
    """The request of a record as the body of a call to an API like OpenAI's.

    ``messages`` as they were sent, ``tools`` where any were offered, and ``model``: the one given, else the one that
    answered; a replay asks none, and nobody can be sent to the offline model, so then there is no ``model``.
    """
    return json.dumps(request_of(record, model), ensure_ascii=False, indent=2)


def request_of(record: TurnRecord, model: str = "") -> dict[str, Any]:
    """The request of a record as a dictionary."""
    answered = (
        record.facts.model if record.facts and record.facts.model != OFFLINE else ""
    )
    name, tools = (
        model or answered,
        [TOOLS[name].to_request() for name in record.parts.tools],
    )
    return {
        **({"model": name} if name else {}),
        "messages": [message.to_request() for message in record.context.messages],
        **({"tools": tools} if tools else {}),
    }
