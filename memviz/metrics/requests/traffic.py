"""What one run sent and got, in tokens, as arrays that any price can be laid on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.requests_sent import Tokens, requests_sent
from memviz.metrics.requests.shared_prefix import SharedPrefix


@dataclass(frozen=True, eq=False)
class Traffic:
    """Tokens of one run, without prices.

    One entry a request of the chat model, in order, in ``turns`` (its turn), ``input_tokens``, ``shared_tokens`` (those
    at its start that the request before began with as well; 0 for the first) and ``output_tokens``. Input is as
    counted, and so are the replies; what a live model wrote while it recalled or thought is as billed where that is
    known.

    One entry a summarization that has tokens in ``summarizer_turns`` (the turn of the first request that it changed;
    the last turn where none came any more), ``summarizer_requests`` (the number of that request, from 0; -1 where none
    came any more) and the two arrays of its tokens: as billed where that is known, drafts that the user discarded
    included, failed calls not (as in ``metrics/token_use.py``).
    """

    turns: Tokens
    input_tokens: Tokens
    shared_tokens: Tokens
    output_tokens: Tokens
    summarizer_turns: Tokens
    summarizer_input_tokens: Tokens
    summarizer_output_tokens: Tokens
    summarizer_requests: Tokens

    @classmethod
    def nothing(cls) -> Traffic:
        """The traffic of a run without any request."""
        return cls(*(_array(()) for _ in fields(cls)))

    def to_dict(self) -> dict[str, list[int]]:
        """The arrays as lists, ready for JSON."""
        return {
            field.name: getattr(self, field.name).tolist() for field in fields(self)
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> Traffic:
        """The traffic that :meth:`to_dict` described."""
        return cls(**{field.name: _array(value[field.name]) for field in fields(cls)})


def traffic(run: Run, *, overhead: bool = True) -> Traffic:
    """Everything that ``run`` sent and got. With ``overhead=False`` content tokens only, without what the
    chat format adds to each message and each request; what a provider billed stays as it was billed.

    How far two requests begin alike is told in :class:`memviz.metrics.requests.shared_prefix.SharedPrefix`.
    """
    sent = requests_sent(run, overhead=overhead)
    asked = [
        compaction
        for compaction in run.compactions
        if compaction.asked and compaction.error is None
    ]
    return Traffic(
        turns=sent.turns,
        input_tokens=sent.input_tokens,
        shared_tokens=SharedPrefix(run, overhead=overhead).tokens(sent),
        output_tokens=sent.output_tokens,
        summarizer_turns=_array(
            [run.request_turn(compaction) or compaction.turn for compaction in asked]
        ),
        summarizer_input_tokens=_array(
            [_prompt_tokens(compaction, overhead) for compaction in asked]
        ),
        summarizer_output_tokens=_array(
            [compaction.output_tokens for compaction in asked]
        ),
        summarizer_requests=_array(
            [_request_number(run, compaction) for compaction in asked]
        ),
    )


def _request_number(run: Run, compaction: Compaction) -> int:
    number_on_record = run.request_number(compaction)
    return -1 if number_on_record is None else number_on_record


def _array(values: Iterable[int]) -> Tokens:
    return np.array(list(values), dtype=np.int64)


def _prompt_tokens(compaction: Compaction, overhead: bool) -> int:
    if overhead:
        return compaction.prompt_tokens
    usages = [draft.usage for draft in compaction.discarded if draft.error is None]
    if compaction.calls > len(
        compaction.discarded
    ):  # the summary came from a call of its own
        usages.append(compaction.usage)
    # Drafts of one that the user skipped were asked for with the same messages as one that is used.
    sent = replace(
        compaction, kind="summarized", by_thinking=False, is_fixed=False
    ).request
    added = TOKENS_PER_MESSAGE * len(sent) + TOKENS_PER_REQUEST
    return compaction.prompt_tokens - added * usages.count(None)
