"""The grounds of a recommendation: how many facts, guessed or given, and whose summaries."""

from dataclasses import dataclass

from memviz.core.text.wording import counted, dollars
from memviz.core.translation import _, ngettext, noop
from memviz.models.names import DEFAULT_MODEL, OFFLINE, RECORDING

OFFLINE_SUMMARIES = noop(
    "Summaries here are written by the built-in model, "
    "which quotes; a language model words them differently."
)
"""The sentence wherever figures rest on such summaries: on pages, in the terminal and in reports."""
RECORDED_SETTINGS = 37
AGREED_PERCENT = 79
KEPT_PERCENT = 91
STAND_IN_KEPT_PERCENT = 73
"""Of the recorded settings of the bundled conversations, all facts together: those that both or neither keep after the
last turn, those that the recorded model keeps, and those that the offline one keeps (``docs/findings.md``)."""
RECORDED_USD = 2.45
STAND_IN_USD = 1.50
"""What the same settings cost in all with the recorded model's summaries and with the offline one's, at the default
prices and pause (``docs/findings.md``)."""
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
"""How far a recorded language model differs, in facts and in dollars: how sure a recommendation is that rests on the
offline model's summaries."""
FEW_FACTS = 15
"""On fewer facts no setting is called the one to take: there a single fact, which may be a wrong guess, moves the
share that is kept by 7 points and more, about as much as the next value of a parameter does."""


@dataclass(frozen=True)
class Grounds:
    """Facts that memviz proposed (``guessed_facts``) and those that came with the conversations or were typed in
    (``given_facts``), over all conversations. ``summarizer`` names who wrote summaries, empty where nothing was
    summarized or that is not known."""

    guessed_facts: int = 0
    given_facts: int = 0
    summarizer: str = ""
    unmeasured_results: int = 0
    """Tool results of the conversations none of whose facts comes from one."""

    @property
    def facts(self) -> int:
        """All of them."""
        return self.guessed_facts + self.given_facts

    @property
    def are_thin(self) -> bool:
        """True where there are too few facts to say which setting to take."""
        return self.facts < FEW_FACTS

    @property
    def facts_in_words(self) -> str:
        """``8 guessed facts``, ``11 facts, 8 of them guessed``, ``20 known facts``."""
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
        """The number of facts that the shares are measured on, and what to do about guessed ones."""
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
        """The sentence that what tools returned is left out; empty where it is not."""
        if not self.unmeasured_results:
            return ""
        results = counted(self.unmeasured_results, "tool result")
        return _(
            "None of these facts comes from what a tool returned: what is lost with {results} is not measured.",
            results=results,
        )

    @property
    def about_summaries(self) -> tuple[str, ...]:
        """The writer of the summaries, and how far to trust those of the offline model; empty where nobody did."""
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
        """The number of facts that the shares are measured on, and who wrote the summaries."""
        return (self.sentence, *self.about_summaries)
