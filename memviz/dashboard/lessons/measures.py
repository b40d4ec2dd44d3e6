"""The measures that a lesson can claim of a run: each with its words, its unit and how it is taken."""

from collections.abc import Mapping

import numpy as np

from memviz.core.context import TOKENS_PER_MESSAGE, Fate
from memviz.core.messages import Message
from memviz.core.translation import _
from memviz.dashboard.lessons.fact_measures import FACT_MEASURES
from memviz.dashboard.lessons.measure import (
    ANSWER_MEASURES,
    Kind,
    Measure,
    Taken,
    Value,
)
from memviz.dashboard.lessons.playing import NO_PRICE, Spot
from memviz.dashboard.words.prices import missing_price_name
from memviz.engine.compaction import REDUCING, Compaction
from memviz.metrics.cost.pricing import Usd
from memviz.metrics.requests.request_axis import find_numbers_of_turn
from memviz.metrics.summaries.events import (
    count_request_sizes,
    count_sent_summary_tokens,
)


def _usd_so_far(at: Spot) -> Value:
    return at.usd_so_far


def _part(*parts: str) -> Taken:
    return lambda at: sum(at.record.tokens.get(part, 0) for part in parts)


def _request_tokens(at: Spot) -> Value:
    return at.record.total_tokens


def _sent_so_far(at: Spot) -> int:
    return int(at.run.columns.totals[: at.number + 1].sum())


def _tool_result_tokens(at: Spot) -> int:
    messages = at.record.context.messages
    return sum(_tokens(at, message) for message in messages if message.role == "tool")


def _tokens(at: Spot, message: Message) -> int:
    return at.run.counter(message.content) + TOKENS_PER_MESSAGE


def _changes(at: Spot) -> list[Compaction]:
    """Return the compactions up to the request, its own among them."""
    last = at.number
    compactions = []
    for compaction in at.run.compactions:
        number = at.run.request_number(compaction)
        if number is not None and number <= last:
            compactions.append(compaction)
    return compactions


def _summaries(at: Spot) -> list[Compaction]:
    return [compaction for compaction in _changes(at) if compaction.is_summarization]


def _summarizer_tokens(at: Spot) -> int:
    calls = [call for call in _changes(at) if call.asked and call.error is None]
    return sum(call.prompt_tokens + call.output_tokens for call in calls)


def _summarizes(at: Spot) -> Value:
    requests = [at.number]
    if at.point.call is None:
        requests = list(find_numbers_of_turn(at.run, at.record.turn))
    written = [each for each in at.run.compactions if each.is_summarization]
    return any(at.run.request_number(summary) in requests for summary in written)


def _sizes(side: str) -> Taken:
    def take(at: Spot) -> Value:
        written = _summaries(at)
        if not written:
            raise at.played.fail(
                _(
                    "nothing was summarized by turn {turn}, so no size changed.",
                    turn=at.record.turn,
                )
            )
        sizes = count_request_sizes(written[-1], at.run)
        return sizes.before_tokens if side == "before" else sizes.after_tokens

    return take


def _summary_length(at: Spot) -> Value:
    written = _summaries(at)
    return written[-1].summary_tokens if written else 0


def _messages_with_fate(*fates: Fate) -> Taken:
    return lambda at: int(np.isin(at.fates, fates).sum())


def _message_fate(at: Spot) -> Value:
    fate = Fate(int(at.fates[at.message]))
    return fate.name.lower().replace("_", " ")


def _summarizer_usd(at: Spot) -> Value:
    call_usd = _require_price(at, at.cost.summarizer_call_usd)
    numbers = at.cost.traffic.summarizer_requests
    is_so_far = (numbers >= 0) & (numbers <= at.number)
    return float(call_usd[is_so_far].sum())


def _require_price(at: Spot, usd: Usd | None) -> Usd:
    """Return ``usd``. Raises :class:`memviz.LessonError` where no price is known."""
    if usd is None:
        raise at.played.fail(_(NO_PRICE, name=missing_price_name(at.cost.missing[0])))
    return usd


def _hit_percent(at: Spot) -> Value:
    cost = at.cost
    stop = at.number + 1
    sent = int(cost.traffic.input_tokens[:stop].sum())
    return 100.0 * int(cost.cached_tokens[:stop].sum()) / sent if sent else 0.0


def _least(measured: Taken) -> Taken:
    def take(at: Spot) -> Value:
        amounts = []
        for setting in range(len(at.played.runs)):
            there = Spot(at.played, at.point._replace(setting=setting))
            amounts.append(float(measured(there)))
        return amounts.index(min(amounts))

    return take


