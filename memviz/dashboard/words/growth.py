"""Warnings that speak of money in words: growth without bound, and clearing that costs more than it saves."""

from collections.abc import Iterator
from typing import NamedTuple

from memviz.core.text.wording import counted, dollars, duration_words, request_name
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
        "The history sent grew from {first_tokens:,} to {last_tokens:,} tokens from turn {first[0]:,} to {last[0]:,}, "
        "about {pace:,.0f} a turn, and never fell.",
        "The list of summaries sent grew from {first_tokens:,} to {last_tokens:,} tokens from turn {first[0]:,} to "
        "{last[0]:,}, about {pace:,.0f} a turn, and never fell.",
        "Every turn sends more than the one before, until the model's context window is full and requests fail.",
        "At the prices {prices}, with pauses of {pauses} or longer one of the last turns costs {longer:.1f} times as "
        "much as one of the first; with shorter pauses, where the prompt cache is read, {shorter}.",
    ),
    "request": _GrowthWords(
        "The history sent grew from {first_tokens:,} to {last_tokens:,} tokens from {first_name} to {last_name}, "
        "about {pace:,.0f} a request, and never fell.",
        "The list of summaries sent grew from {first_tokens:,} to {last_tokens:,} tokens from {first_name} to "
        "{last_name}, about {pace:,.0f} a request, and never fell.",
        "Every request sends more than the one before, until the model's context window is full and requests fail.",
        "At the prices {prices}, with pauses of {pauses} or longer one of the last requests costs {longer:.1f} times "
        "as much as one of the first; with shorter pauses, where the prompt cache is read, {shorter}.",
    ),
}


def tell_growth(found: Growth) -> Told:
    """Return the words for requests that grow without bound."""
    words = _GROWTH[found.step]
    grew = words.history if found.part == "history" else words.summaries
    numbers = [
        grew.format(
            first_tokens=found.first_tokens,
            last_tokens=found.last_tokens,
            first=found.first,
            last=found.last,
            first_name=request_name(*found.first),
            last_name=request_name(*found.last),
            pace=found.tokens_a_step,
        )
    ]
    if found.window is not None:
        numbers += _when_window_is_full(found.window)
    why = [words.why]
    dearer = found.dearer
    if dearer is not None:
        same = dearer.is_same_with_cache
        shorter = "the same" if same else f"{dearer.shorter:.1f} times as much"
        why.append(
            words.dearer.format(
                prices=whose(dearer.pricing),
                pauses=duration_words(dearer.lifetime_seconds),
                longer=dearer.longer,
                shorter=shorter,
            )
        )
    return Told(
        "Grows without bound", " ".join(numbers), " ".join(why), _bound_for(found)
    )


def _when_window_is_full(window: Window) -> Iterator[str]:
    tokens = f"{window.tokens:,}"
    model = window.model
    passed = window.passed
    forecast = window.forecast
    if passed is not None:
        yield f"{tokens} tokens, the context window of {model}, were passed at {request_name(*passed)}."
    elif forecast is not None:
        more = counted(forecast.more_requests, "more request")
        seen = forecast.seen_requests
        if forecast.turn is None:
            yield (
                f"{tokens} tokens, the context window of {model}, are passed after {more}, if they go on growing as "
                f"the last {seen} did."
            )
        else:
            yield (
                f"{tokens} tokens, the context window of {model}, are passed after {more}, at turn "
                f"{forecast.turn:,}, if they go on growing as the last {seen} did."
            )


def _bound_for(found: Growth) -> str:
    if found.part == "summary":
        return "Choose a strategy that folds older summaries into one, such as the running summary."
    if found.cache_lifetime_seconds is None:
        return "Choose a strategy with a limit, such as a summary buffer, or end conversations before they are long."
    pauses = duration_words(found.cache_lifetime_seconds)
    return (
        f"With pauses of {pauses} or longer choose a strategy with a limit, such as a summary buffer. With shorter "
        "ones look first which setting costs least. Either way choose one before the context window is full."
    )


def tell_dear_clearing(found: DearClearing) -> Told:
    """Return the words for clearing that costs more than it saves."""
    clearings = counted(found.clearings, "clearing")
    broken = f"{found.broken_tokens:,}"
    if found.saved_tokens < 0:
        numbers = (
            f"{clearings} added {-found.saved_tokens:,} tokens to the requests and broke {broken} tokens of the prompt "
            "cache."
        )
    else:
        numbers = (
            f"{clearings} left {found.saved_tokens:,} tokens out of the requests and broke {broken} tokens of the "
            "prompt cache."
        )
    costs = (
        f"All requests together cost {dollars(found.usd)}; with those messages sent whole they would cost "
        f"{dollars(found.whole_usd)}."
    )
    terms = f"This holds at the prices {whose(found.pricing)}, with pauses of {duration_words(found.pause_seconds)}."
    remedy = [_clearing_that_saves(found)]
    saving = found.saving_with_long_pauses
    if saving is not None:
        remedy.append(
            f"With pauses of {duration_words(saving.pause_seconds)} or longer the cache is empty by the next turn, and "
            f"clearing would save {dollars(saving.usd)}."
        )
    return Told(
        "Clearing costs more than it saves",
        f"{numbers} {costs} {terms}",
        "A cleared message changes the request where it stands, and the provider's prompt cache ends at the first "
        "change: everything behind it is read at the full price once more, where it would have cost a fraction.",
        " ".join(remedy),
    )


def _clearing_that_saves(found: DearClearing) -> str:
    """Return that it should clear later, or where fewer tokens stand behind, or not at all."""
    name = found.parameter
    value = f"{found.value:,}"
    if name and found.keep_results:
        return (
            f"Raise {name} from {value}, so that clearing begins later, or lower keep_results from "
            f"{found.keep_results:,}, so that fewer tokens stand behind a result when it is cleared, or send all "
            "messages whole as long as they fit the context window."
        )
    if name:
        return (
            f"Raise {name} from {value}, so that clearing begins later, or send all messages whole as long as they fit "
            "the context window."
        )
    if found.keep_results:
        return (
            f"Lower keep_results from {found.keep_results:,}, so that fewer tokens stand behind a result when it is "
            "cleared, or send all messages whole as long as they fit the context window."
        )
    return "Send all messages whole as long as they fit the context window."
