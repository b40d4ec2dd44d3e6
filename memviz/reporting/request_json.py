"""One request of a run as JSON, ready to be sent once more."""

from __future__ import annotations

import json
from typing import Any

from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.errors import MemvizError
from memviz.metrics.requests.turn_changes import record_of_turn
from memviz.models.registry import OFFLINE
from memviz.models.tools import TOOLS


def request_json(run: Run, turn: int, model: str = "") -> str:
    """The request of ``turn`` (1-based) as the body of a call to an API like OpenAI's.

    ``messages`` as they were sent, ``tools`` where any were offered, and ``model``: the one given, else the one that
    answered; a replay asks none, and nobody can be sent to the offline model, so then there is no ``model``. Raises
    :class:`memviz.MemvizError` if the turn made no request.
    """
    record = record_of_turn(run, turn)
    if record is None:
        last = run.turns[-1].turn if run.turns else 0
        remedy = f"The last request is that of turn {last}." if last else "This run has no request at all."
        raise MemvizError(f"Turn {turn} made no request. {remedy}")
    return json.dumps(request_of(record, model), ensure_ascii=False, indent=2)


def request_of(record: TurnRecord, model: str = "") -> dict[str, Any]:
    """The request of a record as a dictionary."""
    answered = record.facts.model if record.facts and record.facts.model != OFFLINE else ""
    name, tools = model or answered, [TOOLS[name].to_request() for name in record.parts.tools]
    return {
        **({"model": name} if name else {}),
        "messages": [message.to_request() for message in record.context.messages],
        **({"tools": tools} if tools else {}),
    }
