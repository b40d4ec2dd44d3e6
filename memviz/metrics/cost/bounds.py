"""The most that work of models may cost, known before anybody is asked.

Each bound adds up the calls that the work may make, each with all that it may read and the longest answer that it may
write. The likely costs are in ``memviz/metrics/cost/estimate.py``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.engine.answering import DEFAULT_MAX_RECALL_CONTEXTS, MAX_REMINDERS
from memviz.engine.compaction import Compaction
from memviz.engine.judging import build_judge_request
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import count_part
from memviz.models.planned_calls import (
    INPUT_MARGIN,
    CostBound,
    PlannedCalls,
    price_at_most,
)
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe

MESSAGE_TOKENS = 500
"""The most tokens that a message is taken to have which is not written yet."""
INSTRUCTION_TOKENS = 500
"""Tokens of a summarizer's instruction, and of what thinking adds to a request."""
TOOL_TOKENS = 1000
"""Tokens of the schemas of both tools, and of the calls of one round with their results."""
SUMMARIES_A_TURN = 2
"""One may be due with the user's message and one with the reply."""
ASCII = bytes(range(128))
UNFORESEEN = CostBound(inf)
"""The bound of work whose calls are not worked out beforehand: only a budget ends it."""


@dataclass(frozen=True, slots=True)
class Askers:
    """The models that answer and summarize, by name."""

    answerer: str
    summarizer: str
    reply_tokens: int
    """The most tokens that either may write at once."""


def token_margin(log: Log, counter: Counter) -> float:
    """Return the most tokens that other tokenizers make of one that was counted in this conversation: of letters
    other than ASCII some make a token for each byte."""
    tokens = log.token_sums(counter).totals[-1]
    if not tokens:
        return INPUT_MARGIN
    bytes_of_others = 0
    for message in log:
        encoded = message.content.encode("utf-8", "replace")
        bytes_of_others += len(encoded.translate(None, ASCII))
    return INPUT_MARGIN + bytes_of_others / tokens


def plan_turn(
    strategy: Strategy,
    sent_tokens: int,
    log_tokens: int,
    askers: Askers,
    margin: float,
    recall_tool: bool | None = None,
) -> list[PlannedCalls]:
    """Return the most calls that one turn makes: those of the model that answers, and those of the summarizer.

    The turn's request has ``sent_tokens`` before the model recalls or thinks. A recall may bring back all of
    ``log_tokens``. ``recall_tool`` offers recalling under strategies that do not offer it by themselves.
    """
    reply_tokens = askers.reply_tokens
    recalls = strategy.tool_use.recalls
    if recall_tool and not recalls and strategy.allows_recall:
        recalls = DEFAULT_MAX_RECALL_CONTEXTS
    rounds = strategy.tool_use.thinking_rounds
    recalled_tokens = 0
    if recalls:
        rounds += recalls + MAX_REMINDERS
        recalled_tokens = log_tokens
    first_tokens = sent_tokens
    if rounds:
        first_tokens += TOOL_TOKENS
    # Each further round sends what the ones before it wrote, and may send all that was recalled.
    request_tokens = [first_tokens]
    for number in range(1, rounds + 1):
        earlier_rounds_tokens = number * (reply_tokens + TOOL_TOKENS)
        request_tokens.append(first_tokens + earlier_rounds_tokens + recalled_tokens)
    summary_tokens = []
    if strategy.writes_notes:
        prompt_tokens = request_tokens[-1] + reply_tokens + INSTRUCTION_TOKENS
        summary_tokens = [prompt_tokens] * SUMMARIES_A_TURN
    return [
        PlannedCalls.at_most(askers.answerer, request_tokens, reply_tokens, margin),
        PlannedCalls.at_most(askers.summarizer, summary_tokens, reply_tokens, margin),
    ]


def bound_questions(
    runs: Sequence[Run], askers: Askers, question_tokens: int = MESSAGE_TOKENS
) -> CostBound:
    """Return the bound of one question of this size, asked after the last turn of each run."""
    return price_at_most(_plan_questions(runs, askers, question_tokens))


