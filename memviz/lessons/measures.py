"""What a lesson can claim of a run: each measure with its words, its unit and how it is taken."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from memviz.context import TOKENS_PER_MESSAGE, Fate
from memviz.conversation import Message
from memviz.engine.compaction import REDUCING, Compaction
from memviz.lessons.lesson import Point
from memviz.lessons.playing import Played
from memviz.metrics.requests.request_axis import numbers_of_turn
from memviz.metrics.retention.knowledge import FactState, Knowledge
from memviz.metrics.summaries.request_sizes import request_sizes
from memviz.metrics.summaries.sent_summaries import sent_summary_tokens

Value = float | bool | str


class Kind(Enum):
    """The kinds of value that measures give."""

    NUMBER = "number"
    YES_OR_NO = "yes or no"
    WORD = "word"
    SETTING = "setting"


class Measure(NamedTuple):
    """One measure. ``words`` say what is measured, in a sentence "At turn 13 of …, {words} …". ``unit`` is ``tokens``,
    ``dollars``, ``percent`` or empty; ``needs`` are the fields of a point that it cannot do without."""

    words: str
    take: Callable[[Played, Point], Value]
    unit: str = ""
    kind: Kind = Kind.NUMBER
    needs: tuple[str, ...] = ()


def _part(*parts: str) -> Callable[[Played, Point], Value]:
    return lambda played, point: sum(
        played.record(point).tokens.get(part, 0) for part in parts
    )


def _request_tokens(played: Played, point: Point) -> Value:
    return played.record(point).total_tokens


def _sent_so_far(played: Played, point: Point) -> Value:
    return int(played.run(point).columns.totals[: played.number(point) + 1].sum())


def _largest(played: Played, point: Point) -> Value:
    return int(played.run(point).columns.totals[: played.number(point) + 1].max())


def _tool_result_tokens(played: Played, point: Point) -> Value:
    return sum(
        _tokens(played, point, one)
        for one in played.record(point).context.messages
        if one.role == "tool"
    )


def _tokens(played: Played, point: Point, message: Message) -> int:
    return played.run(point).counter(message.content) + TOKENS_PER_MESSAGE


def _message_tokens(played: Played, point: Point) -> Value:
    return _tokens(played, point, played.run(point).log[played.message(point)])


def _tool_result_percent(played: Played, point: Point) -> Value:
    return (
        100.0
        * float(_tool_result_tokens(played, point))
        / max(1, played.record(point).total_tokens)
    )


def _changes(played: Played, point: Point) -> list[Compaction]:
    """The compactions by the request that is meant, that one included."""
    run = played.run(point)
    last = played.number(point)
    numbered = ((run.request_number(one), one) for one in run.compactions)
    return [one for number, one in numbered if number is not None and number <= last]


def _summaries(played: Played, point: Point) -> list[Compaction]:
    return [one for one in _changes(played, point) if one.is_summarization]


def _clearings(played: Played, point: Point) -> Value:
    return sum(one.kind in REDUCING for one in _changes(played, point))


def _summarizer_tokens(played: Played, point: Point) -> Value:
    asked = [one for one in _changes(played, point) if one.asked and one.error is None]
    return sum(one.prompt_tokens + one.output_tokens for one in asked)


def _all_tokens(played: Played, point: Point) -> Value:
    return float(_sent_so_far(played, point)) + float(_summarizer_tokens(played, point))


def _summarizes(played: Played, point: Point) -> Value:
    run = played.run(point)
    record = played.record(point)
    numbers = (
        numbers_of_turn(run, record.turn)
        if point.call is None
        else range(played.number(point), played.number(point) + 1)
    )
    return any(
        one.is_summarization and run.request_number(one) in numbers
        for one in run.compactions
    )


def _sizes(side: str) -> Callable[[Played, Point], Value]:
    def take(played: Played, point: Point) -> Value:
        written = _summaries(played, point)
        if not written:
            raise played.fail(
                f"nothing was summarized by turn {played.record(point).turn}, so no size changed."
            )
        sizes = request_sizes(written[-1], played.run(point))
        return sizes.before_tokens if side == "before" else sizes.after_tokens

    return take


def _summary_tokens(played: Played, point: Point) -> Value:
    return sent_summary_tokens(played.record(point))


def _summary_length(played: Played, point: Point) -> Value:
    written = _summaries(played, point)
    return written[-1].summary_tokens if written else 0


def _fated(*fates: Fate) -> Callable[[Played, Point], Value]:
    return lambda played, point: int(np.isin(played.fates(point), fates).sum())


def _messages_said(played: Played, point: Point) -> Value:
    return played.record(point).log_length


def _message_fate(played: Played, point: Point) -> Value:
    return (
        Fate(int(played.fates(point)[played.message(point)]))
        .name.lower()
        .replace("_", " ")
    )


def _facts(state: str) -> Callable[[Played, Point], Value]:
    def take(played: Played, point: Point) -> Value:
        kept = played.retention(point)
        number = played.number(point)
        born = kept.born[number]
        retained = kept.retained[number] & kept.born[number]
        counts = {"told": born, "known": retained, "lost": born & ~retained}
        return int(counts[state].sum())

    return take


def _facts_percent(played: Played, point: Point) -> Value:
    told = float(_facts("told")(played, point))
    return 100.0 * float(_facts("known")(played, point)) / told if told else 0.0


def _facts_kept_percent(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    shares = kept.share(kept.retained)[: played.number(point) + 1]
    return 100.0 * float(np.nanmean(shares)) if not np.isnan(shares).all() else 0.0


def _fact_known(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    number = played.number(point)
    fact = played.fact(point.fact)
    return bool(kept.born[number, fact] and kept.retained[number, fact])


def _facts_contradicted(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    number = played.number(point)
    return int((kept.state[number] == FactState.CONTRADICTED).sum())


def _fact_state(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    number = played.number(point)
    return Knowledge(int(kept.states[number, played.fact(point.fact)])).state.word


def _fact_place(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    number = played.number(point)
    state = Knowledge(int(kept.states[number, played.fact(point.fact)]))
    return state.name.lower().replace("_", " ").replace("not born", "not told")


def _fact_told_turn(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    fact = played.fact(point.fact)
    return _first_turn(played, kept.turns, kept.born[:, fact], "is never told")


def _fact_lost_turn(played: Played, point: Point) -> Value:
    kept = played.retention(point)
    fact = played.fact(point.fact)
    return _first_turn(
        played,
        kept.turns,
        kept.born[:, fact] & ~kept.retained[:, fact],
        "is never lost",
    )


def _first_turn(played: Played, turns: Any, is_so: Any, otherwise: str) -> int:
    found = np.flatnonzero(is_so)
    if not len(found):
        raise played.fail(f"the fact {otherwise} in this run.")
    return int(turns[found[0]])


def _request_usd(played: Played, point: Point) -> Value:
    cost = played.cost(point)
    number = played.number(point)
    if cost.request_usd is None:
        raise played.fail(f"no price is known of {cost.missing[0]}.")
    return float(cost.request_usd[number])


def _summarizer_usd(played: Played, point: Point) -> Value:
    cost = played.cost(point)
    if cost.summarizer_call_usd is None:
        raise played.fail(f"no price is known of {cost.missing[0]}.")
    numbers = cost.traffic.summarizer_requests
    return float(
        cost.summarizer_call_usd[
            (numbers >= 0) & (numbers <= played.number(point))
        ].sum()
    )


def _cached(played: Played, point: Point) -> Value:
    return int(played.cost(point).cached_tokens[played.number(point)])


def _hit_percent(played: Played, point: Point) -> Value:
    cost = played.cost(point)
    stop = played.number(point) + 1
    sent = int(cost.traffic.input_tokens[:stop].sum())
    return 100.0 * int(cost.cached_tokens[:stop].sum()) / sent if sent else 0.0


def _least(
    measure: Callable[[Played, Point], Value],
) -> Callable[[Played, Point], Value]:
    def take(played: Played, point: Point) -> Value:
        amounts = [
            float(measure(played, point._replace(setting=n)))
            for n in range(len(played.runs))
        ]
        return amounts.index(min(amounts))

    return take


_FACT, _MESSAGE = ("fact",), ("message",)
MEASURES: Mapping[str, Measure] = {
    "request_tokens": Measure("the request has", _request_tokens, "tokens"),
    "summary_tokens": Measure(
        "the text of the summary takes, in the request,", _summary_tokens, "tokens"
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
        "the share of tool results in the request is", _tool_result_percent, "percent"
    ),
    "message_tokens": Measure(
        "the message has", _message_tokens, "tokens", needs=_MESSAGE
    ),
    "largest_request_tokens": Measure(
        "the largest request so far has", _largest, "tokens"
    ),
    "cumulative_tokens": Measure(
        "the chat model was sent so far", _sent_so_far, "tokens"
    ),
    "cumulative_all_tokens": Measure(
        "chat model and summarizer took so far", _all_tokens, "tokens"
    ),
    "summarizer_tokens": Measure(
        "the summarizer read and wrote so far", _summarizer_tokens, "tokens"
    ),
    "cumulative_dollars": Measure(
        "all calls so far cost", Played.usd_so_far, "dollars"
    ),
    "request_dollars": Measure(
        "the request with its reply costs", _request_usd, "dollars"
    ),
    "summarizer_dollars": Measure(
        "the summarizer cost so far", _summarizer_usd, "dollars"
    ),
    "cached_tokens": Measure(
        "the request reads from the prompt cache", _cached, "tokens"
    ),
    "cached_percent": Measure(
        "the share read from the prompt cache so far is", _hit_percent, "percent"
    ),
    "summaries_written": Measure(
        "the number of summaries written so far", lambda p, at: len(_summaries(p, at))
    ),
    "clearings": Measure(
        "the number of times that messages were cleared or shortened so far", _clearings
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
    "messages_said": Measure("the number of messages said so far", _messages_said),
    "messages_sent": Measure(
        "the number of messages sent word for word",
        _fated(Fate.VERBATIM, Fate.RECALLED),
    ),
    "messages_summarized": Measure(
        "the number of messages that the summary stands for", _fated(Fate.SUMMARIZED)
    ),
    "messages_cleared": Measure("the number of cleared messages", _fated(Fate.CLEARED)),
    "messages_shortened": Measure(
        "the number of shortened messages", _fated(Fate.SHORTENED)
    ),
    "messages_dropped": Measure("the number of dropped messages", _fated(Fate.DROPPED)),
    "messages_recalled": Measure(
        "the number of recalled messages", _fated(Fate.RECALLED)
    ),
    "message_fate": Measure(
        "what became of the message", _message_fate, kind=Kind.WORD, needs=_MESSAGE
    ),
    "facts_told": Measure("the number of facts told so far", _facts("told")),
    "facts_known": Measure(
        "the number of facts that the request holds", _facts("known")
    ),
    "facts_lost": Measure(
        "the number of facts told and not held by the request", _facts("lost")
    ),
    "facts_contradicted": Measure(
        "the number of facts that the request only denies or calls outdated",
        _facts_contradicted,
    ),
    "facts_known_percent": Measure(
        "the share of the facts that the request holds is", _facts_percent, "percent"
    ),
    "facts_kept_percent": Measure(
        "the share of facts kept, on average over all requests so far, is",
        _facts_kept_percent,
        "percent",
    ),
    "fact_known": Measure(
        "the request holds the fact", _fact_known, kind=Kind.YES_OR_NO, needs=_FACT
    ),
    "fact_state": Measure(
        "what the request makes of the fact", _fact_state, kind=Kind.WORD, needs=_FACT
    ),
    "fact_place": Measure(
        "where the request holds the fact", _fact_place, kind=Kind.WORD, needs=_FACT
    ),
    "fact_told_turn": Measure(
        "the turn at which the fact is told", _fact_told_turn, needs=_FACT
    ),
    "fact_lost_turn": Measure(
        "the first turn whose request does not hold the fact any more",
        _fact_lost_turn,
        needs=_FACT,
    ),
    "cheapest_setting": Measure(
        "the setting that cost least so far",
        _least(Played.usd_so_far),
        kind=Kind.SETTING,
    ),
    "smallest_setting": Measure(
        "the setting with the smallest request",
        _least(_request_tokens),
        kind=Kind.SETTING,
    ),
    "turns": Measure(
        "the number of turns of the conversation",
        lambda p, at: p.run(at).log.turn_count,
    ),
    "messages": Measure(
        "the number of messages of the conversation", lambda p, at: len(p.run(at).log)
    ),
}
"""All measures by name."""
