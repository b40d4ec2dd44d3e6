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
from memviz.engine.part_tokens import message_tokens, reduced_positions, sums_of
from memviz.engine.run import Run
from memviz.engine.schema_counts import offered_tokens, saved_by_system_message
from memviz.metrics.requests.sent_requests import Item, Request, Tokens
from memviz.metrics.requests.shared_ranges import (
    Bools,
    sends_a_list,
    shared_in_ranges,
    with_overhead,
)

Inside = Sequence[Notes | Line]
NEAR_CHARS = 64
"""Most texts that differ do so before this."""


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

    def between(self, one: Request, other: Request) -> int:
        """Return the tokens that two requests begin with in common."""
        if one.tools != other.tools:
            return 0
        saved = [
            saved_by_system_message(
                self._space, (*request.inside, *request.items), request.tools
            )
            for request in (one, other)
        ]
        return self._between_messages(one, other) - max(saved)

    def _between_messages(self, one: Request, other: Request) -> int:
        """Return the same, with schemas that no system message but the system prompt takes in."""
        offered = offered_tokens(self._space, one.tools) if one.tools else 0
        if not one.inside and not other.inside:
            return self._system + offered + self._in_items(one.items, other.items)
        tokens = self._space.tool_tokens + offered
        left = self._first_system_text(one.inside)
        right = self._first_system_text(other.inside)
        # One has no system prompt, and that of the other stands in no log.
        if left is None or right is None:
            ones = _behind(left, one.items)
            return tokens + self._in_items(ones, _behind(right, other.items))
        if left != right:
            common = common_words(left, right)
            if not common:
                return tokens
            return tokens + self._counter.tokens(self._units_of(common))
        return tokens + self._system_with(left) + self._in_items(one.items, other.items)

    def _system_with(self, text: str) -> int:
        """Return the tokens of the system prompt where its first message reads so."""
        tokens = self._system - self._space.tool_tokens
        tokens += self._counter.tokens(self._units_of(text))
        own = self._space.system_messages[:1]
        if not own:
            return tokens + TOKENS_PER_MESSAGE
        return tokens - self._counter(own[0].content)

    def _first_system_text(self, inside: Inside) -> str | None:
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

    def _in_items(self, one: Sequence[Item], other: Sequence[Item]) -> int:
        # The two requests may be cut into pieces differently. So: take the messages that are the same at the front of
        # both, put back what is left of the longer piece, and go on until something differs.
        tokens = 0
        ones = [*reversed(one)]
        others = [*reversed(other)]
        while ones and others:
            left = ones.pop()
            right = others.pop()
            if (
                isinstance(left, Notes)
                and isinstance(right, Notes)
                and left.role == right.role
            ):
                shared, is_same = self._in_summary(left.versions, right.versions)
                tokens += shared
                if not is_same:
                    break
                continue
            taken = self._taken(left, right)
            if not taken:
                break
            tokens += self._size(left, taken)
            for piece, rest in ((left, ones), (right, others)):
                if isinstance(piece, Messages) and piece.stop - piece.start > taken:
                    rest.append(piece._replace(start=piece.start + taken))
        return tokens

    def _taken(self, left: Item, right: Item) -> int:
        """Return how many messages at the start of both pieces are known to be the same."""
        if not isinstance(left, Messages) or not isinstance(right, Messages):
            return int(_reads_alike(self._first(left), self._first(right)))
        if left.start != right.start:
            return int(_reads_alike(self._first(left), self._first(right)))
        start = left.start
        stop = min(left.stop, right.stop)
        if left.form == right.form:
            return stop - start
        # Up to the first that their forms change differently.
        for at in sorted(self._may_differ(left, right, stop)):
            one = self._log.sent(at, left.form)
            if not _reads_alike(one, self._log.sent(at, right.form)):
                return at - start
        return stop - start

    def _may_differ(self, left: Messages, right: Messages, stop: int) -> set[int]:
        """Return the positions before ``stop`` of the messages that two forms of one stretch may change differently."""
        one = left.form
        other = right.form
        if isinstance(one, Superseded) and isinstance(other, Superseded):
            if (one.older, one.others) == (other.older, other.others):
                lengths = sorted((one.length, other.length))
                found = self._log.file_reads().superseded_since(*lengths)
                return {at for at in found if left.start <= at < stop}
        return {
            *reduced_positions(self._space, left._replace(stop=stop)),
            *reduced_positions(self._space, right._replace(stop=stop)),
        }

    def _first(self, item: Item) -> Message:
        if isinstance(item, Notes):
            return Message(item.role, self._summaries.text(item.start, item.stop))
        if isinstance(item, Messages):
            return self._log.sent(item.start, item.form)
        return item

    def item_tokens(self, item: Item) -> int:
        """Return the tokens of a whole piece, as they count in a prefix."""
        taken = item.stop - item.start if isinstance(item, Messages) else 1
        return self._size(item, taken)

    def _size(self, item: Item, taken: int) -> int:
        """Return the tokens of the first messages of a piece, so many as were taken."""
        if isinstance(item, Messages):
            start, stop, form = item
            if form is None:
                return int(self._sums[start + taken] - self._sums[start])
            # Of a form for one message no sums are kept.
            if stop - start > 1:
                sums = self._sums_of(form)
                return int(sums[start + taken] - sums[start])
        return message_tokens(self._counter, self._first(item)) + TOKENS_PER_MESSAGE

    def _sums_of(self, form: Form) -> Tokens:
        if form not in self._form_sums:
            sums = sums_of(self._space, form).arrays
            self._form_sums[form] = with_overhead(sums)
        return self._form_sums[form]

    def _in_summary(self, one: range, other: range) -> tuple[int, bool]:
        """Return the tokens that two summary messages begin with in common, and whether they are the same."""
        log = self._summaries
        whole = log.tokens(one.start, one.stop)
        if one == other:
            return whole + TOKENS_PER_MESSAGE, True
        if not one or not other:
            return 0, False
        # A list that grew at its end.
        if sends_a_list(self._run) and one.start == other.start:
            return log.tokens(one.start, min(one.stop, other.stop)), False
        ones = log.in_block(one.start, one.stop)
        others = log.in_block(other.start, other.stop)
        shared, is_same = self._in_entries(ones, others)
        if is_same:
            return whole + TOKENS_PER_MESSAGE, True
        return min(shared, whole, log.tokens(other.start, other.stop)), False

    def _in_entries(
        self, ones: Sequence[SummaryVersion], others: Sequence[SummaryVersion]
    ) -> tuple[int, bool]:
        """Return the same for two lists of entries. Each entry is counted once, however many requests held it."""
        # Units are added up and made tokens at the end, as SummaryLog does: entries end in a line break, where units
        # of all counters add up exactly, while rounding each entry to tokens (as in chars4) would not.
        log = self._summaries
        heading = log.heading(ones[-1])
        if heading != log.heading(others[-1]):
            return 0, False
        units = self._units_of(f"{heading}\n") if heading else 0
        is_same = len(ones) == len(others)
        for one, other in zip(ones, others, strict=False):
            left = log.entry(one)
            right = log.entry(other)
            if left != right:
                units += self._units_of(common_words(left, right))
                is_same = False
                break
            units += self._units_of(f"{left}\n")
        return self._counter.tokens(units) if units else 0, is_same

    def _units_of(self, text: str) -> int:
        if text not in self._units:
            self._units[text] = self._counter.units(text) if text else 0
        return self._units[text]


def _behind(system: str | None, items: Sequence[Item]) -> Sequence[Item]:
    return items if system is None else [Message("system", system), *items]


def _reads_alike(one: Message, other: Message) -> bool:
    return one.content == other.content and one.to_request() == other.to_request()


def common_words(one: str, other: str) -> str:
    """Return the whole words that two texts begin with in common, without the white space after them."""
    # Bisection over slices: comparing a slice is one step in C, however long, where a loop over characters is slow.
    same = 0
    different = min(len(one), len(other)) + 1
    if one[:NEAR_CHARS] != other[:NEAR_CHARS]:
        different = min(different, NEAR_CHARS)
    while different - same > 1:
        middle = (same + different) // 2
        if one[:middle] == other[:middle]:
            same = middle
        else:
            different = middle
    common = one[:same]
    if not (_is_end(one, same) and _is_end(other, same)):
        common = common[: len(common) - len(common.split(" ")[-1].split("\n")[-1])]
    return common.rstrip()


def _is_end(text: str, position: int) -> bool:
    return position == len(text) or text[position].isspace()
