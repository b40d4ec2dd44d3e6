"""Warnings about what a strategy looks up, in words."""

from memviz.core.text.wording import share_of
from memviz.core.translation import _
from memviz.dashboard.words.warning import Told
from memviz.metrics.health.lookups import (
    EchoedQuestions,
    MissingNeighbours,
    RepeatedTurn,
)


def tell_echoed(found: EchoedQuestions) -> Told:
    """Return the warning of questions that find themselves."""
    requests = share_of(found.echoed, found.requests, "request")
    if found.has_neighbours:
        remedy = _(
            "Raise top_k, so that something else is found too, or choose a strategy that looks up facts instead of "
            "messages."
        )
    else:
        remedy = _("Set neighbours to 1: then the answers stand beside such questions.")
    return Told(
        _("The question finds itself"),
        _(
            "{requests} that bring something back bring back messages which hold no word that the question does not "
            "hold, {messages:,} in all.",
            requests=requests,
            messages=found.messages,
        ),
        _(
            "Such a message tells the model nothing new, and takes the place of one that does."
        ),
        remedy,
    )


def tell_missing_neighbours(found: MissingNeighbours) -> Told:
    """Return the warning of questions without answers."""
    messages = share_of(found.alone, found.messages, "message")
    if found.parameter:
        remedy = _(
            "Raise {parameter}, which brings back what stands beside a message.",
            parameter=found.parameter,
        )
    else:
        remedy = _("Choose a strategy that brings back whole turns.")
    return Told(
        _("Questions without answers are brought back"),
        _(
            "{messages} that are brought back are a question without its answer, or an answer without its question.",
            messages=messages,
        ),
        _(
            'What a message means often stands beside it: "Yes, the second one" says nothing by itself.'
        ),
        remedy,
    )


def tell_repeated_turn(found: RepeatedTurn) -> Told:
    """Return the warning of the same turn again and again."""
    requests = share_of(found.times, found.requests, "request")
    if found.parameter:
        remedy = _(
            "Set {parameter}, so that old messages fade, or put what every request needs into the system prompt.",
            parameter=found.parameter,
        )
    else:
        remedy = _("Put what every request needs into the system prompt.")
    return Told(
        _("The same turn is brought back again and again"),
        _(
            "{requests} that bring something back bring back turn {turn:,}.",
            requests=requests,
            turn=found.turn,
        ),
        _(
            "A turn with words that every question holds takes the place of what the question is about."
        ),
        remedy,
    )
