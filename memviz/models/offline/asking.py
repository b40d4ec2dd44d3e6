"""What of an input asks for something: questions, two in one sentence, and orders such as "List the dates"."""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from memviz.core.text.phrases import social
from memviz.core.text.sentences import Sentence, passage
from memviz.core.text.vocabulary import words
from memviz.core.text.words import content_words
from memviz.models.offline.deeds import is_deed, is_reminder, looked_up_in
from memviz.models.offline.sentence_starts import FOR_ME, starts
from memviz.models.offline.turn_numbers import Named, named_in


class Sought(Enum):
    """What would satisfy somebody who asks."""

    ANSWER = auto()
    """One statement."""
    LIST = auto()
    """Several statements of one kind, or on one subject."""
    OVERVIEW = auto()
    """The most important statements."""
    WORK = auto()
    """Something that no quotation is: a translation, a calculation, an opinion, a deed."""
    EARLIER = auto()
    """What was said in turns or messages that are named by number."""


class Ask(NamedTuple):
    """One thing that is asked for, in the words of the user, without "tell me" and the like."""

    sought: Sought
    text: str
    named: Named | None = None
    """The turns or messages, where they are named."""

    @property
    def topic(self) -> frozenset[str]:
        """Stems of what a list or an overview is to be about."""
        return content_words(self.text) - _ABOUT_NOTHING


_OF_RECORD = (
    r"(?:the|my|our) (?:(?!(?:in|on|of|for|from|at|with)\b)[\w'’-]+ ){0,3}(?:numbers?|address|names?"
    r"|codes?|password|pin|dates?|times?|e-?mail|prices?|deadline|budget|allerg\w+)(?: of .*)?\Z"
)
"""Things that are looked up in what was said, not made or done."""


_OVERVIEW = starts(
    r"summari[sz]e|sum up|recap(?:itulate)?|fass(?:e|en sie)?\b.*zusammen",
    rf"(?:give|write|tell|show){FOR_ME} (?:an? |the )?(?:(?:short|brief|quick) )?(?:summary|overview|recap)",
    rf"(?:tell|repeat|list|show|give){FOR_ME} (?:everything|all)(?: that| of what)?"
    r" you (?:still |already )?(?:know|remember|were told)",
    r"what (?:do|did) you (?:still |already )?(?:know|remember)(?! (?:\w+ )?(?:is|was|are|if|whether)\b)",
    r"what (?:have|did) (?:i|we) (?:tell you|told you|say|said|discuss|discussed|talk about|talked about)",
    r"was wei(?:ß|ss)t du(?: alles| noch)?",
    r"总结|概括|归纳|你(?:都|还)?(?:知道|记得)(?:些|了)?什么",
)
_LIST = starts(
    rf"list{FOR_ME} (?=(?:all|the|every|each|my|our|your|any|what|which)\b)|enumerate",
    rf"(?:name|show|give|tell|repeat|recite){FOR_ME} (?=all\b|every\b|each\b|(?:a|the) list\b)",
    rf"(?:tell|show){FOR_ME} (?:(?:everything|all|more|something) )?about |describe (?=(?:the|my|our|all|each)\b)",
    r"(?:liste|nenne?|zeige?)(?: mir| uns)? (?=alle\b|die\b)",
    "列出|列举|列一下",
)
_ORDER = starts(
    r"(?:tell|give|show|remind) (?:me|us)|let (?:me|us) know|look up|recite",
    r"(?:name|repeat|recall) (?=(?:the|my|our|what|when|where|who)\b)",
    rf"(?:repeat|recall|quote|show|read){FOR_ME} (?=(?:turn|message)s? #?\d)",
    r"(?:write|note|jot) (?:down )?(?=(?:my|our|the) [^\d:]*\b(?:number|address|name|code|password|date|email)\Z)",
    rf"(?:help{FOR_ME} (?:to )?(?:remember|recall|find)|(?:find(?: out)?|check|look up|search for|confirm"
    rf"|say|state|verify|get|fetch|retrieve|specify){FOR_ME}) (?=(?:again )?"
    r"(?:what|when|where|who|whose|whom|which|how|whether|if)\b"
    rf"|{_OF_RECORD})",
    r"i(?:['’]d| would) like to know|i (?:want|need) to know|i wonder|i (?:forgot|have forgotten|forget)",
    r"(?:sage?|gib|zeige?|nenne?) (?:mir|uns)|nenne? (?=den\b|die\b|das\b|mein)|erinnere mich(?: an)?|wiederhole?",
    "告诉我|提醒我|复述|重复一?下?|说说",
)
_WORK = starts(
    rf"(?:write|compose|draft|create|generate|invent|suggest|recommend|propose|design|plan|tell){FOR_ME}"
    r" (?:an?|some|another)\b",
    r"(?:translate|calculate|compute|convert)\b",
    r"(?:forget|delete|erase|draw|paint|sing|imagine|add up|compare|explain|rewrite|rephrase|solve|analy[sz]e|evaluate"
    rf"|estimate|predict|guess){FOR_ME} (?:an?|the|this|that|these|it|my|our|what|how|why|all|into|to|\d)",
    r"(?:übersetze?|schreibe?|berechne?|erkläre?|vergleiche?|empfiehl)(?: mir| uns)?\b",
    "翻译|写一|计算|算一?下|解释|推荐|比较|忘[掉了记]|把.*(?:翻译|译成|改写|画)",
)
_REASONING = re.compile(
    r"^should (?:i|we)\b|\b(?:why|how come|what if|what do you think|would you|is it (?:better|worth|wise|a good idea)"
    r"|compared?|cheaper|better|best|faster|difference|altogether|in total|left over|warum|wieso"
    r"|how (?:can|could|should|would) (?:i|we|you|one)"
    r"|which (?:\w+ )?(?:is|are|one) (?:more|less|the most|the least))\b"
    r"|\d ?[*x×+/] ?\d|(?<![定改叫名成])为什么|应该|怎么[办做样]|你觉得|哪个更|一共",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:why|how come|by how much|warum|wieso|um wie ?viel|pourquoi)\b|(?<![定改叫名成])为什么"
    r"|(?:多了|少了|涨了|降了)多少",
    re.IGNORECASE,
)
_SECOND = re.compile(
    r",? (?:and|und|et|y)(?: also| then)? (?=(?:(?:in|at|on|by|for|from|to|until) )?"
    r"(?:what|when|where|who|whose|whom|why|how|which|wann|wo|wer|was|wie|warum|welche[rsn]?|quand|où|combien|cuándo"
    r"|dónde|cuánto)\b"
    r"|(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|had)"
    r" (?:i|you|we|he|she|they|it|there|the|my|our|your)\b)",
    re.IGNORECASE,
)
_CHINESE_PARTS = re.compile(r"[，,；;](?:还有|以及|另外|那|而且)?|(?:还有|以及|另外)")
_CHINESE_ASKING = re.compile(r"什么|多少|谁|哪|几[点号个位天]|怎么|何时|[吗呢]$")
_ABOUT_NOTHING = content_words(
    """summarize summarise summary overview recap conversation chat talk far important main key point short brief list
    lists everything fact facts detail details dates date days times names name people persons numbers number amounts
    prices costs codes information message messages alle alles daten termine namen preise auf gespräch
    全部 所有 内容 对话 我们 知道 一切 日期 名字 数字 金额 时间 事情 重点"""
) | words("list date name number")
"""Stems that say what is wanted of a list or an overview, not what it is about."""


