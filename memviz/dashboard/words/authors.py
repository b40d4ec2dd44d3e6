"""The authors of summaries and replies in words, the reasons of compactions, and the facts of
a message.

Authors: what a badge says, and what figures over summaries rest on. Reasons: a run keeps
them in English, as the strategy gave them. Facts: what became of those of a message, and
how often their measure errs.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from memviz.core.text.wording import SEMICOLON, counted, listed
from memviz.core.translation import ENGLISH, _, language_now, noop
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import ADVERSARIAL, HARDER, ORDINARY
from memviz.metrics.retention.message_facts import MessageFacts
from memviz.metrics.summaries.events import (
    Author,
    fit_requests_alone,
    has_offline_summary,
    list_models,
)
from memviz.transcripts.base import Probe
from memviz.tuning.grounds import OFFLINE_SUMMARIES

_AUTHOR_HELP = {
    Author.RECORDED: noop(
        "A language model wrote it for exactly this request; it is played from a recording."
    ),
    Author.STAND_IN: noop(
        "The program that is bundled in place of a language model wrote it: it needs no key, and quotes."
    ),
    Author.LIVE: noop("The model that was chosen wrote it."),
}
_AUTHORS = {
    Author.RECORDED: noop("recorded"),
    Author.STAND_IN: noop("built-in model"),
    Author.LIVE: noop("live"),
}
MOST_NAMED = 6
"""Facts that a sentence names at most; of the others it gives the number."""
_COUNT = re.compile(r"(?P<held>[\d,]+) (?P<unit>[a-z]+?)s? (?P<sign>[>≥]) (?P<rest>.+)")
_PHRASES = (
    (re.compile(r"turn (?P<turn>[\d,]+) is complete: (?P<count>[\d,]+) messages?"),
     noop("turn {turn} is complete: {count} messages")),
    (re.compile(r"(?P<count>[\d,]+) messages before the first one kept, which has to be the user's"),
     noop("{count} messages before the first one kept, which has to be the user's")),
    (re.compile(r"only (?P<saved>[\d,]+) tokens would go < (?P<least>[\d,]+)"),
     noop("only {saved} tokens would go < {least}")),
    (re.compile("no user message in what the summarizer may read"),
     noop("no user message in what the summarizer may read")),
    (re.compile("written by the user"), noop("written by the user")),
    (re.compile("before every request"), noop("before every request")),
    (re.compile("the summarizer failed"), noop("the summarizer failed")),
    (re.compile("the library left them out"), noop("the library left them out")),
    (re.compile("the library cleared them"), noop("the library cleared them")),
    (
        re.compile("the library put words of its own in their place"),
        noop("the library put words of its own in their place"),
    ),
    (re.compile("recorded in the log"), noop("recorded in the log")),
    (
        re.compile("a request with less of the history"),
        noop("a request with less of the history"),
    ),
)  # fmt: skip
"""All that a strategy or the engine gives for a reason, besides counts over a limit."""


def author_words(author: Author) -> str:
    """Return what a badge calls an author."""
    return _(_AUTHORS[author])


def author_help(author: Author) -> str:
    """Return the meaning of a badge, for its tooltip."""
    return _(_AUTHOR_HELP[author])


def badge_words(author: Author, models: Iterable[str]) -> str:
    """Return what a badge says: ``recorded · claude``. A recording may be of any model, so its badge names it."""
    if author is not Author.RECORDED:
        return author_words(author)
    return f"{author_words(author)} · {listed(dict.fromkeys(models))}"


def whose_words(runs: Iterable[Run]) -> str:
    """Return who wrote the summaries that figures over ``runs`` rest on, as a sentence; empty where nothing was
    summarized."""
    return " ".join(_whose_sentences(list(runs)))


def recorded_settings_words(runs: Iterable[Run]) -> str:
    """Return what recorded summaries were made for."""
    if fit_requests_alone(runs):
        return _("for exactly these requests")
    return _("for exactly this conversation and setting")


def _whose_sentences(runs: list[Run]) -> Iterator[str]:
    recorded = list_models(runs, Author.RECORDED)
    live = list_models(runs, Author.LIVE)
    template = noop("Summaries here were written by {models}.")
    if recorded:
        template = noop(
            "Summaries here are recorded: {models} wrote them for exactly this conversation and setting."
        )
        if fit_requests_alone(runs):
            template = noop(
                "Summaries here are recorded: {models} wrote them for exactly these requests."
            )
        yield _(template, models=listed(recorded))
        template = noop("Summaries of others were written by {models}.")
    if live:
        yield _(template, models=listed(live))
    others = [run.strategy.label for run in runs if has_offline_summary(run)]
    if not others:
        return
    if not recorded and not live:
        yield _(OFFLINE_SUMMARIES)
    elif len(runs) == 1:
        yield _("Later ones are by the built-in model, which quotes.")
    else:
        yield _(
            "Those of {settings} are by the built-in model, which quotes: compare them with care.",
            settings=listed(others),
        )


_FACTS_OF_MESSAGE = {
    "left": noop("What is left of it still says: {facts}."),
    "held": noop("The summary still holds: {facts}."),
    "elsewhere": noop("Sent in another message: {facts}."),
    "contradicted": noop("Contradicted: {facts}."),
    "lost": noop("Lost: {facts}."),
}
"""The sentence on the facts of each field of :class:`memviz.metrics.retention.message_facts.MessageFacts`."""


def message_facts_words(facts: MessageFacts) -> str:
    """Return ``The summary still holds: 3,600 euros. Lost: cashews; 9 July 2027.``; empty where there are no facts."""
    sentences = []
    for name, template in _FACTS_OF_MESSAGE.items():
        probes = getattr(facts, name)
        if probes:
            sentences.append(_(template, facts=_named_words(probes)))
    return " ".join(sentences)


def _named_words(probes: Sequence[Probe]) -> str:
    names = [(*probe.answers, probe.question)[0] for probe in probes[:MOST_NAMED]]
    more = len(probes) - MOST_NAMED
    if more > 0:
        names.append(_("and {more:,} more", more=more))
    return "; ".join(names)


def error_rate_words() -> str:
    """Return the sentences that say what the measure is and how often it errs."""
    return _(
        "Each fact is looked up as a value in the words of the request: how it is written does not matter, "
        "and where it is only denied or outdated it counts as contradicted. No model reads along. Held "
        "against {judged:,} pairs of text and fact that a person judged and no rule was made with, it is "
        "right for {ordinary:.0%} of ordinary ones and {misleading:.0%} of those written to mislead; of {pairs} "
        "in free words, which a language model judged, for {free:.0%}: a short value is looked up best. "
        "What is in the request need not be used: this says what a model could know.",
        judged=ORDINARY.pairs + ADVERSARIAL.pairs,
        ordinary=ORDINARY.share,
        misleading=ADVERSARIAL.share,
        pairs=HARDER.pairs,
        free=HARDER.share,
    )


def reason_in_words(reason: str) -> str:
    """Return the reason; a sentence that is not known, of a strategy of another package, stays as it is."""
    if language_now() == ENGLISH:
        return reason
    parts = [_part_in_words(part) for part in reason.split("; ")]
    return _(SEMICOLON).join(parts)


def _part_in_words(part: str) -> str:
    for pattern, words in _PHRASES:
        match = pattern.fullmatch(part)
        if match:
            return _(words, **match.groupdict())
    between = noop(" or ") if " or " in part else noop(" and ")
    return _(between).join(map(_count_in_words, part.split(between)))


def _count_in_words(count: str) -> str:
    match = _COUNT.fullmatch(count)
    if match is None:
        return count
    amount = counted(int(match["held"].replace(",", "")), match["unit"])
    return f"{amount} {match['sign']} {match['rest']}"
