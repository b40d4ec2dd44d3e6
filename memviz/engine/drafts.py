"""Asks a summarizer once, and keeps its answer or its failure as a :class:`Draft`.

:mod:`memviz.engine.effects` asks for the summaries that are due, :mod:`memviz.engine.review` for those that a user
reviews. A failure becomes a draft as well, because the conversation has to go on.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Annotated

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.core.counters import Counter
from memviz.core.errors import MemvizError
from memviz.core.messages import Message, clean_text
from memviz.core.model_errors import (
    BudgetSpentError,
    ScriptExhausted,
    UnusableSummarizerError,
)
from memviz.core.summaries import SummarySource
from memviz.core.translation import ENGLISH, use_language
from memviz.engine.stored import Amount, Count, StoredUsage, Text, left_out_where
from memviz.models.base import Model, Reply

INTERRUPTED = "interrupted"
"""The error of a draft that the user stopped, by Ctrl-C or a click on Stop."""

ANOTHER_MODEL = "the library's own"
"""The name of the model of a draft that a library wrote without memviz."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A summary that a summarizer wrote, or failed to write."""

    text: Text = ""
    """Empty where the summarizer failed."""
    instruction: Text | None = None
    """The user's instruction, in place of the strategy's own."""
    error: Text | None = None
    """The reason of a failure."""
    seconds: Amount | None = 0.0
    """Duration of the call; if ``recorded``, then that of the recorded call, ``None`` where
    it was not recorded."""
    cost: Amount | None = None
    """US dollars, ``None`` where unknown; if ``recorded``, then those of the recorded call."""
    usage: StoredUsage | None = None
    model: Text = ""
    by_thinking: bool = False
    """True if the chat model gave it when it stopped thinking: no summarizer was asked."""
    prompt_tokens: Count = 0
    """Tokens that the summarizer was sent: as billed where the provider said, else counted."""
    answer: Annotated[Text | None, left_out_where(None, "")] = None
    """The summarizer's text, where the strategy read another ``text`` out of it."""
    recorded: Annotated[bool, left_out_where(False)] = False
    """True if a recording played the call."""


def ask_for_draft(
    summarizer: Model,
    request: Sequence[Message],
    source: SummarySource | None,
    counter: Counter,
    instruction: str | None = None,
) -> Draft:
    """Ask ``summarizer`` with ``request`` and return its draft.

    ``source`` is what the request was made of, where that is known. An error of the
    summarizer becomes the draft's error, because the conversation has to survive it. The
    end of a script or of a budget, a summarizer that no call reaches, and an interruption
    are raised.
    """
    started = perf_counter()
    reply = Reply("")
    error = None
    try:
        with use_language(ENGLISH):  # its failure is stored
            if source is None:
                reply = summarizer.summarize(request)
            else:
                reply = summarizer.summarize_from(request, source)
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
        prompt_tokens = _count_prompt_tokens(request, counter)
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


def make_library_draft(
    text: str, request: Sequence[Message], counter: Counter
) -> Draft:
    """Return the draft of a summary that a library wrote by a call of its own.

    memviz did not see that call: ``request`` stands for it, so that its tokens are counted, and its price is unknown.
    """
    prompt_tokens = _count_prompt_tokens(request, counter)
    return Draft(text, model=ANOTHER_MODEL, prompt_tokens=prompt_tokens)


def _count_prompt_tokens(request: Sequence[Message], counter: Counter) -> int:
    content_tokens = sum(counter.in_lines(message.content) for message in request)
    return content_tokens + TOKENS_PER_MESSAGE * len(request) + TOKENS_PER_REQUEST
