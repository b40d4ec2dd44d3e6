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
from memviz.core.translation import _, ngettext, noop, plural_noop
from memviz.dashboard.words import shorten
from memviz.dashboard.words.compactions import (
    compaction_words,
    name_counted_amount,
    request_title,
    simplify_twofold_limit,
    size_words,
)
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import count_recalled_tokens
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import build_fate_map
from memviz.metrics.memory_map.stretches import encode_fate
from memviz.metrics.retention.knowledge import Knowledge, Retention
from memviz.metrics.retention.life_lines import LossCauses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.transcripts.base import Probe

Sentence = list[str]
"""Texts of which every second one is said with emphasis. Nothing in them is ever markup."""
MOST_NAMED = 3
MOST_ANSWER_CHARS = 60
_COUNTS = (
    (
        re.compile(r"([\d,]+) (token|message|turn|second|fact)s > (2 x \d+|\d[\d,]*)"),
        noop("{held}, over the limit of {limit}"),
        noop("{counts} had grown to {size}."),
    ),
    (
        re.compile(r"([\d,]+) (token|message|turn|second)s ≥ (\d.*)"),
        noop("{held}, the limit being {limit}"),
        noop("{counts} had reached {size}."),
    ),
)
"""The sentences for reasons such as ``1,600 tokens > 1,500`` or ``13 messages > 2 x 6``, and such as ``10 turns ≥
10``."""
_THE_MEMORY = noop("the memory")
_EMPHASIS = "\ue000"
"""Stands before and behind what is said with emphasis, until a sentence is taken apart. No text has it: it is nobody's
character."""


def compaction_sentence(run: Run, compaction: Compaction) -> Sentence:
    """Return ``messages not yet summarized had grown to`` **1,600 tokens, over the limit of 1,500**. ``Summarized
    messages 13 to 18. The request:`` **1,874 → 993 tokens**."""
    words = compaction_words(compaction, run)
    why = _why(compaction)
    if compaction.error is not None:
        what = _("{what}. {result}.", what=_emphasize(words.what), result=words.result)
    else:
        what = _(
            "{what}. {request}: {sizes}.",
            what=_and_how_often(words.what, run, compaction),
            request=request_title(compaction, run),
            sizes=_emphasize(size_words(compaction, run)),
        )
    if why:
        what = _("{why} {what}", why=why, what=what)
    return _sentence(what)


def _why(compaction: Compaction) -> str:
    """Return why it was due, as a sentence."""
    reason = compaction.reason
    if not reason:
        return ""
    counts = _(compaction.strategy.limits or _THE_MEMORY)
    if "," in counts:
        # The comma ends a clause that began with the first one.
        counts += ","
    for pattern, size_template, template in _COUNTS:
        match = pattern.fullmatch(reason)
        if match:
            number, unit, limit = match.groups()
            size = _(
                size_template,
                held=counted(int(number.replace(",", "")), unit),
                limit=simplify_twofold_limit(limit),
            )
            return _(template, counts=counts, size=_emphasize(size))
    named = name_counted_amount(compaction.strategy, simplify_twofold_limit(reason))
    return _("{reason}.", reason=_emphasize(named))


def _and_how_often(what: str, run: Run, compaction: Compaction) -> str:
    """Return what was done, and which messages the new summary holds that had been summarized before, if any."""
    if compaction.written is None or compaction.replaces is None:
        return what
    generations = build_fate_map(run).generations
    # The number of summaries that each message went through, by the new version.
    times = generations.row(compaction.written.version - 1, len(run.log))
    most_times = int(times.max(initial=0))
    if most_times <= 1:
        return what
    oldest = in_ranges(np.flatnonzero(times == most_times).tolist())[0]
    return _(
        "{what}; by now {messages} went through {summaries}",
        what=what,
        messages=message_range(oldest),
        summaries=counted(most_times, "summary"),
    )


def recall_sentence(record: TurnRecord) -> Sentence:
    """Return what was brought back into a request."""
    log = record.memory.log
    positions = record.parts.recalled
    turns = sorted({log.turn_number(position) for position in positions})
    what = _(
        "{messages} of {turns}",
        messages=counted(positions, "message"),
        turns=turn_list(turns, MOST_NAMED),
    )
    size = f"+{counted(count_recalled_tokens(record), 'token')}"
    return _sentence(
        _(
            "{what} came back, word for word: {size}.",
            what=_emphasize(what),
            size=_emphasize(size),
        )
    )


def dropped_sentence(dropped: Sequence[int]) -> Sentence:
    """Return what a request sends no more, and nothing stands for."""
    ranges = in_ranges(dropped)
    words = counted(dropped, "message")
    if len(ranges) <= MOST_NAMED:
        words = listed(map(message_range, ranges))
    return _sentence(
        ngettext(
            "{messages} is sent no more, and nothing stands for it.",
            "{messages} are sent no more, and nothing stands for them.",
            len(dropped),
            messages=_emphasize(words),
        )
    )


def setting_sentence(run: Run, record: TurnRecord) -> Sentence:
    """Return which setting the chat was given."""
    label = _emphasize(run.strategy_at(record.turn).label)
    return _sentence(
        _("from here on the chat has another setting, {setting}.", setting=label)
    )


