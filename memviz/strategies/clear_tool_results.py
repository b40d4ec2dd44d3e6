"""Clearing of old tool results."""

from bisect import bisect_left
from collections.abc import Iterator
from typing import ClassVar, Literal

from memviz.core.forms import ClearedResults, WithoutArguments
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece
from memviz.core.token_sums import FormSums
from memviz.core.translation import noop
from memviz.strategies.base import Effect, Move, Strategy, Trigger
from memviz.strategies.clauses import Fill, Headroom
from memviz.strategies.families import TOOLS
from memviz.strategies.parameters import (
    choice,
    free_text,
    names_in,
    switch,
    whole_number,
)

CLEARED = "cleared"
"""The mark behind the last message that is sent cleared."""
PLACEHOLDER = "[cleared]"


class ClearToolResults(Strategy):
    """Sends a placeholder instead of old tool results once the conversation is long.

    Gains: what tools returned is mostly the largest part and soon of no more use; everything that people and the model
    said stays word for word, and no summary has to be paid for.

    Loses: what only a result said is gone, so the model may call the tool again; and each clearing changes messages
    early in the request, so that the provider's prompt cache has to be filled anew from there on. A conversation
    without tools is never shortened.

    Hurts when: results are looked at again much later, such as a file that is still being worked on; or clearings are
    small and frequent, so that each breaks the prompt cache for more than it saves.

    Used by:
    - LangChain ContextEditingMiddleware with ClearToolUsesEdit: past 100,000 tokens, all but the 3 newest results
      become "[cleared]" (run with langchain 1.4.7)
    - Anthropic's API, clear_tool_uses: the same parameters, but nothing is cleared if less than the least amount would
      go (documentation of Anthropic's API)
    - OpenAI Agents ToolOutputTrimmer: results older than 2 turns and longer than 500 characters become a preview of 200
      (run with openai-agents 0.24.0)
    - Gemini CLI: protects the newest 50,000 tokens, and acts only when 30,000 can go (read in gemini-cli 0.61.0)
    - opencode: leaves 2 turns and 40,000 tokens of results alone, and acts only when more than 20,000 would go (read in
      an older copy of opencode)

    Before each request all messages are counted, those cleared before too and as long as they were, but not the system
    prompt; only contents count, not the arguments of calls. Cleared are the results that answer a call of the
    assistant's message nearest before them. The newest ``keep_results`` stay, and the others of the same call that
    the model waits for may be cleared. LangChain's rule on how much has to go is *stop*: as soon as
    ``clear_at_least_tokens`` are gone it is satisfied, and then never clears anything more. Anthropic's is *gate*.
    Checked request by request against langchain 1.4.7 with a token counter of contents; *gate* has no library that runs
    without a network, and is checked against a slow reference. One difference: LangChain does not know a call whose
    arguments are no JSON object, and never clears its result.
    """

    title: ClassVar[str] = "Clear tool results"
    reference: ClassVar[str] = (
        "LangChain ContextEditingMiddleware with ClearToolUsesEdit (langchain 1.4.7)"
    )
    order: ClassVar[int] = 9
    family: ClassVar[str] = TOOLS
    main_parameter: ClassVar[str] = "trigger_tokens"
    trigger: ClassVar[Trigger] = Trigger.REQUEST
    limits: ClassVar[str] = noop("all messages, the cleared ones uncleared")
    """The words for the limit: a result that was cleared counts as before."""

    trigger_tokens: int = whole_number(
        100_000,
        "tokens",
        "Results are cleared when all messages together, uncleared, have more tokens than this. Larger clears later.",
        (500, 100_000),
        minimum=0,
    )
    keep_results: int = whole_number(
        3,
        "results",
        "Newest tool results that stay word for word. Larger keeps more and costs more.",
        (1, 20),
        minimum=0,
    )
    clear_at_least_tokens: int = whole_number(
        0,
        "tokens",
        "How many tokens have to go; what that means is the rule below. Larger clears more at a time with the rule "
        "stop, and waits longer with the rule gate. 0 clears all old results.",
        (1, 10_000),
        minimum=0,
    )
    rule: Literal["stop", "gate"] = choice(
        "stop",
        {
            "stop": "LangChain: clear from the oldest result on, and stop once that many tokens are gone",
            "gate": "Anthropic: clear all old results, but none as long as fewer tokens than that would go",
        },
        "Whether clearing stops when enough tokens are gone, or waits until enough tokens would go.",
    )
    clear_arguments: bool = switch(
        False, "Also empty the arguments of the calls whose results are cleared."
    )
    excluded_tools: str | None = free_text(
        "Names of tools, divided by commas, whose results are never cleared."
    )
    placeholder: str | None = free_text(
        f"What is sent in place of a result. Empty: {PLACEHOLDER}"
    )

    @property
    def writes_notes(self) -> bool:
        """No summarizer is asked."""
        return False

    @property
    def form(self) -> ClearedResults:
        """The form of old messages."""
        placeholder = PLACEHOLDER if self.placeholder is None else self.placeholder
        return ClearedResults(placeholder, self._excluded, self.clear_arguments)

    @property
    def _excluded(self) -> tuple[str, ...]:
        return names_in(self.excluded_tools)

    def fill(self, memory: Memory) -> Fill:
        """Tokens of all messages."""
        totals = memory.sums.totals
        held = totals[memory.length] - totals[memory.history_start]
        return Fill(held, self.trigger_tokens, "tokens", self.limits)

    def headroom(self, memory: Memory) -> Headroom | None:
        """Unknown once results were cleared, or as long as there are none to clear: the next result decides."""
        fill = self.fill(memory)
        if fill.is_over or self._stop(memory) == memory.mark(CLEARED):
            return None
        return fill.headroom

    def idle_because(self, memory: Memory) -> str:
        """There is nothing to clear without results of tools."""
        tools = memory.log.tools
        if bisect_left(tools.results, memory.length):
            return ""
        if bisect_left(tools.callers, memory.length):
            return "no tool has answered yet"
        return "no tool was called"

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Move the mark behind the results that are to be cleared; back to the beginning where the gate closes."""
        fill = self.fill(memory)
        old = memory.mark(CLEARED)
        new = self._stop(memory) if fill.is_over else old
        if new == old:
            return ()
        low, high = sorted((old, new))
        begin = self._last_caller(memory, low) if self.clear_arguments else low
        changed = [*self._sums(memory).changed_in(begin, high), low]
        reason = fill.reason
        if new < old:
            saved = self._saved(memory, self._limit(memory))
            reason = f"only {saved:,} tokens would go < {self.clear_at_least_tokens:,}"
        return (Move(CLEARED, new, "cleared", reason, range(changed[0], high)),)

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Everything, in the reduced form up to the mark."""
        stop = memory.mark(CLEARED)
        pieces = [Messages(memory.history_start, stop, self.form)]
        if self.clear_arguments:
            pieces = [*self._cleared(memory, stop)]
        pieces.append(Messages(stop, memory.length))
        return tuple(piece for piece in pieces if piece.positions)

    def _sums(self, memory: Memory) -> FormSums:
        sums = memory.log.token_sums(memory.sums.counter, self.form)
        assert isinstance(sums, FormSums)  # noqa: S101 - those of a form are
        return sums

    def _saved(self, memory: Memory, stop: int) -> int:
        """Tokens that go where everything before ``stop`` is cleared."""
        return memory.sums.totals[stop] - self._sums(memory).totals[stop]

    def _limit(self, memory: Memory) -> int:
        """Position of the first result that stays, or the end of the log where none does."""
        results = memory.log.tools.results
        count = bisect_left(results, memory.length)
        if self.keep_results:
            if count <= self.keep_results:
                return memory.history_start
            return results[count - self.keep_results]
        return memory.length

    def _stop(self, memory: Memory) -> int:
        """The place of the mark once there are too many tokens: behind the last result that is to be cleared."""
        old = memory.mark(CLEARED)
        limit = self._limit(memory)
        least = self.clear_at_least_tokens
        if least and self.rule == "gate" and self._saved(memory, limit) < least:
            return memory.history_start
        if least and self.rule == "stop":
            if self._saved(memory, old) >= least:
                return old
            for position in self._sums(memory).changed_in(old, limit):
                if self._saved(memory, position + 1) >= least:
                    limit = position + 1
                    break
        return max(old, self._behind_last_cleared(memory, limit))

    def _behind_last_cleared(self, memory: Memory, limit: int) -> int:
        """The position behind the last message before ``limit`` that is not sent as it is, or behind a result whose
        call is not."""
        low = self._last_caller(memory, memory.mark(CLEARED))
        for position in reversed(self._sums(memory).changed_in(low, limit)):
            if memory.log[position].role == "tool" and not self.clear_arguments:
                return position + 1
            caller = self._last_caller(memory, position + 1)
            results = self._cleared_results(memory, caller, limit)
            if results:
                return results[-1] + 1
        return memory.history_start

    def _last_caller(self, memory: Memory, stop: int) -> int:
        """The last message before ``stop`` that calls tools; where history begins if there is none."""
        callers = memory.log.tools.callers
        number = bisect_left(callers, stop)
        return callers[number - 1] if number else memory.history_start

    def _cleared_results(self, memory: Memory, caller: int, stop: int) -> list[int]:
        """The results before ``stop`` that answer the calls of one message and are not excluded."""
        results = []
        log = memory.log
        for position in range(caller + 1, stop):
            if log[position].role == "assistant":
                break
            tool = log.answered_tool(position)
            if tool is not None and (log[position].name or tool) not in self._excluded:
                results.append(position)
        return results

    def _cleared(self, memory: Memory, stop: int) -> Iterator[Messages]:
        """The messages before ``stop`` without the arguments of those calls whose results are cleared. The form empties
        all calls, which is right but for messages of which some call's result is missing, excluded or kept."""
        at = memory.history_start
        log = memory.log
        form = self.form
        irregular = log.tools.irregular[: bisect_left(log.tools.irregular, stop)]
        for caller in sorted({*irregular, self._last_caller(memory, stop)}):
            results = self._cleared_results(memory, caller, stop)
            ids = {log[position].tool_call_id or "" for position in results}
            own_form = WithoutArguments(tuple(sorted(ids)))
            is_within = at <= caller < stop
            if is_within and log.sent(caller, own_form) != log.sent(caller, form):
                yield Messages(at, caller, form)
                yield Messages(caller, caller + 1, own_form if ids else None)
                at = caller + 1
        yield Messages(at, stop, form)
