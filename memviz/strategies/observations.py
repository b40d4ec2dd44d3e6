"""Observational memory: dated observations, which are condensed."""

from dataclasses import dataclass
from typing import ClassVar

from memviz.core.facts import OBSERVATIONS
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.pieces import Messages, Piece, notes
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import noop
from memviz.strategies.base import Effect, Strategy, Trigger, Write
from memviz.strategies.clauses import Fill
from memviz.strategies.fact_lists import is_condensed, is_condensing
from memviz.strategies.families import LISTED_FACTS
from memviz.strategies.lookup import find_due_messages
from memviz.strategies.parameters import whole_number

OBSERVE = (
    "Note what an assistant has to remember of the conversation below, one observation to a line, in the order in "
    "which it happened: what the user told, wants and decided, what was found out and done, with exact names, numbers "
    "and dates. Answer with the list alone."
)
REFLECT = (
    "Condense the observations below, one to a line: join what belongs together, take out what no longer matters, and "
    "keep dates, names, numbers and what was decided last. Your list replaces them. Write at most {tokens} tokens, and "
    "answer with the list alone."
)


@dataclass(frozen=True, slots=True)
class Observe(Write):
    """Observations to be made."""

    said: str = ""
    """The time when the messages were said, or their turns."""


class Observations(Strategy):
    """Past a token limit, turns messages into dated observations, which a second call condenses past a limit of theirs.

    Gains: an observation stays as it was noted, until there are too many, and the list only grows at its end: a prompt
    cache can read it, where a running summary is another text each time.

    Loses: the words; and each condensing thins what is oldest.

    Hurts when: exact wording matters soon after; or the limits are far above the conversation, so that nothing happens
    before it is over.

    Used by:
    - Mastra observational memory: an observer from 30,000 tokens of messages on, a reflector from 40,000 of
      observations on; both also once a prompt cache has expired (documentation of mastra 1.31.0)

    After each message looks at those that were not observed: with more tokens than ``observe_tokens`` those of all
    completed turns go to the observer. Its observations follow those before under the dates of the messages, or where
    these are not known under their turns. With more tokens of observations than ``reflect_tokens`` all of them are
    condensed, to half of that. Sent are the observations and all messages that were not observed. Different from
    Mastra: nothing happens because time passes, and nothing is observed ahead. The built-in model quotes. Held
    against a slow reference.
    """

    title: ClassVar[str] = "Observations"
    reference: ClassVar[str] = (
        "Mastra observational memory (documentation of mastra 1.31.0)"
    )
    order: ClassVar[int] = 8
    family: ClassVar[str] = LISTED_FACTS
    main_parameter: ClassVar[str] = "observe_tokens"
    trigger: ClassVar[Trigger] = Trigger.MESSAGE
    # Its limits are made for windows that few conversations fill.
    tried_at_first: ClassVar[bool] = False
    limits: ClassVar[str] = noop("messages not yet summarized")
    """The observations do not count."""

    observe_tokens: int = whole_number(
        30_000,
        "tokens",
        "More tokens of messages than this are observed, and sent no more. Larger keeps more word for word and costs "
        "more a turn.",
        (500, 30_000),
    )
    reflect_tokens: int = whole_number(
        40_000,
        "tokens",
        "More tokens of observations than this are condensed by a second call, to half as many. Larger forgets less "
        "and costs more a turn.",
        (500, 40_000),
    )

    @property
    def budget_tokens(self) -> int:
        """``observe_tokens``."""
        return self.observe_tokens

    def fill(self, memory: Memory) -> Fill:
        """The tokens of the messages that were not observed. Too many observations make it over in any case."""
        held = memory.pending_tokens
        is_due = self._find_outgrown(memory) is not None
        return Fill(held, self.observe_tokens, "tokens", self.limits, regardless=is_due)

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        """Observe messages over the limit; condense observations over theirs first."""
        too_long = self._find_outgrown(memory)
        if too_long is not None:
            reason = f"{too_long.tokens:,} tokens > {self.reflect_tokens:,}"
            effect = Write(
                too_long.added, memory.cursor, reason, too_long, OBSERVATIONS
            )
            return (effect,)
        fill = self.fill(memory)
        due = find_due_messages(memory, fill)
        if not due:
            return ()
        before = memory.head(OBSERVATIONS)
        said = write_dates(memory, due)
        return (Observe(due, due.stop, fill.reason, before, OBSERVATIONS, said=said),)

    def _find_outgrown(self, memory: Memory) -> SummaryVersion | None:
        """Return the observations if they are to be condensed. A list that was just condensed stays as it is."""
        newest = memory.head(OBSERVATIONS)
        if newest is None or newest.tokens <= self.reflect_tokens:
            return None
        return None if is_condensed(newest, memory) else newest

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        """Return the observations, and all messages that were not observed."""
        observed = notes(memory.notes_of(OBSERVATIONS))
        return (*observed, Messages(memory.cursor, memory.length))

    @property
    def instruction(self) -> str:
        """The instruction to observe."""
        return OBSERVE

    def requests_of(
        self, memory: Memory, effect: Write, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """One user message: what to do, and the messages; where observations are condensed, those alone."""
        if is_condensing(effect):
            reflecting = REFLECT.format(tokens=max(1, self.reflect_tokens // 2))
            return self.summarizer_request((), effect.replaces, reflecting)
        messages = memory.worth_summarizing(effect.summarize)
        return self.summarizer_request(messages, None, instruction)

    def read_answer(self, effect: Write, answer: str) -> str:
        """Return the earlier observations and those of the answer under their date; of a condensed list the answer
        alone."""
        if not isinstance(effect, Observe):
            return answer
        before = [effect.replaces.text] if effect.replaces else []
        return "\n".join([*before, effect.said, answer])

    def summary_entry(self, summary: SummaryVersion) -> str:
        """The list under its heading."""
        return f"Observations of the conversation so far:\n{summary.text}"


def write_dates(memory: Memory, positions: range) -> str:
    """Return a line with the dates of messages, or with their turns if the dates are unknown: ``Date: 2024-03-05``."""
    first = memory.log[positions.start].said_at
    last = memory.log[positions[-1]].said_at
    if first is not None and last is not None:
        dates = dict.fromkeys((f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}"))
        return f"Date: {' to '.join(dates)}"
    turns = dict.fromkeys(map(memory.log.turn_number, (positions[0], positions[-1])))
    return f"Turn {' to '.join(map(str, turns))}"
