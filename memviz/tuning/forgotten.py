"""The story of a statement under one setting: where it was said, until when requests held it, and what took it out.

:func:`explain_probes` reads it off a run. ``memviz.why`` (:mod:`~memviz.tuning.why`) adds what would have kept the
statement (:mod:`~memviz.tuning.remedies`); pages and the command line show it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.requests.request_table import list_sent_versions
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import LossCauses, Span, life_lines
from memviz.metrics.retention.proposed_probes import BLANK
from memviz.strategies.base import Strategy
from memviz.transcripts.base import CATEGORIES, Probe, RecordedEvent
from memviz.tuning.needs import Need, find_need, spell_words
from memviz.tuning.recorded import Recorded
from memviz.tuning.statements import (
    RULE_OR_DECISION,
    find_rules,
    find_sentence_with_value,
    judge_probes,
    read_texts,
    says_same,
)

MOST_STATEMENTS = 10
"""The most lost statements that are listed where the user asks for none in particular."""


RemedyKind = Literal["pin", "retrieval", "limit", "preset"]


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that would have kept the statement in the requests. Retrieval is listed even if it would not have."""

    kind: RemedyKind
    strategy: Strategy
    title: str
    """The name of the strategy, or of the product whose preset it is."""
    more_tokens: int
    """Tokens of all requests and summaries of the conversation, minus those of the run that forgot."""
    more_usd: float | None
    """The same in US dollars, with the provider's prompt cache; ``None`` where a price is unknown."""
    keeps: bool = True
    rank: int | None = None
    """The rank (from 1) of the message among those that retrieval finds; ``None`` where it does not find it."""
    found: int = 0
    """The number of messages that retrieval finds."""