def _plan_questions(
    runs: Sequence[Run], askers: Askers, question_tokens: int
) -> list[PlannedCalls]:
    plan = []
    for run in runs:
        if run.turns:
            last = run.turns[-1]
            sent_tokens = last.total_tokens + last.reply_tokens + question_tokens
            log_tokens = _log_tokens(run)
            plan += plan_turn(
                run.strategy, sent_tokens, log_tokens, askers, _margin(run)
            )
    return plan


def bound_judging(
    runs: Sequence[Run],
    probes: Sequence[Probe],
    askers: Askers,
    judge: str | None = None,
) -> CostBound:
    """Return the bound of all ``probes`` asked after each of ``runs``, and of the answers judged if there is a
    judge."""
    if not (runs and probes):
        return CostBound()
    counter = runs[0].counter
    # A bound may take each question for the longest one.
    longest = max(counter(probe.question) for probe in probes)
    plan = _plan_questions(runs, askers, longest) * len(probes)
    if judge is not None:
        prompt_tokens = []
        for probe in probes:
            request = build_judge_request(probe, "")
            without_answer = sum(counter(message.content) for message in request)
            prompt_tokens.append(without_answer + askers.reply_tokens)
        verdicts = PlannedCalls.at_most(
            judge, prompt_tokens * len(runs), askers.reply_tokens, _margin(runs[0])
        )
        plan.append(verdicts)
    return price_at_most(plan)


def bound_summaries(
    runs: Sequence[Run], summarizer: str, reply_tokens: int, made: int = 0
) -> CostBound:
    """Return the bound of the same replays as ``runs``, made with ``summarizer`` in place of the offline one.

    It is asked as often, and reads the same with a longer summary before it. Where summaries count against the
    setting's limit, longer ones make further ones due: then as many as there are requests. Nobody is asked for one
    that is pending and only shown. The first ``made`` compactions of each replay are there already.
    """
    plan = []
    for run in runs:
        prompt_tokens: list[int] = []
        for compaction in run.compactions[made:]:
            # One that was checked has two calls, of which none is larger than both.
            largest = _prompt_tokens(compaction) + reply_tokens
            prompt_tokens += [largest] * compaction.calls
        # A longer summary brings the next one nearer.
        if prompt_tokens and count_part(run.strategy, "summary", 1):
            further = max(prompt_tokens) + run.columns.largest
            prompt_tokens += [further] * (len(run.requests) - len(prompt_tokens))
        summaries = PlannedCalls.at_most(
            summarizer, prompt_tokens, reply_tokens, _margin(run)
        )
        plan.append(summaries)
    return price_at_most(plan)


def bound_free_run(
    runs: Sequence[Run], answered_turns: Sequence[int], askers: Askers
) -> CostBound:
    """Return the bound of the turns of ``runs`` answered and summarized anew, without those of each that are
    answered already. All replies before a turn may be sent, each as long as it may be."""
    plan = []
    for run, answered in zip(runs, answered_turns, strict=True):
        for turn in list(run.turns)[answered:]:
            reply_tokens = (turn.turn - 1) * askers.reply_tokens
            sent_tokens = turn.total_tokens + reply_tokens
            log_tokens = _log_tokens(run) + reply_tokens
            plan += plan_turn(
                run.strategy, sent_tokens, log_tokens, askers, _margin(run)
            )
    return price_at_most(plan)


def bound_trials(
    compaction: Compaction,
    instruction_tokens: Iterable[int],
    summarizer: str,
    reply_tokens: int,
) -> CostBound:
    """Return the bound of the messages of one summarization summarized again, once with an instruction of each of
    these sizes."""
    memory = compaction.before
    margin = token_margin(memory.log, memory.sums.counter)
    prompt_tokens = []
    for tokens in instruction_tokens:
        prompt_tokens.append(_prompt_tokens(compaction) + tokens)
    trials = PlannedCalls.at_most(summarizer, prompt_tokens, reply_tokens, margin)
    return price_at_most([trials])


def _prompt_tokens(compaction: Compaction) -> int:
    return compaction.prompt_tokens + INSTRUCTION_TOKENS


def _margin(run: Run) -> float:
    return run.once(token_margin, lambda: token_margin(run.log, run.counter))


def _log_tokens(run: Run) -> int:
    return run.log.token_sums(run.counter).totals[-1]
