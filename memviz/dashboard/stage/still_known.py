"""*Does the model still know this fact?* Asked where a summary takes in what said it; answered from what was sent."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from memviz.core.text.wording import counted, message_list
from memviz.core.translation import _, noop
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
    Knowledge.VERBATIM: noop("{fact} is sent word for word at {request}."),
    Knowledge.RECALLED: noop("{fact} is recalled at {request}."),
    Knowledge.SYSTEM: noop("{fact} is in the system prompt at {request}."),
    Knowledge.CONTRADICTED: noop(
        "{fact} is mentioned at {request} only where it is denied or outdated."
    ),
}
_IN_NOTES = {
    (True, True): noop("{fact} is in the {summaries} ({tokens}) at {request}."),
    (True, False): noop(
        "{fact} is in version {version} of the summary ({tokens}) at {request}."
    ),
    (False, True): noop(
        "{fact} is not sent word for word at {request}, and is not in the {summaries} ({tokens})."
    ),
    (False, False): noop(
        "{fact} is not sent word for word at {request}, and is not in version {version} of the summary ({tokens})."
    ),
}
"""By whether the notes hold the fact, and whether there are several."""


def candidates(staged: StagedRun, retention: Retention) -> Iterator[Candidate]:
    """A question for each fact that was known and that a request knows from another place, or no more: where a summary
    took in what said it, or where that fell out of what is sent. Where nothing is ever summarized, also one for each
    fact at the last request that knows it."""
    states = retention.states
    changed = np.zeros(len(states), dtype=bool)
    changed[[*staged.changed()]] = True
    before = states[:-1]
    known = retention.retained[:-1] & (before != Knowledge.SYSTEM)
    lost = known & retention.judged[1:] & ~retention.retained[1:]
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
    made = next((one for one in record.compactions if one.changes_memory), None)
    if made is None:
        return _(
            "Under {label}, does the model still know the answer to “{question}” at {request}?",
            label=staged.label,
            question=_flat(probe.question),
            request=record.name,
        )
    what = compaction_words(made, staged.run).what
    return _(
        "Before {request}, {label} {done}. Does the model still know the answer to “{question}”?",
        request=record.name,
        label=staged.label,
        done=f"{what[0].lower()}{what[1:]}",
        question=_flat(probe.question),
    )


def _reason(record: TurnRecord, probe: Probe, state: Knowledge) -> str:
    fact = _fact_words(probe)
    request = record.name
    if state in _WHERE:
        return _(_WHERE[state], fact=fact, request=request)
    if state is Knowledge.SUMMARY:
        return _(_in_notes(record, is_in=True), fact=fact, **_notes(record))
    if record.summary is None:
        return _(
            "{fact} is in none of the {tokens} sent at {request}.",
            fact=fact,
            tokens=counted(record.total_tokens, "token"),
            request=request,
        )
    return _(_in_notes(record, is_in=False), fact=fact, **_notes(record))


def _fact_words(probe: Probe) -> str:
    fact = f"“{_flat(probe.answers[0])}”" if probe.answers else _("The answer")
    if not probe.evidence:
        return fact
    return _(
        "{fact} (said in {messages})", fact=fact, messages=message_list(probe.evidence)
    )


def _has_many_notes(record: TurnRecord) -> bool:
    return record.summary is None or len(record.parts.summaries) > 1


def _in_notes(record: TurnRecord, *, is_in: bool) -> str:
    """Return the sentence that the notes of a request hold a fact, or do not."""
    return _IN_NOTES[is_in, _has_many_notes(record)]


def _notes(record: TurnRecord) -> dict[str, object]:
    """Return what the sentence says of the request and its notes."""
    if record.summary is None or _has_many_notes(record):
        return {
            "request": record.name,
            "summaries": counted(len(record.parts.summaries), "summary"),
            "tokens": counted(record.tokens["summary"], "token"),
        }
    return {
        "request": record.name,
        "version": record.summary.version,
        "tokens": counted(record.summary.tokens, "token"),
    }


def _flat(text: str) -> str:
    return " ".join(text.split())
