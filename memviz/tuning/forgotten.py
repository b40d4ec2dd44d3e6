"""Statements that were forgotten, each under one setting: where it was said, until when it was sent, and what ended
that. All of it is read off a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from memviz.core.conversation import Log
from memviz.core.text.containment import contains
from memviz.core.text.sentences import split_passage
from memviz.core.text.wording import message_number
from memviz.core.text.words import content_words
from memviz.engine.compaction import Compaction
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.requests.request_table import versions_of
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import LossCauses, Span, life_lines
from memviz.metrics.retention.proposed_probes import BLANK
from memviz.strategies.base import Strategy
from memviz.transcripts.base import CATEGORIES, Probe, RecordedEvent
from memviz.tuning.needs import Need, find_need, spelled
from memviz.tuning.recorded import Recorded
from memviz.tuning.statements import (
    RULE_OR_DECISION,
    judge,
    rules_of,
    says_same,
    sentence_with_value,
    texts_of,
)

MOST_STATEMENTS = 10
"""Lost statements that are told where nobody asks for one."""


RemedyKind = Literal["pin", "retrieval", "limit", "preset"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """Something that would have kept the statement, or retrieval, which may not have."""

    kind: RemedyKind
    strategy: Strategy
    title: str
    """The name of the strategy, or of the product whose preset it is."""
    more_tokens: int
    """Tokens of all requests and summaries of the conversation, less those of the run that forgot."""
    more_usd: float | None
    """The same in US dollars, with the provider's prompt cache; ``None`` where a price is unknown."""
    keeps: bool = True
    rank: int | None = None
    """The place of the message among those that retrieval finds, from 1; ``None`` where it finds it not at all."""
    found: int = 0
    """The messages that it finds."""


@dataclass(frozen=True, eq=False)
class Why:
    """A statement under one setting: said, sent, and lost or not. Positions count from 0."""

    run: Run
    probe: Probe
    """What is looked up in every request: ``answers`` is its value, ``evidence`` the message that says it first."""
    judged: Retention
    """What each request knows of all that was looked up with it."""
    column: int
    """The place (0-based) of the probe among these."""
    said: tuple[int, ...]
    """The messages that say it."""
    is_word_for_word: bool
    """They have the phrase as it was given; else they say the same value."""
    spans: tuple[Span, ...]
    loss: Span | None
    """Its last loss: the requests, one after the other, that did not hold it."""
    compaction: Compaction | None
    """The compaction that took it; ``None`` where the rule sends no messages so old."""
    without: int
    """Requests that did not hold it."""
    since: int
    """Requests since the loss began, these among them."""
    need: Need | None = None
    remedies: tuple[Remedy, ...] = ()

    @property
    def is_lost(self) -> bool:
        """True where any request was without it after it had been said."""
        return self.loss is not None

    @property
    def is_denied(self) -> bool:
        """True where the last requests mention it only where it is denied or outdated."""
        return bool(self.spans) and self.spans[-1].state is Knowledge.CONTRADICTED

    @property
    def _recorded(self) -> Recorded | None:
        strategy = self.run.strategy
        return strategy if isinstance(strategy, Recorded) else None

    @property
    def edits_prompt(self) -> bool:
        """True where the log's program edited its system prompt later, which nobody has."""
        return self._recorded is not None and self._recorded.edits_prompt

    @property
    def other_sentence(self) -> str:
        """The sentence of the first request without it that has its value all the same; "" where none has."""
        if self.lost_at is None:
            return ""
        texts = [readable(message) for message in self.lost_at.context.messages]
        return sentence_with_value(self.probe, texts)

    @property
    def is_recorded(self) -> bool:
        """True where this is what the log says that its program did."""
        return self._recorded is not None

    @property
    def event(self) -> RecordedEvent | None:
        """The compaction that took it, as the log has it."""
        if self.compaction is None or self._recorded is None:
            return None
        return self._recorded.event_after(self.compaction.after_message + 1)

    @property
    def sent_until(self) -> Span | None:
        """The requests that held it last before the loss; of one that is not lost the last ones that hold it."""
        before = takewhile(lambda span: span is not self.loss, self.spans)
        spans_with_it = [span for span in before if span.state.is_known]
        return spans_with_it[-1] if spans_with_it else None

    @property
    def lost_at(self) -> TurnRecord | None:
        """The first request of the loss."""
        return None if self.loss is None else self.at(self.loss.first_place)

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions of the summary (from 1) that the last request to hold it was sent."""
        if self.sent_until is None:
            return ()
        record = self.at(self.sent_until.last_place)
        versions = versions_of(record.parts, self.run.space.summaries)
        return tuple(version + 1 for version in versions)

    @property
    def words_left(self) -> tuple[str, ...]:
        """The words of the statement that the summaries of the first request without it still have: it may say the same
        in other words, which nobody here reads."""
        record = self.lost_at
        if record is None:
            return ()
        summaries = self.run.space.summaries
        words_held = frozenset[str]()
        for version in versions_of(record.parts, summaries):
            words_held |= content_words(summaries.versions[version].text)
        statement = self.probe.question.replace(BLANK, self.probe.answers[0])
        return spelled(statement, words_held)

    def at(self, place: int) -> TurnRecord:
        """Return the request at a place of ``spans``."""
        return self.run.requests[self.judged.number_at(place)]

    @property
    def states(self) -> NDArray[np.uint8]:
        """Its state at each request of the run, as :class:`Knowledge` codes."""
        states: NDArray[np.uint8] = self.judged.states[:, self.column]
        return states

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON. Messages count from 1 there, as people number them."""
        log = self.run.log
        value: dict[str, Any] = {
            "strategy": self.run.strategy.label,
            "is_recorded": self.is_recorded,
            "statement": self.probe.question,
            "value": self.probe.answers[0],
            "said": [_message(log, position) for position in self.said],
            "is_word_for_word": self.is_word_for_word,
            "is_lost": self.is_lost,
            "is_denied": self.is_denied,
            "other_sentence": self.other_sentence,
            "edits_system_prompt": self.edits_prompt,
            "spans": [_span(span) for span in self.spans],
            "lost": None if self.loss is None else _span(self.loss),
            "without_requests": self.without,
            "requests_since": self.since,
            "summary_versions": list(self.versions),
            "words_left": list(self.words_left),
            "ended_by": None,
            "recorded": None if self.event is None else self.event.to_dict(),
            "needed": None,
            "would_have_kept": [_remedy(remedy) for remedy in self.remedies],
        }
        if self.compaction is not None:
            value["ended_by"] = _ended_by(self.compaction)
        if self.need is not None:
            needed = _message(log, self.need.position)
            value["needed"] = {**needed, "words": list(self.need.words)}
        return value


