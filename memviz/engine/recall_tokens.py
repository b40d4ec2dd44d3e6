"""What one more recall would add to a request that was sent: worked out before anybody asks for it."""

from __future__ import annotations

from collections.abc import Iterable

from memviz.core.conversation import Log
from memviz.engine.assembly import Parts, assemble, count
from memviz.engine.recall import Recall, resolve
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run


def added_tokens(run: Run, record: TurnRecord, recall: Recall) -> int:
    """Tokens that ``recall`` would add to the request of ``record`` of ``run``, as that request is counted. What is
    sent word for word already, or is recalled, adds nothing. Recalls change no summary, so nothing else changes."""
    asked = record.recalled.asked if record.recalled is not None else ()
    found = resolve(
        run.log,
        record.memory.before_open_turn,
        (*asked, recall),
        run.strategy.recall_limit_messages,
    )
    sent = record.parts
    new = assemble(record.memory, sent.pieces, found.indices)
    more = sent.with_recalled(tuple(sorted({*sent.recalled, *new.recalled})))
    return _tokens(record, more) - _tokens(record, sent)


def recalled_tokens(record: TurnRecord) -> int:
    """Tokens by which the recalled messages made the request larger: theirs, and what the chat format adds to each."""
    return _tokens(record, record.parts) - _tokens(
        record, record.parts.with_recalled(())
    )


def stating_turns(log: Log, positions: Iterable[int]) -> tuple[int, ...]:
    """The turns of the messages at these positions, each once and in order; those of the system prompt are in every
    request anyway."""
    return tuple(
        sorted(
            {
                log.turn_number(position)
                for position in positions
                if position >= log.system_stop
            }
        )
    )


def _tokens(record: TurnRecord, parts: Parts) -> int:
    return sum(count(record.memory, parts).values())
