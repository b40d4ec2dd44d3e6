"""A view of the study pages as the query of an address, and back: what one visitor sees, another can open."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from memviz.counters import counter
from memviz.engine.recall import parse_numbers
from memviz.errors import MemvizError
from memviz.strategies import strategy
from memviz.ui.state import MAX_SETTINGS, AddedRecall, CompareState

T = TypeVar("T")
CONVERSATION, SETTING, COUNTER, RECALL, REPLIES, LOOK, TURN = (
    "conversation", "setting", "counter", "recall", "replies", "look", "turn"
)  # fmt: skip
ANEW = "anew"
MAX_RECALLS = 100
Query = Mapping[str, Sequence[str]]


def link_query(state: CompareState, turn: int | None) -> str:
    """The query (without question mark) of an address that opens what ``state`` shows, at this turn.

    Keys, models and reworded summaries are not in it: they stay with the visitor.
    """
    return urlencode([(name, text) for name, text in _pairs(state, turn) if text])


def _pairs(state: CompareState, turn: int | None) -> Iterator[tuple[str, str]]:
    yield CONVERSATION, state.conversation_id or ""
    for row in state.rows:
        parameters = f" {json.dumps(row.parameters, ensure_ascii=False)}" if row.parameters else ""
        yield SETTING, row.strategy_id + parameters
    yield COUNTER, state.counter
    numbers = {row.uid: number for number, row in enumerate(state.rows)}
    for recall in state.recalls:
        whose = f" {numbers[recall.uid]}" if recall.uid in numbers else ""
        yield RECALL, f"{recall.turn} {','.join(map(str, recall.turns))}{whose}"
    yield REPLIES, ANEW if state.own_replies else ""
    yield LOOK, next((str(number) for number, row in enumerate(state.rows) if row.index == state.looked_at), "")
    yield TURN, str(turn or "")


def open_link(state: CompareState, query: Query) -> tuple[int | None, list[str]]:
    """Make ``state`` what the query says; returns the turn, and a sentence for each part of it that cannot be used."""
    problems: list[str] = []

    def parts(name: str, read: Callable[[str], T], at_most: int = 1) -> list[T]:
        found = []
        for text in query.get(name, ())[:at_most]:
            try:
                found.append(read(text))
            except (MemvizError, ValueError, IndexError) as error:
                problems.append(f"The link's {name} {text[:80]!r} was passed over: {error}")
        return found

    settings = parts(SETTING, _setting, MAX_SETTINGS)
    if settings:
        state.rows = []
        for strategy_id, parameters in settings:
            state.add(strategy_id, parameters)
    state.open(next(iter(query.get(CONVERSATION, ())), state.conversation_id))
    state.counter = next(iter(parts(COUNTER, lambda text: counter(text).name)), state.counter)
    uids = [row.uid for row in state.rows]
    state.recalls = parts(RECALL, lambda text: _recall(text, uids), MAX_RECALLS)
    state.own_replies = ANEW in query.get(REPLIES, ())
    state.looked_at = next(iter(parts(LOOK, lambda text: state.rows[int(text)].index)), None)
    return next(iter(parts(TURN, int)), None), problems


def _setting(text: str) -> tuple[str, dict[str, Any]]:
    strategy_id, _, parameters = text.partition(" ")
    values = json.loads(parameters) if parameters else {}
    if not isinstance(values, dict):
        raise ValueError("its parameters are no object of names and values.")
    strategy(strategy_id, **values)
    return strategy_id, values


def _recall(text: str, uids: Sequence[int | str]) -> AddedRecall:
    turn, turns, *whose = text.split(" ")
    return AddedRecall(int(turn), parse_numbers(turns), uids[int(whose[0])] if whose else None)
