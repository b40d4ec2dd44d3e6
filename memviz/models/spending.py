"""The money that one visitor spends on models: one budget for all calls, and their cost so far."""

from memviz.core.bounds import MAX_USD
from memviz.core.errors import ParameterError
from memviz.core.text.wording import counted, dollars
from memviz.core.translation import _, noop
from memviz.models.budget import Budget

FIRST_LIMIT_USD = 1.0
"""Enough for an afternoon with a small model, and little enough to be no accident."""
FIRST_REPLY_TOKENS = 4096
"""What a model may write for one answer, thinking included, before anybody says otherwise."""

SPENT = noop("Spent in this session: {spent} · budget {budget}")
AT_MOST_SPENT = noop("Spent in this session: at most {spent} · budget {budget}")


class Spending(Budget):
    """A :class:`Budget` whose limit may be changed at any time, down to nothing at all. No limit in dollars holds the
    calls whose price nobody knows. ``reply_tokens`` is the most that a model may write for one answer; with the tokens
    of a request it bounds what a call costs."""

    remedy = noop("Raise the budget under Models in the sidebar to go on.")

    def __init__(self, limit_usd: float = FIRST_LIMIT_USD) -> None:
        super().__init__(FIRST_LIMIT_USD)
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
    def left_usd(self) -> float:
        """The dollars that may still be spent."""
        return max(0.0, self.limit_usd - self.spent_usd)

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
