"""A model without a network: extractive summaries, and answers quoted from what it was sent."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from memviz.core.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.core.counters import DEFAULT_COUNTER, SLICE_CHARS
from memviz.core.counters import counter as counter_named
from memviz.core.errors import ParameterError
from memviz.core.messages import Message, ToolCall
from memviz.core.summaries import SummarySource
from memviz.core.text.words import UNSPACED, count_words
from memviz.core.tool_schemas import count_schema_tokens
from memviz.models.base import Model, Reply, ToolChoice, Usage
from memviz.models.offline.structured_summary import (
    asks_for_blocks,
    read_fact_request,
    write_blocks,
    write_facts,
)
from memviz.models.offline.summarizer import summarize
from memviz.models.offline.summary_request import (
    Entry,
    Style,
    asked_limit,
    asked_style,
    entries_in,
    entries_of,
)
from memviz.models.offline.tool_use import next_step
from memviz.models.tools import Tool

VERSION = 8
"""Raise it with every change of what the model says: runs and measurements that are kept were made by one version."""
SHORT_CHARS = 4000
"""Longer texts are few and large, so only the newest counts of them are kept."""
# "word ", "字"
_PIECE = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+\s*|\s+")


@lru_cache(maxsize=8192)
def _tokens_of_short(counter: str, text: str) -> int:
    return counter_named(counter).in_lines(text)


@lru_cache(maxsize=32)
def _tokens_of_long(counter: str, text: str) -> int:
    return counter_named(counter)(text)


class OfflineModel(Model):
    """Answers only from the messages it is sent, so that what a memory strategy forgot is seen to be gone.

    ``summary_budget_tokens`` is the most a summary may hold, counted with the token counter named
    ``counter``. Same messages, same answer; nothing leaves the machine; a reply costs nothing.

    Raises :class:`memviz.core.errors.ParameterError` for a budget below 1 and
    :class:`memviz.core.errors.UnknownCounterError` for an unknown counter.
    """

    name = "offline"

    def __init__(
        self, summary_budget_tokens: int = 160, counter: str = DEFAULT_COUNTER
    ) -> None:
        if summary_budget_tokens < 1:
            raise ParameterError(
                "summary_budget_tokens", summary_budget_tokens, "1 or more"
            )
        self.summary_budget_tokens = summary_budget_tokens
        self.counter = counter_named(counter).name

    @property
    def identity(self) -> Mapping[str, Any]:
        """The version, and what it is given to summarize with."""
        return {
            "version": VERSION,
            "summary_budget_tokens": self.summary_budget_tokens,
            "counter": self.counter,
        }

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """Answer the last user message: a word a piece, and last the whole reply."""
        reply = self.complete(messages, tools, tool_choice)
        yield from _PIECE.findall(reply.text)
        yield reply

    def complete(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """Answer the last user message, or call those of ``tools`` that serve memory; others are never called."""
        step = next_step(messages, tools, tool_choice, self._summarized)
        schemas = [tool.text for tool in tools]
        reply = self._reply(messages, step.text, schemas, step.calls)
        if not step.calls:
            return reply
        return replace(reply, tool_calls=step.calls, finish_reason="tool_calls")

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """The most informative clauses of what ``messages`` ask to summarize, in their order, one a line. Of an
        instruction it obeys only the length: "at most 60 words", tokens or characters; the form, where that asks for
        sentences; and where it asks for each fact in a ``<fact>``, every clause is one. Of blocks of memory
        *persona* is what to keep to, *human* all else."""
        request = read_fact_request(messages)
        if request is None:
            return self._summary(messages, entries_in(messages))
        text = write_facts(request, self.summary_budget_tokens, self._count)
        return self._reply(messages, text)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """Return the summary that the prompt asks for, made of its ``source``, which need not be parsed."""
        return self._summary(messages, entries_of(source))

    def _summary(self, messages: Sequence[Message], parts: Sequence[Entry]) -> Reply:
        limit = asked_limit(messages)
        style = asked_style(messages)
        if limit is None:
            budget_tokens = self.summary_budget_tokens
            text = summarize(parts, budget_tokens, self._count, style=style)
            return self._reply(messages, text)
        counts = {"token": self._count, "word": count_words, "character": len}
        count = counts[limit.unit]
        if asks_for_blocks(messages):
            text = write_blocks(parts, limit.amount, count)
        else:
            text = summarize(parts, limit.amount, count, fill=True, style=style)
        return self._reply(messages, text)

    def _summarized(self, parts: Sequence[Entry], fill: bool = False) -> str:
        """Return a summary inside a reply, in sentences."""
        return summarize(
            parts,
            self.summary_budget_tokens,
            self._count,
            fill=fill,
            style=Style.SENTENCES,
        )

    def _count(self, text: str) -> int:
        if len(text) <= SHORT_CHARS:
            return _tokens_of_short(self.counter, text)
        return _tokens_of_long(self.counter, text)

    def _read(self, text: str) -> int:
        """Return the tokens of a prompt. The prompts of one conversation have most of their lines in common, so each
        line is counted once."""
        if len(text) <= SLICE_CHARS:
            return counter_named(self.counter).in_lines(text)
        return self._count(text)

    def _reply(
        self,
        messages: Sequence[Message],
        text: str,
        schemas: Sequence[str] = (),
        calls: Sequence[ToolCall] = (),
    ) -> Reply:
        has_system_prompt = any(message.role == "system" for message in messages)
        # A provider bills the schemas of the tools, what the format adds, and tool calls as output.
        counter = counter_named(self.counter)
        input_tokens = count_schema_tokens(counter, tuple(schemas), has_system_prompt)
        input_tokens += TOKENS_PER_REQUEST
        for message in messages:
            input_tokens += self._read(message.content) + TOKENS_PER_MESSAGE
        output_tokens = self._count(text)
        for call in calls:
            output_tokens += self._count(call.name) + self._count(call.arguments)
        usage = Usage(input_tokens, output_tokens)
        return Reply(text, usage=usage, cost_usd=0.0, model=self.name)
