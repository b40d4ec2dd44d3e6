"""A hash of a value, by which what was worked out of it is found again."""

import hashlib
import json


def fingerprint(value: object) -> str:
    """Return a hash of a value that JSON can hold: equal values have an equal one, whatever the order of their keys."""
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
