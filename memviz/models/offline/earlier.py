"""What was said in the turns or messages that somebody asks for by number, as far as the model was sent it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from memviz.core.messages import Message
from memviz.core.text.sentences import passage
from memviz.core.text.wording import message_number
from memviz.models.offline.context_sources import Source
from memviz.models.offline.turn_numbers import Named
from memviz.models.offline.turn_summaries import turn_summaries
from memviz.models.recall_result import RecallResult

Reference = tuple[str, int]
"""A turn or a message by the number that people give it: ``("turn", 3)``."""


@dataclass(frozen=True)
class Earlier:
    """``messages`` were recalled for this turn: those of the turns and messages in ``recalled``, in their order.
    ``absent`` does not exist, as the recall tool said. ``summaries`` are those of turns, by number. ``turns`` is the
    number of completed turns, ``None`` where nothing that was sent tells it."""

    summaries: dict[int, str]
    turns: int | None = None
    messages: Sequence[Message] = ()
    recalled: tuple[Reference, ...] = ()
    absent: frozenset[Reference] = frozenset()

    @classmethod
    def of(
        cls,
        before: Sequence[Message],
        arguments: dict[str, Any] | None = None,
        result: str = "",
    ) -> Earlier:
        """Read what was sent ``before`` the input, and the recall of this turn if there was one."""
        summaries = dict(turn_summaries(before))
        told = RecallResult.read(result)
        # only where no message is sent word for word is the newest summary known to be the last turn's
        sent_anyway = before[: len(before) - told.fresh]
        turns = (
            max(summaries)
            if summaries and all(one.role == "system" for one in sent_anyway)
            else None
        )
        absent = frozenset(
            _reference(*name.split()) for name in told.missing if len(name.split()) == 2
        )
        wanted = _called(arguments or {})
        return cls(
            summaries,
            told.turns if told.missing else turns,
            # of messages that were sent anyway nothing tells which they are
            before[len(before) - told.fresh :]
            if told.fresh and not (told.held or told.in_place)
            else (),
            tuple(one for one in wanted if one not in absent),
            absent,
        )

    def absent_of(self, named: Named) -> list[Reference]:
        """What of ``named`` is known not to exist."""
        return [
            one
            for one in references(named)
            if one[1] < 1 or one in self.absent or self._is_later(one)
        ]

    def messages_of(self, named: Named) -> list[Message]:
        """The recalled messages that ``named`` asks for; none, where it is not sure which they are."""
        absent = self.absent_of(named)
        wanted = [one for one in references(named) if one not in absent]
        if not self.messages or not wanted or not set(wanted) <= set(self.recalled):
            return []
        if set(wanted) == set(self.recalled):
            return list(self.messages)
        parts = (
            list(_runs(self.messages))
            if named.turns
            else [[message] for message in self.messages]
        )
        if (
            len(parts) != len(self.recalled)
            or len({kind for kind, _ in self.recalled}) > 1
        ):
            return []
        return [
            one
            for at, part in zip(self.recalled, parts, strict=True)
            if at in wanted
            for one in part
        ]

    def sources_of(self, named: Named) -> list[Source]:
        """The same, said by whom ``named`` asks for, as sources; where nothing was recalled, the summaries."""
        found = [
            one
            for one in self.messages_of(named)
            if one.role == named.said_by or not named.said_by
        ]
        if found:
            return [
                Source(one.role, passage(one.content))
                for one in found
                if one.content.strip()
            ]
        texts = (self.summaries[turn] for turn in named.turns if turn in self.summaries)
        return [Source("summary", passage(text)) for text in texts]

    def _is_later(self, reference: Reference) -> bool:
        kind, number = reference
        return kind == "turn" and self.turns is not None and number > self.turns


def references(named: Named) -> list[Reference]:
    """What is named, as people number it."""
    return [("turn", turn) for turn in named.turns] + [
        ("message", message_number(at)) for at in named.positions
    ]


def _called(arguments: dict[str, Any]) -> list[Reference]:
    """What a recall asked for by number, in the order of the conversation."""
    turns = arguments.get("turn_numbers", [])
    positions = arguments.get("message_indices", [])
    return [("turn", turn) for turn in turns] + [
        ("message", message_number(at)) for at in positions
    ]


def _reference(kind: str, number: str) -> Reference:
    """What the recall tool calls so: it counts messages from 0."""
    return (
        (kind, int(number)) if kind == "turn" else (kind, message_number(int(number)))
    )


def _runs(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages of each turn: one begins where a user speaks after somebody else did."""
    run: list[Message] = []
    for message in messages:
        if run and message.role == "user" and run[-1].role != "user":
            yield run
            run = []
        run.append(message)
    if run:
        yield run


def arguments_of(text: str) -> dict[str, Any]:
    """The numbers that a call of the recall tool named; none, for anything but an object with lists of numbers."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    lists = {name: value.get(name) for name in ("turn_numbers", "message_indices")}
    return {
        name: numbers
        for name, numbers in lists.items()
        if isinstance(numbers, list)
        and all(isinstance(number, int) for number in numbers)
    }
