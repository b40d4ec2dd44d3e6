"""Money that several threads may spend together, and never more of it: of one piece of
work, or of one visitor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import fsum
from threading import Condition, Lock

from memviz.core.bounds import MAX_USD
from memviz.core.errors import MemvizError, ParameterError
from memviz.core.model_errors import (
    BadKeyError,
    BudgetSpentError,
    ConnectionRefusedModelError,
    ContextTooLongError,
    MissingKeyError,
    ModelError,
    RateLimitError,
    UnknownModelError,
)
from memviz.core.text.wording import counted, dollars
from memviz.core.translation import _, noop
from memviz.models.base import Bill, Reply, Usage

REFUSALS = (
    BadKeyError, ConnectionRefusedModelError, ContextTooLongError, MissingKeyError, RateLimitError, UnknownModelError,
)  # fmt: skip
"""Failures before any work, which no provider bills. Any other may have come after tokens were written."""
FIRST_LIMIT_USD = 1.0
"""Enough for an afternoon with a small model, and little enough to be no accident."""
FIRST_REPLY_TOKENS = 4096
"""What a model may write for one answer, thinking included, before anybody says otherwise."""

SPENT = noop("Spent in this session: {spent} · budget {budget}")
AT_MOST_SPENT = noop("Spent in this session: at most {spent} · budget {budget}")


@dataclass(eq=False, slots=True)
class Reservation:
    """Dollars that are set aside for one call."""

    most_usd: float
    within: Reservation | None = None
    """The dollars set aside for the call in the larger budget that this one is a part of."""


class Budget:
    """At most ``limit_usd`` US dollars, whatever runs at the same time in this process.

    ``with budget.call(most_usd)`` reserves what a call may cost and books what it did cost, and so it is in the budget
    ``within`` which this one is a part of, if it is. Calls whose price nobody knows are counted beside the dollars.
    Raises :class:`memviz.core.errors.ParameterError` for a limit that is not above 0.
    """

    remedy = noop("Raise the limit to go on.")
    """What is said of how to go on where a call was refused."""

    def __init__(self, limit_usd: float, within: Budget | None = None) -> None:
        if not 0 < limit_usd < float("inf"):
            raise ParameterError(
                "limit_usd", limit_usd, "an amount of US dollars above 0"
            )
        self.limit_usd = float(limit_usd)
        self._within = within
        self._changed = Condition()
        self._reserved: set[Reservation] = set()
        self._closed = False
        self._spent_usd = 0.0
        self._uncertain_usd = 0.0
        self._calls = 0
        self.unpriced_calls = 0
        self.unpriced_tokens = 0

    @property
    def spent_usd(self) -> float:
        """The dollars booked so far, :attr:`uncertain_usd` included."""
        return self._spent_usd + self._left_usd

    @property
    def uncertain_usd(self) -> float:
        """The most that calls of unknown cost may have cost: they failed on their way, were
        interrupted, came without usage, or were under way when the budget was closed and have not ended yet."""
        return self._uncertain_usd + self._left_usd

    @property
    def left_usd(self) -> float:
        """The dollars that may still be spent, here and in the budget that this one is a part of."""
        own_usd = max(0.0, self.limit_usd - self.spent_usd)
        return own_usd if self._within is None else min(own_usd, self._within.left_usd)

    @property
    def _left_usd(self) -> float:
        """The dollars reserved for calls that nobody waits for any more."""
        if not self._closed:
            return 0.0
        return fsum(reservation.most_usd for reservation in self._reserved.copy())

    @property
    def calls(self) -> int:
        """Calls booked so far. Those that were refused before anything was paid are not among them."""
        return self._calls + (len(self._reserved) if self._closed else 0)

    def close(self) -> None:
        """Allow no further call, not even those that wait now. What is under way is still booked, at the most it may
        cost until it is known."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def expect_open(self) -> None:
        """Raise :class:`memviz.core.model_errors.BudgetSpentError` once the budget was closed."""
        if self._closed:
            raise BudgetSpentError(
                self.limit_usd, self.spent_usd, 0.0, remedy=self.remedy
            )

    def call(
        self,
        most_usd: float | None,
        model: str = "",
        *,
        tries: Tries | None = None,
        priced: Callable[[Reply], Reply] = lambda reply: reply,
    ) -> Bill:
        """Return the bill of one try of a call, a ``with`` block: it holds what the try may cost at most, books what
        the reply says that it cost, and releases what nobody has to pay.

        Args:
            most_usd: reserved at once, as by :meth:`reserve`; ``None`` for a call that is only counted, since nobody
                knows its price.
            model: the name that a refusal says.
            tries: all tries of the same call, of which those that fail are booked once.
            priced: gives a reply its cost.

        Raises :class:`memviz.core.model_errors.BudgetSpentError` where the call might exceed the limit.
        """
        reservation = None if most_usd is None else self.reserve(most_usd, model)
        return _PaidTry(self, reservation, tries or Tries(), priced)

    def reserve(self, most_usd: float, model: str = "") -> Reservation:
        """Set aside what a call may cost at most, and return what :meth:`settle` is to be given. Waits while others
        hold what is needed, for they may not use all of it.

        Raises :class:`memviz.core.model_errors.BudgetSpentError` if what is left would not do even if they used
        nothing.
        """
        reservation = self._reserve(most_usd, model)
        if self._within is not None:
            try:
                reservation.within = self._within.reserve(most_usd, model)
                self.expect_open()  # the other one may have been waited for
            except MemvizError:
                self.release(reservation)
                raise
        return reservation

    def _reserve(self, most_usd: float, model: str) -> Reservation:
        reservation = Reservation(most_usd)
        with self._changed:
            # As long as what is spent leaves room: others may not use all that they hold.
            while not self._closed and self.spent_usd + most_usd <= self.limit_usd:
                reserved_usd = [earlier.most_usd for earlier in self._reserved]
                if fsum([self.spent_usd, *reserved_usd, most_usd]) <= self.limit_usd:
                    self._reserved.add(reservation)
                    return reservation
                self._changed.wait()
            raise BudgetSpentError(
                self.limit_usd, self.spent_usd, most_usd, model, self.remedy
            )

    def settle(self, reservation: Reservation, usd: float | None) -> None:
        """Book what the call did cost: all that was reserved if ``usd`` is ``None``. A second time does nothing."""
        if self._within is not None and reservation.within is not None:
            # What others share is booked at most at what was set aside: a server of the visitor's own choice may
            # report any usage, and would leave nothing for them.
            most_usd = reservation.within.most_usd
            shared_usd = None if usd is None else min(usd, most_usd)
            self._within.settle(reservation.within, shared_usd)
        with self._changed:
            # Whoever leaves a call and the call itself may both settle it.
            if reservation not in self._reserved:
                return
            self._reserved.remove(reservation)
            self._calls += 1
            if usd is None:
                usd = reservation.most_usd
                self._uncertain_usd += usd
            self._spent_usd += usd
            self._changed.notify_all()

    def release(self, reservation: Reservation) -> None:
        """Give back what was set aside for a call that cost nothing."""
        if self._within is not None and reservation.within is not None:
            self._within.release(reservation.within)
        with self._changed:
            self._reserved.discard(reservation)
            self._changed.notify_all()

    def count_unpriced(self, usage: Usage | None) -> None:
        """Count one more call of which nobody knows the price, and its tokens where the server said how many."""
        with self._changed:
            self.unpriced_calls += 1
            if usage is not None:
                self.unpriced_tokens += usage.input_tokens + usage.output_tokens


