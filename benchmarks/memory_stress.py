"""MemoryStress' file as conversations with questions: facts that are said in some of a thousand sessions, and asked for
at four checkpoints.

The file (``memorystress_v1.json`` of omega-memory/memorystress) is an object with ``sessions`` (``session_id``,
``session_index``, ``phase``, ``turns`` of ``role`` and ``content``), ``facts`` (``fact_id``, ``content``,
``session_planted``, ``mention_sessions``) and ``questions`` (``question``, ``answer``, ``target_fact_ids``,
``question_type``, ``phase_asked``). It says in which sessions a fact is mentioned, and not in which turn: its evidence
is here the turn of each of these sessions that shares most words with the fact, the user's where two share as many.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memviz import Message, Probe, Transcript
from memviz.core.text.words import content_words

LAST_PHASE = 3
"""The fourth checkpoint is asked behind the third phase, without a session more."""


def is_memory_stress(path: str) -> bool:
    """True for a JSON file with the parts of MemoryStress'."""
    if Path(path).suffix != ".json":
        return False
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    return isinstance(data, dict) and {"sessions", "facts", "questions"} <= data.keys()


def read_memory_stress(path: str) -> list[Transcript]:
    """A conversation for each checkpoint: all sessions up to it, in order, with the questions that are asked there."""
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    sessions = sorted(data["sessions"], key=lambda one: one["session_index"])
    facts = {fact["fact_id"]: fact for fact in data["facts"]}
    found = []
    for phase in sorted({one["phase_asked"] for one in data["questions"]}):
        messages: list[Message] = []
        places: dict[str, range] = {}
        for session in sessions:
            if session["phase"] <= min(phase, LAST_PHASE):
                start = len(messages)
                messages += (Message(**turn) for turn in _turns(session))
                places[session["session_id"]] = range(start, len(messages))
        probes = tuple(
            probe_of(question, facts, places, messages)
            for question in data["questions"]
            if question["phase_asked"] == phase
        )
        title = f"MemoryStress, checkpoint {phase}"
        found.append(Transcript(tuple(messages), title=title, probes=probes))
    return found


def _turns(session: dict[str, Any]) -> Iterator[dict[str, str]]:
    for turn in session["turns"]:
        yield {"role": turn["role"], "content": turn["content"]}


def probe_of(
    question: dict[str, Any],
    facts: dict[str, Any],
    places: dict[str, range],
    messages: list[Message],
) -> Probe:
    """The question with its evidence, as far as it was said by then."""
    evidence = set()
    for fact in (facts[id] for id in question["target_fact_ids"]):
        words = content_words(fact["content"])
        for id in {fact["session_planted"], *fact["mention_sessions"]}:
            shared = {
                at: len(words & content_words(messages[at].content))
                for at in places.get(id, ())
            }
            best = max(shared.values(), default=0)
            likely = [at for at, number in shared.items() if number == best]
            users = [at for at in likely if messages[at].role == "user"]
            evidence.update((users or likely)[:1])
    answers = (question["answer"],)
    kind = question["question_type"]
    return Probe(question["question"], answers, tuple(sorted(evidence)), kind)
