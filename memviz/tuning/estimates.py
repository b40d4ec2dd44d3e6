"""Estimates with 95 % intervals, from a sample of conversations: a mean share, and a ratio of two sums.

:mod:`~memviz.tuning.figures` uses them to say how sure the figures of a designed memory are. The unit of the sample is
the conversation: the facts of one conversation resemble each other, so a hundred facts of one tell less than one fact
of each of a hundred.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from statistics import fmean, pvariance, variance

NORMAL = 1.959964
"""Standard errors to each side that hold 95 % of a normal distribution."""
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""The same for Student's distribution, from 1 degree of freedom on."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """An estimated value with the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    def value_at(self, position: float) -> float:
        """Return the number at a position in the interval: -1 is its lower end, 0 the value, 1 its upper end."""
        end = self.high if position > 0 else self.low
        return self.value + abs(position) * (end - self.value)


def estimate_share(shares: Sequence[float], facts: int) -> Estimate:
    """Return the mean of ``shares``, one a conversation (0 to 1, at least one of them), with Wilson's interval.

    Its size is that of a simple sample that would vary as much (Korn and Graubard, 1998): at least the number of
    conversations, for no shares vary more than zeros and ones do, and at most the number of ``facts`` behind them.
    Where nothing was lost it is the number of conversations: of [1, 1, 1, 1] the interval is 0.51 to 1.
    """
    mean = fmean(shares)
    count = len(shares)
    size = float(count)
    # The variance of shares that are all 0 or 1 and have this mean: no other shares vary more.
    largest_variance = mean * (1 - mean)
    if count > 1 and largest_variance > 0:
        size = max(count, facts)
        variance_of_mean = variance(shares, mean) / count
        # The variance itself is uncertain with few conversations.
        caution = (NORMAL / student_quantile(count - 1)) ** 2
        if variance_of_mean * size > largest_variance * caution:
            size = largest_variance * caution / variance_of_mean
        size = max(count, size)
    squared = NORMAL**2 / size
    middle = (mean + squared / 2) / (1 + squared)
    half = sqrt(squared * (largest_variance + squared / 4)) / (1 + squared)
    return Estimate(mean, min(mean, middle - half), max(mean, middle + half))


def estimate_ratio(amounts: Sequence[float], counts: Sequence[int]) -> Estimate:
    """Return the sum of ``amounts`` divided by the sum of ``counts``, such as dollars by requests.

    Both have an item for each conversation. The interval is the jackknife's: how much the logarithm of the ratio
    changes when each conversation is left out. Where few conversations have most of the amount, only these count as
    degrees of freedom. A single conversation does not show how much conversations vary, so its interval is 0 to
    infinity. Where all amounts are 0, the interval is 0 as well.
    """
    amount = sum(amounts)
    counted = sum(counts)
    if not amount:
        return Estimate(0.0, 0.0, 0.0)
    ratio = amount / counted
    size = len(amounts)
    if size < 2 or min(amounts) <= 0:
        return Estimate(ratio, 0.0, inf)
    logarithms = []
    for own_amount, own_count in zip(amounts, counts, strict=True):
        logarithms.append(log((amount - own_amount) / (counted - own_count)))
    standard_error = sqrt((size - 1) * pvariance(logarithms))
    squares = sum(own_amount**2 for own_amount in amounts)
    alike = max(2, round(amount**2 / squares))
    factor = exp(student_quantile(alike - 1) * standard_error)
    return Estimate(ratio, ratio / factor, ratio * factor)


def student_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's distribution to two decimals: 2.23 for 10 degrees of freedom."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    return NORMAL + 2.65 / freedom
