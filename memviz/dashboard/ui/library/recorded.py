"""The facts that a log recorded of a reply, for the line above its text."""

from memviz.core.messages import Message
from memviz.core.translation import _
from memviz.transcripts.base import CACHE_BREAK, recorded_tokens


def recorded_facts(message: Message) -> list[str]:
    """Return what the log recorded of a reply: the tokens of its request and its own, and why a cache did not hold."""
    facts = []
    recorded = recorded_tokens(message)
    if recorded is not None:
        sent, replied = recorded
        facts.append(
            _(
                "recorded {sent:,} tokens sent, {replied:,} replied",
                sent=sent,
                replied=replied,
            )
        )
    reason = (message.meta or {}).get(CACHE_BREAK)
    if isinstance(reason, str) and reason:
        facts.append(_("the cache did not hold: {reason}", reason=reason))
    return facts
