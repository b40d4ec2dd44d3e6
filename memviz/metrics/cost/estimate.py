"""What work that a model is paid for would cost, said before it is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from memviz.context import TOKENS_PER_MESSAGE, TOKENS_PER_REQUEST
from memviz.engine.judge_prompt import judge_request
from memviz.engine.run import Run
from memviz.models.base import Usage
from memviz.models.prices import price
from memviz.models.registry import OFFLINE
from memviz.strategies.base import Trigger
from memviz.text.wording import counted, dollars, listed, plural, rounded_tokens
from memviz.transcripts.base import Probe

LIST_PRICE = "list price"


@dataclass(frozen=True, slots=True)
class Work:
    """Calls that give the same kind of thing (``noun``: "request", "summary"), and all their tokens in and out."""

    noun: str
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    @classmethod
    def of(cls, noun: str, usages: Sequence[Usage]) -> Work:
        """The sum of ``usages``, one a call."""
        return cls(
            noun,
            len(usages),
            sum(u.input_tokens for u in usages),
            sum(u.output_tokens for u in usages),
        )

    def __str__(self) -> str:
        read, written = (
            rounded_tokens(self.input_tokens),
            rounded_tokens(self.output_tokens),
        )
        return f"{counted(self.calls, self.noun)}: about {read} tokens in and {written} out"


@dataclass(frozen=True, slots=True)
class Estimate:
    """The parts of some work, and what they cost together.

    ``usd`` is in US dollars, without any discount for a cached prompt; ``None`` if a price that is needed is unknown,
    and ``unknown_prices`` then names the models. ``priced_at`` says whose prices these are.
    """

    parts: tuple[Work, ...]
    usd: float | None = 0.0
    unknown_prices: tuple[str, ...] = ()
    priced_at: str = LIST_PRICE

    def part(self, noun: str) -> Work:
        """The part whose calls give this."""
        return next(part for part in self.parts if part.noun == noun)

    @property
    def calls(self) -> int:
        """Calls of all parts."""
        return sum(part.calls for part in self.parts)

    @property
    def sentence(self) -> str:
        """The estimate in words. Parts without a call are left out, except for the first."""
        said = [str(part) for at, part in enumerate(self.parts) if part.calls or not at]
        text = "; ".join(said)
        if self.usd is None:
            number = len(self.unknown_prices)
            is_or_are = "is" if number == 1 else "are"
            return f"{text}. The {plural('price', number)} of {listed(self.unknown_prices)} {is_or_are} unknown."
        if not self.usd:
            return f"{text}, at no cost."
        return f"{text}, {'in all ' if len(said) > 1 else ''}about {dollars(self.usd)} at {self.priced_at}."


def estimate(runs: Sequence[Run], model: str, summarizer: str) -> Estimate:
    """What it will cost to let ``model`` answer every turn of ``runs``, and ``summarizer`` summarize.

    It has no tools to call, so it is asked once a turn: at most what the turn's last request sends, tool results
    included. Its output is taken to be the last reply of each turn of the transcript. Summaries that nobody was asked
    for cost nothing; one that failed was asked for, and its prompt counts.
    """
    chat = [
        Usage(record.total_tokens, record.reply_tokens)
        for run in runs
        for record in run.turns
    ]
    asked = [
        compaction for run in runs for compaction in run.compactions if compaction.asked
    ]
    summaries = [
        Usage(compaction.prompt_tokens, compaction.output_tokens)
        for compaction in asked
    ]
    return at_list_price(("request", model, chat), ("summary", summarizer, summaries))


def at_list_price(*work: tuple[str, str, Sequence[Usage]]) -> Estimate:
    """The estimate for parts given by their noun, the model that does them, and what each call uses. Each call is
    priced by itself, since some models cost more for long requests."""
    by_model: dict[str, list[Usage]] = {}
    for _, model, usages in work:
        by_model.setdefault(model.strip(), []).extend(usages)
    costs = {
        model: _list_price_usd(model, usages) for model, usages in by_model.items()
    }
    known = [cost for cost in costs.values() if cost is not None]
    return Estimate(
        parts=tuple(Work.of(noun, usages) for noun, _, usages in work),
        usd=sum(known) if len(known) == len(costs) else None,
        unknown_prices=tuple(model for model, cost in costs.items() if cost is None),
    )


def _list_price_usd(model: str, usages: Iterable[Usage]) -> float | None:
    """What all of ``usages`` cost, in US dollars; a model that is asked nothing needs no price for it."""
    if model == OFFLINE:
        return 0.0
    known = price(model)
    costs = [known.cost_usd(usage) if known else None for usage in usages]
    paid = [cost for cost in costs if cost is not None]
    return sum(paid) if len(paid) == len(costs) else None


VERDICT = "WRONG"


def judge_estimate(
    runs: Sequence[Run],
    probes: Sequence[Probe],
    model: str,
    summarizer: str,
    judge: str | None = None,
) -> Estimate:
    """What it will cost to ask every one of ``probes`` under every one of ``runs``, and to let ``judge`` judge.

    A question is taken to send what the run's last request sent, the reply to it and the question (exact for a
    full buffer, and mostly a little too much for a setting with a limit), and its answer to be as long as a mean
    reply of the run. A summary is expected where a question makes the strategy write one, as large as the run's last.
    What a model recalls by itself or thinks comes on top.
    """
    asked = [(run, probe) for run in runs if run.turns for probe in probes]
    answering = [_answering(run, probe) for run, probe in asked]
    summarizing = [usage for run, probe in asked for usage in _summarizing(run, probe)]
    judging = (
        [_judging(run, probe) for run, probe in asked] if judge is not None else []
    )
    return at_list_price(
        ("question", model, answering),
        ("summary", summarizer, summarizing),
        ("verdict", judge or model, judging),
    )


def _answering(run: Run, probe: Probe) -> Usage:
    last = run.turns[-1]
    before = (
        last.total_tokens
        + last.reply_tokens
        + TOKENS_PER_MESSAGE * bool(last.reply_tokens)
    )
    return Usage(
        before + run.counter(probe.question) + TOKENS_PER_MESSAGE, _reply_tokens(run)
    )


def _reply_tokens(run: Run) -> int:
    """The mean reply, of the last request of each turn. Read off the columns: a record of each request of a long
    conversation would take longer to make than all that the page shows."""
    columns = run.columns
    is_last = np.append(columns.turns[1:] != columns.turns[:-1], True)
    return round(int(columns.reply_tokens[is_last].sum()) / int(is_last.sum()))


def _summarizing(run: Run, probe: Probe) -> Iterator[Usage]:
    """The summarizer's call if the question is what fills the memory up."""
    room = run.strategy.headroom(run.memory_after(run.turns[-1].turn))
    if (
        room is None
        or not run.strategy.writes_notes
        or run.strategy.trigger not in (Trigger.MESSAGE, Trigger.REQUEST)
    ):
        return
    if room.amount <= (run.counter(probe.question) if room.unit == "tokens" else 1):
        last = next(
            (
                compaction
                for compaction in reversed(run.compactions)
                if compaction.asked
            ),
            None,
        )
        whole = run.space.sums.totals[-1]
        yield (
            Usage(last.prompt_tokens, last.output_tokens)
            if last
            else Usage(whole, _reply_tokens(run))
        )


def _judging(run: Run, probe: Probe) -> Usage:
    """The judge's call: its request with an empty answer, an answer of the usual length, and one word."""
    prompt = sum(
        run.counter(message.content) + TOKENS_PER_MESSAGE
        for message in judge_request(probe, "")
    )
    return Usage(prompt + TOKENS_PER_REQUEST + _reply_tokens(run), run.counter(VERDICT))