_MESSAGE = ("message",)
MEASURES: Mapping[str, Measure] = {
    "request_tokens": Measure("the request has", _request_tokens, "tokens"),
    "summary_tokens": Measure(
        "the text of the summary takes, in the request,",
        lambda at: count_sent_summary_tokens(at.record),
        "tokens",
    ),
    "history_tokens": Measure(
        "messages sent word for word take, without the input,",
        _part("history"),
        "tokens",
    ),
    "recalled_tokens": Measure("what is recalled takes", _part("recalled"), "tokens"),
    "input_tokens": Measure("the new message takes", _part("input"), "tokens"),
    "system_tokens": Measure("the system prompt takes", _part("system"), "tokens"),
    "tool_result_tokens": Measure(
        "results of tools take", _tool_result_tokens, "tokens"
    ),
    "tool_result_percent": Measure(
        "the share of tool results in the request is",
        lambda at: 100 * _tool_result_tokens(at) / max(1, at.record.total_tokens),
        "percent",
    ),
    "message_tokens": Measure(
        "the message has",
        lambda at: _tokens(at, at.run.log[at.message]),
        "tokens",
        needs=_MESSAGE,
    ),
    "largest_request_tokens": Measure(
        "the largest request so far has",
        lambda at: int(at.run.columns.totals[: at.number + 1].max()),
        "tokens",
    ),
    "cumulative_tokens": Measure(
        "the chat model was sent so far", _sent_so_far, "tokens"
    ),
    "cumulative_all_tokens": Measure(
        "chat model and summarizer took so far",
        lambda at: _sent_so_far(at) + _summarizer_tokens(at),
        "tokens",
    ),
    "summarizer_tokens": Measure(
        "the summarizer read and wrote so far", _summarizer_tokens, "tokens"
    ),
    "cumulative_dollars": Measure("all calls so far cost", _usd_so_far, "dollars"),
    "request_dollars": Measure(
        "the request with its reply costs",
        lambda at: float(_require_price(at, at.cost.request_usd)[at.number]),
        "dollars",
    ),
    "summarizer_dollars": Measure(
        "the summarizer cost so far", _summarizer_usd, "dollars"
    ),
    "cached_tokens": Measure(
        "the request reads from the prompt cache",
        lambda at: int(at.cost.cached_tokens[at.number]),
        "tokens",
    ),
    "cached_percent": Measure(
        "the share read from the prompt cache so far is", _hit_percent, "percent"
    ),
    "summaries_written": Measure(
        "the number of summaries written so far", lambda at: len(_summaries(at))
    ),
    "clearings": Measure(
        "the number of times that messages were cleared or shortened so far",
        lambda at: sum(compaction.kind in REDUCING for compaction in _changes(at)),
    ),
    "summarizes": Measure(
        "a summary is written right before the request",
        _summarizes,
        kind=Kind.YES_OR_NO,
    ),
    "summary_length": Measure(
        "the text of the newest summary has", _summary_length, "tokens"
    ),
    "tokens_before_summary": Measure(
        "without its newest summary the request would have had",
        _sizes("before"),
        "tokens",
    ),
    "tokens_after_summary": Measure(
        "with its newest summary the request had", _sizes("after"), "tokens"
    ),
    "messages_said": Measure(
        "the number of messages said so far", lambda at: at.record.log_length
    ),
    "messages_sent": Measure(
        "the number of messages sent word for word",
        _messages_with_fate(Fate.VERBATIM, Fate.RECALLED),
    ),
    "messages_summarized": Measure(
        "the number of messages that the summary stands for",
        _messages_with_fate(Fate.SUMMARIZED),
    ),
    "messages_cleared": Measure(
        "the number of cleared messages", _messages_with_fate(Fate.CLEARED)
    ),
    "messages_shortened": Measure(
        "the number of shortened messages", _messages_with_fate(Fate.SHORTENED)
    ),
    "messages_dropped": Measure(
        "the number of dropped messages", _messages_with_fate(Fate.DROPPED)
    ),
    "messages_recalled": Measure(
        "the number of recalled messages", _messages_with_fate(Fate.RECALLED)
    ),
    "message_fate": Measure(
        "what became of the message", _message_fate, kind=Kind.WORD, needs=_MESSAGE
    ),
    **FACT_MEASURES,
    "cheapest_setting": Measure(
        "the setting that cost least so far",
        _least(_usd_so_far),
        kind=Kind.SETTING,
    ),
    "smallest_setting": Measure(
        "the setting with the smallest request",
        _least(_request_tokens),
        kind=Kind.SETTING,
    ),
    "turns": Measure(
        "the number of turns of the conversation",
        lambda at: at.run.log.turn_count,
    ),
    "messages": Measure(
        "the number of messages of the conversation", lambda at: len(at.run.log)
    ),
    **ANSWER_MEASURES,
}
"""All measures by name."""
