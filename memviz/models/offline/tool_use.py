"""The next step of the offline model where it may call memory's tools: recall, think, or answer."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memviz.core.messages import Message, ToolCall
from memviz.core.text import phrases
from memviz.core.text.sentences import split_passage
from memviz.core.text.words import is_chinese
from memviz.models.base import ToolChoice
from memviz.models.offline.asking import Sought, all_asks
from memviz.models.offline.context_sources import Source, sources, turn_summaries
from memviz.models.offline.matching import Matches
from memviz.models.offline.question import Question
from memviz.models.offline.replying import MAX_ASKS, Summarizer, find, reply_to
from memviz.models.offline.summary_request import Entry
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION, TOOLS, Tool

MAX_TURNS = 3
ENTRY_THRESHOLD = 0.3
"""The least share of a question that the summary of a turn covers if that turn is recalled. It is less than an answer
needs, because a summary may name the subject and have lost what was said about it."""
LAST_N = 20
_ENDS = re.compile(r'"continue_thinking": ?false')

# Each in English and in Chinese.
_NEXT_ROUND = (
    "What I recall comes with the next round.",
    "回想的消息在下一轮才看得到。",
)
_NO_QUESTION = (
    "There is no question to look anything up for.",
    "这里没有需要查找的问题。",
)
_ANSWERED = ("I can answer from what I was sent.", "我可以根据收到的内容回答。")
_UNANSWERED = ("The context does not hold the answer.", "收到的内容里没有答案。")


class Step(NamedTuple):
    """The text of a reply, and its calls."""

    text: str
    calls: tuple[ToolCall, ...] = ()


def next_step(
    messages: Sequence[Message],
    tools: Sequence[Tool],
    tool_choice: ToolChoice,
    summarized: Summarizer,
) -> Step:
    """Return a recall where it may help and none was made in this turn, else a thought, or the answer."""
    turn = _open_turn(messages, tools)
    callable_names = set()
    if tool_choice == "auto":
        callable_names = {tool.name for tool in tools}
    # One recall and one round of thinking in a turn are enough: the built-in model learns nothing from a second one.
    recall = None
    if RECALL_CONVERSATION.name in callable_names and not turn.has_recalled:
        recall = _choose_recall(turn)
    calls = [] if recall is None else [(RECALL_CONVERSATION.name, recall)]
    if CONTINUE_THINKING.name in callable_names and not turn.has_thought:
        text, arguments = _write_thought(turn, recall, summarized)
        calls.append((CONTINUE_THINKING.name, arguments))
    else:
        text = "" if calls else turn.answer(summarized)
    return Step(text, tuple(_number_calls(calls, messages)))


@dataclass(frozen=True, slots=True)
class _OpenTurn:
    """The turn that is being answered."""

    messages: Sequence[Message]
    """The messages that may be answered from and the input, without the calls of memory's own tools, their results,
    and instructions behind the input."""
    input: str
    others: Sequence[Source]
    """The messages beside the input."""
    summaries: Mapping[int, str]
    """The summaries of turns by their number."""
    has_recalled: bool = False
    has_thought: bool = False
    """A recall was made since the input; thinking was ended since then."""

    def questions(self) -> list[Question]:
        """The questions of the input."""
        asks = all_asks(self.input)[:MAX_ASKS]
        return [Question.of(ask.text) for ask in asks if ask.sought is Sought.ANSWER]

    def unanswered(self) -> list[Question]:
        """The questions whose answer is nowhere word for word, or is not found beside the summaries.
        Those that name nothing, such as "What?", are not among them."""
        verbatim = self._verbatim()
        return [
            question
            for question in self.questions()
            if question.weights
            and not (find(question, verbatim)[0] and find(question, self.others)[0])
        ]

    def is_answered(self) -> bool:
        """Return whether the messages that were sent, summaries too, answer every question."""
        return self._speaks_verbatim() or self._says(self.others)

    def answer(self, summarized: Summarizer) -> str:
        """Return the reply. After a recall the messages speak for themselves where they can, and no summary for them:
        it was asked for because a summary was not enough."""
        messages = self.messages
        if self._speaks_verbatim():
            messages = []
            for message, source in zip(
                self.messages, sources(self.messages), strict=True
            ):
                if source.kind != "summary":
                    messages.append(message)
        return reply_to(messages, summarized)

    def _speaks_verbatim(self) -> bool:
        return self.has_recalled and self._says(self._verbatim())

    def _verbatim(self) -> list[Source]:
        """The messages that were sent word for word: no summary, no instruction."""
        return [
            source for source in self.others if source.kind not in ("summary", "system")
        ]

    def _says(self, among: Sequence[Source]) -> bool:
        return all(find(question, among)[0] for question in self.questions())


def _open_turn(messages: Sequence[Message], tools: Sequence[Tool]) -> _OpenTurn:
    """Read the turn that the last user message began."""
    roles = [message.role for message in messages]
    if "user" not in roles:
        return _OpenTurn(messages, "", sources(messages), {})
    position = len(roles) - 1 - roles[::-1].index("user")
    before = list(messages[:position])
    after = messages[position + 1 :]
    facts = _drop_own_exchange(after)
    if len(facts) < len(after) or any(tool.name in TOOLS for tool in tools):
        # Instructions tell how to think, not what is so.
        facts = [message for message in facts if message.role != "system"]
    has_recalled = False
    has_thought = False
    for call in [call for message in after for call in message.tool_calls]:
        if call.name == RECALL_CONVERSATION.name:
            has_recalled = True
        if call.name == CONTINUE_THINKING.name and _ENDS.search(call.arguments):
            has_thought = True
    return _OpenTurn(
        [*before, messages[position], *facts],
        messages[position].content,
        sources([*before, *facts]),
        dict(turn_summaries(before)),
        has_recalled=has_recalled,
        has_thought=has_thought,
    )


def _drop_own_exchange(messages: Sequence[Message]) -> list[Message]:
    """Return ``messages`` without thoughts that call memory's own tools, and without the results of these."""
    # The newest call of an id counts: ids may be used again.
    called: dict[str | None, str] = {}
    kept_messages = []
    for message in messages:
        called.update((call.id, call.name) for call in message.tool_calls)
        is_thought = any(call.name in TOOLS for call in message.tool_calls)
        is_result = message.role == "tool" and called.get(message.tool_call_id) in TOOLS
        if not is_thought and not is_result:
            kept_messages.append(message)
    return kept_messages


