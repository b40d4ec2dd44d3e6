"""Findings about what a strategy looks up by itself: messages that say no more than the question, questions without
their answers, and the same turn again and again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from memviz.core.text.words import content_words
from memviz.core.word_index import is_text
from memviz.engine.run import Run
from memviz.metrics.health.finding import HealthFinding, turns_at

ECHOED_SHARE = 4
"""Warned of is what one in so many requests does, of those that bring something back."""
ALONE_SHARE = 2
"""Warned of is where one in so many messages is brought back without what belongs to it."""
LEAST_REQUESTS = 8
REPEATED_PERCENT = 75
"""Warned of is a turn that this share of requests bring back, at least eight of them."""


@dataclass(frozen=True, kw_only=True)
class EchoedQuestions(HealthFinding):
    """Requests that bring back messages which hold no word that the question does not hold."""

    kind: ClassVar[str] = "own_question"
    echoed: int
    requests: int
    """All requests that bring something back."""
    messages: int
    """Such messages, each as often as it is brought back."""
    has_neighbours: bool
    """True where what stands beside a find comes with it."""


@dataclass(frozen=True, kw_only=True)
class MissingNeighbours(HealthFinding):
    """Questions that are brought back without their answer, and answers without their question."""

    kind: ClassVar[str] = "missing_neighbour"
    alone: int
    messages: int
    """All messages that are brought back, each as often as it is."""
    parameter: str
    """The one that brings neighbours along; empty where the strategy has none."""


@dataclass(frozen=True, kw_only=True)
class RepeatedTurn(HealthFinding):
    """A turn that is brought back at most requests."""

    kind: ClassVar[str] = "same_turn"
    turn: int
    times: int
    requests: int
    """All requests that bring something back."""
    parameter: str
    """The one that lets scores fade with age; empty where the strategy has none."""


def echoed_questions(run: Run) -> EchoedQuestions | None:
    """Warn of requests that bring back what the question says already, and nothing more."""
    found = _looked_up(run)
    words: dict[int, frozenset[str]] = {}
    echoed = []
    messages = 0
    for number, positions in found.items():
        memory = run.requests.memory_at(number)
        asked = [one.content for one in memory.messages(memory.input) if is_text(one)]
        question = content_words("\n".join(asked))
        for position in positions:
            if position not in words:
                words[position] = content_words(run.log[position].content)
        echoes = sum(words[position] <= question for position in positions)
        messages += echoes
        if echoes:
            echoed.append(number)
    if not echoed or ECHOED_SHARE * len(echoed) < len(found):
        return None
    return EchoedQuestions(
        echoed=len(echoed),
        requests=len(found),
        messages=messages,
        has_neighbours=bool(getattr(run.strategy, "neighbours", 0)),
        turns=turns_at(run, echoed),
    )


def missing_neighbours(run: Run) -> MissingNeighbours | None:
    """Warn of messages that are brought back without the answer, or the question, that belongs to them."""
    found = _looked_up(run)
    partner = _partners(run)
    alone = Counter[int]()
    messages = 0
    for number, positions in found.items():
        messages += len(positions)
        parts = run.requests.parts_at(number)
        sent = {*parts.recalled}
        for piece in parts.messages:
            sent.update(piece.positions)
        alone[number] = sum(
            position in partner and partner[position] not in sent
            for position in positions
        )
    total = alone.total()
    if not total or ALONE_SHARE * total < messages:
        return None
    has_neighbours = run.strategy.has_parameter("neighbours")
    return MissingNeighbours(
        alone=total,
        messages=messages,
        parameter="neighbours" if has_neighbours else "",
        turns=turns_at(run, [number for number in found if alone[number]]),
    )


def repeated_turn(run: Run) -> RepeatedTurn | None:
    """Warn of a turn that nearly every request brings back."""
    found = _looked_up(run)
    numbers: dict[int, list[int]] = {}
    for number, positions in found.items():
        turns = {run.log.turn_number(position) for position in positions}
        for turn in turns - {0}:  # what stands before the first question is no turn
            numbers.setdefault(turn, []).append(number)
    turn = max(numbers, key=lambda one: (len(numbers[one]), -one), default=0)
    times = len(numbers.get(turn, ()))
    if len(found) < LEAST_REQUESTS or 100 * times < REPEATED_PERCENT * len(found):
        return None
    fades = run.strategy.has_parameter("half_life_messages")
    return RepeatedTurn(
        turn=turn,
        times=times,
        requests=len(found),
        parameter="half_life_messages" if fades else "",
        turns=turns_at(run, numbers[turn]),
    )


def _looked_up(run: Run) -> Mapping[int, Sequence[int]]:
    """Return the requests that a strategy brought something back into by itself, and the log positions of that."""
    return run.once(_looked_up, lambda: _look_through(run))


def _look_through(run: Run) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    if not run.strategy.looks_up:
        return found
    for number in run.requests.with_recalls():
        beside = run.requests.beside.get(number)
        asked_for = set(beside.recalled.indices if beside and beside.recalled else ())
        recalled = run.requests.parts_at(number).recalled
        positions = [one for one in recalled if one not in asked_for]
        if positions:
            found[number] = positions
    return found


def _partners(run: Run) -> dict[int, int]:
    """Return of each question that is answered right behind it the position of the answer, and of that the question's.
    A call of a tool is no answer."""
    partners = {}
    for position in range(run.space.system_stop, len(run.log) - 1):
        asked = run.log[position]
        reply = run.log[position + 1]
        is_pair = asked.role == "user" and reply.role == "assistant"
        if is_pair and is_text(reply):
            partners[position] = position + 1
            partners[position + 1] = position
    return partners
