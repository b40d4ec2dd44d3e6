"""One request of a run as JSON, ready to be sent once more."""

from __future__ import annotations

import json
from typing import Any

from memviz.engine.records import TurnRecord
from memviz.models.registry import OFFLINE
from memviz.models.tools import TOOLS


def request_json(record: TurnRecord) -> str:
    """Return the request of a record as the body of a call to an API like OpenAI's.

    It has the ``messages`` as they were sent, ``tools`` where any were offered, and the ``model`` that answered; a
    replay asks none, and nobody can be sent to the offline model, so then there is no ``model``.
    """
    request: dict[str, Any] = {}
    if record.facts is not None and record.facts.model not in ("", OFFLINE):
        request["model"] = record.facts.model
    request["messages"] = [one.to_request() for one in record.context.messages]
    if record.parts.tools:
        request["tools"] = [TOOLS[name].to_request() for name in record.parts.tools]
    return json.dumps(request, ensure_ascii=False, indent=2)
