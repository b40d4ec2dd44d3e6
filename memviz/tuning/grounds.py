"""The grounds of a recommendation: how many facts, guessed or given, and whose summaries."""

from dataclasses import dataclass

from memviz.core.text.wording import counted, dollars
from memviz.models.names import DEFAULT_MODEL, OFFLINE, RECORDING

OFFLINE_SUMMARIES = (
    "Summaries here are written by the offline stand-in, "
    "which quotes; a language model words them differently."
)
"""The sentence wherever figures rest on such summaries: on pages, in the terminal and in reports."""
RECORDED_SETTINGS = 36
AGREED_PERCENT = 79
KEPT_PERCENT = 91
STAND_IN_KEPT_PERCENT = 73
"""Of the recorded settings of the bundled conversations, all facts together: those that both or neither keep after the
last turn, those that the recorded model keeps, and those that the offline one keeps (``docs/findings.md``)."""
RECORDED_USD = 2.45
STAND_IN_USD = 1.49
"""What the same settings cost in all with the recorded model's summaries and with the offline one's, at the default
prices and pause (``docs/findings.md``)."""
SURENESS = (
    f"Where a language model was recorded beside it, under {RECORDED_SETTINGS} settings, the two agree on "
    f"{AGREED_PERCENT} % of the facts: the model kept {KEPT_PERCENT} %, in longer summaries, the stand-in "
    f"{STAND_IN_KEPT_PERCENT} %. With the model's summaries the same settings cost {RECORDED_USD / STAND_IN_USD:.1f} "
    f"times as much ({dollars(RECORDED_USD)} against {dollars(STAND_IN_USD)} at the prices of {DEFAULT_MODEL})."
)
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
        return f"{counted(self.facts, 'fact')}, {self.guessed_facts} of them guessed"

    @property
    def sentence(self) -> str:
        """The number of facts that the shares are measured on, and what to do about guessed ones."""
        if not self.facts:
            return "There was no fact to measure on; add yours."
        measured = f"Measured on {self.facts_in_words}"
        if self.guessed_facts:
            them = "it" if self.guessed_facts == 1 else "them"
            measured += f"; check {them} or add yours"
        return f"{measured}. {self.about_results}".rstrip()

    @property
    def about_results(self) -> str:
        """The sentence that what tools returned is left out; empty where it is not."""
        if not self.unmeasured_results:
            return ""
        results = counted(self.unmeasured_results, "tool result")
        return f"None of these facts comes from what a tool returned: what is lost with {results} is not measured."

    @property
    def about_summaries(self) -> tuple[str, ...]:
        """The writer of the summaries, and how far to trust those of the offline model; empty where nobody did."""
        if not self.summarizer:
            return ()
        if self.summarizer == OFFLINE:
            return (OFFLINE_SUMMARIES, SURENESS)
        if self.summarizer.startswith(RECORDING):
            recording = self.summarizer.removeprefix(RECORDING)
            return (
                f"Summaries are those that a language model wrote for the recording {recording}.",
            )
        return (f"Summaries were written by {self.summarizer}.",)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The number of facts that the shares are measured on, and who wrote the summaries."""
        return (self.sentence, *self.about_summaries)
