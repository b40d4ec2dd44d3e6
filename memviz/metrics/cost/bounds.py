"""Bounds of what work of models may cost, known before anybody is asked: their calls, each with all that it may read
and the longest answer that it may write. Its likely cost is in ``memviz/metrics/cost/estimate.py``."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from memviz.core.context import ALL_PARTS
from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.engine.answering import DEFAULT_MAX_RECALL_CONTEXTS, MAX_REMINDERS
from memviz.engine.compaction import Compaction
from memviz.engine.judging import judge_request
from memviz.engine.run import Run
from memviz.models.planned_calls import (
    INPUT_MARGIN,
    CostBound,
    PlannedCalls,
    price_at_most,
)
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe

MESSAGE_TOKENS = 500
"""A message that is not written yet is taken to have so many tokens at most."""
INSTRUCTION_TOKENS = 500
"""What a summarizer is told beside the messages, and what thinking adds to a request."""
TOOL_TOKENS = 1000
"""The schemas of both tools, and the calls of one round with their results."""
SUMMARIES_A_TURN = 2
"""One may be due with the user's message and one with the reply."""


@dataclass(frozen=True, slots=True)
class Askers:
    """The models that answer and summarize, by name, and the most tokens that either may write at once."""

    answerer: str
    summarizer: str
    reply_tokens: int


def token_margin(log: Log, counter: Counter) -> float:
    """Return what other tokenizers make of a token of this conversation at most: letters other than ASCII are a token
    for each of their bytes to some."""
    tokens = log.token_sums(counter).totals[-1]
    if not tokens:
        return INPUT_MARGIN
    beyond = 0
    for message in log:
        if not message.content.isascii():
            bytes_of = message.content.encode("utf-8", "replace")
            beyond += sum(map((0x7F).__lt__, bytes_of))
    return INPUT_MARGIN + beyond / float(tokens)


def plan_turn(
    strategy: Strategy,
    sent_tokens: int,
    log_tokens: int,
    askers: Askers,
    margin: float,
    recall_tool: bool | None = None,
) -> list[PlannedCalls]:
    """Return the most calls of one turn whose request has ``sent_tokens`` before the model recalls or thinks, those of
    the summaries that it may make due included. A recall may bring back all of ``log_tokens``."""
    use = strategy.tool_use
    written = askers.reply_tokens
    recalls = use.recalls
    if not recalls and recall_tool and strategy.allows_recall:
        recalls = DEFAULT_MAX_RECALL_CONTEXTS
    rounds = use.thinking_rounds
    if recalls:
        rounds += recalls + MAX_REMINDERS
    calls = [sent_tokens + TOOL_TOKENS if rounds else sent_tokens]
    for number in range(1, rounds + 1):
        further = number * (written + TOOL_TOKENS)
        calls.append(calls[0] + further + (log_tokens if recalls else 0))
    summaries = []
    if strategy.writes_notes:
        summaries = [calls[-1] + written + INSTRUCTION_TOKENS] * SUMMARIES_A_TURN
    return [
        PlannedCalls.at_most(askers.answerer, calls, written, margin),
        PlannedCalls.at_most(askers.summarizer, summaries, written, margin),
    ]


def asking_bound(
    runs: Sequence[Run],
    askers: Askers,
    question_tokens: int = MESSAGE_TOKENS,
    times: int = 1,
) -> CostBound:
    """Return the bound of one question, or so many of this size, after the last turn of each run."""
    return price_at_most(_plan_questions(runs, askers, question_tokens, times))


def _plan_questions(
    runs: Sequence[Run], askers: Askers, question_tokens: int, times: int
) -> list[PlannedCalls]:
    plan = []
    for run in runs:
        if run.turns:
            last = run.turns[-1]
            sent = last.total_tokens + last.reply_tokens + question_tokens
            one = plan_turn(run.strategy, sent, _log_tokens(run), askers, _margin(run))
            plan += one * times
    return plan


def judging_bound(
    runs: Sequence[Run],
    probes: Sequence[Probe],
    askers: Askers,
    judge: str | None = None,
) -> CostBound:
    """Return the bound of every one of ``probes`` asked under every one of ``runs``, and judged if there is a judge."""
    if not (runs and probes):
        return CostBound()
    counter = runs[0].counter
    written = askers.reply_tokens
    longest = max(counter(probe.question) for probe in probes)
    plan = _plan_questions(runs, askers, longest, len(probes))
    if judge is not None:
        sizes = []
        for probe in probes:
            prompt = judge_request(probe, "")
            sizes.append(written + sum(counter(one.content) for one in prompt))
        margin = _margin(runs[0])
        plan.append(PlannedCalls.at_most(judge, sizes * len(runs), written, margin))
    return price_at_most(plan)


def summaries_bound(
    runs: Sequence[Run], summarizer: str, reply_tokens: int, made: int = 0
) -> CostBound:
    """Return the bound of a replay with ``summarizer`` of what ``runs`` are replays of with the offline one: it is
    asked as often, and reads the same with a longer summary before it. Where summaries count against the setting's
    limit, longer ones make further ones due: then as often as there are requests. Nobody is asked for one that is
    pending and only shown. The first ``made`` compactions of each are there already."""
    plan = []
    for run in runs:
        left = run.compactions[made:]
        sizes = []
        for one in left:
            # One that was checked has two calls, of which none is larger than both.
            sizes += [_prompt(one) + reply_tokens] * one.calls
        if sizes and _summaries_count(run.strategy):
            further = max(sizes) + run.columns.largest
            sizes += [further] * (len(run.requests) - len(sizes))
        margin = _margin(run)
        plan.append(PlannedCalls.at_most(summarizer, sizes, reply_tokens, margin))
    return price_at_most(plan)


def free_run_bound(
    runs: Sequence[Run],
    done: Sequence[int],
    askers: Askers,
    recall_tool: bool | None = None,
) -> CostBound:
    """Return the bound of every turn of ``runs``, which are replays, answered and summarized anew, without the first
    ``done`` of each. All the replies before may be sent, each as long as it may be."""
    plan = []
    for run, answered in zip(runs, done, strict=True):
        margin = _margin(run)
        log_tokens = _log_tokens(run)
        for record in list(run.turns)[answered:]:
            grown = (record.turn - 1) * askers.reply_tokens
            sent = record.total_tokens + grown
            said = log_tokens + grown
            plan += plan_turn(run.strategy, sent, said, askers, margin, recall_tool)
    return price_at_most(plan)


def trials_bound(
    compaction: Compaction, texts: Iterable[int], summarizer: str, reply_tokens: int
) -> CostBound:
    """Return the bound of the messages of one summarization summarized again, once with an instruction of each of these
    sizes."""
    memory = compaction.before
    margin = token_margin(memory.log, memory.sums.counter)
    sizes = [_prompt(compaction) + tokens for tokens in texts]
    return price_at_most(
        [PlannedCalls.at_most(summarizer, sizes, reply_tokens, margin)]
    )


UNFORESEEN = CostBound(inf)
"""Of work whose calls are not worked out beforehand: nothing but a budget bounds it."""


def _prompt(compaction: Compaction) -> int:
    return compaction.prompt_tokens + INSTRUCTION_TOKENS


def _margin(run: Run) -> float:
    return run.once(token_margin, lambda: token_margin(run.log, run.counter))


def _log_tokens(run: Run) -> int:
    return int(run.log.token_sums(run.counter).totals[-1])


def _summaries_count(strategy: Strategy) -> bool:
    """Return whether a longer summary brings the next one nearer."""
    return bool(strategy.counted_tokens({**dict.fromkeys(ALL_PARTS, 0), "summary": 1}))
