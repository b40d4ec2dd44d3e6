"""One call of a summarizer: what was asked, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.core.counters import Counter
from memviz.core.errors import (
    BudgetSpentError,
    MemvizError,
    ScriptExhausted,
    UnusableSummarizerError,
)
from memviz.core.messages import Message, clean_text
from memviz.core.summaries import SummarySource
from memviz.engine.stored import Amount, Count, StoredUsage, Text, left_out_where
from memviz.models.base import Model, Reply

INTERRUPTED = "interrupted"
"""The error of a draft that the user did not wait for, by Ctrl-C or a click on Stop."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary that a summarizer wrote, or failed to write: then ``error`` says why and ``text`` is empty.

    ``instruction`` is what it was told in place of the strategy's own instruction, ``None`` where nothing
    else. ``prompt_tokens`` are those of all that it was sent: as billed where the provider said, else counted.
    ``cost`` is in US dollars, ``None`` where unknown. ``by_thinking``: the chat model gave it when it
    stopped thinking, so no summarizer was asked. ``answer`` is what the summarizer wrote, where the strategy read
    another ``text`` out of it. ``recorded``: a recording gave it; ``seconds`` and ``cost`` are those of then, ``None``
    where they were not recorded.
    """

    text: Text = ""
    instruction: Text | None = None
    error: Text | None = None
    seconds: Amount | None = 0.0
    cost: Amount | None = None
    usage: StoredUsage | None = None
    model: Text = ""
    by_thinking: bool = False
    prompt_tokens: Count = 0
    answer: Annotated[Text | None, left_out_where(None, "")] = None
    recorded: Annotated[bool, left_out_where(False)] = False


def ask_for_draft(
    summarizer: Model,
    request: Sequence[Message],
    source: SummarySource | None,
    counter: Counter,
    instruction: str | None = None,
) -> Draft:
    """Ask ``summarizer`` with ``request``, and with the ``source`` of that prompt where it is known.

    Whatever it raises becomes the draft's error, for the conversation has to survive it; only the end of a script or
    of a budget, a summarizer that no call reaches, and an interruption go through to the caller.
    """
    started = perf_counter()
    reply = Reply("")
    error = None
    try:
        reply = (
            summarizer.summarize(request)
            if source is None
            else summarizer.summarize_from(request, source)
        )
        if not reply.text.strip():
            error = "the summarizer returned an empty text"
    except (ScriptExhausted, BudgetSpentError, UnusableSummarizerError):
        raise
    except Exception as failure:
        error = str(failure)
        if not isinstance(failure, MemvizError):
            error = f"{type(failure).__name__}: {failure}"
    seconds = reply.recorded_seconds if reply.recorded else perf_counter() - started
    if reply.usage is None:
        prompt_tokens = _prompt_tokens(request, counter)
    else:
        prompt_tokens = reply.usage.input_tokens
    return Draft(
        text="" if error else clean_text(reply.text).strip(),
        instruction=instruction,
        error=error,
        seconds=seconds,
        cost=reply.cost_usd,
        usage=reply.usage,
        model=summarizer.name if error else reply.model or summarizer.name,
        prompt_tokens=prompt_tokens,
        recorded=reply.recorded,
    )


def _prompt_tokens(request: Sequence[Message], counter: Counter) -> int:
    content_tokens = sum(counter.in_lines(message.content) for message in request)
    return content_tokens + TOKENS_PER_MESSAGE * len(request) + TOKENS_PER_REQUEST
