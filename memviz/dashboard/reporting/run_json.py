"""A run as JSON text, lossless, and one of its requests, ready to be sent once more."""

import json
from typing import Any

from memviz.core.messages import clean_text
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.models.names import OFFLINE
from memviz.models.tools import TOOLS

_LOOK: Any = {"ensure_ascii": False, "indent": 1}


def run_json(run: Run) -> str:
    """Return the run as JSON text; ``memviz.Run.from_dict(json.loads(text))`` is the same run.

    What a message's ``meta`` holds that JSON does not know is written as text, and NaN and Infinity as ``null``.
    """
    value = run.to_dict()
    try:
        text = json.dumps(value, **_LOOK, default=str, allow_nan=False)
    except ValueError:
        plain = json.dumps(value, default=str)
        finite = json.loads(plain, parse_constant=lambda _: None)
        text = json.dumps(finite, **_LOOK)
    return clean_text(text)


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
