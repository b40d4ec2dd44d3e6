"""Breaches of the books of a run, in sentences."""

from memviz.core.text.wording import message_number, request_name
from memviz.core.translation import _, noop
from memviz.engine.run import Run
from memviz.metrics.verify import Breach, BreachKind

_MESSAGES: dict[BreachKind, str] = {
    "no_fate": noop(
        "{place}: message {number:,} is neither sent nor summarized nor dropped, or is so before it was said."
    ),
    "unsaid": noop("{place}: message {number:,} is sent before it was said."),
    "sent_twice": noop("{place}: message {number:,} is sent twice."),
    "no_rule": noop(
        "{place}: message {number:,} is left out, and the rule of {label} sends it."
    ),
    "no_reason": noop(
        "{place}: what is sent changed after message {number:,}, and no reason is on record."
    ),
    "no_call": noop(
        "{place}: message {number:,} is a tool's result whose call is not sent; a provider refuses it."
    ),
}
_VERSIONS: dict[BreachKind, str] = {
    "unsaid": noop("{place}: version {version:,} of the summary is not written yet."),
    "sent_twice": noop("{place}: version {version:,} of the summary is sent twice."),
}
_COUNTS: dict[BreachKind, str] = {
    "miscounted": noop(
        "{place}: {on_record:,} tokens are on record, and its messages have {counted:,}."
    ),
    "usage": noop(
        "{place}: the log has {on_record:,} tokens on record, and {counted:,} are counted."
    ),
}


def breach_words(run: Run, breach: Breach) -> str:
    """Return one breach of ``run`` as a sentence, its place first."""
    calls = sum(turn == breach.turn for turn in run.columns.turns.tolist())
    place = request_name(breach.turn, breach.call, calls if breach.call else 1)
    place = place[:1].upper() + place[1:]
    if breach.position is not None:
        return _(
            _MESSAGES[breach.kind],
            place=place,
            number=message_number(breach.position),
            label=run.strategy_at(breach.turn).label,
        )
    if breach.version is not None:
        return _(_VERSIONS[breach.kind], place=place, version=breach.version)
    return _(
        _COUNTS[breach.kind],
        place=place,
        on_record=breach.on_record,
        counted=breach.counted,
    )