class Tries:
    """All tries of one call, of which those that fail are booked once together."""

    def __init__(self) -> None:
        self._is_booked = False

    def is_paid(self, error: ModelError | None) -> bool:
        """Return whether the try that has just ended in ``error`` is to be booked: the first one that may have cost
        something."""
        if isinstance(error, REFUSALS) and not error.partial:
            return False
        was_booked = self._is_booked
        self._is_booked = True
        return not was_booked


class _PaidTry(Bill):
    """The bill of one try. It is closed once, whichever thread comes first: a call may be left while it ends."""

    def __init__(
        self,
        budget: Budget,
        reservation: Reservation | None,
        tries: Tries,
        priced: Callable[[Reply], Reply],
    ) -> None:
        self._budget = budget
        self._reservation = reservation
        self._tries = tries
        self._priced = priced
        self._closing = Lock()

    def answered(self, reply: Reply) -> Reply:
        reply = self._priced(reply)
        if self._close():
            self._book(reply.cost_usd, reply.usage)
        return reply

    def failed(self, error: ModelError | None) -> None:
        if not self._close():
            return
        if self._tries.is_paid(error):
            self._book(None, None)
        else:
            self._release()

    def unused(self) -> None:
        if self._close():
            self._release()

    def _close(self) -> bool:
        return self._closing.acquire(blocking=False)

    def _book(self, usd: float | None, usage: Usage | None) -> None:
        if self._reservation is None:
            self._budget.count_unpriced(usage)
        else:
            self._budget.settle(self._reservation, usd)

    def _release(self) -> None:
        if self._reservation is not None:
            self._budget.release(self._reservation)


