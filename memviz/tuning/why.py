"""The answer to why a phrase was forgotten, under one setting or several. Nobody is asked for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any, Literal, get_args

import numpy as np

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.errors import MemvizError, ParameterError
from memviz.core.text.containment import contains
from memviz.core.text.sentences import split_passage
from memviz.core.text.wording import message_number
from memviz.core.text.words import content_words
from memviz.core.translation import _
from memviz.engine.replay import Messages, as_log, replay
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.models.names import DEFAULT_MODEL
from memviz.strategies import COMPARED_AT_FIRST
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe, RecordedEvent, Transcript
from memviz.tuning.forgotten import Why, explain, lost_statements
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recorded import recorded_run
from memviz.tuning.remedies import Offer
from memviz.tuning.statements import Statement, restates, statement_or_value

MOST_NEAR = 20
"""Messages whose sentences are held against a phrase that nobody says."""


PhraseKind = Literal["", "rule", "value"]


class NotSaidError(MemvizError):
    """No message says the phrase."""


def why(
    messages: Messages,
    phrase: str = "",
    *,
    strategies: Sequence[Strategy] | Strategy | None = None,
    counter: AnyCounter = DEFAULT_COUNTER,
    prices_of: str = DEFAULT_MODEL,
    runs: Sequence[Run] = (),
    kind: PhraseKind = "",
) -> tuple[Why, ...]:
    """Return why a conversation's ``phrase`` was forgotten, once a setting; without a phrase the ten statements of each
    setting that were lost at the end and look most like rules, decisions and numbers, without what would have kept
    them.

    ``strategies`` are the settings to look at. Without them it is what the log itself says, if its program recorded its
    compactions, and else the three settings that Compare opens with. ``runs`` are those of the conversation that are
    there already: no others are made then. Summaries are the built-in model's. ``prices_of`` names whose prices count.
    ``kind`` says how the phrase is looked up: a *rule* by its words, a *value* alone in whatever sentence; without it
    as the phrase looks.

    Raises :class:`NotSaidError` where nobody says the phrase, :class:`ParameterError` for another ``kind``, and what
    :func:`memviz.replay` does.
    """
    kinds = get_args(PhraseKind)
    if kind not in kinds:
        raise ParameterError("kind", kind, ", ".join(map(repr, kinds)))
    probes: Sequence[Probe] = ()
    events: Sequence[RecordedEvent] = ()
    if isinstance(messages, Transcript):
        probes = messages.probes
        events = messages.events
    else:
        # One log for all runs, so that its tokens are counted once.
        messages = as_log(messages)
    if not runs:
        runs = runs_to_explain(messages, strategies, counter)
    log = runs[0].log
    if not phrase.strip():
        probes = probes or propose_probes(log)
        losses: list[Why] = []
        for run in runs:
            losses += lost_statements(run, probes)
        return tuple(losses)
    positions, is_word_for_word = _find_phrase(log, phrase)
    if not positions:
        raise _not_said(log, phrase, events)
    if kind == "rule":
        probe: Probe = Statement(phrase, (phrase,), tuple(positions[:1]), category="")
    elif kind == "value":
        probe = Probe(phrase, (phrase,), tuple(positions[:1]), category="")
    else:
        value = _value_of(phrase, positions, probes or propose_probes(log, len(log)))
        probe = statement_or_value(log, phrase, value, positions)
    offer = Offer(messages, PricingAssumptions.of(prices_of))
    answers = []
    for run in runs:
        (answer,) = explain(run, [probe])
        answer = replace(answer, said=positions, is_word_for_word=is_word_for_word)
        answers.append(offer.with_remedies(answer))
    return tuple(answers)


def why_lost(
    messages: Messages, run: Run, probe: Probe, prices: PricingAssumptions
) -> Why:
    """Return why ``run``, one of these messages, forgot a fact that they state, and what would have kept it."""
    (answer,) = explain(run, [probe])
    return Offer(messages, prices).with_remedies(answer)


def runs_to_explain(
    messages: Messages,
    strategies: Sequence[Strategy] | Strategy | None,
    counter: AnyCounter,
) -> list[Run]:
    """Return the runs that :func:`why` looks at. Its arguments are those of that function."""
    if isinstance(strategies, Strategy):
        strategies = [strategies]
    if not strategies:
        if isinstance(messages, Transcript):
            recorded = recorded_run(messages, counter)
            if recorded is not None:
                return [recorded]
        strategies = [
            make_strategy(id, **parameters) for id, parameters in COMPARED_AT_FIRST
        ]
    return [replay(messages, strategy, counter=counter) for strategy in strategies]


def _find_phrase(log: Log, phrase: str) -> tuple[tuple[int, ...], bool]:
    """Return the messages that say the phrase, and whether word for word: none where nobody says it.

    If none has it word for word, those that say the same value; then those that have it as a part of words, for "5 GB"
    is no part of "15 GB" where "5 GB" stands elsewhere; and last those that say it in other words.
    """
    texts = [readable(message) for message in log]
    parts = _saying(texts, phrase)
    positions = [position for position in parts if contains(texts[position], phrase)]
    if positions:
        return tuple(positions), True
    positions = [
        position for position, text in enumerate(texts) if contains(text, phrase)
    ]
    if positions:
        return tuple(positions), False
    if parts:
        return tuple(parts), True
    positions = [
        position for position, text in enumerate(texts) if restates(text, phrase)
    ]
    return tuple(positions), False


def _not_said(log: Log, phrase: str, events: Iterable[RecordedEvent]) -> NotSaidError:
    """Return the error for a phrase that no message says: it names the summary of the log that says it, else the
    sentence that is nearest to it."""
    for event in events:
        if _saying([event.text], phrase) or contains(event.text, phrase):
            return NotSaidError(
                _(
                    "No message says {phrase!r}, only the summary that the log has after message {number:,} "
                    "(turn {turn:,}).",
                    phrase=phrase,
                    number=event.after_message,
                    turn=log.turn_number(event.after_message - 1),
                )
            )
    scores = log.word_index().scores(content_words(phrase), 0, len(log))
    if not scores.any():
        return NotSaidError(_("No message says {phrase!r}.", phrase=phrase))
    position, sentence = _nearest_sentence(log, scores, phrase)
    return NotSaidError(
        _(
            "No message says {phrase!r}. The nearest is message {number:,} (turn {turn:,}): “{text}”",
            phrase=phrase,
            number=message_number(position),
            turn=log.turn_number(position),
            text=sentence,
        )
    )


def says(messages: Messages, phrase: str) -> bool:
    """Return whether any message has the phrase word for word."""
    return bool(_saying([readable(message) for message in as_log(messages)], phrase))


def _saying(texts: Sequence[str], phrase: str) -> list[int]:
    """Return the numbers of the texts that have the phrase, whatever the case and the breaks, also inside a word."""
    folded_phrase = " ".join(phrase.split()).casefold()
    return [
        position
        for position, text in enumerate(texts)
        if folded_phrase in " ".join(text.split()).casefold()
    ]


def _nearest_sentence(log: Log, scores: Any, phrase: str) -> tuple[int, str]:
    """Return the sentence that is written most like the phrase, of the messages that share most words with it, and the
    position of its message."""
    matcher = SequenceMatcher(b=phrase.casefold())
    best = (0.0, 0, "")
    for position in np.argsort(-scores)[:MOST_NEAR].tolist():
        for sentence in split_passage(readable(log[position])).sentences:
            matcher.set_seq1(sentence.text.casefold())
            best = max(best, (matcher.ratio(), -position, sentence.text))
    return -best[1], best[2]


def _value_of(phrase: str, positions: Sequence[int], probes: Iterable[Probe]) -> str:
    """Return the longest value of the phrase that a probe of its messages asks for, else the whole phrase: a summary
    says a sentence in other words, but its value as it is. "The deposit is 1,800 euros." -> 1,800 euros"""
    values = []
    for probe in probes:
        is_of_these = not set(probe.evidence).isdisjoint(positions)
        if is_of_these and contains(phrase, probe.answers[0]):
            values.append(probe.answers[0])
    return max(values, key=len, default=phrase)
