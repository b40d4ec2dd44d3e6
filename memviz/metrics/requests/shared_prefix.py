"""The shared prefix of each request: how many tokens at its start it has in common with the one before.

A provider's prompt cache reuses exactly this prefix, so dollars depend on it: a buffer that only grows is read from
the cache almost whole; of a sliding window, whose first message moves, little more than the system prompt is.

Comparing the texts of all neighbouring requests would cost the square of the conversation's length. Instead the prefix
follows from the pieces that the records keep: equal log positions in equal forms are equal messages, and their tokens
are differences of running sums. No request is built, and only where two different notes begin with the same words is
any text counted again. Most requests are compared all at once with numpy; those that need a closer look (tools, forms,
recalls, lines, notes inside the system prompt, reworded summaries) one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE
from memviz.core.forms import Form, Superseded
from memviz.core.messages import Message
from memviz.core.pieces import Line, Messages, Notes
from memviz.core.summaries import SummaryVersion
from memviz.engine.part_tokens import (
    count_message_tokens,
    find_reduced_positions,
    sums_of,
)
from memviz.engine.run import Run
from memviz.engine.schema_counts import count_offered_tokens, count_saved_tokens
from memviz.metrics.requests.common_words import common_words
from memviz.metrics.requests.sent_requests import Item, Request, Tokens
from memviz.metrics.requests.shared_ranges import (
    Bools,
    sends_a_list,
    shared_in_ranges,
    with_overhead,
)

Inside = Sequence[Notes | Line]


class SharedPrefix:
    """The common beginning of neighbouring requests of ``run``, in tokens.

    Requests with different tools have none, since providers read the tools first. Messages count where both requests
    hold the same at the same place, each with what the format adds to it, up to the first that differs. If both of
    these are notes (or system prompts with notes in them), the words that they begin with in common count too; the few
    that other messages may begin with in common do not. A tokenizer may join the last of these words to the line break
    behind it, and then one token less is shared.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._requests = run.requests
        self._space = run.space
        self._log = run.log
        self._counter = run.counter
        self._summaries = run.space.summaries
        self._units: dict[str, int] = {}
        self._form_sums: dict[Form, Tokens] = {}

    @cached_property
    def _sums(self) -> Tokens:
        return with_overhead(self._space.sums.arrays)

    @cached_property
    def _system(self) -> int:
        """The tokens of the system prompt and the schemas of tools, which every request begins with."""
        space = self._space
        tokens = space.system_tokens + space.tool_tokens
        tokens += space.sums.name_totals[space.system_stop]
        return tokens + TOKENS_PER_MESSAGE * space.system_count

    def tokens(self, others: Mapping[int, Request]) -> Tokens:
        """Return for each request of the run the tokens at its start that the one before had as well; 0 for the
        first. ``others`` are those of :func:`memviz.metrics.requests.sent_requests.other_requests`."""
        shared, is_open = shared_in_ranges([self._run])
        self.settle(shared, is_open, others)
        return shared

    def settle(
        self, shared: Tokens, is_open: Bools, others: Mapping[int, Request]
    ) -> None:
        """Put the right number into ``shared`` for each request that ``is_open``; see :meth:`tokens`."""
        for number in np.flatnonzero(is_open).tolist():
            before = self._request(number - 1, others)
            request = self._request(number, others)
            shared[number] = self.between(before, request)

    def _request(self, number: int, others: Mapping[int, Request]) -> Request:
        if number in others:
            return others[number]
        return Request.of(self._requests.parts_at(number))

    def between(self, request: Request, other: Request) -> int:
        """Return the tokens that two requests begin with in common."""
        # Providers read the tools first, so after other tools nothing is shared.
        if request.tools != other.tools:
            return 0
        shared = self._count_shared(request, other)
        return shared - max(self._count_saved(request), self._count_saved(other))

    def _count_saved(self, request: Request) -> int:
        """Return the tokens that schemas of tools save where a system message takes them in."""
        pieces = (*request.inside, *request.items)
        return count_saved_tokens(self._space, pieces, request.tools)

    def _count_shared(self, request: Request, other: Request) -> int:
        """Return the tokens that two requests with the same tools begin with in common, as if no system message but the
        system prompt took in the schemas of the tools."""
        offered = (
            count_offered_tokens(self._space, request.tools) if request.tools else 0
        )
        if not request.inside and not other.inside:
            return (
                self._system
                + offered
                + self._count_in_items(request.items, other.items)
            )
        tokens = self._space.tool_tokens + offered
        text = self._join_system_text(request.inside)
        other_text = self._join_system_text(other.inside)
        # Where one of them has no system prompt, that of the other is compared as a message.
        if text is None or other_text is None:
            items = _behind(text, request.items)
            return tokens + self._count_in_items(
                items, _behind(other_text, other.items)
            )
        if text != other_text:
            common = common_words(text, other_text)
            if not common:
                return tokens
            return tokens + self._counter.tokens(self._units_of(common))
        return (
            tokens
            + self._count_system_with(text)
            + self._count_in_items(request.items, other.items)
        )

    def _count_system_with(self, text: str) -> int:
        """Return the tokens of the system prompt where its first message reads so."""
        tokens = self._system - self._space.tool_tokens
        tokens += self._counter.tokens(self._units_of(text))
        system_messages = self._space.system_messages[:1]
        if not system_messages:
            return tokens + TOKENS_PER_MESSAGE
        return tokens - self._counter(system_messages[0].content)

    def _join_system_text(self, inside: Inside) -> str | None:
        """Return the words of the first system message with what stands in it; ``None`` where there is none."""
        words = [message.content for message in self._space.system_messages[:1]]
        before = 0
        for piece in inside:
            if isinstance(piece, Notes):
                text = self._summaries.text(piece.start, piece.stop)
            else:
                text = piece.message.content
            if piece.place == "before system":
                words.insert(before, text)
                before += 1
            else:
                words.append(text)
        return "\n".join(words) if words else None

    def _count_in_items(
        self, items: Sequence[Item], other_items: Sequence[Item]
    ) -> int:
        # The two requests may be cut into pieces differently. So: take the messages that are the same at the front of
        # both, put back what is left of the longer piece, and go on until something differs.
        tokens = 0
        stack = [*reversed(items)]
        other_stack = [*reversed(other_items)]
        while stack and other_stack:
            left = stack.pop()
            right = other_stack.pop()
            if (
                isinstance(left, Notes)
                and isinstance(right, Notes)
                and left.role == right.role
            ):
                shared, is_same = self._count_in_summary(left.versions, right.versions)
                tokens += shared
                if not is_same:
                    break
                continue
            same_messages = self._count_same(left, right)
            if not same_messages:
                break
            tokens += self._count_tokens(left, same_messages)
            stack += _cut_first(left, same_messages)
            other_stack += _cut_first(right, same_messages)
        return tokens

    def _count_same(self, left: Item, right: Item) -> int:
        """Return how many messages at the start of both pieces are known to be the same."""
        if (
            not isinstance(left, Messages)
            or not isinstance(right, Messages)
            or left.start != right.start
        ):
            return int(
                _reads_alike(self._first_message(left), self._first_message(right))
            )
        start = left.start
        stop = min(left.stop, right.stop)
        if left.form == right.form:
            return stop - start
        # Up to the first that their forms change differently.
        for at in sorted(self._find_differing(left, right, stop)):
            message = self._log.sent(at, left.form)
            if not _reads_alike(message, self._log.sent(at, right.form)):
                return at - start
        return stop - start

    def _find_differing(self, left: Messages, right: Messages, stop: int) -> set[int]:
        """Return the positions before ``stop`` of the messages that two forms of one stretch may change differently."""
        form = left.form
        other_form = right.form
        if isinstance(form, Superseded) and isinstance(other_form, Superseded):
            # Of two forms that differ in nothing but the length of the log, only what was read again between the two
            # lengths differs: few messages, where a form changes thousands.
            if (form.older, form.others) == (other_form.older, other_form.others):
                lengths = sorted((form.length, other_form.length))
                positions = self._log.file_reads().superseded_since(*lengths)
                return {at for at in positions if left.start <= at < stop}
        return {
            *find_reduced_positions(self._space, left._replace(stop=stop)),
            *find_reduced_positions(self._space, right._replace(stop=stop)),
        }

    def _first_message(self, item: Item) -> Message:
        if isinstance(item, Notes):
            return Message(item.role, self._summaries.text(item.start, item.stop))
        if isinstance(item, Messages):
            return self._log.sent(item.start, item.form)
        return item

    def item_tokens(self, item: Item) -> int:
        """Return the tokens of a whole piece, as they count in a prefix."""
        message_count = item.stop - item.start if isinstance(item, Messages) else 1
        return self._count_tokens(item, message_count)

    def _count_tokens(self, item: Item, message_count: int) -> int:
        """Return the tokens of the first messages of a piece, so many as were taken."""
        if isinstance(item, Messages):
            start, stop, form = item
            if form is None:
                return int(self._sums[start + message_count] - self._sums[start])
            # Of a form for one message no sums are kept.
            if stop - start > 1:
                sums = self._sums_of(form)
                return int(sums[start + message_count] - sums[start])
        return (
            count_message_tokens(self._counter, self._first_message(item))
            + TOKENS_PER_MESSAGE
        )

    def _sums_of(self, form: Form) -> Tokens:
        if form not in self._form_sums:
            sums = sums_of(self._space, form).arrays
            self._form_sums[form] = with_overhead(sums)
        return self._form_sums[form]

    def _count_in_summary(
        self, versions: range, other_versions: range
    ) -> tuple[int, bool]:
        """Return the tokens that two summary messages begin with in common, and whether they are the same."""
        log = self._summaries
        whole = log.tokens(versions.start, versions.stop)
        if versions == other_versions:
            return whole + TOKENS_PER_MESSAGE, True
        if not versions or not other_versions:
            return 0, False
        # A list that grew at its end shares the shorter list.
        if sends_a_list(self._run) and versions.start == other_versions.start:
            shorter_stop = min(versions.stop, other_versions.stop)
            return log.tokens(versions.start, shorter_stop), False
        entries = log.in_block(versions.start, versions.stop)
        other_entries = log.in_block(other_versions.start, other_versions.stop)
        shared, is_same = self._count_in_entries(entries, other_entries)
        if is_same:
            return whole + TOKENS_PER_MESSAGE, True
        return min(
            shared, whole, log.tokens(other_versions.start, other_versions.stop)
        ), False

    def _count_in_entries(
        self, entries: Sequence[SummaryVersion], other_entries: Sequence[SummaryVersion]
    ) -> tuple[int, bool]:
        """Return the tokens that two lists of entries begin with in common, and whether the lists are the same. Each
        entry is counted once, however many requests held it."""
        # Units are added up and made tokens at the end, as SummaryLog does: entries end in a line break, where units
        # of all counters add up exactly, while rounding each entry to tokens (as in chars4) would not.
        log = self._summaries
        heading = log.heading(entries[-1])
        if heading != log.heading(other_entries[-1]):
            return 0, False
        units = self._units_of(f"{heading}\n") if heading else 0
        is_same = len(entries) == len(other_entries)
        for entry, other_entry in zip(entries, other_entries, strict=False):
            text = log.entry(entry)
            other_text = log.entry(other_entry)
            if text != other_text:
                units += self._units_of(common_words(text, other_text))
                is_same = False
                break
            units += self._units_of(f"{text}\n")
        return self._counter.tokens(units) if units else 0, is_same

    def _units_of(self, text: str) -> int:
        if text not in self._units:
            self._units[text] = self._counter.units(text) if text else 0
        return self._units[text]


def _cut_first(piece: Item, count: int) -> list[Item]:
    """Return what is left of a piece without its first ``count`` messages, if anything is."""
    if isinstance(piece, Messages) and piece.stop - piece.start > count:
        return [piece._replace(start=piece.start + count)]
    return []


def _behind(system: str | None, items: Sequence[Item]) -> Sequence[Item]:
    return items if system is None else [Message("system", system), *items]


def _reads_alike(message: Message, other: Message) -> bool:
    return (
        message.content == other.content and message.to_request() == other.to_request()
    )
