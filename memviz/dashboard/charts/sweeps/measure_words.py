"""The names of the measures of a sweep, their units, and the way their numbers are written.

Text of this file goes into titles and tooltips as it stands: it holds no markup and nothing that a user wrote.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from memviz.core.text.wording import dollars
from memviz.core.translation import _, noop
from memviz.tuning.measures import MEASURES
from memviz.tuning.recommendation import format_share

UNKNOWN = noop("unknown")
"""In the place of a number that is not known."""
_DIGITS = 9
"""The digits of a share that count; sums of floating point numbers are not exact."""


@dataclass(frozen=True, slots=True)
class MeasureWords:
    """One measure: its ``title`` ("Cost"), the ``unit`` on an axis, a sentence of ``help``, and how a number is
    ``shown`` (see :func:`shown`)."""

    name: str
    english_title: str
    english_unit: str
    english_help: str
    write: Callable[[float], str]

    @property
    def title(self) -> str:
        """In the language of its reader, as all words of it are."""
        return _(self.english_title)

    @property
    def unit(self) -> str:
        """The unit on an axis."""
        return _(self.english_unit)

    @property
    def help(self) -> str:
        """A sentence on what it measures."""
        return _(self.english_help)

    @property
    def less_is_better(self) -> bool:
        """Low values are the good ones: the worst conversation is the one with the highest."""
        return MEASURES[self.name].worst == "max"

    @property
    def is_money(self) -> bool:
        """True for a measure in US dollars."""
        return self.write is dollars

    @property
    def is_share(self) -> bool:
        """True for a measure from 0 to 1, which is written in percent."""
        return self.write is percent

    @property
    def axis_title(self) -> str:
        """Title with the unit, as it stands at an axis: ``Cost (US dollars)``, ``Tokens sent``."""
        if self.english_unit in self.english_title.lower():
            return self.title
        return _("{title} ({unit})", title=self.title, unit=self.unit)

    def shown(self, value: float) -> str:
        """``value`` as a person reads it, or "unknown" for NaN."""
        return self.write(float(value)) if isfinite(value) else _(UNKNOWN)


def percent(share: float) -> str:
    """A share (0 to 1) in percent; what is not all is never "100%", and what is not nothing never "0%"."""
    return format_share(round(share, _DIGITS))


def count(number: float) -> str:
    """A number of things; a median can lie between two."""
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.1f}"


def tokens(number: float) -> str:
    """A number of tokens, whole."""
    return f"{number:,.0f}"


def seconds(number: float) -> str:
    """A duration: two digits that say something, and never "0" for something that is not."""
    if number >= 10 or number == 0:
        return f"{number:,.0f} s"
    return f"{number:.1f} s" if number >= 1 else f"{max(number, 0.001):.2g} s"


_TOKENS = noop("tokens")
_USD = noop("US dollars")
_SHARE = "%"
_FACTS = noop("% of the facts")
_RULES = noop("% of the rules")
_TIMES = noop("summarizations")
_REQUESTS = noop("requests")

WORDS: dict[str, MeasureWords] = {
    words.name: words
    for words in (
        MeasureWords(
            "usd",
            noop("Cost"),
            _USD,
            noop(
                "What all conversations of the sweep cost together: the chat model with its prompt cache, and the "
                "summarizer."
            ),
            dollars,
        ),
        MeasureWords(
            "uncached_usd",
            noop("Cost without a cache"),
            _USD,
            noop(
                "What all conversations would cost together if the chat model had no prompt cache."
            ),
            dollars,
        ),
        MeasureWords(
            "main_usd",
            noop("Cost of the chat model"),
            _USD,
            noop("What the requests to the chat model cost, replies included."),
            dollars,
        ),
        MeasureWords(
            "summarizer_usd",
            noop("Cost of the summarizer"),
            _USD,
            noop("What writing the summaries costs."),
            dollars,
        ),
        MeasureWords(
            "usd_per_fact",
            noop("Cost per fact kept"),
            _USD,
            noop(
                "The cost divided by the number of facts that a request keeps on average."
            ),
            dollars,
        ),
        MeasureWords(
            "all_tokens",
            noop("All tokens"),
            _TOKENS,
            noop(
                "Tokens sent to the chat model, and those that the summarizer read and wrote."
            ),
            tokens,
        ),
        MeasureWords(
            "sent_tokens",
            noop("Tokens sent"),
            _TOKENS,
            noop("Tokens of all requests to the chat model together."),
            tokens,
        ),
        MeasureWords(
            "mean_tokens",
            noop("Tokens a request"),
            _TOKENS,
            noop("Tokens of a request to the chat model, on average."),
            tokens,
        ),
        MeasureWords(
            "peak_tokens",
            noop("Largest request"),
            _TOKENS,
            noop(
                "Tokens of the largest request: it has to fit into the model's context window."
            ),
            tokens,
        ),
        MeasureWords(
            "summarizer_tokens",
            noop("Tokens of the summarizer"),
            _TOKENS,
            noop("Tokens that the summarizer read and wrote."),
            tokens,
        ),
        MeasureWords(
            "summarizations",
            noop("Summarizations"),
            _TIMES,
            noop(
                "How often a summary was written; each one makes the user wait, and the next request finds less in "
                "the cache."
            ),
            count,
        ),
        MeasureWords(
            "failed_summarizations",
            noop("Failed summarizations"),
            _TIMES,
            noop("Calls of the summarizer that gave no summary."),
            count,
        ),
        MeasureWords(
            "over_budget_requests",
            noop("Requests over their limit"),
            _REQUESTS,
            noop("Requests of more tokens than their own setting allows."),
            count,
        ),
        MeasureWords(
            "orphaned_requests",
            noop("Requests with orphaned results"),
            _REQUESTS,
            noop(
                "Requests that hold a tool's result without its call; a real API rejects them."
            ),
            count,
        ),
        MeasureWords(
            "refused_requests",
            noop("Requests that are refused"),
            _REQUESTS,
            noop(
                "Requests that a provider refuses, for a tool's result without its call or a call without its "
                "result."
            ),
            count,
        ),
        MeasureWords(
            "hit_rate",
            noop("Read from the cache"),
            _SHARE,
            noop(
                "The share of all tokens sent that the chat model's prompt cache already held."
            ),
            percent,
        ),
        MeasureWords(
            "retention",
            noop("Facts kept"),
            _FACTS,
            noop(
                "The share of the facts stated so far that a request still holds, word for word or in a summary, "
                "on average over all requests."
            ),
            percent,
        ),
        MeasureWords(
            "rule_retention",
            noop("Rules kept"),
            _RULES,
            noop(
                "The share of the rules stated so far, such as to answer in one sentence, that a request still holds, "
                "on average over all requests."
            ),
            percent,
        ),
        MeasureWords(
            "final_retention",
            noop("Facts kept at the end"),
            _FACTS,
            noop("The share of all facts that the last request still holds."),
            percent,
        ),
        MeasureWords(
            "seconds",
            noop("Time to measure"),
            noop("seconds"),
            noop(
                "How long measuring took on this machine; a user does not wait for that."
            ),
            seconds,
        ),
    )
}
"""The words of every measure of :data:`memviz.tuning.measures.MEASURES`, by name."""


def shown_value(measure: str, value: float) -> str:
    """``value`` of a measure as a person reads it. Raises KeyError for a measure that there is not."""
    return WORDS[measure].shown(value)


def inline(title: str) -> str:
    """A title as words within a sentence or after a colon: its first letter small."""
    return title[:1].lower() + title[1:]
