"""A run as JSON text, lossless."""

from __future__ import annotations

import json
from typing import Any

from memviz.core.messages import clean_text
from memviz.engine.run import Run

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
