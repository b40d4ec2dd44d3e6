"""*Does the model still know this fact?* Asked where a summary takes in what said it; answered from what was sent."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from memviz.core.text.wording import counted, message_list
from memviz.dashboard.stage.question import YES_OR_NO, Candidate, Question, StagedRun
from memviz.dashboard.words.compactions import compaction_words
from memviz.engine.records import TurnRecord
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.summaries.events import grows_a_list
from memviz.transcripts.base import Probe

AGAIN = 1.0
FIRST = 0.5
"""How interesting it is what became of a fact in a summary that was summarized again, and in its first one."""
_WHERE = {
    Knowledge.VERBATIM: "sent word for word",
    Knowledge.RECALLED: "recalled",
    Knowledge.SYSTEM: "in the system prompt",
}


def candidates(staged: StagedRun, retention: Retention) -> Iterator[Candidate]:
    """A question for each fact that was known and that a request knows from another place, or no more: where a summary
    took in what said it, or where that fell out of what is sent. Where nothing is ever summarized, also one for each
    fact at the last request that knows it."""
    states = retention.states
    changed = np.zeros(len(states), dtype=bool)
    changed[[*staged.changed()]] = True
    before = states[:-1]
    known = retention.retained[:-1] & (before != Knowledge.SYSTEM)
    lost = known & ~retention.retained[1:]
    kept = known & (states[1:] == Knowledge.SUMMARY) & changed[1:, None]
    if grows_a_list(staged.run):  # what a summary once says stays as it is
        kept &= before != Knowledge.SUMMARY
    if not staged.run.compactions:
        kept[:-1] |= known[:-1] & lost[1:]
    shown = staged.requests
    for row, fact in np.argwhere(lost | kept).tolist():
        request = row + 1
        if request in shown:
            is_again = before[row, fact] == Knowledge.SUMMARY
            about = {("compaction", staged.number, request), ("fact", fact)}
            yield Candidate(
                staged.step(request),
                staged.number,
                frozenset(about),
                bool(kept[row, fact]),
                AGAIN if is_again else FIRST,
                partial(question, staged, retention, request, fact),
            )


def question(
    staged: StagedRun, retention: Retention, request: int, fact: int
) -> Question:
    """Return whether ``request`` (number from 0) knows the ``fact`` (number of the probe)."""
    state = Knowledge(int(retention.states[request, fact]))
    probe = retention.probes[fact]
    record = staged.run.requests[request]
    return Question(
        "knows",
        staged.step(request),
        staged.number,
        _text(staged, record, probe),
        YES_OR_NO,
        0 if state.is_known else 1,
        _reason(record, probe, state),
    )


def _text(staged: StagedRun, record: TurnRecord, probe: Probe) -> str:
    asked = f"the model still know the answer to “{_flat(probe.question)}”"
    made = next((one for one in record.compactions if one.changes_memory), None)
    if made is None:
        return f"Under {staged.label}, does {asked} at {record.name}?"
    what = compaction_words(made, staged.run).what
    done = f"{what[0].lower()}{what[1:]}"
    return f"Before {record.name}, {staged.label} {done}. Does {asked}?"


def _reason(record: TurnRecord, probe: Probe, state: Knowledge) -> str:
    fact = f"“{_flat(probe.answers[0])}”" if probe.answers else "The answer"
    if probe.evidence:
        fact += f" (said in {message_list(probe.evidence)})"
    request = record.name
    if state is Knowledge.CONTRADICTED:
        return f"{fact} is mentioned at {request} only where it is denied or outdated."
    if state is Knowledge.SUMMARY:
        return f"{fact} is {_version_words(record)} at {request}."
    if state.is_known:
        return f"{fact} is {_WHERE[state]} at {request}."
    if record.summary is None:
        tokens = counted(record.total_tokens, "token")
        return f"{fact} is in none of the {tokens} sent at {request}."
    summary = _version_words(record)
    return f"{fact} is not sent word for word at {request}, and is not {summary}."


def _version_words(record: TurnRecord) -> str:
    """Return ``in version 3 of the summary (120 tokens)``, ``in the 12 summaries (840 tokens)``: the notes that a
    request sends."""
    sent = record.parts.summaries
    if record.summary is None or len(sent) > 1:
        tokens = counted(record.tokens["summary"], "token")
        return f"in the {counted(len(sent), 'summary')} ({tokens})"
    tokens = counted(record.summary.tokens, "token")
    return f"in version {record.summary.version} of the summary ({tokens})"


def _flat(text: str) -> str:
    return " ".join(text.split())
