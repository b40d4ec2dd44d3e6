"""The questions of steps, ready to be shown: as they were written, and predictions with the answer and the reason
that their run gives, in both languages."""

import re
from dataclasses import dataclass

from memviz.core.text.wording import dollars, plural
from memviz.dashboard.lessons.lesson import Point, Prediction, Question, Step, Text
from memviz.dashboard.lessons.measure import Value
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import Played
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import numbers_of_turn

YES = Text("Yes", "会")
NO = Text("No", "不会")
KNOWN = Text("Yes", "还有")
GONE = Text("No", "没有了")
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
    "contradicted": Text(
        "only what denies it or what it was before is sent",
        "发送的内容里只有否定它的说法，或者它以前的值",
    ),
    "unknown": Text(
        "it may stand in what nobody can read", "它也许在谁也读不到的那部分里"
    ),
    "not told": Text("it has not been told yet", "它还没有被提到"),
}


def question_of(step: Step, played: Played | None) -> Question | None:
    """Return what a step asks; ``None`` where it asks nothing. Raises :class:`memviz.LessonError` for a prediction
    about what is not there."""
    if step.asked is None or isinstance(step.asked, Question):
        return step.asked
    assert played is not None  # noqa: S101 - a prediction is read only where there are settings
    kinds = {
        "summarizes": _summarizes,
        "stays": _stays,
        "knows": _knows,
        "cheapest": _cheapest,
    }
    return kinds[step.asked.kind](_Predicted(step.asked, played))


@dataclass(frozen=True)
class _Predicted:
    """A prediction, and the runs that answer it."""

    asked: Prediction
    played: Played

    @property
    def turn(self) -> int:
        return self.asked.turn

    @property
    def run(self) -> Run:
        return self.played.runs[self.asked.setting]

    @property
    def label(self) -> str:
        return f"**{_plain(self.played.labels[self.asked.setting])}**"

    @property
    def point(self) -> Point:
        return Point("", self.asked.setting, self.turn, fact=self.asked.fact)

    def take(self, measure: str) -> Value:
        return MEASURES[measure].take(self.played, self.point)

    def count(self, measure: str) -> int:
        return int(self.take(measure))


def _summarizes(one: _Predicted) -> Question:
    text = Text(
        f"Will {one.label} write a summary right before the request of turn {one.turn}?",
        f"在第 {one.turn} 轮请求之前，{one.label} 会写一份摘要吗？",
    )
    if one.take("summarizes"):
        return Question(text, (YES, NO), 0, _why_summarized(one))
    return Question(text, (YES, NO), 1, _why_not(one))


def _why_summarized(one: _Predicted) -> Text:
    before = one.count("tokens_before_summary")
    after = one.count("tokens_after_summary")
    rule = _rule(one.run, one.turn)
    return Text(
        f"{rule.en}Without the summary the request would have had {before:,} tokens; with it, it has {after:,}.",
        f"{rule.zh}没有摘要，这次请求会有 {before:,} 个词元；有了摘要，只有 {after:,} 个。",
    )


def _rule(run: Run, turn: int) -> Text:
    """Return how full the memory was when the summary of a turn came due, where the strategy's rule can say it in
    numbers."""
    numbers = numbers_of_turn(run, turn)
    due = [one for one in run.compactions if one.is_summarization]
    compaction = next(one for one in due if run.request_number(one) in numbers)
    fill = compaction.strategy.fill(compaction.before)
    if fill is None or not fill.is_over:
        return Text()
    return Text(
        f"The rule counts {fill.held:,} {fill.unit}, and its limit is {fill.limit:,}. ",
        f"规则数到 {fill.held:,} {_unit_zh(fill.unit)}，上限是 {fill.limit:,}。",
    )


def _why_not(one: _Predicted) -> Text:
    memory = one.played.record(one.point).memory
    fill = one.run.strategy_at(one.turn).fill(memory)
    if fill is None or not fill.limit:
        written = one.take("summaries_written")
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


def _stays(one: _Predicted) -> Question:
    said = one.count("messages_said")
    sent = one.count("messages_sent")
    summarized = one.count("messages_summarized")
    others = dict.fromkeys((said, sent // 2, sent + 4, sent * 2))
    wrong = [number for number in others if number != sent and number > 0]
    numbers = sorted([sent, *wrong[:2]])
    text = Text(
        f"How many messages does {one.label} send word for word at turn {one.turn}?",
        f"第 {one.turn} 轮时，{one.label} 逐字发送多少条消息？",
    )
    reason = Text(
        f"Of {said:,} messages so far, {sent:,} are sent word for word, and a summary stands for {summarized:,}.",
        f"到目前为止共有 {said:,} 条消息，其中 {sent:,} 条逐字发送，摘要代替了 {summarized:,} 条。",
    )
    choices = tuple(Text(f"{number:,}", f"{number:,}") for number in numbers)
    return Question(text, choices, numbers.index(sent), reason)


def _knows(one: _Predicted) -> Question:
    probe = one.played.probes[one.played.fact(one.asked.fact)]
    fact = f"**{_plain(probe.answers[0])}**"
    text = Text(
        f"Does the request of turn {one.turn} still hold {fact} under {one.label}?",
        f"在 {one.label} 之下，第 {one.turn} 轮的请求里还有 {fact} 吗？",
    )
    words = _PLACES[str(one.take("fact_place"))]
    reason = Text(f"{words.en[:1].upper()}{words.en[1:]}.", f"{words.zh}。")
    answer = 0 if one.take("fact_known") else 1
    return Question(text, (KNOWN, GONE), answer, reason)


def _cheapest(one: _Predicted) -> Question:
    played = one.played
    amounts = []
    told = []
    for number, label in enumerate(played.labels):
        amount = played.usd_so_far(one.point._replace(setting=number))
        amounts.append(amount)
        told.append(f"{_plain(label)} {dollars(amount)}")
    text = Text(
        f"Which setting has cost least up to turn {one.turn}?",
        f"到第 {one.turn} 轮为止，哪种设置花费最少？",
    )
    reason = Text(f"So far: {'; '.join(told)}.", f"到此为止：{'；'.join(told)}。")
    choices = tuple(Text(label, label) for label in played.labels)
    return Question(text, choices, amounts.index(min(amounts)), reason)


def _plain(text: str) -> str:
    """Return a text of a strategy or a conversation such that the Markdown of lessons shows it as it is."""
    flat = " ".join(text.split())
    return re.sub(r"[\\`*_>#-]", r"\\\g<0>", flat)
