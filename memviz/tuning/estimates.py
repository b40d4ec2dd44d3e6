"""Estimates from a sample of conversations, each with its 95 % interval: a mean share, and a ratio of two sums.

The unit is the conversation: facts and requests of one conversation are alike, so a hundred of them tell less than a
hundred conversations would.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, log, sqrt
from statistics import fmean, pvariance, variance

NORMAL = 1.959964
"""Standard errors to each side that hold 95 % of a normal distribution."""
_STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""The same of Student's distribution, from 1 degree of freedom on."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value, and the bounds of its 95 % interval."""

    value: float
    low: float
    high: float

    def at(self, place: float) -> float:
        """Return the number at a place of the interval: -1 is its lower end, 0 the value, 1 its upper end."""
        end = self.high if place > 0 else self.low
        return self.value + abs(place) * (end - self.value)


def estimate_share(shares: Sequence[float], facts: int) -> Estimate:
    """Return the mean of ``shares``, one a conversation (0 to 1, at least one of them), with Wilson's interval.

    Its size is that of a simple sample that would vary as much (Korn and Graubard, 1998): at least the number of
    conversations, for no shares vary more than zeros and ones do, and at most the number of ``facts`` behind them.
    Where nothing was lost it is the number of conversations: of [1, 1, 1, 1] the interval is 0.51 to 1.
    """
    mean = fmean(shares)
    count = len(shares)
    size = float(count)
    # What shares of 0 and 1 with this mean would vary by.
    largest_variance = mean * (1 - mean)
    if count > 1 and largest_variance > 0:
        size = max(count, facts)
        variance_of_mean = variance(shares, mean) / count
        # Few conversations say little of how much shares vary, either.
        caution = (NORMAL / student_quantile(count - 1)) ** 2
        if variance_of_mean * size > largest_variance * caution:
            size = largest_variance * caution / variance_of_mean
        size = max(count, size)
    squared = NORMAL**2 / size
    middle = (mean + squared / 2) / (1 + squared)
    half = sqrt(squared * (largest_variance + squared / 4)) / (1 + squared)
    return Estimate(mean, min(mean, middle - half), max(mean, middle + half))


def estimate_ratio(amounts: Sequence[float], counts: Sequence[int]) -> Estimate:
    """Return the sum of ``amounts`` by the sum of ``counts``, one of each a conversation, such as dollars and requests.

    The interval is the jackknife's: how much the logarithm of the ratio moves as each conversation is left out. Where
    few conversations have most of the amount, only these count as its degrees of freedom. A single conversation says
    nothing of how much they vary: its interval is 0 to infinity. Where there is no amount at all, none is expected.
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
    """Return the standard errors to each side that hold 95 % of Student's distribution, to the second decimal: 2.23 of
    10 degrees of freedom."""
    if freedom <= len(_STUDENT):
        return _STUDENT[freedom - 1]
    return NORMAL + 2.65 / freedom
