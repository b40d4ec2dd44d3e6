"""Warnings that speak of money in words: growth without bound, and clearing that costs more than it saves."""

from collections.abc import Iterator
from typing import NamedTuple

from memviz.core.text.wording import counted, dollars, duration_words, request_name
from memviz.core.translation import _, noop
from memviz.dashboard.words.prices import whose
from memviz.dashboard.words.warning import Told
from memviz.metrics.health.finding import Step
from memviz.metrics.health.growth import DearClearing, Growth, Window


class _GrowthWords(NamedTuple):
    history: str
    summaries: str
    why: str
    dearer: str


_GROWTH: dict[Step, _GrowthWords] = {
    "turn": _GrowthWords(
        noop(
            "The history sent grew from {first_tokens:,} to {last_tokens:,} tokens from turn {first[0]:,} to "
            "{last[0]:,}, about {pace:,.0f} a turn, and never fell."
        ),
        noop(
            "The list of summaries sent grew from {first_tokens:,} to {last_tokens:,} tokens from turn "
            "{first[0]:,} to {last[0]:,}, about {pace:,.0f} a turn, and never fell."
        ),
        noop(
            "Every turn sends more than the one before, until the model's context window is full and requests "
            "fail."
        ),
        noop(
            "At the prices {prices}, with pauses of {pauses} or longer one of the last turns costs "
            "{longer:.1f} times as much as one of the first; with shorter pauses, where the prompt cache is "
            "read, {shorter}."
        ),
    ),
    "request": _GrowthWords(
        noop(
            "The history sent grew from {first_tokens:,} to {last_tokens:,} tokens from {first_name} to "
            "{last_name}, about {pace:,.0f} a request, and never fell."
        ),
        noop(
            "The list of summaries sent grew from {first_tokens:,} to {last_tokens:,} tokens from {first_name} "
            "to {last_name}, about {pace:,.0f} a request, and never fell."
        ),
        noop(
            "Every request sends more than the one before, until the model's context window is full and "
            "requests fail."
        ),
        noop(
            "At the prices {prices}, with pauses of {pauses} or longer one of the last requests costs "
            "{longer:.1f} times as much as one of the first; with shorter pauses, where the prompt cache is "
            "read, {shorter}."
        ),
    ),
}


def tell_growth(growth: Growth) -> Told:
    """Return the words for requests that grow without bound."""
    words = _GROWTH[growth.step]
    grew = words.history if growth.part == "history" else words.summaries
    numbers = [
        _(
            grew,
            first_tokens=growth.first_tokens,
            last_tokens=growth.last_tokens,
            first=growth.first,
            last=growth.last,
            first_name=request_name(*growth.first),
            last_name=request_name(*growth.last),
            pace=growth.tokens_a_step,
        )
    ]
    if growth.window is not None:
        numbers += _when_window_is_full(growth.window)
    why = [_(words.why)]
    dearer = growth.dearer
    if dearer is not None:
        shorter = _("the same")
        if not dearer.is_same_with_cache:
            shorter = _("{times:.1f} times as much", times=dearer.shorter)
        why.append(
            _(
                words.dearer,
                prices=whose(dearer.pricing),
                pauses=duration_words(dearer.lifetime_seconds),
                longer=dearer.longer,
                shorter=shorter,
            )
        )
    return Told(
        _("Grows without bound"), " ".join(numbers), " ".join(why), _bound_for(growth)
    )


def _when_window_is_full(window: Window) -> Iterator[str]:
    tokens = f"{window.tokens:,}"
    model = window.model
    passed = window.passed
    forecast = window.forecast
    if passed is not None:
        yield _(
            "{tokens} tokens, the context window of {model}, were passed at {request}.",
            tokens=tokens,
            model=model,
            request=request_name(*passed),
        )
    elif forecast is not None:
        more = counted(forecast.more_requests, "more request")
        seen = forecast.seen_requests
        if forecast.turn is None:
            yield (
                _(
                    "{tokens} tokens, the context window of {model}, are passed after {more}, if they go on growing as "
                    "the last {seen} did.",
                    tokens=tokens,
                    model=model,
                    more=more,
                    seen=seen,
                )
            )
        else:
            yield (
                _(
                    "{tokens} tokens, the context window of {model}, are passed after {more}, at turn {turn:,}, if "
                    "they go on growing as the last {seen} did.",
                    tokens=tokens,
                    model=model,
                    more=more,
                    turn=forecast.turn,
                    seen=seen,
                )
            )