def loss_sentence(run: Run, facts: Sequence[Probe], lost_by: int | None) -> Sentence:
    """Return which facts a request knows no more, and what took them: the number of a compaction (``None``: what said
    so is not sent)."""
    answers = []
    for fact in facts[:MOST_NAMED]:
        answers.append(f"“{shorten(fact.answers[0], MOST_ANSWER_CHARS)}”")
    more = len(facts) - len(answers)
    if more:
        answers.append(_("{more:,} more", more=more))
    return _sentence(_loss(run, len(facts), _emphasize(listed(answers)), lost_by))


_NOT_SENT = plural_noop(
    "the fact {facts} is lost: what said so is sent no more.",
    "{number:,} facts {facts} are lost: what said so is sent no more.",
)
_LEFT_OUT = plural_noop(
    "the fact {facts} is lost: version {version:,} of the summary leaves it out.",
    "{number:,} facts {facts} are lost: version {version:,} of the summary leaves them out.",
)
_LOST_BY = plural_noop(
    "the fact {facts} is lost: {cause}.",
    "{number:,} facts {facts} are lost: {cause}.",
)


def _loss(run: Run, many: int, facts: str, lost_by: int | None) -> str:
    if lost_by is None:
        return ngettext(*_NOT_SENT, many, facts=facts)
    compaction = run.compactions[lost_by]
    if compaction.version is not None:
        return ngettext(*_LEFT_OUT, many, facts=facts, version=compaction.version)
    cause = compaction_words(compaction, run).act
    return ngettext(*_LOST_BY, many, facts=facts, cause=cause)


def _emphasize(text: str) -> str:
    """Return a text that is said with emphasis."""
    return f"{_EMPHASIS}{text.replace(_EMPHASIS, '')}{_EMPHASIS}"


def _sentence(text: str) -> Sentence:
    return text.split(_EMPHASIS)


EVENT_NOUNS = {
    "summarized": noop("summarization"), "cleared": noop("clearing"), "shortened": noop("shortening"),
    "recalled": noop("recall"), "fact lost": noop("lost fact"), "dropped": noop("dropped message"),
    "failed": noop("failure"), "switched": noop("other setting"), "decided": noop("decision of the user"),
}  # fmt: skip
"""The noun for an event of each kind."""
_KIND_OF = {
    "summarized": "summarized",
    "cleared": "cleared",
    "shortened": "shortened",
    "evicted": "dropped",
}
_DROPPED = encode_fate(Fate.DROPPED)
Codes = NDArray[np.uint8]
Event = dict[str, Any]


@dataclass(frozen=True, eq=False)
class EventTeller:
    """Tells the events of the requests of a run."""

    run: Run
    retention: Retention | None = None
    """The facts that the requests of the run retain, to tell which are lost."""
    texts: ProbeTexts | None = None
    """The looked-up texts that ``retention`` was made with, if they are at hand."""

    def events(
        self, number: int, codes: Codes, codes_before: Codes | None
    ) -> list[Event]:
        """Return the events of request ``number`` (0-based) as JSON, the weightiest first. ``codes`` say what became of
        every message at that request (:data:`memviz.metrics.memory_map.stretches.STEPS`), ``codes_before`` at the
        request before; ``None`` for the first one."""
        run = self.run
        record = run.requests[number]
        events = []
        for compaction in record.compactions:
            sentence = compaction_sentence(run, compaction)
            events.append({"kind": _kind(compaction), "sentence": sentence})

        # What is new since the request before.
        recalled_before: set[int] = set()
        is_switched = False
        if number:
            strategy_before = run.strategy_at(run.requests.turn_at(number - 1))
            is_switched = run.strategy_at(record.turn) is not strategy_before
            recalled_before.update(run.requests.parts_at(number - 1).recalled)
        if is_switched:
            sentence = setting_sentence(run, record)
            events.append({"kind": "switched", "sentence": sentence})
        if set(record.parts.recalled) - recalled_before:
            events.append({"kind": "recalled", "sentence": recall_sentence(record)})

        # A sentence on another setting, or on an eviction, says already why messages are gone.
        is_explained = is_switched or any(
            event["kind"] == "dropped" for event in events
        )
        if codes_before is not None and not is_explained:
            was_sent = codes_before != _DROPPED
            is_dropped = codes[: len(codes_before)] == _DROPPED
            dropped = np.flatnonzero(is_dropped & was_sent).tolist()
            if dropped:
                sentence = dropped_sentence(dropped)
                events.append({"kind": "dropped", "sentence": sentence})
        return [*events, *self._losses(number)]

    def _losses(self, number: int) -> Iterator[Event]:
        """Yield an event for each cause by which the request knows facts no more."""
        if self.retention is None or not number:
            return
        is_lost = self.retention.states[number] == Knowledge.LOST
        was_known = self.retention.retained[number - 1]
        facts_by_cause: dict[int | None, list[int]] = {}
        for fact in np.flatnonzero(is_lost & was_known).tolist():
            cause = self._causes.find_cause(number, fact)
            facts_by_cause.setdefault(cause, []).append(fact)
        for cause, facts in facts_by_cause.items():
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
