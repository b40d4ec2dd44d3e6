"""Findings about what a strategy looks up by itself.

They tell of messages that say no more than the question, of questions without their answers, and of one turn that is
brought back again and again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from memviz.core.text.words import content_words
from memviz.core.word_index import is_text
from memviz.engine.run import Run
from memviz.metrics.health.finding import HealthFinding, turns_at
from memviz.metrics.summaries.events import asked_for_at
from memviz.strategies.lookup import words_of

ECHOED_SHARE = 4
"""A run is warned of echoes where one in so many requests has any, of those that bring something back."""
ALONE_SHARE = 2
"""A run is warned of messages without what belongs to them where one in so many of those brought back is one."""
LEAST_REQUESTS = 8
REPEATED_PERCENT = 75
"""A run is warned of a turn that this share of requests bring back, where at least :data:`LEAST_REQUESTS` bring
something back."""


@dataclass(frozen=True, kw_only=True)
class EchoedQuestions(HealthFinding):
    """Requests that bring back messages which hold no word that the question does not hold."""

    kind: ClassVar[str] = "own_question"
    echoed: int
    """The number of such requests."""
    requests: int
    """All requests that bring something back."""
    messages: int
    """Messages without a word of their own, each as often as it is brought back."""
    has_neighbours: bool
    """True where the messages beside a find come with it."""


@dataclass(frozen=True, kw_only=True)
class MissingNeighbours(HealthFinding):
    """Questions that are brought back without their answer, and answers without their question."""

    kind: ClassVar[str] = "missing_neighbour"
    alone: int
    """The number of such messages, each as often as it is brought back."""
    messages: int
    """All messages that are brought back, each as often as it is."""
    parameter: str
    """The parameter that brings neighbours along; empty where the strategy has none."""


@dataclass(frozen=True, kw_only=True)
class RepeatedTurn(HealthFinding):
    """A turn that is brought back at most requests."""

    kind: ClassVar[str] = "same_turn"
    turn: int
    times: int
    requests: int
    """All requests that bring something back."""
    parameter: str
    """The parameter that lets scores fade with age; empty where the strategy has none."""


def echoed_questions(run: Run) -> EchoedQuestions | None:
    """Warn of requests that bring back what the question says already, and nothing more."""
    positions_by_request = _recalled_by_request(run)

    # A message is brought back by many requests, and its words are read once.
    @cache
    def words_at(position: int) -> frozenset[str]:
        return content_words(run.log[position].content)

    echoing_requests = []
    messages = 0
    for number, positions in positions_by_request.items():
        memory = run.requests.memory_at(number)
        question_words = words_of(memory, memory.input)
        echoes = sum(words_at(position) <= question_words for position in positions)
        if echoes:
            messages += echoes
            echoing_requests.append(number)
    requests = len(positions_by_request)
    if not echoing_requests or ECHOED_SHARE * len(echoing_requests) < requests:
        return None
    return EchoedQuestions(
        echoed=len(echoing_requests),
        requests=requests,
        messages=messages,
        has_neighbours=bool(getattr(run.strategy, "neighbours", 0)),
        turns=turns_at(run, echoing_requests),
    )


def missing_neighbours(run: Run) -> MissingNeighbours | None:
    """Warn of messages that are brought back without the answer, or the question, that belongs to them."""
    # A question and its answer are partners: one without the other says little.
    positions_by_request = _recalled_by_request(run)
    partners = _find_partners(run)
    alone_by_request = Counter[int]()
    messages = 0
    for number, positions in positions_by_request.items():
        messages += len(positions)
        parts = run.requests.parts_at(number)
        sent_positions = set(parts.recalled)
        for piece in parts.messages:
            sent_positions.update(piece.positions)
        for position in positions:
            if position in partners and partners[position] not in sent_positions:
                alone_by_request[number] += 1
    alone = alone_by_request.total()
    if not alone or ALONE_SHARE * alone < messages:
        return None
    return MissingNeighbours(
        alone=alone,
        messages=messages,
        parameter=_named_parameter(run, "neighbours"),
        turns=turns_at(run, alone_by_request),
    )


def repeated_turn(run: Run) -> RepeatedTurn | None:
    """Warn of a turn that nearly every request brings back; of several the one that is brought back most often."""
    positions_by_request = _recalled_by_request(run)
    requests_by_turn: dict[int, list[int]] = {}
    for number, positions in positions_by_request.items():
        turns = {run.log.turn_number(position) for position in positions}
        turns.discard(0)  # what stands before the first question is no turn
        for turn in turns:
            requests_by_turn.setdefault(turn, []).append(number)
    requests = len(positions_by_request)
    if requests < LEAST_REQUESTS or not requests_by_turn:
        return None
    turn = max(requests_by_turn, key=lambda turn: (len(requests_by_turn[turn]), -turn))
    numbers = requests_by_turn[turn]
    if 100 * len(numbers) < REPEATED_PERCENT * requests:
        return None
    return RepeatedTurn(
        turn=turn,
        times=len(numbers),
        requests=requests,
        parameter=_named_parameter(run, "half_life_messages"),
        turns=turns_at(run, numbers),
    )


def _named_parameter(run: Run, name: str) -> str:
    return name if run.strategy.has_parameter(name) else ""


def _recalled_by_request(run: Run) -> Mapping[int, Sequence[int]]:
    """Return the log positions that the strategy brought back by itself, by the number (0-based) of the request."""
    return run.once(_find_recalled, lambda: _find_recalled(run))


def _find_recalled(run: Run) -> dict[int, list[int]]:
    positions_by_request: dict[int, list[int]] = {}
    if not run.strategy.looks_up:
        return positions_by_request
    for number in run.requests.numbers_with_recalls():
        # What the model asked for itself was not looked up by the strategy.
        asked_for = set(asked_for_at(run, number))
        recalled = run.requests.parts_at(number).recalled
        positions = [position for position in recalled if position not in asked_for]
        if positions:
            positions_by_request[number] = positions
    return positions_by_request


def _find_partners(run: Run) -> dict[int, int]:
    """Return the position of the answer right behind each question, and of the question before each such answer.

    A call of a tool is no answer.
    """
    partners = {}
    for position in range(run.space.system_stop, len(run.log) - 1):
        message = run.log[position]
        reply = run.log[position + 1]
        is_pair = message.role == "user" and reply.role == "assistant"
        if is_pair and is_text(reply):
            partners[position] = position + 1
            partners[position + 1] = position
    return partners
