"""Arguments of the wrong type or out of range are refused at once, in a sentence that names what was given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import memviz
from memviz import (
    Chat,
    MemoryStore,
    Message,
    ParameterError,
    Recall,
    RecallError,
    ScriptedModel,
)
from memviz.core.errors import MemvizError, MessageError
from tests.tables import for_each

BUFFER = memviz.strategy("buffer")
TALK = [Message(role, "Hm.") for role in ("user", "assistant") * 3]


def replayed(**options: Any) -> memviz.Run:
    return memviz.replay(TALK, BUFFER, **{"counter": "chars4", **options})


@for_each("recalls", [{2: {"last_n": 1}}, {2: 3}, {2: [3]}, [1], 3])
def test_recalls_that_are_none(recalls: Any) -> None:
    with pytest.raises(RecallError, match="such as"):
        replayed(recalls=recalls)


@for_each("turn", [10**23, "x", True, None])
def test_a_recall_into_no_turn_number(turn: Any) -> None:
    with pytest.raises(RecallError, match=f"no turn {turn!r} "):
        replayed(recalls={turn: Recall(turns=[1])})


@for_each(
    ("kind", "call", "words"),
    [
        (
            ParameterError,
            lambda: Chat(BUFFER).replay_with("summary"),
            "memviz.strategy.'summary'",
        ),
        (MessageError, lambda: memviz.replay(None, BUFFER), "The messages are None"),
        (MessageError, lambda: memviz.replay([3], BUFFER), "A message is an int"),
        (ParameterError, lambda: ScriptedModel(3), "'script' is 3"),
        (ParameterError, lambda: ScriptedModel("abc"), "'script' is 'abc'"),
        (ParameterError, lambda: ScriptedModel([3]), "'script' is 3"),
        (
            ParameterError,
            lambda: ScriptedModel(iter([3])).complete(TALK),
            "'script' is 3",
        ),
        (ParameterError, lambda: replayed(counter=lambda _: "a"), "'counter' is 'a'"),
        (ParameterError, lambda: replayed(counter=lambda _: -1), "'counter' is -1"),
        (ParameterError, lambda: MemoryStore(persistence="x\x00.db"), "zero character"),
        (ParameterError, lambda: replayed().fates(3, 4), "'requests' is 3"),
        (ParameterError, lambda: replayed().fates("x", None), "'requests' is 'x'"),
        (ParameterError, lambda: replayed().generations(None, 0), "'messages' is 0"),
        (MessageError, lambda: Chat(BUFFER).send(3), "is an int"),
        (MessageError, lambda: Chat(BUFFER).send(None), "is None"),
        (MessageError, lambda: Chat(BUFFER).send(b"x"), "is a bytes"),
        (MessageError, lambda: Chat(BUFFER).send(" "), "is empty"),
    ],
)
def test_is_named(
    kind: type[MemvizError], call: Callable[[], object], words: str
) -> None:
    with pytest.raises(kind, match=words):
        call()
