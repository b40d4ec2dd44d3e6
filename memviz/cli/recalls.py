"""What ``--recall`` brings back, and into which requests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from typer import BadParameter

if TYPE_CHECKING:
    from memviz.core.conversation import Log
    from memviz.engine.recall import Recall, RequestKey
    from memviz.transcripts.base import Transcript

    Recalls = tuple[tuple[RequestKey, Recall], ...]

OPTION = "--recall"


def recalls_of(given: Sequence[str], transcript: Transcript) -> Recalls:
    """The recalls of ``TURN=TURNS``, or of ``TURN.CALL=TURNS`` from one call of a turn on, in order. Raises
    :class:`memviz.RecallError` for turns that are no list of numbers, and BadParameter where the
    conversation has no such request."""
    if not given:
        return ()
    from memviz.core.conversation import Log
    from memviz.engine.recall import Recall, parse_numbers

    found, log = [], Log(transcript.messages)
    for text in given:
        into, equals, turns = text.partition("=")
        numbers = parse_numbers(turns)
        if not (equals and numbers):
            raise _wrong(
                f"{text!r} is not of the form TURN=TURNS or TURN.CALL=TURNS, such as 12=1,3-5 or 12.3=4."
            )
        request = _request(into, log)
        for number in sorted(
            numbers, reverse=True
        ):  # what comes later is the plainer mistake
            _check_is_earlier(number, request)
        found.append((request, Recall(turns=numbers)))
    return tuple(found)


def _request(text: str, log: Log) -> RequestKey:
    numbers = text.strip().split(".")
    if len(numbers) > 2 or not all(
        number.isdecimal() and len(number) <= 9 for number in numbers
    ):
        raise _wrong(
            f"{text!r} is no turn and no call of one: write 12, or 12.3 for the third call of turn 12."
        )
    turn, *calls = map(int, numbers)
    if not 1 <= turn <= log.turn_count:
        raise _wrong(
            f"There is no turn {turn} to recall into: the conversation has turns 1 to {log.turn_count}."
        )
    made = len(log.requests_of(log.turn(turn)))
    if log.pending is not None and log.pending.turn == turn:
        made = log.pending.call  # the one that nobody has answered yet
    if calls and not 1 <= calls[0] <= made:
        raise _wrong(
            f"There is no call {calls[0]} of turn {turn} to recall into: it has calls 1 to {made}."
        )
    return (turn, calls[0]) if calls else turn


def _check_is_earlier(number: int, request: RequestKey) -> None:
    """Refuse a turn of which nothing was said before this request: it would be recalled nowhere, silently."""
    turn, call = request if isinstance(request, tuple) else (request, 1)
    if number > turn:
        raise _wrong(
            f"Turn {number} comes after turn {turn}, so it cannot be recalled into it: write {number}={turn} to recall "
            f"turn {turn} into turn {number}."
        )
    if number == turn and call == 1:
        raise _wrong(
            f"Turn {turn} cannot be recalled into its own first request: name an earlier turn."
        )


def _wrong(sentence: str) -> BadParameter:
    return BadParameter(sentence, param_hint=OPTION)
