"""One request of a run as JSON, ready to be sent once more."""

from __future__ import annotations

import json
from typing import Any

from memviz.engine.records import TurnRecord
from memviz.models.registry import OFFLINE
from memviz.models.tools import TOOLS


def request_json(record: TurnRecord, model: str = "") -> str:
    """Return the request of a record as the body of a call to an API like OpenAI's.

    It has the ``messages`` as they were sent, ``tools`` where any were offered, and ``model``: the one given, else the
    one that answered; a replay asks none, and nobody can be sent to the offline model, so then there is no ``model``.
    """
    return json.dumps(request_of(record, model), ensure_ascii=False, indent=2)


def request_of(record: TurnRecord, model: str = "") -> dict[str, Any]:
    """Return the same as a dictionary."""
    if not model and record.facts is not None and record.facts.model != OFFLINE:
        model = record.facts.model
    request: dict[str, Any] = {}
    if model:
        request["model"] = model
    request["messages"] = [one.to_request() for one in record.context.messages]
    if record.parts.tools:
        request["tools"] = [TOOLS[name].to_request() for name in record.parts.tools]
    return request
