"""Builds the pieces that a library sends, and compares them with those that it sent before.

Only :mod:`memviz.engine.library` uses these functions, to find out what the library summarized, cleared or left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from memviz.core.forms import Form
from memviz.core.pieces import Messages, Notes, Piece
from memviz.core.summaries import SummaryVersion


def add_message(pieces: list[Piece], position: int, form: Form | None) -> None:
    """Add the message at ``position`` to ``pieces``. It extends the last piece if that ends there in the same form."""
    last = pieces[-1] if pieces else None
    if isinstance(last, Messages) and (last.stop, last.form) == (position, form):
        pieces[-1] = last._replace(stop=position + 1)
    else:
        pieces.append(Messages(position, position + 1, form))


def is_new_summary(piece: Piece) -> bool:
    """Return whether a piece is a summary that has no version yet."""
    return isinstance(piece, Notes) and not piece.versions


def remove_new_summary(
    before: Sequence[Piece],
    now: Sequence[Piece],
    cut: int,
    cleared: Mapping[int, Form | None],
) -> tuple[Piece, ...]:
    """Return the pieces as they would be if the new summary had not been written.

    Messages up to position ``cut`` are as they were sent ``before``, with the forms in ``cleared``; those from ``cut``
    on are as they are sent ``now``. Example: before, messages 0 to 9 were sent; now a new summary and messages 6 to 9.
    With a cut at 6 the result is messages 0 to 9.
    """
    pieces: list[Piece] = []
    for piece in before:
        if not isinstance(piece, Messages):
            pieces.append(piece)
            continue
        for position in range(piece.start, min(piece.stop, cut)):
            add_message(pieces, position, cleared.get(position, piece.form))
        if piece.stop > cut:
            break
    is_behind_cut = False
    for piece in now:
        if isinstance(piece, Messages) and piece.start >= cut:
            is_behind_cut = True
        if is_behind_cut and not is_new_summary(piece):
            pieces.append(piece)
    return tuple(pieces)


def map_forms(pieces: Sequence[Piece]) -> dict[int, Form | None]:
    """Return the form of each message of the log that is sent, by its position."""
    forms: dict[int, Form | None] = {}
    for piece in pieces:
        if isinstance(piece, Messages):
            forms.update(dict.fromkeys(piece.positions, piece.form))
    return forms


def number_new_summary(
    pieces: Sequence[Piece], summary: SummaryVersion | None
) -> Iterator[Piece]:
    """Yield the pieces, with the version of ``summary`` in each new summary."""
    for piece in pieces:
        if isinstance(piece, Notes) and is_new_summary(piece) and summary is not None:
            yield piece._replace(start=summary.version - 1, stop=summary.version)
        else:
            yield piece


def find_first_sent(pieces: Sequence[Piece], length: int) -> int:
    """Return the position of the first message that is sent behind the last one that is left out; ``length`` where no
    message of the log is sent. A message that the library sends in words of its own is not left out.

    Of the messages 0 to 2, a summary and the messages 6 to 9 it is 6.
    """
    starts = [piece.start for piece in pieces if isinstance(piece, Messages)]
    first = min([*starts, length])
    for piece, following in pairwise(pieces):
        if not isinstance(following, Messages):
            continue
        is_gap = isinstance(piece, Messages) and piece.stop < following.start
        if is_gap or isinstance(piece, Notes):
            first = max(first, following.start)
    return first
