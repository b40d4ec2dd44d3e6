"""The pieces that a library sends, compared with those that it sent before."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import dropwhile, pairwise

from memviz.core.forms import Form
from memviz.core.pieces import Messages, Notes, Piece
from memviz.core.summaries import SummaryVersion


def add_message(pieces: list[Piece], position: int, form: Form | None) -> None:
    """Add the message at ``position`` to ``pieces``, in the piece of the one before where that has the same form."""
    last = pieces[-1] if pieces else None
    if isinstance(last, Messages) and (last.stop, last.form) == (position, form):
        pieces[-1] = last._replace(stop=position + 1)
    else:
        pieces.append(Messages(position, position + 1, form))


def is_new_summary(piece: Piece) -> bool:
    """Return whether a summary stands here that has no number as yet."""
    return isinstance(piece, Notes) and not piece.versions


def without_new_summary(
    before: Sequence[Piece],
    now: Sequence[Piece],
    start: int,
    cleared: Mapping[int, Form | None],
) -> tuple[Piece, ...]:
    """Return what is sent without the summary that may follow at the same message: up to ``start``, where that reaches
    to, as before, but for what is ``cleared``, and behind it as now."""
    pieces: list[Piece] = []
    for piece in before:
        if not isinstance(piece, Messages):
            pieces.append(piece)
            continue
        for position in range(piece.start, min(piece.stop, start)):
            add_message(pieces, position, cleared.get(position, piece.form))
        if piece.stop > start:
            break
    is_before_start = partial(_begins_before, start)
    behind = dropwhile(is_before_start, now)
    pieces += [piece for piece in behind if not is_new_summary(piece)]
    return tuple(pieces)


def _begins_before(start: int, piece: Piece) -> bool:
    return not isinstance(piece, Messages) or piece.start < start


def forms_of(pieces: Sequence[Piece]) -> dict[int, Form | None]:
    """The form of each message of the log that is sent, by its position."""
    return {
        position: piece.form
        for piece in pieces
        if isinstance(piece, Messages)
        for position in piece.positions
    }


def with_version(
    pieces: Sequence[Piece], summary: SummaryVersion | None
) -> Iterator[Piece]:
    """The pieces with the newest summary in its place, which has no number as yet."""
    for piece in pieces:
        if isinstance(piece, Notes) and is_new_summary(piece) and summary is not None:
            yield piece._replace(start=summary.version - 1, stop=summary.version)
        else:
            yield piece


def first_sent(pieces: Sequence[Piece], length: int) -> int:
    """The first message of the log that is sent behind the last of those that are left out; ``length`` where none is.
    A message that the library sends in words of its own is not left out."""
    starts = [piece.start for piece in pieces if isinstance(piece, Messages)]
    first = min([*starts, length])
    for before, piece in pairwise(pieces):
        if not isinstance(piece, Messages):
            continue
        is_gap = isinstance(before, Messages) and before.stop < piece.start
        if is_gap or isinstance(before, Notes):
            first = max(first, piece.start)
    return first
