"""The parts of an input that ask for something: questions and orders ("Summarize what you know", "Book it")."""

import re
from enum import Enum, auto
from typing import NamedTuple

from memviz.core.text.sentences import Sentence, split_passage
from memviz.core.text.vocabulary import words
from memviz.core.text.words import content_words


class Sought(Enum):
    """The kinds of reply that satisfy somebody who asks."""

    ANSWER = auto()
    """One statement."""
    OVERVIEW = auto()
    """The most important statements, of all or on one subject."""
    WORK = auto()
    """Something that no quotation is: a translation, a calculation, an opinion, a deed."""


class Ask(NamedTuple):
    """One thing that is asked for, in the words of the user, without "tell me" and the like."""

    sought: Sought
    text: str

    @property
    def topic(self) -> frozenset[str]:
        """Stems of what an overview is to be about."""
        return content_words(self.text) - _ABOUT_NOTHING


_OPENERS = (
    r"(?:(?:please|now|and|so|then|also|ok|okay|hey|kindly|just|but|can you|could you|would you|will you|bitte|请你?"
    r"|麻烦你?|帮我)[, ]*)*"
)
_FOR_ME = "(?: me| us)?"
"""Behind the verb of an order."""


def _starts(*alternatives: str) -> re.Pattern[str]:
    """A sentence that begins with one of ``alternatives``; the group ``rest`` is what follows."""
    return re.compile(
        rf"{_OPENERS}(?:{'|'.join(alternatives)})(?P<rest>.*)", re.IGNORECASE
    )


