"""What the records of a run say, read off slowly and without the code that asks."""

from __future__ import annotations

from itertools import groupby

from memviz import Run
from memviz.engine.compaction import Compaction


def records_by_step(runs: list[Run]) -> list[dict[int, int]]:
    """For each run: the number of the request that is shown at a step. A turn has as many steps as the run with the
    most calls in it needs, at least one; the last calls of all runs stand at its last step."""
    last = max((record.turn for run in runs for record in run.requests), default=0)
    calls = [
        [
            sum(record.turn == turn for record in run.requests)
            for turn in range(last + 1)
        ]
        for run in runs
    ]
    found: list[dict[int, int]] = [{} for _ in runs]
    stop = 0
    for turn in range(1, last + 1):
        stop += max(1, *(each[turn] for each in calls))
        for run, each, steps in zip(runs, calls, found, strict=True):
            numbers = [
                number
                for number, record in enumerate(run.requests)
                if record.turn == turn
            ]
            steps.update(
                {stop - each[turn] + at: number for at, number in enumerate(numbers)}
            )
    return found


def summarized(run: Run, number: int) -> bool:
    """Whether the rule acted before this request: wrote a summary, or moved a mark where it asks nobody."""
    made = run.requests[number].compactions
    if run.strategy.writes_notes:
        return any(one.kind == "summarized" and one.summary is not None for one in made)
    return any(one.kind in ("cleared", "shortened", "evicted") for one in made)


def verbatim(run: Run, number: int) -> list[int]:
    """Numbers (from 1) of the messages that a request sends as they were said, behind the system prompt."""
    record = run.requests[number]
    recalled = set(record.parts.recalled)
    leading = _leading(run)
    found = set()
    for block in record.context.blocks:
        if block.kind in ("summary", "recalled"):
            continue
        for position, message in zip(block.indices, block.messages, strict=False):
            if (
                message == run.log[position]
                and position >= leading
                and position not in recalled
            ):
                found.add(position + 1)
    return sorted(found)


def _leading(run: Run) -> int:
    """How many system messages the conversation begins with."""
    return next(
        (
            position
            for position, message in enumerate(run.log)
            if message.role != "system"
        ),
        len(run.log),
    )


def in_words(numbers: list[int]) -> str:
    """``messages 1 to 3 and message 9``."""
    parts = []
    for _, group in groupby(enumerate(numbers), key=lambda pair: pair[1] - pair[0]):
        row = [number for _, number in group]
        parts.append(
            f"messages {row[0]:,} to {row[-1]:,}"
            if len(row) > 1
            else f"message {row[0]:,}"
        )
    return " and ".join(parts)


def used_tokens(run: Run, turn: int) -> int:
    """All tokens that both models read and wrote up to a turn."""
    total = sum(
        record.total_tokens + record.reply_tokens
        for record in run.requests
        if record.turn <= turn
    )
    for compaction in run.compactions:
        if (
            compaction.error is None
            and compaction.calls
            and (_turn(run, compaction) <= turn)
        ):
            total += compaction.prompt_tokens + compaction.output_tokens
    return total


def _turn(run: Run, compaction: Compaction) -> int:
    for record in run.requests:
        if any(one is compaction for one in record.compactions):
            return record.turn
    return 1 << 30
