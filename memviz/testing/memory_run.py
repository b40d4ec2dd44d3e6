"""The runs of one memory over the conversations of a test, and what a test asserts of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import zip_longest
from math import inf
from typing import Any, Literal

import numpy as np

from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.errors import ParameterError
from memviz.core.messages import Message
from memviz.core.text.containment import contains
from memviz.core.text.wording import counted, turn_list
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.warning import breach_lines
from memviz.engine.replay import as_log
from memviz.engine.replay import replay as replay_strategy
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.proposed_probes import BLANK, propose_probes
from memviz.metrics.retention.retention import retention
from memviz.metrics.retention.survival import Survival, measure_survival
from memviz.metrics.verify import verify
from memviz.models.names import DEFAULT_MODEL
from memviz.strategies.base import Strategy
from memviz.testing.conversations import Conversations, read_conversations
from memviz.testing.under_test import Conversation, Maker, UnderTest
from memviz.testing.verdicts import Verdict, forgotten_verdict, is_in_test
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.why import NotSaidError, PhraseKind, why

THRASH = "thrash"
runs_of_test: list[MemoryRun] = []
"""The runs that the test of this moment made or asked about a phrase, for the plugin's figures; the plugin empties the
list after each test."""


def replay(
    conversations: Conversations,
    memory: Any,
    *,
    prices_of: str = DEFAULT_MODEL,
    counter: AnyCounter = DEFAULT_COUNTER,
    **settings: Any,
) -> MemoryRun:
    """Return what ``memory`` would send in each request of these conversations, ready for assertions.

    ``conversations`` are the path of a file or of a folder, a :class:`memviz.Transcript`, a list of messages, or a list
    of any of these. ``memory`` is a strategy of memviz, or any object: with ``put`` and ``get`` (LlamaIndex, memviz),
    ``append`` and ``load``, a list or a deque, a history, memory or middleware of LangChain, or a function that gets
    all messages and returns those that are sent. A class, or a function that makes the object, is called with the
    ``settings``: ``replay("talk.json", LastMessages, keep=6)``; a function of the messages gets them beside these. The
    first of them that is a whole number above 0 is what a failure proposes to make larger. ``prices_of`` names the
    model whose list prices count, ``counter`` what tokens are counted with.

    memviz calls no model. What an object asks a model of its own, it asks itself, once for each conversation, and again
    where a larger setting is looked for after a failure.

    Raises :class:`memviz.testing.UnknownMemoryError`, :class:`memviz.ParameterError` for settings of a strategy or of
    an object that is made already, what the object raises, and the errors of reading conversations.
    """
    transcripts = read_conversations(conversations)
    maker = Maker(memory, settings)
    runs = []
    for transcript in transcripts:
        strategy = memory
        if not isinstance(memory, Strategy):
            prompt = _system_prompt(transcript)
            # Each conversation gets an object of its own, which knows nothing of the one before.
            strategy = UnderTest(
                conversation=Conversation(maker, prompt), limit=maker.limit
            )
        runs.append(replay_strategy(transcript, strategy, counter=counter))
        # What the object raised is raised as it was, wherever in the replay that happened.
        if isinstance(strategy, UnderTest) and strategy.conversation.failure:
            raise strategy.conversation.failure
    memory_run = MemoryRun(transcripts, tuple(runs), prices_of)
    # The plugin of pytest writes the figures of all runs of a test into the report.
    if is_in_test():
        runs_of_test.append(memory_run)
    return memory_run


def _system_prompt(transcript: Transcript) -> tuple[Message, ...]:
    log = as_log(transcript)
    leading = tuple(log[: log.system_stop])
    if transcript.system_prompt is None:
        return leading
    return (Message("system", transcript.system_prompt), *leading)


@dataclass(frozen=True)
class Facts:
    """The facts that the conversations state, and what became of them. They are those of the file, else those that
    memviz proposes: names, dates, amounts, decisions."""

    stated: int
    """Facts that were stated by the last request of their conversation."""
    kept: int
    """Facts that this last request still holds."""
    half_life: float
    """The number of requests after which at most half of the facts are still known; ``inf`` where more than half are
    known at every age."""
    lost: tuple[str, ...]
    """The others, as they were said: ``The door code is 7742.``; of a fact of a file its question."""

    @property
    def share(self) -> float:
        """The share that is kept, 0 to 1; 1 where nothing was stated."""
        return self.kept / self.stated if self.stated else 1.0


@dataclass(frozen=True, eq=False, repr=False)
class MemoryRun:
    """The runs of one memory over the conversations of a test."""

    conversations: tuple[Transcript, ...]
    runs: tuple[Run, ...]
    """One for each conversation."""
    prices_of: str
    guards: dict[str, bool] = field(default_factory=dict)
    """The phrases that the test of this moment asked about, and which of them were kept."""

    def __repr__(self) -> str:
        return f"<{self.label} over {counted(self.runs, 'conversation')}>"

    @property
    def label(self) -> str:
        """The memory as it is written in code, or the name of the strategy: ``LastMessages(keep=6)``."""
        return self.runs[0].strategy.label

    @property
    def _pairs(self) -> list[tuple[Transcript, Run]]:
        return list(zip(self.conversations, self.runs, strict=True))

    def keeps(self, phrase: str, kind: PhraseKind = "") -> Verdict:
        """Return whether every request holds ``phrase`` from where it was said on, in each conversation that says it.

        ``kind`` is ``"rule"`` for a sentence that is known again by its words, ``"value"`` for a value that may stand
        in any sentence; without it memviz decides. A false verdict tells what :func:`memviz.why` does.

        Raises :class:`memviz.MemvizError` where no conversation says it, with the sentence that is nearest.
        """
        verdict = self._judge(phrase, kind)
        self.guards[phrase] = verdict.holds
        # Another test may have made the run: a fixture of the module.
        if is_in_test() and self not in runs_of_test:
            runs_of_test.append(self)
        return verdict

    def _judge(self, phrase: str, kind: PhraseKind) -> Verdict:
        if not phrase.strip():
            raise ParameterError("phrase", phrase, "what is said in the conversation")
        unsaid: NotSaidError | None = None
        is_said = False
        for transcript, run in self._pairs:
            prompt = [message.content for message in run.space.system_messages]
            in_prompt = any(contains(text, phrase) for text in prompt)
            turns = _name_turns_without(run, "prompt")
            # An object that leaves its system prompt out loses whatever stands in it.
            if in_prompt and turns:
                headline = f"{phrase!r} is lost under {run.strategy.label} ({transcript.title})"
                reason = (
                    f"It stands in the system prompt, which is left out in {turns}."
                )
                return Verdict(False, headline, (reason,))
            try:
                (answer,) = why(
                    transcript, phrase, prices_of=self.prices_of, runs=[run], kind=kind
                )
            # A phrase has to be said in one of the conversations, not in each.
            except NotSaidError as error:
                is_said = is_said or in_prompt
                unsaid = error
                continue
            is_said = True
            if answer.is_lost or answer.is_denied:
                return forgotten_verdict(answer, phrase, transcript.title)
        if unsaid is not None and not is_said:
            raise unsaid
        return Verdict(True, f"{phrase!r} is kept by {self.label}")

    @cached_property
    def facts(self) -> Facts:
        """The facts of all conversations, and how long they last."""
        stated_count = 0
        kept_count = 0
        lost_facts: list[str] = []
        lives = []
        for transcript, run in self._pairs:
            probes = transcript.probes or propose_probes(run.log)
            run_retention = retention(run, probes)
            lives.append(measure_survival(run_retention, run.log))
            if not len(run_retention.states):
                continue
            is_stated = run_retention.judged[-1]
            is_kept = is_stated & run_retention.retained[-1]
            stated_count += int(is_stated.sum())
            kept_count += int(is_kept.sum())
            for number in np.flatnonzero(is_stated & ~is_kept).tolist():
                probe = probes[number]
                lost_facts.append(probe.question.replace(BLANK, probe.answers[0]))
        return Facts(
            stated_count, kept_count, _join_half_lives(lives), tuple(lost_facts)
        )

    @cached_property
    def tokens(self) -> int:
        """Tokens of all requests and of all calls for a summary."""
        return sum(count_token_use(run).all_tokens for run in self.runs)

    @cached_property
    def usd(self) -> float:
        """US dollars of all conversations at list prices, with the provider's prompt cache and the summaries. Of a
        model of the object's own the tokens are priced as those of ``prices_of``: what it writes is seen, what it reads
        is taken to be the messages that its summary stands for.

        Raises :class:`memviz.ParameterError` where the model has no known price.
        """
        prices = PricingAssumptions.of(self.prices_of)
        total = 0.0
        for run in self.runs:
            usd = prices.cost(count_traffic(run)).total_usd
            if usd is None:
                allowed = "a model with a list price, see `memviz models`"
                raise ParameterError("prices_of", self.prices_of, allowed)
            total += usd
        return total

    def has_no_thrash(self) -> Verdict:
        """Return whether no conversation has a summary written at nearly every request."""
        prices = PricingAssumptions.of(self.prices_of)
        for transcript, run in self._pairs:
            for warning in health_warnings(run, prices):
                if warning.kind == THRASH:
                    headline = (
                        f"{warning.title} under {self.label} ({transcript.title})"
                    )
                    reasons = (warning.numbers, warning.why, warning.remedy)
                    return Verdict(False, headline, reasons)
        return Verdict(True, f"no thrash under {self.label}")

    def verify(self) -> Verdict:
        """Return whether the books of every request are right, as ``memviz verify`` checks them: calls for results of
        tools, nothing twice; and of an object of another program whether it sends its system prompt and the newest
        message."""
        for transcript, run in self._pairs:
            lines = breach_lines(run, verify(run))
            if turns := _name_turns_without(run, "prompt"):
                lines.append(f"{turns}: the system prompt is left out.")
            if turns := _name_turns_without(run, "input"):
                lines.append(f"{turns}: the newest message is left out.")
            if lines:
                headline = (
                    f"{len(lines)} found wrong under {self.label} ({transcript.title})"
                )
                return Verdict(False, headline, tuple(lines))
        return Verdict(True, f"nothing is wrong under {self.label}")

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as JSON: what ``--memviz-json`` writes and ``memviz diff`` reads."""
        facts = self.facts
        return {
            "setting": self.label,
            "conversations": [transcript.title for transcript in self.conversations],
            "facts": facts.stated,
            "facts_kept": facts.kept,
            "facts_lost": list(facts.lost),
            "half_life": None if facts.half_life == inf else facts.half_life,
            "tokens": self.tokens,
            "usd": self._usd_or_none(),
            "thrash": not self.has_no_thrash().holds,
            "keeps": dict(self.guards),
        }

    def _usd_or_none(self) -> float | None:
        try:
            return self.usd
        except ParameterError:
            return None


def _join_half_lives(lives: Sequence[Survival]) -> float:
    """Return the first age at which at most half of the facts of all conversations are known; ``inf`` if none."""
    # Conversations are of different lengths: where one has ended, it adds nothing.
    retained = zip_longest(*(life.retained for life in lives), fillvalue=0)
    observed = zip_longest(*(life.observed for life in lives), fillvalue=0)
    retained_counts = np.array(list(map(sum, retained)))
    observed_counts = np.array(list(map(sum, observed)))
    age = Survival(retained_counts, observed_counts).half_life
    return inf if age is None else age


def _name_turns_without(run: Run, part: Literal["prompt", "input"]) -> str:
    """Return the turns in whose requests an object left out its system prompt or the newest message, in words; empty
    where it left out neither, and for a strategy."""
    if not isinstance(run.strategy, UnderTest):
        return ""
    turns: dict[int, None] = {}
    for length, answer in run.strategy.answers.items():
        is_left_out = answer.lacks_prompt
        if part == "input":
            is_left_out = answer.lacks_input
        if is_left_out:
            turns[run.log.turn_number(length - 1)] = None
    return turn_list([*turns]) if turns else ""
