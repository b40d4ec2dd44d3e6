"""What the offline model does next where it may call memory's tools: recall, think, or answer."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from memviz.core.messages import Message, ToolCall
from memviz.core.text.words import is_chinese
from memviz.models.base import ToolChoice
from memviz.models.offline.open_turn import OpenTurn, open_turn
from memviz.models.offline.recalling import LAST_N, wanted_recall
from memviz.models.offline.replying import Summarizer
from memviz.models.offline.summary_request import Entry
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION, Tool


class Step(NamedTuple):
    """What is said and what is called."""

    text: str
    calls: tuple[ToolCall, ...] = ()


def next_step(
    messages: Sequence[Message],
    tools: Sequence[Tool],
    tool_choice: ToolChoice,
    summarized: Summarizer,
) -> Step:
    """A recall where it may help and none was made in this turn, a thought where one is wanted, else the answer."""
    turn = open_turn(messages, tools)
    callable_names = {tool.name for tool in tools} if tool_choice == "auto" else set()
    may_recall = RECALL_CONVERSATION.name in callable_names and not turn.has_recalled
    recall = wanted_recall(turn) if may_recall else None
    calls = [] if recall is None else [(RECALL_CONVERSATION.name, recall)]
    if CONTINUE_THINKING.name in callable_names and not turn.has_thought:
        text, arguments = _thought(turn, recall, summarized)
        calls.append((CONTINUE_THINKING.name, arguments))
    else:
        text = "" if calls else turn.answer(summarized)
    return Step(text, tuple(_numbered(calls, messages)))


def _thought(
    turn: OpenTurn, recall: dict[str, Any] | None, summarized: Summarizer
) -> tuple[str, dict[str, Any]]:
    """A sentence on what is looked at or answered from, and the arguments that end this round of thinking."""
    chinese = is_chinese(turn.input)
    if recall is not None:
        reason = (
            "回想的消息在下一轮才看得到。"
            if chinese
            else "What I recall comes with the next round."
        )
        text = (
            _looking_up(chinese)
            if turn.named()
            else _recalling(recall.get("turn_numbers", []), chinese)
        )
        return text, {"continue_thinking": True, "reason": reason}
    summary = summarized(
        [Entry("user", turn.input), Entry("assistant", turn.answer(summarized))], False
    )
    return _concluding(turn, chinese), {"continue_thinking": False, "summary": summary}


def _looking_up(chinese: bool) -> str:
    return (
        "问到了编号，我去看原话。"
        if chinese
        else "The question names them by number; I look at the messages themselves."
    )


def _recalling(turns: Sequence[int], chinese: bool) -> str:
    if chinese:
        numbers = "、".join(map(str, turns))
        return (
            f"第{numbers}轮的总结提到了这一点，我去看原话。"
            if turns
            else f"我没有看到答案，去看最近的{LAST_N}条消息。"
        )
    if not turns:
        return f"I do not see the answer; I look at the last {LAST_N} messages."
    if len(turns) == 1:
        return (
            f"The summary of turn {turns[0]} mentions this; I look at the turn itself."
        )
    numbers = f"{', '.join(map(str, turns[:-1]))} and {turns[-1]}"
    return f"The summaries of turns {numbers} mention this; I look at the turns themselves."


def _concluding(turn: OpenTurn, chinese: bool) -> str:
    if not turn.questions() and not turn.named():
        return (
            "这里没有需要查找的问题。"
            if chinese
            else "There is no question to look anything up for."
        )
    if turn.is_answered():
        return (
            "我可以根据收到的内容回答。"
            if chinese
            else "I can answer from what I was sent."
        )
    return (
        "收到的内容里没有答案。" if chinese else "The context does not hold the answer."
    )


def _numbered(
    calls: Sequence[tuple[str, dict[str, Any]]], messages: Sequence[Message]
) -> Iterator[ToolCall]:
    """The calls with ids that go on from the number of calls already made, and that none of these has."""
    taken = [call.id for message in messages for call in message.tool_calls]
    number = len(taken)
    for name, arguments in calls:
        number += 1
        while f"call_{number}" in taken:
            number += 1
        yield ToolCall(
            f"call_{number}", name, json.dumps(arguments, ensure_ascii=False)
        )
