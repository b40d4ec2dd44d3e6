"""What a step asks, ready to be shown: questions as they were written, and predictions with the answer and the reason
that their run gives, in both languages."""

from __future__ import annotations

from memviz.core.text.wording import dollars, plural
from memviz.dashboard.lessons.lesson import Point, Prediction, Question, Step, Text
from memviz.dashboard.lessons.measures import MEASURES, Value
from memviz.dashboard.lessons.playing import Played
from memviz.engine.compaction import Compaction
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import numbers_of_turn

YES, NO = Text("Yes", "会"), Text("No", "不会")
KNOWN, GONE = Text("Yes", "还有"), Text("No", "没有了")
_UNITS_ZH = {"messages": "条消息", "tokens": "个词元", "turns": "轮", "rounds": "轮"}
_PLACES = {
    "verbatim": Text(
        "a message that states it is sent word for word", "说到它的那条消息仍被逐字发送"
    ),
    "recalled": Text(
        "the message that states it was recalled", "说到它的那条消息被召回"
    ),
    "summary": Text(
        "the message is gone, and the summary holds it", "原消息已不在，但摘要里还有它"
    ),
    "system": Text("the system prompt holds it", "系统提示里有它"),
    "lost": Text(
        "neither the message nor the summary that is sent holds it any more",
        "发送的消息和摘要里都已没有它",
    ),
    "not told": Text("it has not been told yet", "它还没有被提到"),
}


def question_of(step: Step, played: Played | None) -> Question | None:
    """Return what a step asks; ``None`` where it asks nothing. Raises :class:`memviz.LessonError` for a prediction
    about what is not there."""
    if step.asked is None or isinstance(step.asked, Question):
        return step.asked
    assert played is not None  # noqa: S101 - a prediction is read only where there are settings
    ask = {
        "summarizes": _summarizes,
        "stays": _stays,
        "knows": _knows,
        "cheapest": _cheapest,
    }[step.asked.kind]
    return ask(step.asked, played)


def _point(asked: Prediction, measure: str, setting: int | None = None) -> Point:
    return Point(
        measure,
        asked.setting if setting is None else setting,
        asked.turn,
        fact=asked.fact,
    )


def _take(
    asked: Prediction, played: Played, measure: str, setting: int | None = None
) -> Value:
    point = _point(asked, measure, setting)
    return MEASURES[measure].take(played, point)


def _summarizes(asked: Prediction, played: Played) -> Question:
    label, turn = played.labels[asked.setting], asked.turn
    is_so = bool(_take(asked, played, "summarizes"))
    text = Text(
        f"Will **{_plain(label)}** write a summary right before the request of turn {turn}?",
        f"在第 {turn} 轮请求之前，**{_plain(label)}** 会写一份摘要吗？",
    )
    reason = _why_summarized(asked, played) if is_so else _why_not(asked, played)
    return Question(text, (YES, NO), 0 if is_so else 1, reason)


def _why_summarized(asked: Prediction, played: Played) -> Text:
    run = played.runs[asked.setting]
    before, after = (
        _take(asked, played, f"tokens_{side}_summary") for side in ("before", "after")
    )
    rule = _rule(_compaction(run, asked.turn), run)
    return Text(
        f"{rule.en}Without the summary the request would have had {before:,} tokens; with it, it has {after:,}.",
        f"{rule.zh}没有摘要，这次请求会有 {before:,} 个词元；有了摘要，只有 {after:,} 个。",
    )


def _compaction(run: Run, turn: int) -> Compaction:
    numbers = numbers_of_turn(run, turn)
    return next(
        one
        for one in run.compactions
        if one.is_summarization and run.request_number(one) in numbers
    )


def _rule(compaction: Compaction, run: Run) -> Text:
    """Return how full the memory was when the summary came due, where the strategy's rule can say it in numbers."""
    fill = compaction.strategy.fill(compaction.before)
    if fill is None or not fill.is_over:
        return Text()
    return Text(
        f"The rule counts {fill.held:,} {fill.unit}, and its limit is {fill.limit:,}. ",
        f"规则数到 {fill.held:,} {_unit_zh(fill.unit)}，上限是 {fill.limit:,}。",
    )


