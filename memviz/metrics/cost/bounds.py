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
"""The most tokens that a message which is not written yet is assumed to have."""
INSTRUCTION_TOKENS = 500
"""The tokens of a summarizer's instruction, and of what thinking adds to a request."""
TOOL_TOKENS = 1000
"""The tokens of the schemas of both tools, and of the calls of one round with their results."""
SUMMARIES_A_TURN = 2
"""The most summaries in a turn: one may be due with the user's message, and one with the reply."""
ASCII = bytes(range(128))
UNFORESEEN = CostBound(inf)
"""The bound of work whose calls cannot be foreseen: only a budget limits it."""


@dataclass(frozen=True, slots=True)
class Askers:
    """The models that answer and summarize, by name."""

    answerer: str
    summarizer: str
    reply_tokens: int
    """The most tokens that either may write at once."""


def measure_token_margin(log: Log, counter: Counter) -> float:
    """Return how many times as many tokens another tokenizer may count in this conversation, at most.

    Some tokenizers make a token of each byte of a letter outside of ASCII.
    """
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

    Args:
        strategy: The strategy of the chat.
        sent_tokens: The tokens of the turn's request before the model recalls or thinks.
        log_tokens: The tokens of the whole log, which a recall may bring back.
        askers: The two models.
        margin: How many times as many tokens another tokenizer may count.
        recall_tool: True if the model may recall under strategies that do not offer it by themselves.
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
    # Each further round sends what the rounds before it wrote, and possibly the whole log.
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
            log_tokens = _count_log_tokens(run)
            plan += plan_turn(
                run.strategy, sent_tokens, log_tokens, askers, _find_margin(run)
            )
    return plan


def bound_judging(
    runs: Sequence[Run],
    probes: Sequence[Probe],
    askers: Askers,
    judge: str | None = None,
) -> CostBound:
    """Return the bound of asking all ``probes`` after each of ``runs``, and of judging the answers if ``judge`` is
    given."""
    if not (runs and probes):
        return CostBound()
    counter = runs[0].counter
    # Every question is assumed to be as long as the longest.
    longest = max(counter(probe.question) for probe in probes)
    plan = _plan_questions(runs, askers, longest) * len(probes)
    if judge is not None:
        prompt_tokens = []
        for probe in probes:
            request = build_judge_request(probe, "")
            without_answer = sum(counter(message.content) for message in request)
            prompt_tokens.append(without_answer + askers.reply_tokens)
        verdicts = PlannedCalls.at_most(
            judge, prompt_tokens * len(runs), askers.reply_tokens, _find_margin(runs[0])
        )
        plan.append(verdicts)
    return price_at_most(plan)


def bound_summaries(
    runs: Sequence[Run], summarizer: str, reply_tokens: int, made: int = 0
) -> CostBound:
    """Return the bound of replaying ``runs`` with ``summarizer`` instead of the offline one.

    The summarizer is asked as often and reads the same, with a longer summary before it. Where summaries count against
    the limit of the setting, longer ones may make a summary due at every request. The first ``made`` compactions of
    each replay are finished already, and pending summaries, which are only shown, cost nothing.
    """
    plan = []
    for run in runs:
        prompt_tokens: list[int] = []
        for compaction in run.compactions[made:]:
            # A compaction whose summary was checked has several calls, each no larger than this.
            largest = _count_prompt_tokens(compaction) + reply_tokens
            prompt_tokens += [largest] * compaction.calls
        # A longer summary makes the next one due sooner.
        if prompt_tokens and count_part(run.strategy, "summary", 1):
            further = max(prompt_tokens) + run.columns.largest
            prompt_tokens += [further] * (len(run.requests) - len(prompt_tokens))
        summaries = PlannedCalls.at_most(
            summarizer, prompt_tokens, reply_tokens, _find_margin(run)
        )
        plan.append(summaries)
    return price_at_most(plan)


def bound_free_run(
    runs: Sequence[Run], answered_turns: Sequence[int], askers: Askers
) -> CostBound:
    """Return the bound of answering and summarizing the turns of ``runs`` anew.

    The first turns of each run, as many as ``answered_turns`` says, are answered already. A request may send all
    replies before its turn, each as long as a reply may be.
    """
    plan = []
    for run, answered in zip(runs, answered_turns, strict=True):
        for turn in list(run.turns)[answered:]:
            reply_tokens = (turn.turn - 1) * askers.reply_tokens
            sent_tokens = turn.total_tokens + reply_tokens
            log_tokens = _count_log_tokens(run) + reply_tokens
            plan += plan_turn(
                run.strategy, sent_tokens, log_tokens, askers, _find_margin(run)
            )
    return price_at_most(plan)


def bound_trials(
    compaction: Compaction,
    instruction_tokens: Iterable[int],
    summarizer: str,
    reply_tokens: int,
) -> CostBound:
    """Return the bound of summarizing the messages of ``compaction`` again, once with each of several instructions."""
    memory = compaction.before
    margin = measure_token_margin(memory.log, memory.sums.counter)
    prompt_tokens = []
    for tokens in instruction_tokens:
        prompt_tokens.append(_count_prompt_tokens(compaction) + tokens)
    trials = PlannedCalls.at_most(summarizer, prompt_tokens, reply_tokens, margin)
    return price_at_most([trials])


def _count_prompt_tokens(compaction: Compaction) -> int:
    return compaction.prompt_tokens + INSTRUCTION_TOKENS


def _find_margin(run: Run) -> float:
    return run.once(
        measure_token_margin, lambda: measure_token_margin(run.log, run.counter)
    )


def _count_log_tokens(run: Run) -> int:
    return run.log.token_sums(run.counter).totals[-1]
