"""How large the summaries in a request are. A summary has one size everywhere: the tokens of its text. The heading that
it is sent under belongs to the request, not to it."""

from __future__ import annotations

from memviz.engine.records import TurnRecord


def sent_summary_tokens(record: TurnRecord) -> int:
    """Return the tokens of the texts of all versions that a request sends, without headings."""
    summaries = record.memory.space.summaries
    blocks = [
        summaries.in_block(piece.start, piece.stop) for piece in record.parts.notes
    ]
    return sum(version.tokens for block in blocks for version in block)
