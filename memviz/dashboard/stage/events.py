"""The events of one request, as the stage tells them: what was summarized, cleared, brought back, dropped or lost."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memviz.core.context import Fate
from memviz.core.pieces import in_ranges
from memviz.core.text.wording import counted, listed, message_range, turn_list
from memviz.dashboard.words.compactions import (
    compaction_words,
    named_reason,
    plain_limit,
    request_title,
    size_words,
)
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import recalled_tokens
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.memory_map.steps import code_of
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import LossCauses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.transcripts.base import Probe

Sentence = list[str]
"""Texts of which every second one is said with emphasis. Nothing in them is ever markup."""
MOST_NAMED = 3
MOST_ANSWER_CHARS = 60
_OVER = re.compile(
    r"([\d,]+ (?:tokens|messages|turns|seconds|facts)) > (\d[\d,]*(?:, twice .*)?)"
)
_REACHED = re.compile(r"([\d,]+ (?:tokens|messages|turns|seconds)) ≥ (\d.*)")


class _Said(str):
    """A text that is said with emphasis."""


def compaction_sentence(run: Run, compaction: Compaction) -> Sentence:
    """Return ``messages not yet summarized had grown to`` **1,600 tokens, over the limit of 1,500**. ``Summarized
    messages 13 to 18. The request:`` **1,874 → 993 tokens**."""
    words = compaction_words(compaction, run)
    why = _why(compaction)
    if compaction.error is not None:
        return _sentence(*why, _Said(words.what), f". {words.result}.")
    what = f"{words.what}{_often(run, compaction)}"
    request = request_title(compaction, run)
    sizes = _Said(size_words(compaction, run))
    return _sentence(*why, what, f". {request}: ", sizes, ".")


def _why(compaction: Compaction) -> list[str]:
    """Return why it was due, up to the next sentence."""
    reason = plain_limit(compaction.reason)
    if not reason:
        return []
    counts = compaction.strategy.limits or "the memory"
    if "," in counts:
        counts += ","
    grown = _OVER.fullmatch(reason)
    if grown:
        size = _Said(f"{grown[1]}, over the limit of {grown[2]}")
        return [f"{counts} had grown to ", size, ". "]
    reached = _REACHED.fullmatch(reason)
    if reached:
        size = _Said(f"{reached[1]}, the limit being {reached[2]}")
        return [f"{counts} had reached ", size, ". "]
    return [_Said(named_reason(compaction.strategy, reason)), ". "]


def _often(run: Run, compaction: Compaction) -> str:
    """Return which messages the new summary holds that had been summarized before, if any."""
    if compaction.written is None or compaction.replaces is None:
        return ""
    passed = fate_map(run).generations.row(compaction.written.version - 1, len(run.log))
    most = int(passed.max(initial=0))
    if most <= 1:
        return ""
    oldest = in_ranges(np.flatnonzero(passed == most).tolist())[0]
    return f"; by now {message_range(oldest)} went through {counted(most, 'summary')}"


def recall_sentence(record: TurnRecord) -> Sentence:
    """Return what was brought back into a request."""
    log = record.memory.log
    positions = record.parts.recalled
    turns = sorted({log.turn_number(position) for position in positions})
    messages = counted(len(positions), "message")
    what = _Said(f"{messages} of {turn_list(turns, MOST_NAMED)}")
    size = _Said(f"+{counted(recalled_tokens(record), 'token')}")
    return _sentence(what, " came back, word for word: ", size, ".")


def dropped_sentence(dropped: Sequence[int]) -> Sentence:
    """Return what a request sends no more, and nothing stands for."""
    ranges = in_ranges(dropped)
    left = counted(len(dropped), "message")
    if len(ranges) <= MOST_NAMED:
        left = listed(message_range(one) for one in ranges)
    are, them = ("is", "it") if len(dropped) == 1 else ("are", "them")
    rest = f" {are} sent no more, and nothing stands for {them}."
    return _sentence(_Said(left), rest)


def setting_sentence(run: Run, record: TurnRecord) -> Sentence:
    """Return which setting the chat was given."""
    label = _Said(run.strategy_at(record.turn).label)
    return _sentence("from here on the chat has another setting, ", label, ".")


def loss_sentence(run: Run, facts: Sequence[Probe], lost_by: int | None) -> Sentence:
    """Return which facts a request knows no more, and what took them: the number of a compaction (``None``: what said
    so is not sent)."""
    named = [f"“{_short(fact.answers[0])}”" for fact in facts[:MOST_NAMED]]
    more = len(facts) - len(named)
    if more:
        named.append(f"{more:,} more")
    begin = f"{counted(len(facts), 'fact')} "
    lost = " are lost: "
    them = "them"
    if len(facts) == 1:
        begin = "the fact "
        lost = " is lost: "
        them = "it"
    cause = _taken_by(run, lost_by, them)
    return _sentence(begin, _Said(listed(named)), lost, cause, ".")


def _taken_by(run: Run, number: int | None, what: str) -> str:
    if number is None:
        return "what said so is sent no more"
    compaction = run.compactions[number]
    if compaction.version is not None:
        return f"version {compaction.version:,} of the summary leaves {what} out"
    words = compaction_words(compaction, run).what
    return f"{words[0].lower()}{words[1:]}"


def _short(answer: str) -> str:
    if len(answer) <= MOST_ANSWER_CHARS:
        return answer
    return f"{answer[: MOST_ANSWER_CHARS - 1]}…"


def _sentence(*texts: str) -> Sentence:
    """Return the texts as a sentence; those next to each other with the same emphasis are one."""
    found = [""]
    for text in filter(None, texts):
        has_emphasis = len(found) % 2 == 0
        if isinstance(text, _Said) != has_emphasis:
            found.append("")
        found[-1] += str(text)
    return found


KINDS = {
    "summarized": "summarization", "cleared": "clearing", "shortened": "shortening", "recalled": "recall",
    "fact lost": "lost fact", "dropped": "dropped message", "failed": "failure", "switched": "other setting",
    "decided": "decision of the user",
}  # fmt: skip
"""The kinds of events, and what one of them is called."""
_KIND_OF = {
    "summarized": "summarized",
    "cleared": "cleared",
    "shortened": "shortened",
    "evicted": "dropped",
}
_DROPPED = code_of(Fate.DROPPED)
Codes = NDArray[np.uint8]
Event = dict[str, Any]


@dataclass(frozen=True, eq=False)
class EventTeller:
    """Tells the events of the requests of a run."""

    run: Run
    retention: Retention | None = None
    """That of the run: it says which facts are lost."""
    texts: ProbeTexts | None = None
    """Those that it was made with, if they are at hand."""

    def events(
        self, number: int, codes: Codes, codes_before: Codes | None
    ) -> list[Event]:
        """The events of request ``number`` (0-based) as JSON, the weightiest first. ``codes`` are what it does with
        every message (:data:`memviz.metrics.memory_map.steps.STEPS`), ``codes_before`` the same of the one before,
        ``None`` for the first."""
        run = self.run
        record = run.requests[number]
        found = []
        for compaction in record.compactions:
            sentence = compaction_sentence(run, compaction)
            found.append({"kind": _kind(compaction), "sentence": sentence})
        recalled_before: set[int] = set()
        is_switched = False
        if number:
            before = run.strategy_at(run.requests.turn_at(number - 1))
            is_switched = run.strategy_at(record.turn) is not before
            recalled_before.update(run.requests.parts_at(number - 1).recalled)
        if is_switched:
            sentence = setting_sentence(run, record)
            found.append({"kind": "switched", "sentence": sentence})
        if set(record.parts.recalled) - recalled_before:
            found.append({"kind": "recalled", "sentence": recall_sentence(record)})
        is_told = is_switched or any(event["kind"] == "dropped" for event in found)
        if codes_before is not None and not is_told:
            was_sent = codes_before != _DROPPED
            is_dropped = codes[: len(codes_before)] == _DROPPED
            dropped = np.flatnonzero(is_dropped & was_sent).tolist()
            if dropped:
                sentence = dropped_sentence(dropped)
                found.append({"kind": "dropped", "sentence": sentence})
        return [*found, *self._lost(number)]

    def _lost(self, number: int) -> Iterator[Event]:
        if self.retention is None or not number:
            return
        is_lost = self.retention.states[number] == Knowledge.LOST
        was_known = self.retention.retained[number - 1]
        causes: dict[int | None, list[int]] = {}
        for fact in np.flatnonzero(is_lost & was_known).tolist():
            causes.setdefault(self._causes.by(number, fact), []).append(fact)
        for cause, facts in causes.items():
            probes = [self.retention.probes[fact] for fact in facts]
            sentence = loss_sentence(self.run, probes, cause)
            yield {"kind": "fact lost", "facts": facts, "sentence": sentence}

    @cached_property
    def _causes(self) -> LossCauses:
        assert self.retention is not None  # noqa: S101 - asked for lost facts alone
        texts = self.texts or ProbeTexts(self.run.log, self.retention.probes)
        return LossCauses(self.run, texts)


def _kind(compaction: Compaction) -> str:
    if compaction.error is not None:
        return "failed"
    return _KIND_OF.get(compaction.kind, "decided")