def asks_of(sentence: Sentence) -> tuple[Ask, ...]:
    """What ``sentence`` asks for; nothing, if it states something."""
    asks = _asks_of(sentence)
    if not asks or asks[0].sought is Sought.WORK or named_in(sentence.text) is None:
        return asks
    # who said it may stand in words that an ask has not, so each is read out of its whole part of the sentence
    parts = list(_parts(sentence.text.strip()))
    return tuple(
        Ask(Sought.EARLIER if (named := named_in(part)) else Sought.ANSWER, part, named)
        for part in parts
    )


def _asks_of(sentence: Sentence) -> tuple[Ask, ...]:
    text = sentence.text.strip()
    bare = text.rstrip(" .!?。！？")
    if match := _OVERVIEW.fullmatch(bare):
        return (Ask(Sought.OVERVIEW, match["rest"].strip()),)
    if match := _LIST.fullmatch(bare):
        return (Ask(Sought.LIST, match["rest"].strip()),)
    if _WORK.match(bare):
        return (Ask(Sought.WORK, text),)
    if not is_reminder(bare) and (match := _ORDER.fullmatch(bare)):
        return tuple(
            Ask(Sought.ANSWER, part)
            for part in _parts(match["rest"].strip(" ,:：，") or text)
        )
    if is_deed(bare):
        return (Ask(Sought.WORK, text),)
    return (
        tuple(Ask(Sought.ANSWER, part) for part in _parts(text))
        if sentence.is_question
        else ()
    )


def all_asks(text: str) -> list[Ask]:
    """What all sentences of ``text`` ask for, in order."""
    return [ask for sentence in passage(text).sentences for ask in asks_of(sentence)]


def looked_up(ask: Ask) -> str | None:
    """What may answer ``ask`` speaks of this; ``None`` for work that no quotation is. "Check my rent" may want no more
    than the rent."""
    return looked_up_in(ask.text) if ask.sought is Sought.WORK else ask.text


def needs_reasoning(ask: Ask) -> bool:
    """Whether the answer has to be worked out, unless somebody happens to have stated it."""
    return _REASONING.search(ask.text) is not None


def asks_for_cause(ask: Ask) -> bool:
    """Whether a quotation answers only a part of it: the reason and the difference have to be worked out."""
    return _CAUSE.search(ask.text) is not None


def _parts(text: str) -> Iterator[str]:
    """The questions in one sentence: "What is the budget and when do we leave?" has two. "Thanks" is none."""
    return (part for part in _pieces(text) if social(part, chinese=False) is None)


def _pieces(text: str) -> Iterator[str]:
    pieces = [piece.strip(" ,，") for piece in _CHINESE_PARTS.split(text)]
    if len(pieces) > 1 and all(
        _CHINESE_ASKING.search(piece.rstrip("?？")) for piece in pieces
    ):
        yield from pieces
    else:
        yield from _SECOND.split(text)
