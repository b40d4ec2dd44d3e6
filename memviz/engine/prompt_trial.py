"""Another instruction, tried on the messages of a compaction that was made. The run stays as it is."""

from typing import NamedTuple

from memviz.engine.compaction import Compaction
from memviz.engine.drafts import Draft, ask_for_draft
from memviz.models.base import Model


class Trial(NamedTuple):
    """One instruction and the draft it gave."""

    instruction: str
    prompt: str
    """All that the summarizer was sent."""
    draft: Draft
    output_tokens: int
    """The tokens that it wrote: as billed where the provider said, else counted."""
    tokens: int
    """The tokens of the draft's text, as a request would count them."""


def try_prompt(
    compaction: Compaction, instruction: str | None, summarizer: Model
) -> Trial:
    """The draft that ``summarizer`` makes of the messages of ``compaction``, and of the summary
    they join, under another ``instruction`` (``None``: the strategy's own).

    The run stays as it is; a failure is the draft's error. Raises
    :class:`memviz.core.model_errors.UnusableSummarizerError` where a
    :class:`memviz.models.base.FirstFailureEnds` does: no other prompt is worth trying then.
    """
    memory = compaction.before
    strategy = compaction.strategy
    replaced = compaction.replaced_version
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