def _bound_for(growth: Growth) -> str:
    if growth.part == "summary":
        return _(
            "Choose a strategy that folds older summaries into one, such as the running summary."
        )
    if growth.cache_lifetime_seconds is None:
        return _(
            "Choose a strategy with a limit, such as a summary buffer, or end conversations before they are "
            "long."
        )
    pauses = duration_words(growth.cache_lifetime_seconds)
    return _(
        "With pauses of {pauses} or longer choose a strategy with a limit, such as a summary buffer. With "
        "shorter ones look first which setting costs least. Either way choose one before the context "
        "window is full.",
        pauses=pauses,
    )


def tell_dear_clearing(clearing: DearClearing) -> Told:
    """Return the words for clearing that costs more than it saves."""
    numbers = _tokens_of_clearing(clearing)
    costs = _(
        "All requests together cost {dollars}; with those messages sent whole they would cost {whole}.",
        dollars=dollars(clearing.usd),
        whole=dollars(clearing.whole_usd),
    )
    terms = _(
        "This holds at the prices {prices}, with pauses of {pause}.",
        prices=whose(clearing.pricing),
        pause=duration_words(clearing.pause_seconds),
    )
    remedy = [_clearing_that_saves(clearing)]
    saving = clearing.saving_with_long_pauses
    if saving is not None:
        remedy.append(
            _(
                "With pauses of {pause} or longer the cache is empty by the next turn, and clearing would "
                "save {dollars}.",
                pause=duration_words(saving.pause_seconds),
                dollars=dollars(saving.usd),
            )
        )
    return Told(
        _("Clearing costs more than it saves"),
        f"{numbers} {costs} {terms}",
        _(
            "A cleared message changes the request where it stands, and the provider's prompt cache ends at "
            "the first change: everything behind it is read at the full price once more, where it would have "
            "cost a fraction."
        ),
        " ".join(remedy),
    )


def _tokens_of_clearing(clearing: DearClearing) -> str:
    clearings = counted(clearing.clearings, "clearing")
    broken = f"{clearing.broken_tokens:,}"
    if clearing.saved_tokens < 0:
        return _(
            "{clearings} added {added_tokens:,} tokens to the requests and broke {broken} tokens of the prompt cache.",
            clearings=clearings,
            added_tokens=-clearing.saved_tokens,
            broken=broken,
        )
    return _(
        "{clearings} left {saved_tokens:,} tokens out of the requests and broke {broken} tokens of the "
        "prompt cache.",
        clearings=clearings,
        saved_tokens=clearing.saved_tokens,
        broken=broken,
    )


def _clearing_that_saves(clearing: DearClearing) -> str:
    """Return the remedy for clearing that costs more than it saves: to clear later, or where fewer tokens stand behind,
    or not at all."""
    name = clearing.parameter
    value = f"{clearing.value:,}"
    if name and clearing.keep_results:
        return _(
            "Raise {name} from {value}, so that clearing begins later, or lower keep_results from "
            "{keep_results:,}, so that fewer tokens stand behind a result when it is cleared, or send all "
            "messages whole as long as they fit the context window.",
            name=name,
            value=value,
            keep_results=clearing.keep_results,
        )
    if name:
        return _(
            "Raise {name} from {value}, so that clearing begins later, or send all messages whole as long as "
            "they fit the context window.",
            name=name,
            value=value,
        )
    if clearing.keep_results:
        return _(
            "Lower keep_results from {keep_results:,}, so that fewer tokens stand behind a result when it is "
            "cleared, or send all messages whole as long as they fit the context window.",
            keep_results=clearing.keep_results,
        )
    return _("Send all messages whole as long as they fit the context window.")