def _why_not(asked: Prediction, played: Played) -> Text:
    run, number = (
        played.runs[asked.setting],
        played.number(_point(asked, "request_tokens")),
    )
    memory = run.requests[number].memory
    fill = run.strategy_at(asked.turn).fill(memory)
    if fill is None or not fill.limit:
        written = _take(asked, played, "summaries_written")
        return Text(
            f"None was due: {written} so far.",
            f"这时还不到写摘要的时候：到目前为止写了 {written} 份。",
        )
    return Text(
        f"It is not time: the rule counts {fill.held:,} {fill.unit} of {fill.limit:,}.",
        f"还没到时候：规则数到 {fill.held:,} {_unit_zh(fill.unit)}，上限是 {fill.limit:,}。",
    )


def _unit_zh(unit: str) -> str:
    return _UNITS_ZH.get(plural(unit.rstrip("s")), _UNITS_ZH.get(unit, unit))


def _stays(asked: Prediction, played: Played) -> Question:
    label, turn = played.labels[asked.setting], asked.turn
    sent, said = (
        int(_take(asked, played, name)) for name in ("messages_sent", "messages_said")
    )
    others = [
        number
        for number in (said, sent // 2, sent + 4, sent * 2)
        if number != sent and number > 0
    ]
    numbers = sorted([sent, *list(dict.fromkeys(others))[:2]])
    summarized = int(_take(asked, played, "messages_summarized"))
    text = Text(
        f"How many messages does **{_plain(label)}** send word for word at turn {turn}?",
        f"第 {turn} 轮时，**{_plain(label)}** 逐字发送多少条消息？",
    )
    reason = Text(
        f"Of {said:,} messages so far, {sent:,} are sent word for word, and a summary stands for {summarized:,}.",
        f"到目前为止共有 {said:,} 条消息，其中 {sent:,} 条逐字发送，摘要代替了 {summarized:,} 条。",
    )
    return Question(
        text,
        tuple(Text(f"{n:,}", f"{n:,}") for n in numbers),
        numbers.index(sent),
        reason,
    )


def _knows(asked: Prediction, played: Played) -> Question:
    probe = played.probes[played.fact(asked.fact)]
    label, turn = played.labels[asked.setting], asked.turn
    is_known, place = (
        bool(_take(asked, played, "fact_known")),
        str(_take(asked, played, "fact_place")),
    )
    fact = _plain(probe.answers[0])
    text = Text(
        f"Does the request of turn {turn} still hold **{fact}** under **{_plain(label)}**?",
        f"在 **{_plain(label)}** 之下，第 {turn} 轮的请求里还有 **{fact}** 吗？",
    )
    words = _PLACES[place]
    reason = Text(f"{words.en[:1].upper()}{words.en[1:]}.", f"{words.zh}。")
    return Question(text, (KNOWN, GONE), 0 if is_known else 1, reason)


def _cheapest(asked: Prediction, played: Played) -> Question:
    usd = [
        float(_take(asked, played, "cumulative_dollars", number))
        for number in range(len(played.runs))
    ]
    text = Text(
        f"Which setting has cost least up to turn {asked.turn}?",
        f"到第 {asked.turn} 轮为止，哪种设置花费最少？",
    )
    named = [
        f"{_plain(label)} {dollars(one)}"
        for label, one in zip(played.labels, usd, strict=True)
    ]
    reason = Text(f"So far: {'; '.join(named)}.", f"到此为止：{'；'.join(named)}。")
    return Question(
        text,
        tuple(Text(label, label) for label in played.labels),
        usd.index(min(usd)),
        reason,
    )


def _plain(text: str) -> str:
    """A text of a strategy or a conversation, such that the Markdown of lessons shows it as it is."""
    return "".join(
        f"\\{letter}" if letter in "\\`*_>#-" else letter
        for letter in " ".join(text.split())
    )
