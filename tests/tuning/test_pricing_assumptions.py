"""What more tokens in one request cost."""

from __future__ import annotations

import pytest

from memviz.metrics.cost.pricing import make_unpriced
from memviz.models.cache_rules import CacheRules
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.metrics.cost.priced_traffic import USUAL, traffic_of

TRAFFIC = traffic_of([(1, 1000, 0, 10), (2, 1100, 1000, 10), (3, 2000, 1100, 10)])
RULES = CacheRules(min_tokens=500, lifetime_seconds=300)


def test_is_read_fresh_and_written_where_a_cache_writes() -> None:
    without = PricingAssumptions(USUAL, USUAL, None)
    cached = PricingAssumptions(USUAL, USUAL, RULES, 0.0)
    assert without.usd_of_more(TRAFFIC, 2, 100) == pytest.approx(100 * 3e-6)
    assert cached.usd_of_more(TRAFFIC, 2, 100) == pytest.approx(100 * 3.75e-6)
    assert without.usd_of_more(TRAFFIC, 2, 0) == 0


def test_is_unknown_without_a_price_or_a_request() -> None:
    assert (
        PricingAssumptions(make_unpriced("house"), USUAL).usd_of_more(TRAFFIC, 2, 100)
        is None
    )
    assert PricingAssumptions(USUAL, USUAL).usd_of_more(TRAFFIC, 9, 100) is None
