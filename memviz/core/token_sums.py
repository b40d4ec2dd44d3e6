"""Running sums of the tokens of a log's messages, whole or in a form."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from memviz.core.counters import Counter
from memviz.core.shared_growth import SharedGrowth

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from memviz.core.forms import Form, Superseded
    from memviz.core.messages import Message, ToolCall

TOKENS_PER_NAME = 1
"""What the OpenAI chat format adds to the tokens of a name, where the speaker of a message
has one."""


def count_name_tokens(counter: Counter, name: str | None) -> int:
    """Return what the name of a speaker adds to a request: its tokens and that of the chat
    format; 0 without a name."""
    return counter(name) + TOKENS_PER_NAME if name else 0


def count_call_tokens(counter: Counter, calls: Iterable[ToolCall]) -> int:
    """Return the tokens of the names and arguments of tool calls."""
    return sum(counter(call.name) + counter(call.arguments) for call in calls)


class SumArrays(NamedTuple):
    """The sums of :class:`TokenSums`, each as an array."""

    totals: NDArray[np.int64]
    reply_totals: NDArray[np.int64]
    call_totals: NDArray[np.int64]
    name_totals: NDArray[np.int64]


@dataclass(eq=False, repr=False)
class TokenSums(SharedGrowth):
    """Running sums of the tokens of a log's messages under one counter. Number ``i`` of each
    list is the sum of the first ``i`` messages.

    Replays in several threads may share one.
    """

    counter: Counter
    totals: list[int] = field(default_factory=lambda: [0])
    """Content."""
    reply_totals: list[int] = field(default_factory=lambda: [0])
    """All that the assistant wrote, tool calls included."""
    call_totals: list[int] = field(default_factory=lambda: [0])
    """Names and arguments of tool calls. They count toward no strategy's threshold."""
    name_totals: list[int] = field(default_factory=lambda: [0])
    """Names of those who spoke. They count toward no strategy's threshold either."""
    _tokens_of_names: dict[str | None, int] = field(default_factory=lambda: {None: 0})
    """The tokens of each name: a conversation has few."""
    _arrays: SumArrays | None = None

    @property
    def arrays(self) -> SumArrays:
        """The sums as arrays, made again only after more messages were counted."""
        arrays = self._arrays
        if arrays is None or len(arrays.totals) != len(self.totals):
            import numpy as np  # not to be waited for by those who only count

            with self._extending:
                sums = (getattr(self, name) for name in SumArrays._fields)
                arrays = SumArrays(*(np.array(column, np.int64) for column in sums))
                self._arrays = arrays
        return arrays

    def extend(self, messages: Sequence[Message]) -> None:
        """Count the messages that were not counted yet."""
        if len(self.totals) > len(messages):
            return
        with self._extending:  # two threads at once would count messages twice
            self._extend(messages)

    def _extend(self, messages: Sequence[Message]) -> None:
        # Runs once a message and counter, for whole archives: local names and one loop make it as fast as counting.
        # The totals come last: their length says how many messages are counted.
        totals = self.totals
        reply_totals = self.reply_totals
        call_totals = self.call_totals
        name_totals = self.name_totals
        names = self._tokens_of_names
        total = totals[-1]
        reply_total = reply_totals[-1]
        call_total = call_totals[-1]
        name_total = name_totals[-1]
        for message in islice(messages, len(totals) - 1, None):
            tokens = self.counter(message.content)
            total += tokens
            calls = 0
            if message.tool_calls:
                calls = count_call_tokens(self.counter, message.tool_calls)
                call_total += calls
            if message.role == "assistant":
                reply_total += tokens + calls
            if message.name not in names:
                names[message.name] = count_name_tokens(self.counter, message.name)
            name_total += names[message.name]
            reply_totals.append(reply_total)
            call_totals.append(call_total)
            name_totals.append(name_total)
            totals.append(total)

    def between(self, start: int, stop: int) -> int:
        """Content tokens of the messages at positions ``[start, stop)``."""
        return self.totals[stop] - self.totals[start]

    def suffix_start(self, stop: int, max_tokens: int, floor: int = 0) -> int:
        """The start of the longest run of messages that ends before ``stop`` and holds at
        most ``max_tokens``; never before ``floor``; ``stop`` if not even one fits.

        O(log n): with totals ``0, 5, 9, 12`` the run of at most 7 tokens before 3 starts at 1.
        """
        # A run from ``start`` fits if totals[stop] - totals[start] <= max_tokens, and totals never fall.
        least_total = self.totals[stop] - max_tokens
        return bisect_left(self.totals, least_total, floor, stop)

    def prefix(self, length: int) -> TokenSums:
        """The sums of the first ``length`` messages."""
        stop = length + 1
        return TokenSums(
            self.counter,
            self.totals[:stop],
            self.reply_totals[:stop],
            self.call_totals[:stop],
            self.name_totals[:stop],
            self._tokens_of_names.copy(),
        )


