"""A summarizer that remembers what it wrote in an earlier run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memviz.core.conversation import Message
from memviz.core.memory import SummarySource
from memviz.engine.run import Run
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.tools import Tool


class RecordedSummaries(Model):
    """Answers the requests that ``run`` sent to its summarizer as they were answered then, at the same cost, and
    asks ``summarizer`` for all others. So a run with one summary changed calls nobody for those before it."""

    def __init__(self, run: Run, summarizer: Model) -> None:
        self.name, self._summarizer = summarizer.name, summarizer
        self._written = {
            compaction.request: Reply(
                compaction.answered or "",
                usage=compaction.usage,
                cost_usd=compaction.cost,
                model=compaction.model,
                recorded=compaction.recorded,
                recorded_seconds=compaction.seconds if compaction.recorded else None,
            )
            for compaction in run.made_or_foreseen
            if compaction.request and compaction.summary is not None
        }

    def stream(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        tool_choice: ToolChoice = "auto",
    ) -> Iterator[str | Reply]:
        """Only summaries are on record; everything else is the summarizer's."""
        yield from (
            self._summarizer.stream(messages, tools, tool_choice)
            if tools
            else self._summarizer.stream(messages)
        )

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """The summary on record for exactly these messages, else a new one."""
        return self._written.get(tuple(messages)) or self._summarizer.summarize(
            messages
        )

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """The same; the summarizer of the others gets the source."""
        return self._written.get(tuple(messages)) or self._summarizer.summarize_from(
            messages, source
        )
