"""The questions of LoCoMo about a conversation, whose lists of evidence were written by hand and have slips."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from memviz.transcripts.base import Probe
from memviz.transcripts.builder import TranscriptBuilder
from memviz.transcripts.readers.benchmarks.probes import answer_texts, probe_of

CATEGORIES = {"1": "multi-hop", "2": "temporal", "3": "open-domain", "4": "single-hop", "5": "adversarial"}
"""The paper (Maharana et al. 2024) names them in another order; these ids are those of the released evaluation."""
ADVERSARIAL, OPEN_DOMAIN = CATEGORIES["5"], CATEGORIES["3"]
_MESSAGE = re.compile(r"(?<![\w:])D:?([0-9]{1,6}):([0-9]{1,6})(?![\w:])")


def message_key(id: object) -> str | None:
    """The id of a message without leading zeros; ``None`` for what is no id."""
    found = _MESSAGE.fullmatch(id.strip()) if isinstance(id, str) else None
    return _plain(found) if found else None


def read_probes(items: object, positions: Mapping[str, int], builder: TranscriptBuilder) -> tuple[Probe, ...]:
    """The probes of a list of questions. ``positions`` gives the log position of each message's id.

    Questions without an answer are left out and noted: so are nearly all adversarial ones, which ask for what was
    never said.
    """
    probes = []
    for index, item in enumerate(items if isinstance(items, list) else []):
        place = f"question {index}"
        probe = _probe(item, positions, builder, place) if isinstance(item, dict) else None
        if probe:
            probes.append(probe)
        elif isinstance(item, dict) and _category(item.get("category")) == ADVERSARIAL:
            builder.note("an adversarial question, which the conversation does not answer, was left out", place)
        else:
            builder.note("a question without an answer was left out", place)
    return tuple(probes)


def _probe(item: dict[str, Any], positions: Mapping[str, int], builder: TranscriptBuilder, place: str) -> Probe | None:
    answers, category = answer_texts(item.get("answer")), _category(item.get("category"))
    if category == OPEN_DOMAIN and len(answers) == 1:
        # What follows a semicolon explains the answer: the benchmark compares what stands before it.
        short = answers[0].split(";")[0].strip()
        answers = tuple(dict.fromkeys((*answers, short))) if short else answers
    probe = probe_of(item.get("question"), answers, (), category)
    return probe and probe_of(
        probe.question, answers, _evidence(item.get("evidence"), positions, builder, place), category
    )


def _category(value: object) -> object:
    return CATEGORIES.get(str(value).strip(), value)


def _evidence(value: object, positions: Mapping[str, int], builder: TranscriptBuilder, place: str) -> list[int]:
    found: list[int] = []
    repaired = unknown = False
    for text in value if isinstance(value, list) else [value] if value else []:
        if isinstance(text, str) and text in positions:
            found.append(positions[text])
            continue
        named = [_plain(match) for match in _MESSAGE.finditer(text)] if isinstance(text, str) else []
        known = [positions[key] for key in named if key in positions]
        repaired = repaired or bool(known)
        unknown = unknown or len(known) < max(len(named), 1)
        found.extend(known)
    if repaired:
        builder.note("evidence that was run together or misspelt was repaired", place)
    if unknown:
        builder.note("evidence that names no message of the conversation was left out", place)
    return found


def _plain(match: re.Match[str]) -> str:
    return f"D{int(match[1])}:{int(match[2])}"
