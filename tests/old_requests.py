"""Records of requests as versions kept them that had no pieces: summary, history, recalled messages and input apart."""

from __future__ import annotations

from typing import Any


def without_pieces(record: dict[str, Any]) -> dict[str, Any]:
    """A record of today as such a version kept it."""
    old = {name: value for name, value in record.items() if name != "pieces"}
    old |= {"summaries": [0, 0], "history": [], "recalled_positions": []}
    asked = record["input"]
    for kind, *fields in record["pieces"]:
        if kind == "notes":
            old["summaries"] = fields[:2]
        elif kind == "picked":
            old["recalled_positions"] = fields[0]
        elif asked[0] == asked[1] or fields[0] < asked[0]:
            old["history"].append(fields)
    return old
