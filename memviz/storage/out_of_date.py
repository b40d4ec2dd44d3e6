"""Is a kept replay what would be made now? Earlier versions of memviz made some otherwise."""

from __future__ import annotations

from memviz.engine.run import Run


def is_out_of_date(replay: Run) -> bool:
    """Return whether an earlier version made this replay otherwise than it would be made now.

    It recorded a turn with several calls of the model as one request, took leading system messages as history, or
    counted the chat format otherwise: 3 tokens a message without its role, at first without names, too.
    """
    return (
        not replay.space.leads_apart
        or replay.counted_anew
        or len(replay.requests) != replay.log.request_count
    )
