"""Money that several threads may spend together, and never more of it."""

from __future__ import annotations

from math import fsum
from threading import Condition

from memviz.core.errors import BudgetSpentError, ParameterError


class Budget:
    """At most ``limit_usd`` US dollars, whatever runs at the same time. Lives in one process.

    What a call may cost is reserved before it and settled after it, and so it is in the budget ``within`` which this
    one is a part of, if it is. Raises :class:`memviz.core.errors.ParameterError` for a limit that is not above 0.
    """

    remedy = "Raise the limit to go on."
    """What is said of how to go on where a call was refused."""

    def __init__(self, limit_usd: float, within: Budget | None = None) -> None:
        if not 0 < limit_usd < float("inf"):
            raise ParameterError(
                "limit_usd", limit_usd, "an amount of US dollars above 0"
            )
        self.limit_usd = float(limit_usd)
        self._within = within
        self._changed = Condition()
        self._reserved: dict[object, float] = {}
        self._held_within: dict[object, object] = {}
        self._closed = False
        self._spent_usd = 0.0
        self._uncertain_usd = 0.0
        self._calls = 0

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
    def _left_usd(self) -> float:
        """The dollars reserved for calls that nobody waits for any more."""
        return fsum(self._reserved.copy().values()) if self._closed else 0.0

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
        """Raise :class:`memviz.core.errors.BudgetSpentError` once the budget was closed."""
        if self._closed:
            raise BudgetSpentError(
                self.limit_usd, self.spent_usd, 0.0, remedy=self.remedy
            )

    def reserve(self, most_usd: float, model: str = "") -> object:
        """Set aside what a call may cost at most, and return what :meth:`settle` is to be given. Waits while others
        hold what is needed, for they may not use all of it.

        Raises :class:`memviz.core.errors.BudgetSpentError` if what is left would not do even if they used nothing.
        """
        reservation = self._reserve(most_usd, model)
        if self._within is not None:
            try:
                self._held_within[reservation] = self._within.reserve(most_usd, model)
                self.expect_open()  # the other one may have been waited for
            except BudgetSpentError:
                self.release(reservation)
                raise
        return reservation

    def _reserve(self, most_usd: float, model: str) -> object:
        reservation = object()
        with self._changed:
            while not self._closed and self.spent_usd + most_usd <= self.limit_usd:
                if (
                    fsum([self.spent_usd, *self._reserved.values(), most_usd])
                    <= self.limit_usd
                ):
                    self._reserved[reservation] = most_usd
                    return reservation
                self._changed.wait()
            raise BudgetSpentError(
                self.limit_usd, self.spent_usd, most_usd, model, self.remedy
            )

    def settle(self, reservation: object, usd: float | None) -> None:
        """Book what the call did cost: all that was reserved if ``usd`` is ``None``. A second time does nothing."""
        if (
            self._within is not None
            and (held := self._held_within.pop(reservation, None)) is not None
        ):
            self._within.settle(held, usd)
        with self._changed:
            most_usd = self._reserved.pop(reservation, None)
            if most_usd is None:
                return
            self._calls += 1
            self._spent_usd += most_usd if usd is None else usd
            self._uncertain_usd += most_usd if usd is None else 0.0
            self._changed.notify_all()

    def release(self, reservation: object) -> None:
        """Nothing was paid."""
        if (
            self._within is not None
            and (held := self._held_within.pop(reservation, None)) is not None
        ):
            self._within.release(held)
        with self._changed:
            self._reserved.pop(reservation, None)
            self._changed.notify_all()