class FormSums(TokenSums):
    """The running sums of a log's messages in one ``form``.

    Only the messages that the form changes are counted once more; all others are taken
    over from ``whole``, the sums of whole messages.
    """

    def __init__(
        self, whole: TokenSums, form: Form, answered_tool: Callable[[int], str | None]
    ) -> None:
        super().__init__(whole.counter)
        self.whole = whole
        self.form = form
        self._answered_tool = answered_tool
        self.changed: list[int] = []
        """The positions, in order, of the messages that the form changes."""

    def _extend(self, messages: Sequence[Message]) -> None:
        # The sums of whole messages are extended first, by the log.
        self.whole.extend(messages)
        for position in range(len(self.totals) - 1, len(messages)):
            message = messages[position]
            changed_message = self.form.sent(message, self._answered_tool(position))
            if changed_message is message:
                content = _step(self.whole.totals, position)
                calls = _step(self.whole.call_totals, position)
                reply = _step(self.whole.reply_totals, position)
            else:
                self.changed.append(position)
                content = self.counter(changed_message.content)
                calls = count_call_tokens(self.counter, changed_message.tool_calls)
                reply = content + calls if message.role == "assistant" else 0
            self.call_totals.append(self.call_totals[-1] + calls)
            self.reply_totals.append(self.reply_totals[-1] + reply)
            self.name_totals.append(self.whole.name_totals[position + 1])
            self.totals.append(self.totals[-1] + content)

    def changed_in(self, start: int, stop: int) -> Sequence[int]:
        """The positions of ``[start, stop)`` that the form changes."""
        low = bisect_left(self.changed, start)
        return self.changed[low : bisect_left(self.changed, stop, low)]


def _step(totals: Sequence[int], position: int) -> int:
    return totals[position + 1] - totals[position]


class SupersededSums(FormSums):
    """The sums of a log in a :class:`~memviz.core.forms.Superseded` form: the results at the
    positions ``superseded`` count as in ``older``, all else as in ``others``.

    Nothing is counted for it: it is made of both sums, anew each time that something is
    read again.
    """

    def __init__(
        self,
        form: Superseded,
        older: TokenSums,
        other_sums: TokenSums,
        superseded: NDArray[np.int64],
    ) -> None:
        import numpy as np  # not to be waited for by those who only count

        super().__init__(other_sums, form, lambda position: None)
        older_steps = np.diff(older.arrays.totals)
        steps = np.diff(other_sums.arrays.totals)
        steps[superseded] = older_steps[superseded]
        self.totals = [0, *np.cumsum(steps).tolist()]
        # A result calls nothing, is no reply, and its name stays.
        self.reply_totals = other_sums.reply_totals
        self.call_totals = other_sums.call_totals
        self.name_totals = other_sums.name_totals
        changed = other_sums.changed if isinstance(other_sums, FormSums) else []
        self.changed = sorted({*changed, *superseded.tolist()})

    def _extend(self, messages: object) -> None:
        raise AssertionError("a log that grew makes the sums anew")