@dataclass(frozen=True, eq=False)
class Why:
    """The story of one statement under one setting. Positions in the log count from 0."""

    run: Run
    probe: Probe
    """The statement as it is looked up: ``answers`` is its value, ``evidence`` the message that says it first."""
    judged: Retention
    """The retention of ``probe`` and of the probes that were looked up together with it."""
    column: int
    """The column (0-based) of ``probe`` in ``judged``."""
    said: tuple[int, ...]
    """The log positions of the messages that say it."""
    is_word_for_word: bool
    """True if these messages have the phrase as the user gave it, false if they only say the same value."""
    spans: tuple[Span, ...]
    """The spans of requests in which its state stayed the same, in order."""
    loss: Span | None = None
    """The last span of requests that did not hold it; ``None`` if it was never lost."""
    compaction: Compaction | None = None
    """The compaction that caused the loss; ``None`` where the setting just sends no messages so old."""
    without: int = 0
    """The number of requests since the loss began that did not hold it."""
    since: int = 0
    """The number of requests since the loss began."""
    need: Need | None = None
    """A later message that seems to need the statement, sent without it; ``None`` where there is none."""
    remedies: tuple[Remedy, ...] = ()

    @property
    def is_lost(self) -> bool:
        """True if any request did not hold it after it had been said."""
        return self.loss is not None

    @property
    def is_denied(self) -> bool:
        """True if the last requests mention it only to deny it, or as outdated."""
        if not self.spans:
            return False
        last_state = self.spans[-1].state
        return last_state is Knowledge.CONTRADICTED

    @property
    def _recorded_strategy(self) -> Recorded | None:
        strategy = self.run.strategy
        return strategy if isinstance(strategy, Recorded) else None

    @property
    def edits_prompt(self) -> bool:
        """True if the program that wrote the log edited its system prompt later: the log lacks those versions."""
        recorded = self._recorded_strategy
        return recorded is not None and recorded.edits_prompt

    @property
    def other_sentence(self) -> str:
        """A sentence with the same value in the first request without the statement; "" where there is none."""
        if self.lost_at is None:
            return ""
        texts = [read_message(message) for message in self.lost_at.context.messages]
        return find_sentence_with_value(self.probe, texts)

    @property
    def is_recorded(self) -> bool:
        """True if the setting is what the program that wrote the log did, as the log records it."""
        return self._recorded_strategy is not None

    @property
    def event(self) -> RecordedEvent | None:
        """The entry of the log for :attr:`compaction`; ``None`` for a setting that is not recorded."""
        recorded = self._recorded_strategy
        if self.compaction is None or recorded is None:
            return None
        return recorded.event_after(self.compaction.after_message + 1)

    @property
    def sent_until(self) -> Span | None:
        """The last span of requests before the loss that held it, or the last of all if it was not lost."""
        spans_before_loss = takewhile(lambda span: span is not self.loss, self.spans)
        spans_with_it = [span for span in spans_before_loss if span.state.is_known]
        return spans_with_it[-1] if spans_with_it else None

    @property
    def lost_at(self) -> TurnRecord | None:
        """The first request that did not hold it; ``None`` if it was not lost."""
        return None if self.loss is None else self.at(self.loss.first_place)

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions of the summary (from 1) in the last request that held it."""
        if self.sent_until is None:
            return ()
        record = self.at(self.sent_until.last_place)
        versions = list_sent_versions(record.parts, self.run.space.summaries)
        return tuple(version + 1 for version in versions)

    @property
    def words_left(self) -> tuple[str, ...]:
        """The words of the statement that the summaries of the first request without it still have.

        They are shown to the user because a summary may say the same in other words, which memviz does not recognize.
        """
        record = self.lost_at
        if record is None:
            return ()
        summaries = self.run.space.summaries
        summary_words = frozenset[str]()
        for version in list_sent_versions(record.parts, summaries):
            summary_words |= content_words(summaries.versions[version].text)
        statement = self.probe.question.replace(BLANK, self.probe.answers[0])
        return spell_words(statement, summary_words)

    def at(self, place: int) -> TurnRecord:
        """Return the request at a place on the axis of requests, such as ``first_place`` of a span."""
        return self.run.requests[self.judged.number_at(place)]

    @property
    def states(self) -> NDArray[np.uint8]:
        """Its state at each request of the run, as :class:`Knowledge` codes."""
        states: NDArray[np.uint8] = self.judged.states[:, self.column]
        return states

    def to_dict(self) -> dict[str, Any]:
        """Return the story as JSON, in which messages count from 1, as people number them."""
        log = self.run.log
        value: dict[str, Any] = {
            "strategy": self.run.strategy.label,
            "is_recorded": self.is_recorded,
            "statement": self.probe.question,
            "value": self.probe.answers[0],
            "said": [_describe_message(log, position) for position in self.said],
            "is_word_for_word": self.is_word_for_word,
            "is_lost": self.is_lost,
            "is_denied": self.is_denied,
            "other_sentence": self.other_sentence,
            "edits_system_prompt": self.edits_prompt,
            "spans": [_describe_span(span) for span in self.spans],
            "lost": None if self.loss is None else _describe_span(self.loss),
            "without_requests": self.without,
            "requests_since": self.since,
            "summary_versions": list(self.versions),
            "words_left": list(self.words_left),
            "ended_by": None,
            "recorded": None if self.event is None else self.event.to_dict(),
            "needed": None,
            "would_have_kept": [_describe_remedy(remedy) for remedy in self.remedies],
        }
        if self.compaction is not None:
            value["ended_by"] = _describe_compaction(self.compaction)
        if self.need is not None:
            needed = _describe_message(log, self.need.position)
            value["needed"] = {**needed, "words": list(self.need.words)}
        return value


def _describe_message(log: Log, position: int) -> dict[str, Any]:
    return {
        "message": message_number(position),
        "turn": log.turn_number(position),
        "role": log[position].role,
        "name": log[position].name,
    }


def _describe_compaction(compaction: Compaction) -> dict[str, Any]:
    value = compaction.to_dict()
    # The states of the memory before and after say no more than the other fields.
    del value["before"], value["after"]
    for name in ("after_message", "keep_from"):
        value[name] = message_number(value[name])
    if value["summarized"]:
        value["summarized"] = [*map(message_number, compaction.summarized)]
    return value


def _describe_span(span: Span) -> dict[str, Any]:
    return {
        "state": span.state.name.lower(),
        "first": {"turn": span.first_turn, "call": span.first_call},
        "last": {"turn": span.last_turn, "call": span.last_call},
    }


def _describe_remedy(remedy: Remedy) -> dict[str, Any]:
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


def explain_probes(run: Run, probes: Sequence[Probe]) -> Iterator[Why]:
    """Yield the story of each of ``probes`` that a message of ``run`` states."""
    texts = read_texts(run, probes)
    judged = judge_probes(run, texts)
    causes = LossCauses(run, texts)
    words_at = cache(lambda position: content_words(read_message(run.log[position])))
    for life in life_lines(run, judged, texts):
        probe = probes[life.probe]
        story = Why(
            run,
            probe,
            judged,
            life.probe,
            said=tuple(sorted(probe.evidence)),
            is_word_for_word=True,
            spans=life.spans,
        )
        losses = [span for span in life.spans if span.state is Knowledge.LOST]
        if not losses:
            yield story
            continue
        first_lost = judged.number_at(losses[-1].first_place)
        is_lost = story.states == Knowledge.LOST
        says_value = np.diff(texts.counts.answers[:, life.probe]) > 0
        yield replace(
            story,
            loss=losses[-1],
            compaction=_find_cause(
                run, causes.find_cause(first_lost, life.probe), first_lost
            ),
            without=int(is_lost[first_lost:].sum()),
            since=len(is_lost) - first_lost,
            need=find_need(run, probe, is_lost, says_value, words_at),
        )


def _find_cause(run: Run, number: int | None, first_lost: int) -> Compaction | None:
    """Return the compaction of this ``number``, or what else caused the loss that request ``first_lost`` begins."""
    if number is not None:
        return run.compactions[number]
    if isinstance(run.strategy, Recorded):
        # A recorded program has no rule that drops messages: only a compaction can have done it.
        return next(reversed(run.requests[first_lost].compactions), None)
    return None


def find_sentence_saying(text: str, answers: Sequence[str]) -> str:
    """Return the sentence of ``text`` that states any of ``answers``; "" where none does.

    A sentence that contains an answer comes before one that says the first answer in other words.
    """
    sentences = [sentence.text for sentence in split_passage(text).sentences]
    for answer in answers:
        for sentence in sentences:
            if contains(sentence, answer):
                return sentence
    for sentence in sentences:
        if says_same(answers[0], sentence):
            return sentence
    return ""


def list_lost_statements(run: Run, probes: Sequence[Probe]) -> list[Why]:
    """Return the statements that the last request does not hold: facts of ``probes``, and rules of the log.

    Those that look most like rules and decisions come first, statements of tools last.
    """
    # Rules are looked up by themselves: a part of a rule would seem to deny a fact.
    statements = [
        *explain_probes(run, probes),
        *explain_probes(run, find_rules(run.log, probes)),
    ]
    lost_at_end = [
        statement
        for statement in statements
        if statement.loss and statement.loss is statement.spans[-1]
    ]
    lost_at_end.sort(key=_rank_statement)
    return lost_at_end[:MOST_STATEMENTS]


def _rank_statement(statement: Why) -> tuple[bool, int, int]:
    positions = statement.said
    is_of_tool = bool(positions) and statement.run.log[positions[0]].role == "tool"
    return is_of_tool, _rank_probe(statement.probe), -statement.without


def _rank_probe(probe: Probe) -> int:
    """Return a number to sort probes by: rules and decisions first, then the categories in their order."""
    if RULE_OR_DECISION.search(probe.question):
        return -1
    if probe.category in CATEGORIES:
        return CATEGORIES.index(probe.category)
    return len(CATEGORIES)
