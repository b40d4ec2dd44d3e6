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
from memviz.metrics.requests.sent_requests import Item, Request, Tokens
from memviz.metrics.requests.shared_ranges import (
    Bools,
    add_overhead,
    count_shared_in_ranges,
    sends_a_list,
)

Inside = Sequence[Notes | Line]


class SharedPrefix:
    """Counts the tokens that two requests of ``run`` begin with in common, which a prompt cache can serve.

    - Requests with different tools share nothing, because providers read the tools first.
    - Then equal messages at the same place count, with what the format adds to each, up to the first that differs.
    - If the first messages that differ are notes, or system prompts with notes in them, the words that they begin with
      in common count as well. Of other messages such words are few, and do not count.

    A tokenizer may join the last of these words to the line break after it; then one token less is shared.
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
        return add_overhead(self._space.sums.arrays)

    @cached_property
    def _system(self) -> int:
        """The tokens of the system prompt and the schemas of tools, which every request begins with."""
        space = self._space
        tokens = space.system_tokens + space.tool_tokens
        tokens += space.sums.name_totals[space.system_stop]
        return tokens + TOKENS_PER_MESSAGE * space.system_count

    def tokens(self, others: Mapping[int, Request]) -> Tokens:
        """Return for each request of the run the tokens that it shares with the one before; 0 for the first.

        ``others`` are those of :func:`memviz.metrics.requests.sent_requests.list_other_requests`.
        """
        shared, is_open = count_shared_in_ranges([self._run])
        self.settle(shared, is_open, others)
        return shared

    def settle(
        self, shared: Tokens, is_open: Bools, others: Mapping[int, Request]
    ) -> None:
        """Write the shared tokens of each request that ``is_open`` into ``shared``; see :meth:`tokens`."""
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
        if request.tools != other.tools:
            return 0
        shared = self._count_shared(request, other)
        return shared - max(self._count_saved(request), self._count_saved(other))

    def _count_saved(self, request: Request) -> int:
        """Return the tokens that a request saves if a system message contains the schemas of its tools."""
        pieces = (*request.inside, *request.items)
        return count_saved_tokens(self._space, pieces, request.tools)

    def _count_shared(self, request: Request, other: Request) -> int:
        """Return the tokens that two requests with the same tools share, before :meth:`_count_saved` is subtracted."""
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
        # If only one of them has a system prompt, it is compared as a message.
        if text is None or other_text is None:
            items = _list_behind_system(text, request.items)
            return tokens + self._count_in_items(
                items, _list_behind_system(other_text, other.items)
            )
        if text != other_text:
            common = find_common_beginning(text, other_text)
            if not common:
                return tokens
            return tokens + self._counter.tokens(self._units_of(common))
        return (
            tokens
            + self._count_system_with(text)
            + self._count_in_items(request.items, other.items)
        )

    def _count_system_with(self, text: str) -> int:
        """Return the tokens of the system prompt if its first message is ``text``."""
        tokens = self._system - self._space.tool_tokens
        tokens += self._counter.tokens(self._units_of(text))
        system_messages = self._space.system_messages[:1]
        if not system_messages:
            return tokens + TOKENS_PER_MESSAGE
        return tokens - self._counter(system_messages[0].content)

    def _join_system_text(self, inside: Inside) -> str | None:
        """Return the text of the first system message with the pieces put into it; ``None`` where there is none."""
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
        # The two requests may be cut into pieces differently. So take the equal messages from the front of both, put
        # back the rest of the longer piece, and go on until something differs.
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
        """Return how many messages at the start of both pieces are known to be the same, without comparing all."""
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
        # Equal up to the first message that the two forms change differently.
        for at in sorted(self._find_differing(left, right, stop)):
            message = self._log.sent(at, left.form)
            if not _reads_alike(message, self._log.sent(at, right.form)):
                return at - start
        return stop - start

    def _find_differing(self, left: Messages, right: Messages, stop: int) -> set[int]:
        """Return the positions before ``stop`` of messages that the forms of both pieces may change differently."""
        form = left.form
        other_form = right.form
        if isinstance(form, Superseded) and isinstance(other_form, Superseded):
            # If the two forms only differ in the length of the log, only the few messages differ that were superseded
            # between the two lengths, where each form changes thousands.
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
        """Return the tokens of a whole piece, with what the format adds."""
        message_count = item.stop - item.start if isinstance(item, Messages) else 1
        return self._count_tokens(item, message_count)

    def _count_tokens(self, item: Item, message_count: int) -> int:
        """Return the tokens of the first ``message_count`` messages of a piece."""
        if isinstance(item, Messages):
            start, stop, form = item
            if form is None:
                return int(self._sums[start + message_count] - self._sums[start])
            # There are no cached sums for a form of a single message.
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
            self._form_sums[form] = add_overhead(sums)
        return self._form_sums[form]

    def _count_in_summary(
        self, versions: range, other_versions: range
    ) -> tuple[int, bool]:
        """Return the tokens that two summary messages begin with in common, and true if they are the same."""
        log = self._summaries
        whole = log.tokens(versions.start, versions.stop)
        if versions == other_versions:
            return whole + TOKENS_PER_MESSAGE, True
        if not versions or not other_versions:
            return 0, False
        # Of a list that grew at its end, the shorter version is shared.
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
        """Return the tokens that two lists of entries begin with in common, and true if the lists are the same."""
        # Units are added up and converted to tokens at the end, as SummaryLog does. Rounding each entry to tokens, as
        # chars4 does, would give another sum.
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
                units += self._units_of(find_common_beginning(text, other_text))
                is_same = False
                break
            units += self._units_of(f"{text}\n")
        return self._counter.tokens(units) if units else 0, is_same

    def _units_of(self, text: str) -> int:
        if text not in self._units:
            self._units[text] = self._counter.units(text) if text else 0
        return self._units[text]


def _cut_first(piece: Item, count: int) -> list[Item]:
    """Return the rest of a piece after its first ``count`` messages, in a list that is empty if there is none."""
    if isinstance(piece, Messages) and piece.stop - piece.start > count:
        return [piece._replace(start=piece.start + count)]
    return []


def _list_behind_system(system: str | None, items: Sequence[Item]) -> Sequence[Item]:
    return items if system is None else [Message("system", system), *items]


def _reads_alike(message: Message, other: Message) -> bool:
    return (
        message.content == other.content and message.to_request() == other.to_request()
    )


NEAR_CHARS = 64
"""Most texts that differ do so within so many characters."""


def find_common_beginning(text: str, other: str) -> str:
    """Return the whole words that two texts begin with, without white space at the end: "a cat", "a car" -> a"""
    # The end is found by bisection: to compare two slices is one step in C, a loop over characters is slow.
    same = 0
    different = min(len(text), len(other)) + 1
    if text[:NEAR_CHARS] != other[:NEAR_CHARS]:
        different = min(different, NEAR_CHARS)
    while different - same > 1:
        middle = (same + different) // 2
        if text[:middle] == other[:middle]:
            same = middle
        else:
            different = middle
    common = text[:same]
    # Two words that only begin alike are no common word.
    if not (_ends_word(text, same) and _ends_word(other, same)):
        start_of_last_word = max(common.rfind(" "), common.rfind("\n")) + 1
        common = common[:start_of_last_word]
    return common.rstrip()


def _ends_word(text: str, position: int) -> bool:
    return position == len(text) or text[position].isspace()
