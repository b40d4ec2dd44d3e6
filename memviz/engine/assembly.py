"""From a strategy's pieces to the parts of the request, in the order in which they are
sent:

    system | summary | history | recalled | input

A recalled message that the history sends with less in it is made whole in its own place.
Any other recalled message stands right before the input, so that a prompt cache can
reuse all that stands before. A message that the history already sends whole is not
repeated before the input: the copy would separate a tool's result from its call, which
providers reject.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Picked, Piece
from memviz.engine.parts import (
    Parts,
    Shared,
    insert_recalled,
    remove_recalled,
    restore_whole,
)

NOTHING_SHARED = Shared()


def assemble(
    memory: Memory,
    pieces: Sequence[Piece],
    recalled: Collection[int] = (),
    settled: Shared = NOTHING_SHARED,
) -> Parts:
    """Return the parts of the request for ``memory``. No message is sent twice.

    The input is always sent: the user's message, or the results of the open tool call. A
    strategy may shorten it with a form, but never leave it out.

    ``recalled`` are log positions to bring back besides those that the strategy picks.
    The ``settled`` pieces stood so in an earlier request of the same run, and are not
    gone through again.
    """
    input_positions = memory.input
    stop = input_positions.start if input_positions else memory.length
    # What the strategy itself recalls is placed by the same rules as what was brought back.
    if Picked in map(type, pieces):
        recalled = {*Parts(tuple(pieces)).recalled, *recalled}
        pieces = remove_recalled(pieces)
        settled = NOTHING_SHARED
    before: list[Piece] = []
    formed: list[Messages] = []
    first = memory.history_start
    rest = iter(pieces)
    for number, piece in enumerate(rest):
        if not isinstance(piece, Messages):
            before.append(piece)
        else:
            _add_history(before, piece, first, stop)
            if piece.form is not None and piece.stop > stop:
                formed.append(piece._replace(start=max(piece.start, stop)))
        # The first of the settled pieces may touch a new one before it, and is then no longer itself.
        if number == settled.start and before and before[-1] is piece:
            before += islice(rest, max(0, settled.stop - number - 1))
    if recalled:
        history = [piece for piece in before if isinstance(piece, Messages)]
        missing = [
            position
            for position in recalled
            if position >= first
            and position not in input_positions
            and not _is_whole(memory, position, history)
        ]
        before = [*insert_recalled(before, missing)]
    before += split_input(input_positions, formed, recalled)
    return Parts(tuple(before), input_positions)


def _add_history(pieces: list[Piece], piece: Messages, first: int, stop: int) -> None:
    """Add the part of ``piece`` that lies in the history, from ``first`` up to ``stop``.

    Messages that continue the last piece extend it, so that a request has the same
    pieces whether it is kept as numbers or as it was made:
    ``[0, 4)`` and then ``[4, 6)`` become ``[0, 6)``.
    """
    # Some strategies send hundreds of pieces, and nearly all stand as they are: a piece
    # that needs no cut is added without a copy.
    start, end, form = piece
    last = pieces[-1] if pieces else None
    is_cut = start < first or end > stop
    if is_cut:
        start = max(start, first)
        end = min(end, stop)
    if start >= end:
        return
    if isinstance(last, Messages) and last.stop == start and last.form == form:
        pieces[-1] = last._replace(stop=end)
    elif is_cut:
        pieces.append(Messages(start, end, form))
    else:
        pieces.append(piece)


def _is_whole(memory: Memory, position: int, history: Sequence[Messages]) -> bool:
    """Return whether ``history`` sends the message at ``position``, with nothing left out."""
    for start, stop, form in history:
        if start <= position < stop:
            log = memory.log
            return form is None or log.sent(position, form) is log[position]
    return False


def split_input(
    input_positions: range, formed: Sequence[Messages], recalled: Collection[int]
) -> Iterator[Messages]:
    """Yield the pieces of the input, the messages at ``input_positions``, in order.

    Messages of ``formed`` are sent in their form, all others whole. A recalled message is
    whole in any case: with ``input_positions`` 5 to 8 and 6 in a form, the pieces are
    ``5 | 6 in its form | 7 and 8``.
    """
    position = input_positions.start
    for piece in _keep_formed(formed, recalled):
        if position < piece.start:
            yield Messages(position, piece.start)
        yield piece
        position = piece.stop
    if position < input_positions.stop:
        yield Messages(position, input_positions.stop)


def _keep_formed(
    pieces: Sequence[Messages], recalled: Collection[int]
) -> Iterator[Messages]:
    """Yield the pieces of the input that keep their form: all but recalled messages."""
    for piece in pieces:
        here = {position for position in recalled if position in piece.positions}
        for part in restore_whole(piece, here):
            if isinstance(part, Messages):
                yield part
