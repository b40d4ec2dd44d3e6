"""Sentences about a watched conversation: the fill of its window, its next compaction, and the messages that the last
one took out."""

from datetime import datetime

from memviz.core.translation import _, from_json, ngettext, noop, plural_noop
from memviz.storage.watched import WatchedConversation
from memviz.watching.live import Forecast, LiveView, RemovedMessages
from memviz.watching.programs import PROGRAMS

MANY_TURNS = 1000
ROLES = {
    "user": noop("user"),
    "assistant": noop("assistant"),
    "tool": noop("tool result"),
    "system": noop("system"),
    "summary": noop("summary"),
}


def program_words(source: str) -> str:
    """Return the name of the program that a watched conversation comes from, such as ``Claude Code``, or of the way it
    came, such as ``langchain handler``."""
    program = PROGRAMS.get(source)
    if program is not None:
        return program.title
    return _(source.replace("_", " "))


_GROWN = (
    (86_400, *plural_noop("grew yesterday", "grew {number} days ago")),
    (3600, *plural_noop("grew an hour ago", "grew {number} hours ago")),
    (60, *plural_noop("grew a minute ago", "grew {number} minutes ago")),
)
"""The seconds of a unit, and the words for one and for several of it."""


def grown_words(grown_at: datetime, now: datetime) -> str:
    """Return when a conversation last grew, such as ``grew 3 hours ago``."""
    seconds = max(0, int((now - grown_at).total_seconds()))
    for unit_seconds, singular, plural in _GROWN:
        if seconds >= unit_seconds:
            return ngettext(singular, plural, seconds // unit_seconds)
    return _("grew just now")


def problem_words(watched: WatchedConversation) -> str:
    """Return the reason why not everything that the program wrote is stored, or certain; empty where it is."""
    return _(from_json(watched.state.get("problem", "")))


def fill_words(view: LiveView) -> str:
    """Return the tokens in the window, their share of it where its size is known, and who counted them."""
    used = view.used_tokens
    window = view.window_tokens
    if window is None:
        template = noop("About {used:,} tokens in the window, as memviz counts.")
        if view.is_measured:
            template = noop("{used:,} tokens in the window, as its provider counted.")
        return _(template, used=used)
    template = noop(
        "About {used:,} of {window:,} tokens in the window ({share} %), as memviz counts."
    )
    if view.is_measured:
        template = noop(
            "{used:,} of {window:,} tokens in the window ({share} %), as its provider counted."
        )
    return _(template, used=used, window=window, share=round(100 * used / window))


def forecast_words(forecast: Forecast) -> str:
    """Return when a rule acts next, such as ``After one more message.``"""
    if forecast.idle:
        return _("Nothing to do so far, because {idle}.", idle=forecast.idle)
    headroom = forecast.headroom
    if headroom is None:
        return _("When it acts next cannot be said yet.")
    if headroom == 0:
        return _("With the next message.")
    if forecast.unit == "turns":
        return ngettext("In one turn.", "In {number:,} turns.", headroom)
    if forecast.unit == "messages":
        return ngettext(
            "After one more message.", "After {number:,} more messages.", headroom
        )
    turns = forecast.turns
    template = noop(
        "After {left:,} more tokens: in {turns:,} turns like the last ones."
    )
    if turns is None:
        template = noop("After {left:,} more tokens.")
    elif turns > MANY_TURNS:
        template = noop(
            "After {left:,} more tokens: in more than {many:,} turns like the last ones."
        )
    elif turns == 1:
        template = noop("After {left:,} more tokens: in one turn like the last ones.")
    return _(template, left=headroom, many=MANY_TURNS, turns=turns)


def growth_words(tokens_per_turn: int | None) -> str:
    """Return the assumption behind a forecast in turns."""
    if tokens_per_turn is None:
        return _("In turns it can be said after the first turn that is over.")
    return _(
        "A turn is taken to be {tokens:,} tokens: the median of the last five that are over. The program's own rule "
        "counts on from what its provider counted last; the other two count the messages that memviz has.",
        tokens=tokens_per_turn,
    )


def removed_words(removed: RemovedMessages) -> str:
    """Return the messages and tokens that the last compaction of the program took out."""
    event = removed.event
    template = noop(
        "After message {number:,} the program put a summary of {summary:,} tokens in the place of {messages:,} "
        "messages with {tokens:,} tokens. They are all still here."
    )
    if event.is_window:
        template = noop(
            "After message {number:,} the program left out {messages:,} messages with {tokens:,} tokens, and sent no "
            "summary in their place. They are all still here."
        )
    elif event.part and event.kept_newest is None:
        template = noop(
            "After message {number:,} the program compacted a part of {messages:,} messages with {tokens:,} tokens. "
            "Which of them stayed is not known."
        )
    elif not event.text:
        template = noop(
            "After message {number:,} the program compacted {messages:,} messages with {tokens:,} tokens. Its summary "
            "cannot be read."
        )
    return _(
        template,
        number=event.after_message,
        summary=removed.summary_tokens,
        messages=removed.messages,
        tokens=removed.tokens,
    )
