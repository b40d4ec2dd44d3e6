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
    """Return true for a summary that has no number yet."""
    return isinstance(piece, Notes) and not piece.versions


def without_new_summary(
    before: Sequence[Piece],
    now: Sequence[Piece],
    start: int,
    cleared: Mapping[int, Form | None],
) -> tuple[Piece, ...]:
    """Return the pieces of the request without a summary that is still to be numbered: up to ``start`` the pieces that
    were sent ``before``, messages with the forms in ``cleared``, and from ``start`` on those that are sent ``now``.

    Before, the messages 0 to 9 were sent; now a new summary and the messages 6 to 9. Without the summary, from message
    6 on, these are again the messages 0 to 9.
    """
    pieces: list[Piece] = []
    for piece in before:
        if not isinstance(piece, Messages):
            pieces.append(piece)
            continue
        stop = min(piece.stop, start)
        for position in range(piece.start, stop):
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
    """Return the form of each message of the log that is sent, by its position."""
    forms: dict[int, Form | None] = {}
    for piece in pieces:
        if isinstance(piece, Messages):
            forms.update(dict.fromkeys(piece.positions, piece.form))
    return forms


def with_version(
    pieces: Sequence[Piece], summary: SummaryVersion | None
) -> Iterator[Piece]:
    """Yield the pieces, with the number of the newest ``summary`` where one stands without a number."""
    for piece in pieces:
        if isinstance(piece, Notes) and is_new_summary(piece) and summary is not None:
            yield piece._replace(start=summary.version - 1, stop=summary.version)
        else:
            yield piece


def first_sent(pieces: Sequence[Piece], length: int) -> int:
    """Return the position of the first message that is sent behind the last one that is left out; ``length`` where no
    message of the log is sent. A message that the library sends in words of its own is not left out."""
    starts = [piece.start for piece in pieces if isinstance(piece, Messages)]
    first = min([*starts, length])
    for before, piece in pairwise(pieces):
        if not isinstance(piece, Messages):
            continue
        is_gap = isinstance(before, Messages) and before.stop < piece.start
        if is_gap or isinstance(before, Notes):
            first = max(first, piece.start)
    return first
