"""Clearing and shortening that cost more than they save."""

from __future__ import annotations

from memviz.core.text.wording import counted, dollars, duration_words
from memviz.engine.compaction import REDUCING
from memviz.engine.run import Run
from memviz.metrics.cost.by_pause import cost_by_pause
from memviz.metrics.cost.cost import cost
from memviz.metrics.health.prices import Prices, list_prices, sent_by
from memviz.metrics.health.warning import HealthWarning, turns_at
from memviz.metrics.requests.broken_prefix import broken_cache_tokens
from memviz.metrics.requests.sent_whole import sent_whole
from memviz.metrics.requests.traffic import Traffic
from memviz.strategies.base import Strategy

LEAST_SHARE = 1.01
"""What costs less than this many times as much costs the same."""


def dear_clearing(run: Run, prices: Prices | None = None) -> HealthWarning | None:
    """Whether the requests cost more than if every message in them had been sent whole: a message that is cleared
    changes the request where it stands, and the provider's prompt cache ends there. What it costs is worked out under
    ``prices``, by default the list prices of the model that answered."""
    numbers = [
        number
        for number, made in run.requests.compactions()
        if any(one.kind in REDUCING for one in made)
    ]
    if not numbers:
        return None
    terms, sent = prices or list_prices(run), sent_by(run)
    whole = sent_whole(run, sent)
    usd, whole_usd = _usd(sent, terms), _usd(whole, terms)
    if (
        usd is None
        or whole_usd is None
        or terms.main is None
        or usd < LEAST_SHARE * whole_usd
        or not usd
    ):
        return None
    how_many = counted(sum(one.kind in REDUCING for one in run.compactions), "clearing")
    broken, saved = (
        _broken_tokens(run),
        int((whole.input_tokens - sent.input_tokens).sum()),
    )
    # What stands in place of a result can be longer than the result was.
    moved = (
        f"left {saved:,} tokens out of" if saved >= 0 else f"added {-saved:,} tokens to"
    )
    return HealthWarning(
        "dear_clearing",
        "Clearing costs more than it saves",
        f"{how_many} {moved} the requests and broke {broken:,} tokens of the prompt cache. "
        f"All requests together cost {dollars(usd)}; with those messages sent whole they would cost "
        f"{dollars(whole_usd)}. This holds at the prices {terms.main.whose}, with pauses of "
        f"{duration_words(terms.pause_seconds)}.",
        "A cleared message changes the request where it stands, and the provider's prompt cache ends at the first "
        "change: everything behind it is read at the full price once more, where it would have cost a fraction.",
        f"{_remedy(run.strategy)}{_with_longer_pauses(sent, whole, terms)}",
        turns_at(run, numbers),
    )


def _usd(sent: Traffic, terms: Prices) -> float | None:
    """US dollars of the chat model."""
    return cost(
        sent,
        terms.main,
        terms.summarizer,
        cache=terms.cache,
        pause_seconds=terms.pause_seconds,
    ).main_usd


def _broken_tokens(run: Run) -> int:
    pairs = zip(run.compactions, broken_cache_tokens(run), strict=True)
    return sum(tokens for compaction, tokens in pairs if compaction.kind in REDUCING)


def _remedy(strategy: Strategy) -> str:
    """Clear later, or where fewer tokens stand behind, or not at all."""
    values = strategy.model_dump()
    name, kept = strategy.main_parameter, values.get("keep_results")
    ways = (
        [f"raise {name} from {values[name]:,}, so that clearing begins later"]
        if name
        else []
    )
    if kept:
        ways.append(
            f"lower keep_results from {kept:,}, so that fewer tokens stand behind a result when it is cleared"
        )
    ways.append("send all messages whole as long as they fit the context window")
    return f"{', or '.join(ways)[0].upper()}{', or '.join(ways)[1:]}."


def _with_longer_pauses(sent: Traffic, whole: Traffic, terms: Prices) -> str:
    """What clearing would save where the user pauses for so long that no cache is left to be broken."""
    ways = [
        cost_by_pause(one, terms.main, terms.summarizer, terms.cache)
        for one in (sent, whole)
    ]
    usd, whole_usd = (way.longer.main_usd if way else None for way in ways)
    if usd is None or whole_usd is None or usd >= whole_usd or terms.cache is None:
        return ""
    lives = duration_words(terms.cache.lifetime_seconds or 0.0)
    return (
        f" With pauses of {lives} or longer the cache is empty by the next turn, and clearing would save "
        f"{dollars(whole_usd - usd)}."
    )
