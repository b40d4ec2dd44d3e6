"""The common beginning of two requests, found the long way: by comparing the messages that were really built."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from memviz import Message, Run, TurnRecord
from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.core.counters import Counter
from memviz.engine.part_tokens import count_message_tokens
from memviz.metrics.requests.traffic import Traffic, count_traffic, list_answered_calls


def words_in_common(one: str, other: str) -> str:
    """Whole words only, and no white space behind them."""
    ends = [match.end() for match in re.finditer(r"\S+(?!\S)", one)]
    fits = [
        end
        for end in ends
        if one[:end] == other[:end] and re.fullmatch(r"\s?", other[end : end + 1])
    ]
    return one[: max(fits, default=0)]


def shared_tokens(
    counter: Counter,
    one: Sequence[Message],
    other: Sequence[Message],
    *,
    has_summaries: bool,
    per_message: int,
) -> int:
    """Tokens of the messages that both begin with, and of the words in common where two summaries differ."""
    tokens = 0
    for left, right in zip(one, other, strict=False):
        if left.to_request() != right.to_request():
            if has_summaries and left.role == right.role == "system":
                words = words_in_common(left.content, right.content)
                tokens += counter(words) if words else 0
            break
        tokens += count_message_tokens(counter, left) + per_message
    return tokens


def said(record: TurnRecord) -> list[tuple[str, Message]]:
    """Every message of a request with the kind of its block."""
    return [
        (block.kind, message)
        for block in record.context.blocks
        for message in block.messages
    ]


def shared_by_turn(run: Run, *, overhead: bool = True) -> list[int]:
    """What each request shares with the one before, for a run without thoughts. The words in common count where two
    notes differ, and where two system prompts do because of the notes in them."""
    first = [0] if run.requests else []
    return first + [
        shared(run.counter, said(one), said(other), TOKENS_PER_MESSAGE * overhead)
        for one, other in pairwise(run.requests)
    ]


def content_alone(run: Run) -> Traffic:
    """The traffic of a run without what the chat format adds to messages and requests."""
    found = count_traffic(run)
    added = []
    for one in list_answered_calls(run):
        added.append(TOKENS_PER_MESSAGE * len(one.request) + TOKENS_PER_REQUEST)
    return replace(
        found,
        input_tokens=found.input_tokens - run.columns.tokens["overhead"],
        shared_tokens=np.array(shared_by_turn(run, overhead=False)),
        summarizer_input_tokens=found.summarizer_input_tokens - np.array(added, int),
    )


def shared(
    counter: Counter,
    one: Sequence[tuple[str, Message]],
    other: Sequence[tuple[str, Message]],
    per_message: int,
) -> int:
    """Tokens of the messages that both begin with, each given with the kind of its block."""
    tokens = 0
    for (kind, left), (its_kind, right) in zip(one, other, strict=False):
        if left.to_request() != right.to_request():
            if kind == its_kind in ("summary", "system") and left.role == right.role:
                words = words_in_common(left.content, right.content)
                tokens += counter(words) if words else 0
            break
        tokens += count_message_tokens(counter, left) + per_message
    return tokens
