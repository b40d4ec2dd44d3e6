"""Runs that were stored when a system message between two of the user's parted turns, with turns as they count now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from memviz.core.conversation import Log, Message

Json = Mapping[str, Any]


def turns_as_once_counted(messages: Sequence[Message] | Log) -> list[int]:
    """Where each turn began (0-based positions)."""
    roles = ["", *(message.role for message in messages)]
    return [
        at
        for at, (before, role) in enumerate(pairwise(roles))
        if role == "user" != before
    ]


def in_turns_of_now(record: Json, log: Log) -> Json:
    """What :meth:`memviz.engine.run.Run.to_record` gave over ``log``, with today's numbers of turns and calls."""
    starts = turns_as_once_counted(log)
    if len(starts) == log.turn_count or not _is_from_then(record, log):
        return record
    new = [0, *map(log.turn_number, starts)]
    lists = {
        name: [_renumbered(item, new) for item in record[name]]
        for name in ("turns", "compactions", "summaries")
        if name in record
    }
    earlier = [
        {**one, "last_turn": new[one["last_turn"]]}
        for one in record.get("earlier_settings", ())
    ]
    requests = [_renumbered(item, new) for item in record.get("requests", ())]
    return {
        **record,
        **lists,
        **({"requests": [*_calls_counted(requests)]} if "requests" in record else {}),
        **({"earlier_settings": earlier} if earlier else {}),
        **({"pending": None} if record.get("pending") else {}),
    }


def _is_from_then(record: Json, log: Log) -> bool:
    """Whether anything has another turn than the message after which it came."""
    sent = (*record.get("requests", ()), *record.get("turns", ()))
    told = [(item["turn"], item["memory"][0] - 1) for item in sent]
    told += [(item["turn"], item["after_message"]) for item in record["compactions"]]
    return any(turn != log.turn_number(at) for turn, at in told if 0 <= at < len(log))


def _renumbered(item: Json, new: Sequence[int]) -> Json:
    return {**item, "turn": new[item["turn"]]}


def _calls_counted(requests: Sequence[Json]) -> Iterator[Json]:
    """The requests, those of each turn numbered from 1 on: what were two turns may be one."""
    turn, call = 0, 0
    for request in requests:
        call = call + 1 if request["turn"] == turn else 1
        turn = request["turn"]
        yield {**request, "call": call}
