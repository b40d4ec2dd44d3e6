"""A run as JSON text, lossless."""

from __future__ import annotations

import json

from memviz.core.messages import clean_text
from memviz.engine.run import Run


def run_json(run: Run) -> str:
    """The run as JSON text; ``memviz.Run.from_dict(json.loads(text))`` is the same run.

    What a message's ``meta`` holds that JSON does not know is written as text, and NaN and Infinity as ``null``.
    """
    value = run.to_dict()
    try:
        text = json.dumps(
            value, ensure_ascii=False, indent=1, default=str, allow_nan=False
        )
    except ValueError:
        finite = json.loads(
            json.dumps(value, default=str), parse_constant=lambda _: None
        )
        text = json.dumps(finite, ensure_ascii=False, indent=1)
    return clean_text(text)
