"""Messages sent whole: whether a run sent all of them so, and what it would have sent had none been cleared or
shortened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memviz.core.pieces import Messages, Notes, Picked, Piece
from memviz.engine.assembly import Parts, whole
from memviz.engine.run import Run
from memviz.metrics.requests.requests_sent import Request, requests_sent
from memviz.metrics.requests.shared_prefix import SharedPrefix
from memviz.metrics.requests.traffic import Traffic


def sends_everything(run: Run) -> bool:
    """Whether every request held all messages so far as they were said, and nothing else: what the full buffer
    does."""
    columns, first = run.columns, run.space.system_stop
    is_all = (columns.starts == first) & (columns.stops == columns.lengths)
    is_all &= columns.summary_starts == columns.summary_stops
    is_all[[*columns.others]] = True  # these are looked at one by one
    return bool(is_all.all()) and all(
        _holds_all(run, parts, int(columns.lengths[number]))
        for number, parts in columns.others.items()
    )


def _holds_all(run: Run, parts: Parts, length: int) -> bool:
    sent = [position for positions in whole(run.space, parts) for position in positions]
    sent += [position for piece in parts.pieces for position in _restored(piece)]
    said = range(run.space.system_stop, length)
    return sorted(sent) == [*said] and not any(map(_is_besides, parts.pieces))


def _restored(piece: Piece) -> Sequence[int]:
    """The messages that a piece sends whole in their own place and that would have been sent in a form."""
    return (
        piece.positions
        if isinstance(piece, Picked) and piece.instead_of is not None
        else ()
    )


def _is_besides(piece: Piece) -> bool:
    """Whether a piece sends anything that is no message in its place: notes that hold none do not."""
    is_empty = isinstance(piece, Notes) and piece.start == piece.stop
    return not (isinstance(piece, Messages) or is_empty or _restored(piece))


def sent_whole(run: Run, sent: Traffic) -> Traffic:
    """``sent``, the traffic of ``run``, with every message of every request as it was said. What was left out or
    replaced by a summary stays so."""
    requests, prefix = requests_sent(run), SharedPrefix(run)
    more, others = sent.input_tokens.copy(), {}
    for number, request in requests.others.items():
        others[number] = _whole(request)
        pairs = zip(others[number].items, request.items, strict=True)
        more[number] += sum(
            prefix.item_tokens(one) - prefix.item_tokens(other)
            for one, other in pairs
            if one != other
        )
    return replace(
        sent,
        input_tokens=more,
        shared_tokens=prefix.tokens(requests._replace(others=others)),
    )


def _whole(request: Request) -> Request:
    items = [
        item._replace(form=None) if isinstance(item, Messages) else item
        for item in request.items
    ]
    return request._replace(items=items)
