"""What happened at a request, in one sentence each, with the run's own numbers.

A sentence is a list of texts of which every second one is said with emphasis. Nothing in it is ever markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from memviz.core.pieces import in_ranges
from memviz.core.text.wording import counted, listed, message_range, turn_list
from memviz.engine.compaction import Compaction
from memviz.engine.recall_tokens import recalled_tokens
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.summaries.compaction_words import (
    compaction_words,
    named_reason,
    plain_limit,
    request_title,
    size_words,
)
from memviz.transcripts.base import Probe

Sentence = list[str]
MOST_NAMED, MOST_ANSWER_CHARS = 3, 60
_OVER = re.compile(
    r"([\d,]+ (?:tokens|messages|turns|seconds|facts)) > (\d[\d,]*(?:, twice .*)?)"
)
_REACHED = re.compile(r"([\d,]+ (?:tokens|messages|turns|seconds)) ≥ (\d.*)")


class _Said(str):
    """A text that is said with emphasis."""


def compaction_sentence(run: Run, compaction: Compaction) -> Sentence:
    """``messages not yet summarized had grown to`` **1,600 tokens, over the limit of 1,500**. ``Summarized
    messages 13 to 18. The request:`` **1,874 → 993 tokens**."""
    words = compaction_words(compaction, run)
    if compaction.error is not None:
        return _sentence(*_why(compaction), _Said(words.what), f". {words.result}.")
    return _sentence(
        *_why(compaction),
        words.what,
        _often(run, compaction),
        f". {request_title(compaction, run)}: ",
        _Said(size_words(compaction, run)),
        ".",
    )


def _why(compaction: Compaction) -> Iterator[str]:
    """Why it was due, up to the next sentence."""
    reason, counts = (
        plain_limit(compaction.reason),
        compaction.strategy.limits or "the memory",
    )
    counts += "," if "," in counts else ""
    if found := _OVER.fullmatch(reason):
        yield from (
            f"{counts} had grown to ",
            _Said(f"{found[1]}, over the limit of {found[2]}"),
            ". ",
        )
    elif found := _REACHED.fullmatch(reason):
        yield from (
            f"{counts} had reached ",
            _Said(f"{found[1]}, the limit being {found[2]}"),
            ". ",
        )
    elif reason:
        yield from (_Said(named_reason(compaction.strategy, reason)), ". ")


def _often(run: Run, compaction: Compaction) -> str:
    """Which messages the new summary holds that had been summarized before, if any."""
    if compaction.written is None or compaction.replaces is None:
        return ""
    passed = fate_map(run).generations.row(compaction.written.version - 1, len(run.log))
    most = int(passed.max(initial=0))
    oldest = in_ranges(np.flatnonzero(passed == most).tolist())
    return (
        f"; by now {message_range(oldest[0])} went through {counted(most, 'summary')}"
        if most > 1
        else ""
    )


def recall_sentence(record: TurnRecord) -> Sentence:
    """What was brought back into a request."""
    log, positions = record.memory.log, record.parts.recalled
    turns = sorted({log.turn_number(position) for position in positions})
    return _sentence(
        _Said(
            f"{counted(len(positions), 'message')} of {turn_list(turns, MOST_NAMED)}"
        ),
        " came back, word for word: ",
        _Said(f"+{counted(recalled_tokens(record), 'token')}"),
        ".",
    )


def dropped_sentence(dropped: Sequence[int]) -> Sentence:
    """What a request sends no more, and nothing stands for."""
    ranges = in_ranges(dropped)
    left = (
        listed(message_range(one) for one in ranges)
        if len(ranges) <= MOST_NAMED
        else counted(len(dropped), "message")
    )
    is_one = len(dropped) == 1
    return _sentence(
        _Said(left),
        f" {'is' if is_one else 'are'} sent no more, and nothing stands for {'it' if is_one else 'them'}.",
    )


def setting_sentence(run: Run, record: TurnRecord) -> Sentence:
    """Which setting the chat was given."""
    return _sentence(
        "from here on the chat has another setting, ",
        _Said(run.strategy_at(record.turn).label),
        ".",
    )


def loss_sentence(run: Run, facts: Sequence[Probe], lost_by: int | None) -> Sentence:
    """Which facts a request knows no more, and the number of the compaction that took them (``None``: what said so is
    not sent)."""
    answers = [_short(fact.answers[0]) for fact in facts[:MOST_NAMED]]
    more = len(facts) - len(answers)
    named = listed(
        [*(f"“{answer}”" for answer in answers), *([f"{more:,} more"] if more else [])]
    )
    is_one = len(facts) == 1
    noun = "the fact" if is_one else counted(len(facts), "fact")
    return _sentence(
        f"{noun} ",
        _Said(named),
        f" {'is' if is_one else 'are'} lost: ",
        _taken_by(run, lost_by, "it" if is_one else "them"),
        ".",
    )


def _taken_by(run: Run, number: int | None, what: str) -> str:
    if number is None:
        return "what said so is sent no more"
    compaction = run.compactions[number]
    if compaction.version is not None:
        return f"version {compaction.version:,} of the summary leaves {what} out"
    words = compaction_words(compaction, run).what
    return f"{words[0].lower()}{words[1:]}"


def _short(answer: str) -> str:
    return (
        answer
        if len(answer) <= MOST_ANSWER_CHARS
        else f"{answer[: MOST_ANSWER_CHARS - 1]}…"
    )


def _sentence(*texts: str) -> Sentence:
    """The texts as a sentence; those next to each other with the same emphasis are one."""
    found = [""]
    for text in filter(None, texts):
        if isinstance(text, _Said) != (len(found) % 2 == 0):
            found.append("")
        found[-1] += str(text)
    return found
