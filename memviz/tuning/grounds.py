"""The grounds of a recommendation: the number of facts, guessed or given, and who wrote the summaries.

The fewer the facts, the weaker a recommendation is worded (:mod:`~memviz.tuning.recommendation`).
"""

from dataclasses import dataclass

from memviz.core.text.wording import counted, dollars
from memviz.core.translation import _, ngettext, noop
from memviz.models.names import DEFAULT_MODEL, OFFLINE, RECORDING

OFFLINE_SUMMARIES = noop(
    "Summaries here are written by the built-in model, "
    "which quotes; a language model words them differently."
)
"""The sentence that is shown wherever figures are based on summaries of the built-in model."""
RECORDED_SETTINGS = 37
AGREED_PERCENT = 79
KEPT_PERCENT = 91
STAND_IN_KEPT_PERCENT = 73
"""How far a recorded language model and the offline model agree, over all recorded settings and facts of the bundled
conversations: the facts that both or neither know after the last turn, and those that each of them keeps
(``docs/findings.md``)."""
RECORDED_USD = 2.45
STAND_IN_USD = 1.50
"""The cost of the same settings with the summaries of each, at default prices and pause (``docs/findings.md``)."""
_SURENESS = noop(
    "Where a language model was recorded beside it, under {settings} settings, the two agree on {agreed} % of the "
    "facts: the model kept {kept} %, in longer summaries, the built-in model {stand_in_kept} %. With the model's "
    "summaries the same settings cost {times:.1f} times as much ({usd} against {stand_in_usd} at the prices of "
    "{model})."
)
_SURENESS_VALUES: dict[str, object] = {
    "settings": RECORDED_SETTINGS,
    "agreed": AGREED_PERCENT,
    "kept": KEPT_PERCENT,
    "stand_in_kept": STAND_IN_KEPT_PERCENT,
    "times": RECORDED_USD / STAND_IN_USD,
    "usd": dollars(RECORDED_USD),
    "stand_in_usd": dollars(STAND_IN_USD),
    "model": DEFAULT_MODEL,
}
"""The values of :data:`_SURENESS`, which says how sure a recommendation based on the offline model is."""
FEW_FACTS = 15
"""With fewer facts, no setting is called the one to take. A single fact, which may be a wrong guess, then changes the
share that is kept by 7 points or more, about as much as the next value of a parameter does."""


@dataclass(frozen=True)
class Grounds:
    """The facts and summaries that the figures of a sweep are based on, over all conversations."""

    guessed_facts: int = 0
    """The facts that memviz proposed."""
    given_facts: int = 0
    """The facts that came with the conversations or that the user typed in."""
    summarizer: str = ""
    """The model that wrote summaries; empty where nothing was summarized, or that is not known."""
    unmeasured_results: int = 0
    """The tool results of conversations of which no fact comes from a tool."""

    @property
    def facts(self) -> int:
        """The number of all facts."""
        return self.guessed_facts + self.given_facts

    @property
    def are_thin(self) -> bool:
        """True if there are too few facts to call a setting the one to take."""
        return self.facts < FEW_FACTS

    @property
    def facts_in_words(self) -> str:
        """The number of facts in words: ``8 guessed facts``, ``11 facts, 8 of them guessed``, ``20 known facts``."""
        if self.guessed_facts and not self.given_facts:
            return counted(self.facts, "guessed fact")
        if not self.guessed_facts:
            return counted(self.facts, "known fact")
        return _(
            "{facts}, {guessed} of them guessed",
            facts=counted(self.facts, "fact"),
            guessed=self.guessed_facts,
        )

    @property
    def sentence(self) -> str:
        """The sentence that says on how many facts shares were measured, and to check guessed ones."""
        if not self.facts:
            return _("There was no fact to measure on; add yours.")
        measured = _("Measured on {facts}.", facts=self.facts_in_words)
        if self.guessed_facts:
            measured = ngettext(
                "Measured on {facts}; check it or add yours.",
                "Measured on {facts}; check them or add yours.",
                self.guessed_facts,
                facts=self.facts_in_words,
            )
        return f"{measured} {self.about_results}".rstrip()

    @property
    def about_results(self) -> str:
        """The sentence that losses of tool results are not measured; empty where they are."""
        if not self.unmeasured_results:
            return ""
        results = counted(self.unmeasured_results, "tool result")
        return _(
            "None of these facts comes from what a tool returned: what is lost with {results} is not measured.",
            results=results,
        )

    @property
    def about_summaries(self) -> tuple[str, ...]:
        """Sentences on who wrote the summaries, and how far to trust the offline model; empty without summaries."""
        if not self.summarizer:
            return ()
        if self.summarizer == OFFLINE:
            return (_(OFFLINE_SUMMARIES), _(_SURENESS, **_SURENESS_VALUES))
        if self.summarizer.startswith(RECORDING):
            recording = self.summarizer.removeprefix(RECORDING)
            return (
                _(
                    "Summaries are those that a language model wrote for the recording {recording}.",
                    recording=recording,
                ),
            )
        return (_("Summaries were written by {name}.", name=self.summarizer),)

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences: on the facts, and on the summaries."""
        return (self.sentence, *self.about_summaries)
