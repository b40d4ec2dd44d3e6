"""Try another instruction on the very messages that a summarization was given."""

from __future__ import annotations

from typing import NamedTuple

from memviz.engine.compaction import Compaction
from memviz.engine.drafts import Draft, ask_for_draft
from memviz.models.base import Model


class Trial(NamedTuple):
    """One instruction and the draft it gave. ``output_tokens`` are as billed where the provider said, else
    counted; ``tokens`` are those of the text, as a request would count them. ``prompt`` is all that the
    summarizer was sent."""

    instruction: str
    prompt: str
    draft: Draft
    output_tokens: int
    tokens: int


def try_prompt(
    compaction: Compaction, instruction: str | None, summarizer: Model
) -> Trial:
    """What ``summarizer`` makes of the messages of ``compaction``, and of the summary
    they join, under another ``instruction`` (``None``: the strategy's own). The run
    stays as it is; a failure is the draft's error. Raises
    :class:`memviz.core.errors.UnusableSummarizerError` where a
    :class:`memviz.models.first_failure.FirstFailureEnds` does: no other prompt is worth
    trying then.
    """
    memory, strategy = compaction.before, compaction.strategy
    replaced = (
        memory.space.summaries.versions[compaction.replaces - 1]
        if compaction.replaces
        else None
    )
    messages = memory.worth_summarizing(compaction.summarized)
    request = strategy.summarizer_request(messages, replaced, instruction)
    source = strategy.summary_source(messages, replaced)
    draft = ask_for_draft(summarizer, request, source, memory.sums.counter, instruction)
    tokens = memory.sums.counter(draft.text) if draft.text else 0
    return Trial(
        instruction=instruction or strategy.instruction,
        prompt="\n\n".join(message.content for message in request),
        draft=draft,
        output_tokens=draft.usage.output_tokens if draft.usage else tokens,
        tokens=tokens,
    )