def _message(log: Log, position: int) -> dict[str, Any]:
    return {
        "message": message_number(position),
        "turn": log.turn_number(position),
        "role": log[position].role,
        "name": log[position].name,
    }


def _ended_by(compaction: Compaction) -> dict[str, Any]:
    value = compaction.to_dict()
    # States of the memory count from 0, and say no more than what is told here.
    del value["before"], value["after"]
    for name in ("after_message", "keep_from"):
        value[name] = message_number(value[name])
    if value["summarized"]:
        value["summarized"] = [*map(message_number, compaction.summarized)]
    return value


def _span(span: Span) -> dict[str, Any]:
    return {
        "state": span.state.name.lower(),
        "first": {"turn": span.first_turn, "call": span.first_call},
        "last": {"turn": span.last_turn, "call": span.last_call},
    }


def _remedy(remedy: Remedy) -> dict[str, Any]:
    return {
        "kind": remedy.kind,
        "strategy": {"id": remedy.strategy.id, **remedy.strategy.model_dump()},
        "title": remedy.title,
        "label": remedy.strategy.label,
        "keeps": remedy.keeps,
        "more_tokens": remedy.more_tokens,
        "more_usd": remedy.more_usd,
        "rank": remedy.rank,
        "found": remedy.found,
    }


def explain(run: Run, probes: Sequence[Probe]) -> Iterator[Why]:
    """Yield what became of each probe that was said in ``run``."""
    texts = texts_of(run, probes)
    judged = judge(run, texts)
    causes = LossCauses(run, texts)
    words_at = cache(lambda position: content_words(readable(run.log[position])))
    for life in life_lines(run, judged, texts):
        states = judged.states[:, life.probe]
        probe = probes[life.probe]
        losses = [span for span in life.spans if span.state is Knowledge.LOST]
        loss = losses[-1] if losses else None
        compaction = need = None
        first = len(states)
        if loss is not None:
            first = judged.number_at(loss.first_place)
            number = causes.by(first, life.probe)
            compaction = None if number is None else run.compactions[number]
            if compaction is None and isinstance(run.strategy, Recorded):
                # What happened has no rule: only a compaction can have done it.
                compaction = next(reversed(run.requests[first].compactions), None)
            lost = states == Knowledge.LOST
            says = np.diff(texts.counts.answers[:, life.probe]) > 0
            need = find_need(run, probe, lost, says, words_at)
        yield Why(
            run,
            probe,
            judged,
            life.probe,
            said=tuple(sorted(probe.evidence)),
            is_word_for_word=True,
            spans=life.spans,
            loss=loss,
            compaction=compaction,
            without=int((states[first:] == Knowledge.LOST).sum()),
            since=len(states) - first,
            need=need,
        )


def sentence_saying(text: str, answers: Sequence[str]) -> str:
    """Return the first sentence of a text that contains any of ``answers``, else that says the first of them in other
    words; "" where none does."""
    sentences = [sentence.text for sentence in split_passage(text).sentences]
    for answer in answers:
        for sentence in sentences:
            if contains(sentence, answer):
                return sentence
    for sentence in sentences:
        if says_same(answers[0], sentence):
            return sentence
    return ""


def lost_statements(run: Run, probes: Sequence[Probe]) -> list[Why]:
    """Return the statements that the last request is without, those first that look most like what has to be kept:
    facts, and rules and decisions that state no value."""
    # Apart, for what denies a fact is a part of a rule.
    statements = [*explain(run, probes), *explain(run, rules_of(run.log, probes))]
    lost = [
        statement
        for statement in statements
        if statement.loss and statement.loss is statement.spans[-1]
    ]
    lost.sort(
        key=lambda statement: (
            _is_of_tool(statement),
            _weight(statement.probe),
            -statement.without,
        ),
    )
    return lost[:MOST_STATEMENTS]


def _is_of_tool(statement: Why) -> bool:
    positions = statement.said
    return bool(positions) and statement.run.log[positions[0]].role == "tool"


def _weight(probe: Probe) -> int:
    """Return a number that is smaller for what looks like a rule or a decision, then for the kinds in their order."""
    if RULE_OR_DECISION.search(probe.question):
        return -1
    if probe.category in CATEGORIES:
        return CATEGORIES.index(probe.category)
    return len(CATEGORIES)
