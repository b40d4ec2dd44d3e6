"""Warnings that speak of money in words: growth without bound, and clearing that costs more than it saves."""

from memviz.core.text.wording import counted, dollars, duration_words, request_name
from memviz.dashboard.words.prices import whose
from memviz.dashboard.words.warning import Told
from memviz.metrics.health.growth import DearClearing, Dearer, Growth, Window


def tell_growth(found: Growth) -> Told:
    numbers = [_pace_of_growth(found)]
    if found.window is not None:
        numbers.append(_when_window_is_full(found.window))
    if found.step == "request":
        why = [
            "Every request sends more than the one before, until the model's context window is full and requests fail."
        ]
    else:
        why = [
            "Every turn sends more than the one before, until the model's context window is full and requests fail."
        ]
    if found.dearer is not None:
        why.append(_how_much_dearer(found.dearer, found))
    return Told(
        "Grows without bound",
        " ".join(filter(None, numbers)),
        " ".join(why),
        _bound_for(found),
    )


def _pace_of_growth(found: Growth) -> str:
    tokens = f"from {found.first_tokens:,} to {found.last_tokens:,} tokens"
    pace = f"{found.tokens_a_step:,.0f}"
    if found.step == "request":
        steps = f"from {request_name(*found.first)} to {request_name(*found.last)}"
        if found.part == "history":
            return f"The history sent grew {tokens} {steps}, about {pace} a request, and never fell."
        return f"The list of summaries sent grew {tokens} {steps}, about {pace} a request, and never fell."
    steps = f"from turn {found.first[0]:,} to {found.last[0]:,}"
    if found.part == "history":
        return f"The history sent grew {tokens} {steps}, about {pace} a turn, and never fell."
    return f"The list of summaries sent grew {tokens} {steps}, about {pace} a turn, and never fell."


def _when_window_is_full(window: Window) -> str:
    tokens = f"{window.tokens:,}"
    model = window.model
    if window.passed is not None:
        passed = request_name(*window.passed)
        return (
            f"{tokens} tokens, the context window of {model}, were passed at {passed}."
        )
    forecast = window.forecast
    if forecast is None:
        return ""
    more = counted(forecast.more_requests, "more request")
    seen = forecast.seen_requests
    if forecast.turn is None:
        return (
            f"{tokens} tokens, the context window of {model}, are passed after {more}, if they go on growing as the "
            f"last {seen} did."
        )
    return (
        f"{tokens} tokens, the context window of {model}, are passed after {more}, at turn {forecast.turn:,}, if they "
        f"go on growing as the last {seen} did."
    )


def _how_much_dearer(dearer: Dearer, found: Growth) -> str:
    prices = whose(dearer.pricing)
    pauses = duration_words(dearer.lifetime_seconds)
    longer = f"{dearer.longer:.1f}"
    with_cache = f"{dearer.shorter:.1f} times as much"
    if dearer.is_same_with_cache:
        with_cache = "the same"
    if found.step == "request":
        return (
            f"At the prices {prices}, with pauses of {pauses} or longer one of the last requests costs {longer} times "
            "as much as one of the first; with shorter pauses, where the prompt cache is read, "
            f"{with_cache}."
        )
    return (
        f"At the prices {prices}, with pauses of {pauses} or longer one of the last turns costs {longer} times as much "
        f"as one of the first; with shorter pauses, where the prompt cache is read, {with_cache}."
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
