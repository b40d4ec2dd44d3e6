"""The money of a server's visitors: booked in accounts that outlast a restart, and that several servers share."""

from __future__ import annotations

from contextlib import suppress
from math import fsum
from typing import Protocol

from memviz.core.model_errors import BudgetSpentError
from memviz.core.storage_errors import StorageError
from memviz.core.translation import noop
from memviz.models.budget import Budget, Reservation


class Account(Protocol):
    """The US dollars of one visitor, or of all of them, for all servers of a library together."""

    @property
    def booked_usd(self) -> float:
        """The dollars that are booked, those that are set aside among them."""

    def book(self, usd: float, limit_usd: float) -> bool:
        """Book dollars, and return ``True``, unless more than the limit would be booked: in one step, so that no other
        server books meanwhile."""

    def give_back(self, usd: float) -> None:
        """Take dollars off again."""


class SharedBudget(Budget):
    """A :class:`memviz.models.budget.Budget` over an account.

    The most that a call may cost is booked before it, and what it did not cost is given back after it. So of a server
    that ends while it asks a model the most stays booked, and of two servers that ask at the same time neither spends
    what the other has set aside.
    """

    def __init__(
        self, limit_usd: float, account: Account, within: Budget | None = None
    ) -> None:
        super().__init__(limit_usd, within)
        self._account = account

    @property
    def spent_usd(self) -> float:
        """The dollars that all servers have booked since the library was made, those set aside among them."""
        return self._account.booked_usd

    def _reserve(self, most_usd: float, model: str) -> Reservation:
        reservation = Reservation(most_usd)
        with self._changed:
            while not self._account.book(most_usd, self.limit_usd):
                # Only what this server has set aside is waited for: another one may have ended.
                held_usd = fsum(earlier.most_usd for earlier in self._reserved)
                least_usd = self.spent_usd - held_usd + most_usd
                if not held_usd or least_usd > self.limit_usd:
                    raise BudgetSpentError(
                        self.limit_usd, self.spent_usd, most_usd, model, self.remedy
                    )
                self._changed.wait()
            self._reserved.add(reservation)
        return reservation

    def settle(self, reservation: Reservation, usd: float | None) -> None:
        """Book what the call did cost: all that was reserved if ``usd`` is ``None``. A second time does nothing."""
        with self._changed:
            if usd is not None:
                self._give_back(reservation, reservation.most_usd - usd)
            super().settle(reservation, usd)

    def release(self, reservation: Reservation) -> None:
        """Give back what was set aside for a call that cost nothing."""
        with self._changed:
            self._give_back(reservation, reservation.most_usd)
            super().release(reservation)

    def _give_back(self, reservation: Reservation, usd: float) -> None:
        if reservation in self._reserved:
            # The call has its answer: where nothing can be written, the most that it may have cost stays booked.
            with suppress(StorageError):
                self._account.give_back(usd)


class VisitorBudget(SharedBudget):
    """The budget that a server gives to one visitor."""

    remedy = noop(
        "This is the limit of this server for each visitor; whoever runs it can raise it."
    )


class ServerBudget(SharedBudget):
    """The budget that a server gives to all of its visitors together."""

    remedy = noop(
        "This is the limit of this server for all visitors together; whoever runs it can raise it."
    )
