"""The probes that a conversation saved by memviz carries, from untrusted JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.transcripts.base import MAX_CATEGORY_CHARS, Probe
from memviz.transcripts.findings import Findings


def read_probes(value: object, positions: Mapping[int, int], findings: Findings) -> tuple[Probe, ...]:
    """The probes of a JSON list; one that is broken is left out and noted.

    ``positions`` gives the log position for the index of a message in the file, without those that
    were left out.
    """
    items = value if isinstance(value, list) else [] if value is None else [value]
    probes = []
    for index, item in enumerate(items):
        if _is_probe(item) and all(place in positions for place in item["evidence"]):
            probes.append(Probe.from_dict({**item, "evidence": [positions[place] for place in item["evidence"]]}))
        else:
            findings.note("a probe that is broken, or whose evidence is missing, was left out", f"probe {index}")
    return tuple(probes)


def _is_probe(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("question"), str)
        and isinstance(item.get("category"), str)
        and 0 < len(item["category"]) <= MAX_CATEGORY_CHARS
        and _are(str, item.get("answers"))
        and _are(int, item.get("evidence"))
        and _are(str, item.get("stale", []))
        and bool(item["answers"])
    )


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(type(value) is kind for value in values)