class Spending(Budget):
    """A :class:`Budget` whose limit may be changed at any time, down to nothing at all. No limit in dollars holds the
    calls whose price nobody knows. ``reply_tokens`` is the most that a model may write for one answer; with the tokens
    of a request it bounds what a call costs."""

    remedy = noop("Raise the budget under Models in the sidebar to go on.")

    def __init__(
        self, limit_usd: float = FIRST_LIMIT_USD, within: Budget | None = None
    ) -> None:
        super().__init__(FIRST_LIMIT_USD, within)
        self.reply_tokens = FIRST_REPLY_TOKENS
        self.allow(limit_usd)

    def allow(self, limit_usd: float) -> None:
        """Change the limit. 0 allows no call that costs anything. What is spent already stays spent.

        Raises :class:`memviz.core.errors.ParameterError` for a limit out of range.
        """
        if not 0 <= limit_usd <= MAX_USD:
            raise ParameterError(
                "limit_usd", limit_usd, _("an amount of US dollars, 0 or more")
            )
        with self._changed:
            self.limit_usd = float(limit_usd)
            self._changed.notify_all()

    @property
    def is_used(self) -> bool:
        """True if any call was made."""
        return bool(self.calls or self.unpriced_calls)

    @property
    def mark(self) -> tuple[float, int]:
        """The spending by now, to be given to :meth:`since`."""
        return self.spent_usd, self.unpriced_calls

    def since(self, mark: tuple[float, int]) -> str:
        """The words for what was spent since ``mark`` was taken: ``$0.0042``, ``$0.0042
        + 3 calls whose price is not known``."""
        spent = self.spent_usd - mark[0]
        unpriced = self.unpriced_calls - mark[1]
        return _spent(spent, unpriced)

    @property
    def sentence(self) -> str:
        """The spending in all, and the budget, on one line: of calls that were left, or of which nobody says what
        they did cost, the most that they may have cost."""
        sentence = AT_MOST_SPENT if self.uncertain_usd else SPENT
        spent = _spent(self.spent_usd, self.unpriced_calls)
        return _(sentence, spent=spent, budget=dollars(self.limit_usd))


def _spent(usd: float, unpriced_calls: int) -> str:
    amount = dollars(max(0.0, usd))
    if not unpriced_calls:
        return amount
    return _(
        "{amount} + {calls} whose price is not known",
        amount=amount,
        calls=counted(unpriced_calls, "call"),
    )
