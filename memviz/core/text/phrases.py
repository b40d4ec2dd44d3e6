"""The words of the offline model around its quotations, in English and Chinese, and their recognition in a text."""

import re
from collections.abc import Sequence
from itertools import chain
from zlib import crc32

_ENGLISH_SOURCE = {
    "user": ("You told me", "You also told me"),
    "assistant": ("I said earlier", "I also said"),
    "summary": ("My summary of our earlier conversation says", "My summary also says"),
    "tool": ("A tool result says", "A tool result also says"),
    "system": ("My instructions say", "My instructions also say"),
}
_CHINESE_SOURCE = {
    "user": ("你告诉过我", "你还告诉过我"),
    "assistant": ("我之前说过", "我还说过"),
    "summary": ("我对之前谈话的总结里写着", "总结里还写着"),
    "tool": ("工具结果显示", "工具结果还显示"),
    "system": ("我的指令里写着", "我的指令里还写着"),
}
_ENGLISH_NOTED = ("Noted", "Got it", "Understood", "I will keep that in mind")
_CHINESE_NOTED = ("记下了", "好的", "明白了", "我会记住")

_SOURCES = (*_ENGLISH_SOURCE.values(), *_CHINESE_SOURCE.values())
_LEADS = "|".join(
    map(re.escape, chain(*_SOURCES, _ENGLISH_NOTED, _CHINESE_NOTED)),
)
_QUOTED = re.compile(f'(?:{_LEADS})[:：] ?["“](.+?)["”]?')
# "I do not know", "we couldn't find"
_NO_ANSWER = re.compile(
    r"\b(?:i|we)(?:'m| am|'re| are)?(?: do| did| could| can| was| were)?(?:n't|n’t| not|not)(?: \w+)? "
    r"(?:know|have (?:any|that|a record)|see|find|recall|remember|told|sure|aware)\b|"
    r"\bno (?:record|mention|information) of\b|\bnothing in the context i was sent\b"
    r"|\bthe (?:bundled model|built-in model) cannot\b"
    r"|我不知道|不清楚|没有提到|自带的模型",
    re.IGNORECASE,
)
_MAY_ADMIT = ("n't", "n’t", "not", "no ", "不", "没有", "自带")
"""One of these is in every sentence that :data:`_NO_ANSWER` finds something in."""
# "Hello there!", "你好，"
_GREETING = re.compile(
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening)|greetings|你好|您好|早上好|晚上好|嗨)"
    r"(?: there| everyone| all)?[\s,.!~。！，]*",
    re.IGNORECASE,
)
# "Thanks a lot!", "谢谢"
_THANKS = re.compile(
    r"(?:(?:many )?thanks?(?: you)?(?: (?:so|very) much)?(?: a lot| again)?|谢谢你?您?|多谢)[\s,.!。！]*",
    re.IGNORECASE,
)


def find_quotation(text: str) -> str | None:
    """Return the quotation in ``text`` if it is a sentence of this model, else ``None``."""
    match = _QUOTED.fullmatch(text)
    return match.group(1) if match else None


def admits_ignorance(text: str) -> bool:
    """Return whether the sentence says that its speaker does not know."""
    lower = text.lower()
    return (
        any(cue in lower for cue in _MAY_ADMIT) and _NO_ANSWER.search(text) is not None
    )


def social(text: str, chinese: bool) -> str | None:
    """The reply to a bare greeting or thanks, ``None`` for anything else."""
    if _GREETING.fullmatch(text):
        if chinese:
            return "你好！请告诉我一些事情，或者问我之前说过的内容。"
        return "Hello! Tell me something, or ask me about what was said before."
    if _THANKS.fullmatch(text):
        return "不客气。" if chinese else "You are welcome."
    return None


def answer(quotes: Sequence[tuple[str, str]], chinese: bool) -> str:
    """Quote ``(source, sentence)`` pairs; a source is user, assistant, summary, tool or system."""
    leads = _CHINESE_SOURCE if chinese else _ENGLISH_SOURCE
    parts: list[str] = []
    for source, sentence in quotes:
        first_lead, next_lead = leads[source]
        lead = next_lead if parts else first_lead
        parts.append(f"{lead}：“{sentence}”" if chinese else f'{lead}: "{sentence}"')
    return ("" if chinese else " ").join(parts)


def unknown(missing: Sequence[str], chinese: bool) -> str:
    """Say that the context holds no answer; ``missing`` are words of the question that occur nowhere in it."""
    if chinese:
        words = "、".join(f"“{word}”" for word in missing) or "这一点"
        return f"我不知道：发给我的内容里没有提到{words}。"
    problem = "says that"
    if missing:
        problem = "mentions " + " or ".join(f'"{word}"' for word in missing)
    return f"I do not know: nothing in the context I was sent {problem}."


def not_stated(chinese: bool) -> str:
    """Say that all words of a question were sent, and no sentence that answers it."""
    if chinese:
        return "我不知道：发给我的内容谈到了这些，但没有一句话说明这一点；自带的模型只会引用原话，要推算请换一个模型。"
    return (
        "I do not know: what I was sent speaks of this, but no sentence says it, and the built-in model only quotes; "
        "choose another model to work it out."
    )


def cannot_work_out(chinese: bool) -> str:
    """Say that a quotation is no answer to this."""
    if chinese:
        return "自带的模型无法推算这个：它只会引用收到的句子，请换一个模型来回答。"
    return "The built-in model cannot work this out: it only quotes what it was sent; choose another model for this."


def overview(text: str, chinese: bool) -> str:
    """Lead in the most important of what was sent."""
    if chinese:
        return f"我收到的内容里最重要的是：{text}"
    return f"The most important of what I was sent: {text}"


def about(part: str, answer: str, chinese: bool) -> str:
    """Name the ``part`` of an input that ``answer`` is the reply to; an empty part is not named."""
    if not part:
        return answer
    return f"关于“{part}”：{answer}" if chinese else f'On "{part}": {answer}'


def noted(sentence: str, chinese: bool) -> str:
    """Acknowledge a statement, in words that depend on the statement alone."""
    leads = _CHINESE_NOTED if chinese else _ENGLISH_NOTED
    lead = leads[crc32(sentence.encode("utf-8", "replace")) % len(leads)]
    return f"{lead}：“{sentence}”" if chinese else f'{lead}: "{sentence}"'


def nothing_said(chinese: bool) -> str:
    """The reply to an empty input."""
    return "我没有收到任何内容。" if chinese else "I was sent nothing to answer."
