"""Warnings that speak of money in words: growth without bound, and clearing that costs more than it saves."""

from typing import NamedTuple

from memviz.core.text.wording import counted, dollars, duration_words, request_name
from memviz.core.translation import _, noop
from memviz.dashboard.words.prices import whose
from memviz.dashboard.words.warning import WarningWords
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


def tell_growth(growth: Growth) -> WarningWords:
    """Return the words for requests that grow without bound."""
    words = _GROWTH[growth.step]
    grew = words.history if growth.part == "history" else words.summaries
    numbers = _(
        grew,
        first_tokens=growth.first_tokens,
        last_tokens=growth.last_tokens,
        first=growth.first,
        last=growth.last,
        first_name=request_name(*growth.first),
        last_name=request_name(*growth.last),
        pace=growth.tokens_a_step,
    )
    when_full = _window_full_words(growth.window) if growth.window else ""
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
    return WarningWords(
        _("Grows without bound"),
        f"{numbers} {when_full}".rstrip(),
        " ".join(why),
        _bound_for(growth),
    )


_WINDOW_PASSED = noop(
    "{tokens} tokens, the context window of {model}, were passed at {request}."
)
_WINDOW_FORECAST = noop(
    "{tokens} tokens, the context window of {model}, are passed after {more}, if they go on growing as "
    "the last {seen} did."
)
_WINDOW_FORECAST_BY_TURN = noop(
    "{tokens} tokens, the context window of {model}, are passed after {more}, at turn {turn:,}, if "
    "they go on growing as the last {seen} did."
)


def _window_full_words(window: Window) -> str:
    """Return when the requests were or will be larger than the window; empty where nobody can say it."""
    values = {"tokens": f"{window.tokens:,}", "model": window.model}
    if window.passed is not None:
        return _(_WINDOW_PASSED, request=request_name(*window.passed), **values)
    forecast = window.forecast
    if forecast is None:
        return ""
    template = _WINDOW_FORECAST if forecast.turn is None else _WINDOW_FORECAST_BY_TURN
    return _(
        template,
        more=counted(forecast.more_requests, "more request"),
        turn=forecast.turn,
        seen=forecast.seen_requests,
        **values,
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
    return _(
        "With pauses of {pauses} or longer choose a strategy with a limit, such as a summary buffer. With "
        "shorter ones look first which setting costs least. Either way choose one before the context "
        "window is full.",
        pauses=duration_words(growth.cache_lifetime_seconds),
    )


_DEAR_CLEARING = WarningWords(
    noop("Clearing costs more than it saves"),
    noop(
        "All requests together cost {dollars}; with those messages sent whole they would cost {whole}."
    ),
    noop(
        "A cleared message changes the request where it stands, and the provider's prompt cache ends at "
        "the first change: everything behind it is read at the full price once more, where it would have "
        "cost a fraction."
    ),
)
_LEFT_OUT = noop(
    "{clearings} left {saved_tokens:,} tokens out of the requests and broke {broken} tokens of the "
    "prompt cache."
)
_ADDED = noop(
    "{clearings} added {added_tokens:,} tokens to the requests and broke {broken} tokens of the prompt cache."
)
_CLEAR_LATER = {
    (True, True): noop(
        "Raise {name} from {value}, so that clearing begins later, or lower keep_results from "
        "{keep_results:,}, so that fewer tokens stand behind a result when it is cleared, or send all "
        "messages whole as long as they fit the context window."
    ),
    (True, False): noop(
        "Raise {name} from {value}, so that clearing begins later, or send all messages whole as long as "
        "they fit the context window."
    ),
    (False, True): noop(
        "Lower keep_results from {keep_results:,}, so that fewer tokens stand behind a result when it is "
        "cleared, or send all messages whole as long as they fit the context window."
    ),
    (False, False): noop(
        "Send all messages whole as long as they fit the context window."
    ),
}
"""The remedy for clearing that costs more than it saves, by whether a parameter says when clearing begins, and whether
one says how many results stay."""


def tell_dear_clearing(clearing: DearClearing) -> WarningWords:
    """Return the words for clearing that costs more than it saves."""
    numbers = _(
        _ADDED if clearing.saved_tokens < 0 else _LEFT_OUT,
        clearings=counted(clearing.clearings, "clearing"),
        saved_tokens=clearing.saved_tokens,
        added_tokens=-clearing.saved_tokens,
        broken=f"{clearing.broken_tokens:,}",
    )
    words = _DEAR_CLEARING.say(
        dollars=dollars(clearing.usd), whole=dollars(clearing.whole_usd)
    )
    terms = _(
        "This holds at the prices {prices}, with pauses of {pause}.",
        prices=whose(clearing.pricing),
        pause=duration_words(clearing.pause_seconds),
    )
    remedy = _(
        _CLEAR_LATER[bool(clearing.parameter), bool(clearing.keep_results)],
        name=clearing.parameter,
        value=f"{clearing.value:,}",
        keep_results=clearing.keep_results,
    )
    saving = clearing.saving_with_long_pauses
    if saving is not None:
        later = _(
            "With pauses of {pause} or longer the cache is empty by the next turn, and clearing would "
            "save {dollars}.",
            pause=duration_words(saving.pause_seconds),
            dollars=dollars(saving.usd),
        )
        remedy = f"{remedy} {later}"
    return words._replace(numbers=f"{numbers} {words.numbers} {terms}", remedy=remedy)
