"""Where recalled messages stand among the pieces of a request.

One that the strategy sends with less in it is made whole in its own place, and any other one stands right before the
input, so that a prompt cache can reuse what stands before that. A copy before the input of what stands in the history
anyway would say it twice, and part a tool's result from its call: providers reject that.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from memviz.core.pieces import Messages, Picked, Piece, in_ranges


def with_recalled(
    history: Sequence[Piece], recalled: Collection[int]
) -> Iterator[Piece]:
    """The pieces of a ``history`` that brings nothing back, with the messages at these log positions. None of them may
    stand in it whole."""
    left = set(recalled)
    for piece in history:
        here = _in_form(piece, left)
        if isinstance(piece, Messages) and here:
            yield from _restored(piece, here)
            left -= here
        else:
            yield piece
    if left:
        yield Picked(tuple(sorted(left)))


def _in_form(piece: Piece, positions: set[int]) -> set[int]:
    """Those of the positions at which the piece sends messages in a form."""
    if not isinstance(piece, Messages) or piece.form is None:
        return set()
    return {position for position in positions if position in piece.positions}


def _restored(piece: Messages, positions: set[int]) -> Iterator[Piece]:
    """The messages of one form, with those at ``positions`` whole."""
    at = piece.start
    for row in in_ranges(positions):
        if at < row.start:
            yield piece._replace(start=at, stop=row.start)
        yield Picked(tuple(row), piece.form)
        at = row.stop
    if at < piece.stop:
        yield piece._replace(start=at)


def still_in_form(
    pieces: Sequence[Messages], recalled: Collection[int]
) -> Iterator[Messages]:
    """What of the input stays in a form: what is recalled of it is sent whole in its place, as input."""
    for piece in pieces:
        parts = _restored(
            piece, {position for position in recalled if position in piece.positions}
        )
        yield from (part for part in parts if isinstance(part, Messages))


def without_recalled(history: Sequence[Piece]) -> list[Piece]:
    """The pieces of a history as they would be with nothing brought back: restored messages are in their forms, and
    what they parted is one piece again."""
    found: list[Piece] = []
    for piece in history:
        if isinstance(piece, Picked):
            if piece.instead_of is None:
                continue
            piece = Messages(
                piece.positions[0], piece.positions[-1] + 1, piece.instead_of
            )
        last = found[-1] if found else None
        if (
            isinstance(last, Messages)
            and isinstance(piece, Messages)
            and last[1:] == (piece.start, piece.form)
        ):
            found[-1] = Messages(last.start, piece.stop, piece.form)
        else:
            found.append(piece)
    return found
