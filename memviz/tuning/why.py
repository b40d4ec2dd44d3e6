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
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.retention.proposed_probes import propose_probes
from memviz.models.names import DEFAULT_MODEL
from memviz.strategies import COMPARED_AT_FIRST
from memviz.strategies import strategy as make_strategy
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe, RecordedEvent, Transcript
from memviz.tuning.forgotten import Why, explain_probes, list_lost_statements
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.recorded import replay_recorded
from memviz.tuning.remedies import Offer
from memviz.tuning.statements import Statement, make_statement_or_value, restates

MOST_NEAR = 20
"""The number of messages that are searched for the sentence nearest to a phrase that nobody says."""


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
    """Return why a conversation's ``phrase`` was forgotten, and what would have kept it: one answer for each setting.

    Without a phrase it returns the ten lost statements of each setting that look most like rules, decisions and
    numbers, without what would have kept them.

    Args:
        messages: The conversation.
        phrase: What somebody said, such as "the deposit is 1,800 euros".
        strategies: The settings to look at. By default it is what the log's own program did, if the log records its
            compactions, else the three settings that Compare opens with. The built-in model writes the summaries.
        counter: The token counter.
        prices_of: The model whose prices count.
        runs: Runs of the conversation that exist already; then no others are made.
        kind: ``"rule"`` looks the phrase up by its words, ``"value"`` alone in whatever sentence; by default it
            depends on how the phrase looks.

    Raises:
        NotSaidError: Nobody says the phrase.
        ParameterError: Another ``kind``. And what :func:`memviz.replay` raises.
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
        runs = list_runs_to_explain(messages, strategies, counter)
    log = runs[0].log
    if not phrase.strip():
        probes = probes or propose_probes(log)
        losses: list[Why] = []
        for run in runs:
            losses += list_lost_statements(run, probes)
        return tuple(losses)
    positions, is_word_for_word = _find_phrase(log, phrase)
    if not positions:
        raise _make_not_said_error(log, phrase, events)
    if kind == "rule":
        probe: Probe = Statement(phrase, (phrase,), tuple(positions[:1]), category="")
    elif kind == "value":
        probe = Probe(phrase, (phrase,), tuple(positions[:1]), category="")
    else:
        value = _find_value(phrase, positions, probes or propose_probes(log, len(log)))
        probe = make_statement_or_value(log, phrase, value, positions)
    offer = Offer(messages, PricingAssumptions.of(prices_of))
    answers = []
    for run in runs:
        (answer,) = explain_probes(run, [probe])
        answer = replace(answer, said=positions, is_word_for_word=is_word_for_word)
        answers.append(offer.with_remedies(answer))
    return tuple(answers)


def why_lost(
    messages: Messages, run: Run, probe: Probe, prices: PricingAssumptions
) -> Why:
    """Return why ``run`` forgot a fact that ``messages`` state, and what would have kept it."""
    (answer,) = explain_probes(run, [probe])
    return Offer(messages, prices).with_remedies(answer)


def list_runs_to_explain(
    messages: Messages,
    strategies: Sequence[Strategy] | Strategy | None,
    counter: AnyCounter,
) -> list[Run]:
    """Return the runs that :func:`why` looks at; the arguments are those of that function."""
    if isinstance(strategies, Strategy):
        strategies = [strategies]
    if not strategies:
        if isinstance(messages, Transcript):
            recorded = replay_recorded(messages, counter)
            if recorded is not None:
                return [recorded]
        strategies = [
            make_strategy(id, **parameters) for id, parameters in COMPARED_AT_FIRST
        ]
    return [replay(messages, strategy, counter=counter) for strategy in strategies]


def _find_phrase(log: Log, phrase: str) -> tuple[tuple[int, ...], bool]:
    """Return the log positions of the messages that say the phrase, and true if they say it word for word.

    These are the first that exist of: messages with the phrase as whole words; messages that contain it in another
    form; messages that have it as a part of longer words, as "5 GB" in "15 GB"; messages that say it in other words.
    """
    texts = [read_message(message) for message in log]
    parts = _find_messages_saying(texts, phrase)
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


def _make_not_said_error(
    log: Log, phrase: str, events: Iterable[RecordedEvent]
) -> NotSaidError:
    """Return the error for a phrase that no message says.

    It names the recorded summary that says the phrase, if one does, else the nearest sentence of the conversation.
    """
    for event in events:
        if _find_messages_saying([event.text], phrase) or contains(event.text, phrase):
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
    position, sentence = _find_nearest_sentence(log, scores, phrase)
    return NotSaidError(
        _(
            "No message says {phrase!r}. The nearest is message {number:,} (turn {turn:,}): “{text}”",
            phrase=phrase,
            number=message_number(position),
            turn=log.turn_number(position),
            text=sentence,
        )
    )


def contains_phrase(messages: Messages, phrase: str) -> bool:
    """Return whether any message has the phrase word for word."""
    texts = [read_message(message) for message in as_log(messages)]
    return bool(_find_messages_saying(texts, phrase))


def _find_messages_saying(texts: Sequence[str], phrase: str) -> list[int]:
    """Return the numbers (0-based) of the texts that have the phrase, also inside a word.

    Case and white space do not matter.
    """
    folded_phrase = " ".join(phrase.split()).casefold()
    return [
        position
        for position, text in enumerate(texts)
        if folded_phrase in " ".join(text.split()).casefold()
    ]


def _find_nearest_sentence(log: Log, scores: Any, phrase: str) -> tuple[int, str]:
    """Return the sentence that is spelled most like the phrase, behind the log position of its message.

    Only the messages that share most words with the phrase are searched: ``scores`` has a number for each message.
    """
    matcher = SequenceMatcher(b=phrase.casefold())
    best = (0.0, 0, "")
    for position in np.argsort(-scores)[:MOST_NEAR].tolist():
        for sentence in split_passage(read_message(log[position])).sentences:
            matcher.set_seq1(sentence.text.casefold())
            best = max(best, (matcher.ratio(), -position, sentence.text))
    return -best[1], best[2]


def _find_value(phrase: str, positions: Sequence[int], probes: Iterable[Probe]) -> str:
    """Return the value of the phrase, else the whole phrase: "The deposit is 1,800 euros." -> 1,800 euros

    It is looked up by its value, because a summary rewords a sentence but keeps its value. The value is the longest
    answer in the phrase of a probe that the same messages state.
    """
    values = []
    for probe in probes:
        is_of_these = not set(probe.evidence).isdisjoint(positions)
        if is_of_these and contains(phrase, probe.answers[0]):
            values.append(probe.answers[0])
    return max(values, key=len, default=phrase)