def _choose_recall(turn: _OpenTurn) -> dict[str, Any] | None:
    """Return the arguments of the recall that may answer what nothing sent word for word answers; ``None`` for no
    recall."""
    unanswered = turn.unanswered()
    if not unanswered:
        return None
    if turn.summaries:
        turns = _choose_turns(unanswered, turn.summaries)
        return {"turn_numbers": sorted(turns)} if turns else None
    # the first turn, sent with instructions alone, has nothing to recall
    has_earlier_talk = any(source.kind != "system" for source in turn.others)
    return {"last_n": LAST_N} if has_earlier_talk else None


def _choose_turns(
    questions: Sequence[Question], summaries: Mapping[int, str]
) -> list[int]:
    """Return the turns whose summaries hold the largest share of any of the questions, best first, the newer of
    equals."""
    among = [Source("summary", split_passage(text)) for text in summaries.values()]
    best = [0.0] * len(among)
    for question in questions:
        best = list(map(max, best, _measure_shares(question, among)))
    # Later turns have larger numbers, so the newer of equals comes first.
    ranked = sorted(zip(best, summaries, strict=True), reverse=True)
    return [turn for share, turn in ranked[:MAX_TURNS] if share >= ENTRY_THRESHOLD]


def _measure_shares(question: Question, among: Sequence[Source]) -> list[float]:
    """Return the part of the question's weight that the statements of each source hold. A turn in which the same was
    asked before, in vain, has nothing to recall."""
    matches = Matches(question, among)
    hits: list[set[str]] = [set() for _ in among]
    for position, source in enumerate(among):
        for sentence in source.passage.sentences:
            if not sentence.is_question and not phrases.admits_ignorance(sentence.text):
                hits[position] |= matches.weights.keys() & sentence.words
    for match in matches.candidates:
        hits[match.position] |= match.hits  # words that are meant and not said
    return [matches.share(words) for words in hits]


def _write_thought(
    turn: _OpenTurn, recall: dict[str, Any] | None, summarized: Summarizer
) -> tuple[str, dict[str, Any]]:
    """Return a sentence on what is looked at or answered from, and the arguments that end this round of thinking."""
    chinese = is_chinese(turn.input)
    if recall is not None:
        text = _recall_words(recall.get("turn_numbers", []), chinese)
        return text, {"continue_thinking": True, "reason": _NEXT_ROUND[chinese]}
    exchange = [Entry("user", turn.input), Entry("assistant", turn.answer(summarized))]
    arguments = {"continue_thinking": False, "summary": summarized(exchange, False)}
    return _conclusion_words(turn, chinese), arguments


def _recall_words(turns: Sequence[int], chinese: bool) -> str:
    if chinese:
        if not turns:
            return f"我没有看到答案，去看最近的{LAST_N}条消息。"
        return f"第{'、'.join(map(str, turns))}轮的总结提到了这一点，我去看原话。"
    if not turns:
        return f"I do not see the answer; I look at the last {LAST_N} messages."
    if len(turns) == 1:
        return (
            f"The summary of turn {turns[0]} mentions this; I look at the turn itself."
        )
    numbers = f"{', '.join(map(str, turns[:-1]))} and {turns[-1]}"
    return f"The summaries of turns {numbers} mention this; I look at the turns themselves."


def _conclusion_words(turn: _OpenTurn, chinese: bool) -> str:
    if not turn.questions():
        return _NO_QUESTION[chinese]
    if turn.is_answered():
        return _ANSWERED[chinese]
    return _UNANSWERED[chinese]


def _number_calls(
    calls: Sequence[tuple[str, dict[str, Any]]], messages: Sequence[Message]
) -> Iterator[ToolCall]:
    """Yield the calls with ids that go on from the number of calls already made, and that none of these has."""
    ids = [call.id for message in messages for call in message.tool_calls]
    number = len(ids)
    for name, arguments in calls:
        number += 1
        while f"call_{number}" in ids:
            number += 1
        text = json.dumps(arguments, ensure_ascii=False)
        yield ToolCall(f"call_{number}", name, text)
