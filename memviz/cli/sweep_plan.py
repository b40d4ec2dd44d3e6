"""The plan of a sweep: conversations made ready, settings, who pays, and how long it takes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from typer import BadParameter, Exit

from memviz.cli import paying
from memviz.cli.embedding import vectors_for
from memviz.cli.output import complain, progress_of
from memviz.cli.sweep_runner import work_off
from memviz.core.counters import counter as find_counter
from memviz.core.errors import SweepError
from memviz.core.text.wording import counted, dollars, share_of
from memviz.models.names import OFFLINE

if TYPE_CHECKING:
    from memviz.cli.arguments import Usd
    from memviz.cli.inputs import Source
    from memviz.models.base import Model
    from memviz.models.budget import Budget
    from memviz.storage.store import Store
    from memviz.storage.workspace import Workspace
    from memviz.strategies.base import Strategy
    from memviz.tuning.pricing_assumptions import PricingAssumptions
    from memviz.tuning.sweep_conversation import SweepConversation
    from memviz.tuning.sweeping import Sweeping

LONG_MESSAGES = 60_000
"""Settings times messages from which on it is said before how long they take: to find out takes a second or two."""


@dataclass(frozen=True)
class Plan:
    """Conversations and settings to measure, and the prices that count."""

    subjects: tuple[SweepConversation, ...]
    settings: tuple[Strategy, ...]
    counter: str
    assumptions: PricingAssumptions
    kept: Store | None
    """The library that keeps finished measurements."""

    def sweeping(self, summarizer: Model, **options: Any) -> Sweeping:
        """The sweep with this summarizer; ``options`` are further fields of it."""
        from memviz.tuning.sweeping import Sweeping

        return Sweeping(
            self.subjects,
            self.settings,
            counter=self.counter,
            summarizer=summarizer,
            assumptions=self.assumptions,
            kept=self.kept,
            **options,
        )

    def take_kept(self, summarizer: Model) -> Sweeping:
        """The sweep with what was measured before, and nothing measured now."""
        over = Event()
        over.set()
        sweeping = self.sweeping(summarizer, executor="inline", stop=over)
        for _ in sweeping:
            pass
        return sweeping


@dataclass(frozen=True)
class Payer:
    """A summarizer that costs money, and what it is paid from."""

    name: str
    budget: Budget
    by_hand: Usd | None
    """The prices of the summarizer where they are entered by hand."""
    yes: bool
    """True if nobody is to be asked before money is spent."""

    @classmethod
    def of(
        cls, name: str, budget_usd: float | None, by_hand: Usd | None, *, yes: bool
    ) -> Payer:
        """The payer, once it is sure that there is a budget and somebody who can agree."""
        limit = paying.budget_of(name, budget_usd)
        if not yes and not paying.asks():
            raise BadParameter(
                "There is no terminal to ask at before money is spent. Give --yes to agree."
            )
        return cls(name, limit, by_hand, yes)

    def summarizer(self, answers_folder: Path | None) -> Model:
        """The summarizer, held to the budget; its answers are kept in the folder."""
        from memviz.tuning.paid import make_paid_summarizer

        prices = paying.in_and_out(self.by_hand)
        return make_paid_summarizer(
            self.name, self.budget, answers_folder, usd_per_million=prices
        )

    def agree(self, plan: Plan, summarizer: Model) -> int:
        """Say what the summaries that are missing will cost, as the offline summarizer's tell, and ask. Without an
        agreement the command ends; where nothing is missing, nobody is asked. Returns how many cells had been measured
        before."""
        from memviz.dashboard.words.estimates import summaries_words
        from memviz.models.registry import model
        from memviz.tuning.paid import estimate_sweep

        measured = plan.take_kept(summarizer)
        missing = {}
        if not measured.sweep.is_complete:
            free = work_off(
                plan.sweeping(model(OFFLINE), executor="inline"),
                "Estimating with summaries of the built-in model",
            )
            if free.code:
                raise Exit(free.code)
            missing = {
                place: cell
                for place, cell in free.sweep.cells.items()
                if place not in measured.cells
            }
        prices = paying.priced(self.name, self.by_hand)
        cost = estimate_sweep(replace(measured.sweep, cells=missing), self.name, prices)
        if cost.calls:
            complain(
                f"{summaries_words(self.name, cost)} At most {dollars(self.budget.limit_usd)} is spent."
            )
            paying.agree(yes=self.yes)
        return len(measured.cells)

    def say_what_was_spent(self) -> None:
        """Say what the provider was paid, as far as it tells."""
        from memviz.tuning.paid import describe_spending

        complain(describe_spending(self.name, self.budget))


def prepare_conversations(
    sources: Sequence[Source], counter: str
) -> tuple[SweepConversation, ...]:
    """The conversations made ready to be measured. One in which the user says nothing is told on stderr and left
    out; of several with one title each has a number. Raises :class:`memviz.SweepError` if none is left."""
    from memviz.tuning.sweep_conversation import SweepConversation

    count = find_counter(counter)
    transcripts = []
    titles = set[str]()
    for source in sources:
        transcript = source.transcript
        title = transcript.title
        if not any(message.role == "user" for message in transcript.messages):
            complain(
                f"Warning: {title}: no message is the user's, so there is nothing to send; left out."
            )
            continue
        own_title = title
        number = 1
        while own_title in titles:
            number += 1
            own_title = f"{title} ({number})"
        titles.add(own_title)
        transcripts.append(replace(transcript, title=own_title))
    conversations = []
    with progress_of("Counting tokens and looking for facts") as progress:
        for transcript in transcripts:
            conversations.append(SweepConversation.of(transcript, count))
            progress(len(conversations), len(transcripts))
    if not conversations:
        raise SweepError(
            "There is no conversation to sweep over: in none of them the user says anything."
        )
    return tuple(conversations)


def vectors_of(
    plan: Plan,
    executor: dict[str, Any],
    workspace: Workspace | None,
    payer: Payer | None,
    budget_usd: float | None,
    *,
    yes: bool,
) -> AbstractContextManager[None]:
    """Return the block in which a sweep has the vectors that its settings compare."""
    from memviz.models.embedding import KeptVectors
    from memviz.strategies.lookup import embedding_asked_by, writes_compared_texts

    asking = [setting for setting in plan.settings if embedding_asked_by(setting)]
    is_elsewhere = executor["executor"] in ("processes", "dask")
    if is_elsewhere and any(map(writes_compared_texts, asking)):
        raise BadParameter(
            "An embedding model is asked from here for what is written during a replay. Leave --workers out."
        )
    vectors = workspace.kept_vectors if workspace else KeptVectors()
    logs = [subject.log for subject in plan.subjects]
    for log in logs:
        # Other processes have nothing but what is kept.
        log.kept_vectors = vectors
    budget = payer.budget if payer else None
    return vectors_for(vectors, logs, asking, budget, budget_usd, yes=yes)


def say_how_long(plan: Plan, writer: Model) -> None:
    """Say how long the rest of a large sweep takes, as its settings do over the beginning of the first conversation."""
    from memviz.dashboard.words.estimates import time_words
    from memviz.transcripts.base import Transcript
    from memviz.tuning.pace import HERE

    all_messages = sum(len(subject.log) for subject in plan.subjects)
    if len(plan.settings) * all_messages < LONG_MESSAGES:
        return
    measured = plan.take_kept(writer)
    messages: Counter[Strategy] = Counter()
    for number, setting in enumerate(plan.settings):
        for place, subject in enumerate(plan.subjects):
            if (number, place) not in measured.cells:
                messages[setting] += len(subject.log)
    if messages.total() < LONG_MESSAGES:
        return
    # Each setting is tried over the beginning of one conversation, which tells its pace.
    transcript = Transcript(tuple(plan.subjects[0].log))
    HERE.try_out(list(messages), transcript, plan.counter, writer)
    seconds = 0.0
    for setting, size in messages.items():
        needed = HERE.predict_total_seconds([setting], writer.name, size)
        if needed is None:
            return
        seconds += needed
    amount = f"{counted(plan.settings, 'setting')} over {counted(plan.subjects, 'conversation')} take"
    if measured.cells:
        share = share_of(len(measured.cells), measured.total, "run")
        amount = f"{share} were measured before, the others take"
    complain(
        f"{amount} about {time_words(seconds)} in one process. --seconds measures what fits into less."
    )
