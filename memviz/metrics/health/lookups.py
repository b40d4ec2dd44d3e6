"""Health checks of strategies that look up old messages for each question.

Messages that are brought back may say no more than the question, may lack the answer or question that belongs to them,
or may be of the same turn again and again.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar

from memviz.core.text.words import content_words
from memviz.core.word_index import is_text
from memviz.engine.run import Run
from memviz.metrics.health.finding import HealthFinding, list_turns_of_requests
from memviz.metrics.summaries.events import list_recalled_at
from memviz.strategies.lookup import words_of

ECHOED_SHARE = 4
"""Echoes are reported if at least one in so many requests that bring something back has one."""
ALONE_SHARE = 2
"""Messages without their partner are reported if at least one in so many of those brought back is one."""
LEAST_REQUESTS = 8
REPEATED_PERCENT = 75
"""A repeated turn is reported if at least this share of the requests that bring something back (at least
:data:`LEAST_REQUESTS`) bring it back."""


@dataclass(frozen=True, kw_only=True)
class EchoedQuestions(HealthFinding):
    """Requests that bring back messages without any word that the question lacks."""

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


def find_echoed_questions(run: Run) -> EchoedQuestions | None:
    """Return a finding if requests bring back messages that say nothing more than the question."""
    positions_by_request = _list_recalled_by_request(run)

    # Cached, because many requests bring back the same message.
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
        turns=list_turns_of_requests(run, echoing_requests),
    )


def find_missing_neighbours(run: Run) -> MissingNeighbours | None:
    """Return a finding if messages are brought back without their partner, the answer to a question or its question."""
    positions_by_request = _list_recalled_by_request(run)
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
        parameter=_name_parameter(run, "neighbours"),
        turns=list_turns_of_requests(run, alone_by_request),
    )


def find_repeated_turn(run: Run) -> RepeatedTurn | None:
    """Return a finding about the turn that is brought back most often, if nearly every request brings it back."""
    positions_by_request = _list_recalled_by_request(run)
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
        parameter=_name_parameter(run, "half_life_messages"),
        turns=list_turns_of_requests(run, numbers),
    )


def _name_parameter(run: Run, name: str) -> str:
    return name if run.strategy.has_parameter(name) else ""


def _list_recalled_by_request(run: Run) -> Mapping[int, Sequence[int]]:
    """Return the log positions that the strategy brought back by itself, by the number (0-based) of the request."""
    return run.once(_find_recalled, lambda: _find_recalled(run))


def _find_recalled(run: Run) -> dict[int, list[int]]:
    positions_by_request: dict[int, list[int]] = {}
    if not run.strategy.looks_up:
        return positions_by_request
    for number in run.requests.numbers_with_recalls():
        # Leave out messages that the model itself recalled with a tool.
        asked_for = set(list_recalled_at(run, number))
        recalled = run.requests.parts_at(number).recalled
        positions = [position for position in recalled if position not in asked_for]
        if positions:
            positions_by_request[number] = positions
    return positions_by_request


def _find_partners(run: Run) -> dict[int, int]:
    """Return the log position of the answer to each question, and of the question before each answer.

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