# "list all the dates", "总结"
_OVERVIEW = _starts(
    r"summari[sz]e|sum up|recap(?:itulate)?|fass(?:e|en sie)?\b.*zusammen",
    rf"(?:give|write|tell|show){_FOR_ME} (?:an? |the )?(?:(?:short|brief|quick) )?(?:summary|overview|recap)",
    rf"(?:tell|repeat|list|show|give){_FOR_ME} (?:everything|all)(?: that| of what)?"
    r" you (?:still |already )?(?:know|remember|were told)",
    r"what (?:do|did) you (?:still |already )?(?:know|remember)(?! (?:\w+ )?(?:is|was|are|if|whether)\b)",
    r"what (?:have|did) (?:i|we) (?:tell you|told you|say|said|discuss|discussed|talk about|talked about)",
    rf"list{_FOR_ME} (?=(?:all|the|every|each|my|our|your|any|what|which)\b)",
    rf"(?:name|show|give|tell|recite){_FOR_ME} (?=all\b|every\b|each\b|(?:a|the) list\b)",
    rf"(?:tell|show){_FOR_ME} (?:(?:everything|all|more|something) )?about |describe (?=(?:the|my|our|all|each)\b)",
    r"(?:liste|nenne?|zeige?)(?: mir| uns)? (?=alle\b)",
    r"was wei(?:ß|ss)t du(?: alles| noch)?",
    r"列出|列举|列一下|总结|概括|归纳|你(?:都|还)?(?:知道|记得)(?:些|了)?什么",
)
# "tell me where I live", "I'd like to know"
_ORDER = _starts(
    r"(?:tell|give|show|remind) (?:me|us)(?! to\b)|let (?:me|us) know|look up|recite",
    r"(?:name|repeat|recall) (?=(?:the|my|our|what|when|where|who)\b)",
    rf"(?:find out|check|confirm|say){_FOR_ME} (?=(?:what|when|where|who|whose|which|how|whether|if)\b)",
    r"i(?:['’]d| would) like to know|i (?:want|need) to know|i wonder|i (?:forgot|have forgotten|forget)",
    r"(?:sage?|gib|zeige?|nenne?) (?:mir|uns)|nenne? (?=den\b|die\b|das\b|mein)|erinnere mich(?: an)?|wiederhole?",
    "告诉我|提醒我|复述|重复一?下?|说说",
)
# "write me a poem", "translate it into French"
_WORK = _starts(
    rf"(?:write|compose|draft|create|generate|invent|suggest|recommend|propose|design|plan|tell){_FOR_ME}"
    r" (?:an?|some|another)\b",
    r"(?:translate|calculate|compute|convert)\b",
    r"(?:forget|delete|erase|draw|paint|sing|imagine|add up|compare|explain|rewrite|rephrase|solve|analy[sz]e|evaluate"
    rf"|estimate|predict|guess){_FOR_ME} (?:an?|the|this|that|these|it|my|our|what|how|why|all|into|to|\d)",
    r"(?:übersetze?|schreibe?|berechne?|erkläre?|vergleiche?|empfiehl)(?: mir| uns)?\b",
    "翻译|写一|计算|算一?下|解释|推荐|比较|忘[掉了记]|把.*(?:翻译|译成|改写|画)",
)
_SOMETHING = r"(?:an?|the|my|our|your|this|that|these|those|it|them|some|another|all|every|everything|two|three|\d+)\b"
_SOMEBODY = r"(?-i:[A-Z]\w+)(?=\Z| (?:an?|the|my|our|about|and|that|to|today|tomorrow|now|again|back)\b)"
# "book a table", "remind me to call"
_DEED = _starts(
    r"(?:book|reserve|order|buy|purchase|rent|cancel|schedule|arrange|organi[sz]e|plan|prepare|fix|repair|mend|clean|build"
    r"|cook|bake|install|download|upload|print|publish|submit|sign|pay|transfer|refund|check|find|search|google|hire"
    r"|open|start|restart|launch|run|play|turn (?:on|off)|set up|fill (?:in|out)|sort(?: out)?|tidy(?: up)?|debug|test"
    rf"|proofread|improve|optimi[sz]e|shorten|review){_FOR_ME}(?: for)? {_SOMETHING}",
    rf"(?:email|phone|text|message|invite|ring|contact) (?:{_SOMETHING}|{_SOMEBODY})",
    rf"call (?:{_SOMEBODY}|(?:the|my|our|an?) (?!.*(?-i:[A-Z])))",
    rf"(?:send|post|forward)(?: me| us| (?-i:[A-Z]\w+))? (?!it\b|them\b){_SOMETHING}",
    r"make(?: me| us)? (?:an?|some|another) (?!note\b)|set (?:an?|the) (?:alarm|timer|reminder)\b",
    r"remind (?:me|us) to\b",
    rf"help{_FOR_ME}\b|(?:change|move|update|reschedule|correct|adjust|edit) {_SOMETHING}(?!.*(?: to |\d))",
    r"(?:buche?|reserviere?|bestelle?|kaufe?|storniere?|plane?|organisiere?|repariere?|putze?|koche?|schicke?|sende?"
    r"|rufe?|suche?|finde?|prüfe?|bezahle?|überweise?|drucke?|verbessere?|korrigiere?|mache?)"
    r"(?: (?:mir|uns|bitte|mal))* (?:den|die|das|dem|der|eine?[nmr]?|mein(?:e[nmr]?)?|unser(?:e[nmr]?)?|alle)\b",
    r"erinnere? (?:mich|uns) daran\b|hilf (?:mir|uns)\b",
    r"(?:你?帮我|你?替我|帮忙)?(?:预?订|买|取消|安排|修理?|发送?|打电话|约|检查|设置?)(?![的到号单着过好在])(?!.*[是为叫了花要元\d])",
)
"""Orders to do something. A wish that holds a value or for good ("Move it to Friday", "Round to
four decimals from now on") is something to keep in mind."""
# "always answer briefly", "from now on", "every morning"
_FOR_GOOD = re.compile(
    r"\b(?:always|never|from now on|in future|whenever|each time"
    r"|every (?:time|\w*day|week|month|year|morning|evening|night)|immer|nie|künftig)\b",
    re.IGNORECASE,
)
_ABOUT_NOTHING = content_words(
    """summarize summarise summary overview recap conversation chat talk far important main key point short brief list
    lists everything fact facts detail details dates date days times names name people persons numbers number amounts
    prices costs codes information message messages alle alles daten termine namen preise auf gespräch
    全部 所有 内容 对话 我们 知道 一切 日期 名字 数字 金额 时间 事情 重点"""
) | words("list date name number")
"""Stems that say what is wanted of an overview, not what it is about."""


def asks_of(sentence: Sentence) -> Ask | None:
    """Return what ``sentence`` asks for; ``None``, if it states something."""
    # From the most to the least particular: an overview is an order too, and an order may look like a question.
    text = sentence.text.strip()
    bare = text.rstrip(" .!?。！？")
    if match := _OVERVIEW.fullmatch(bare):
        return Ask(Sought.OVERVIEW, match["rest"].strip())
    if _WORK.match(bare):
        return Ask(Sought.WORK, text)
    if match := _ORDER.fullmatch(bare):
        return Ask(Sought.ANSWER, match["rest"].strip(" ,:：，") or text)
    if is_deed(bare):
        return Ask(Sought.WORK, text)
    return Ask(Sought.ANSWER, text) if sentence.is_question else None


def all_asks(text: str) -> list[Ask]:
    """Everything that the sentences of ``text`` ask for, in order."""
    asks = map(asks_of, split_passage(text).sentences)
    return [ask for ask in asks if ask is not None]


def is_deed(text: str) -> bool:
    """Return whether ``text`` orders something to be done now. "Round to four decimals from now on" is to be kept in
    mind."""
    return _DEED.match(text) is not None and _FOR_GOOD.search(text) is None
