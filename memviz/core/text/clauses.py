"""Sentences into clauses that can stand alone, each with what belongs to it; in English, German and Chinese.

A clause stands alone where it names what it speaks of: "..., and the pod in the attic blinks". One that points back
("and it blinks", "which blinks") stays with the clause before it, or is left out where it tells nothing to keep: no
number, no name, no date, no condition. Nothing is reworded.

What people say around a statement goes before that: greetings, thanks, exclamations, announcements ("By the way, ...").
What the rules do not know stays: a word too many is better than a fact too few.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from memviz.core.text.vocabulary import (
    DATE_WORDS,
    NUMBER_WORDS,
    STOP_WORDS,
    WEIGHTY,
    words,
)
from memviz.core.text.words import HAN

# "oh dear", "hmm"
_INTERJECTION = (
    r"oh(?: dear| no| well| yes| wow| and)?|a+h|(?:ha)+|heh|h+m+|u+gh|g+r+|a*rgh|wow|ooh|oops|whoops|phew|yay|hoo?ray"
    r"|gosh|e+r+m?|u+m+|huh|my goodness|ach|oje|puh|juhu|hurra|tja|na ?ja|mensch"
)
# "yes please", "sounds good", "also"
_REPLY = (
    r"yes(?: please)?|no|yeah|yep|nope|ok|okay|sure|right|exactly|agreed|noted|understood|great|perfect|lovely"
    r"|wonderful|fantastic|brilliant|excellent|good|fine|nice|cool|awesome|amazing|alright|all right|well|so|anyway"
    r"|actually|now|also|and|but|then|sorry|of course|certainly|absolutely|definitely|indeed|correct|done"
    r"|got it|found it|ja|nein|gut|genau|klar|stimmt|super|toll|prima"
    r"|klasse|perfekt|natürlich|nun|übrigens|gerne?|entschuldigung|leider"
)
# "by the way", "one more thing"
_REMARK = (
    r"by the way|btw|for the record|fyi|for your information|just so (?:that )?you know(?: it)?|before i forget"
    r"|(?:one|another|a) (?:\w+ )?thing"
    r"|(?:different|other|new|next) (?:topic|question|subject)|on another note|to be (?:honest|clear|fair|precise)"
    r"|in (?:short|fact|any case|other words|the meantime)|meanwhile|apparently|(?:un)?fortunately|luckily|sadly"
    r"|honestly|as (?:you know|i said|mentioned|discussed)|basically|obviously"
    r"|nebenbei|im übrigen|außerdem|kurz gesagt|ehrlich gesagt|zur info|wie gesagt"
)
# "good morning everyone"
_GREETING = (
    r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|welcome(?: back)?|hallo|moin|servus"
    r"|guten (?:tag|morgen|abend))(?: there| all| everyone| again| zusammen)?"
)
# "thanks a lot", "thank you for the list"
_THANKS = (
    r"(?:many )?thanks?(?: you)?(?: (?:so|very) much)?(?: a lot| again)?(?: for [^,.!;:]{1,40})?|cheers"
    r"|(?:vielen |herzlichen )?danke?(?: dir| ihnen| euch)?(?: schön| sehr)?"
)
# ", Ana" of "Hello, Ana."
_NAMED = r"(?:,? (?-i:[A-Z])\w+(?=[,.!]))?"
_PAUSE = r"(?:\s*[,.!:;…]+|\s+[–—-])(?:\s+|$)"
# "Oh, ", "Hi Ana! ", "Hello I", "and the thing is that "
_OPENER = re.compile(
    rf"(?:(?:{_INTERJECTION}|{_REPLY}|{_REMARK}){_PAUSE}|(?:{_GREETING}|{_THANKS}){_NAMED}(?:{_PAUSE}|$)"
    rf"|(?:{_GREETING})\s+(?=(?:i|we|my|our|ich|wir)\b)"
    r"|(?:oh |ah )?(?:and|but|so|und|aber)\s+(?:basically |the thing is (?:that )?)*"
    r"(?!(?:far|that|long|many|much|as|called|yet|also)\b))",
    re.IGNORECASE,
)
_SAYING = r"(?:mention|tell you|say|add|note|let you know|point out)"
# "Please remember that ", "I forgot to mention: ", "it turns out that "
_FRAME = re.compile(
    r"(?:(?:please|also|just|do|now|and)[, ]+)*"
    r"(?:(?:remember|note|keep in mind|bear in mind|don['’]t forget|make a note|take note|you should know)"
    r"|(?:i|we)(?:['’]d| would)? (?:just |also |really )?(?:should|want(?:ed)?|have|need|forgot|like|meant)"
    rf"(?: to)?(?: also| just| quickly)? {_SAYING}"
    r"|(?:as )?it (?:also |just |now )?turn(?:s|ed) out"
    rf"|(?:let me|i['’]ll|i will) (?:just |also )?{_SAYING})(?:,? please)?(?: that |: |, )(?:please )?",
    re.IGNORECASE,
)
_UNNAMED = r"(?-i:(?:I\b|[^:\dA-Z])"
_ANNOUNCEMENT = re.compile(
    rf"(?![^:]*['’]s )(?-i:[A-Z]?){_UNNAMED}{{0,40}})\b(?:thing|request|question|rule|news|change|correction|addition"
    r"|mention|say|said|tell|told|ask|asked|reminder|update|point|answer|frage|bitte|hinweis|regel)\b"
    rf"{_UNNAMED}{{0,60}}): (?=\w)",
    re.IGNORECASE,
)
"""Something is announced, by nobody in particular: "One thing I should have said first: ..."."""
# 你好，, 顺便说一下，, 所以
_CHINESE_OPENER = re.compile(
    r"(?:(?:你好|您好|大家好|嗨|哈喽|(?:非常|太)?(?:感谢|谢谢)(?:你|您)?们?|多谢|好的?呀?|嗯+|哦+|啊+|哎呀?|哈+|哇+|对了?|是的|没错"
    r"|当然|没问题|太(?:好|棒)了|明白了?|知道了|收到|辛苦了?|另外|还有|顺便(?:说|提)?(?:一下|一句)?|说起来|其实|总之|这样一来|那么?"
    r"|所以|不过|而且|话说|先说一下|请?(?:你|您)?(?:记住|记一下|记得|注意)(?:一下)?)[，,。！!：:；~、—…\s]+)"
    r"|(?:可是|但是|不过|而且|所以|因此|然后|于是)[，,]?"
    r"|(?:我|你|有|还有|先|再|最后|另外|还)[^：\d]{0,20}(?:[说讲提忘记问]|规矩|条件|要求|消息|事)[^：\d]{0,8}：(?=\w)"
)
# "happy to help", "let me know", "That sounds great!", 不客气
_COURTESY = re.compile(
    r"(?:(?:i(?:['’]m| am)|we(?:['’]re| are)) )?(?:so |very |really )?(?:happy|glad|pleased|delighted|here)"
    r" (?:to (?:help|hear|assist|see|meet)|you|that)\b"
    r"|(?:you(?:['’]re| are) )?(?:very |most )?welcome\b|(?:please )?(?:let me know|feel free)\b|good luck\b|enjoy\b"
    r"|have an? (?:great|good|nice|lovely|wonderful|safe)\b|take care\b|i hope (?:this|that|it) helps|no problem\b"
    r"|(?:is there )?anything else\b|sounds \w+|how are you|see you|talk soon"
    r"|(?:that|this|it)(?:['’]s| is| was| sounds)? (?:\w+ )?(?:great|good|lovely|perfect|wonderful|fine|clever|funny"
    r"|helpful)[.!]*$|gern(?:e)? geschehen|viel (?:erfolg|spaß|glück)|kein problem"
    r"|不客气|祝你|祝您|希望(?:这|对)|随时|没问题|加油|辛苦",
    re.IGNORECASE,
)
# "我对花生过敏", "不吃肉"
_CHINESE_TOLD = re.compile(
    r"过敏|不[吃喝要能用做卖去是]|喜欢|讨厌|密码|叫|姓|决定|[一二两三四五六七八九十百千万]"
)
_SHORT_CHARS = 60
_SHORT_WORDS = 3
_SHORT_EXCLAMATION_WORDS = 7
_SHORT_HAN = 5
_MOST_OPENERS = 5
_TOLD = WEIGHTY | words("no not never only n't nie kein keine nur vegan")


def without_openers(text: str) -> str:
    """``text`` without greetings, thanks, exclamations, answers ("Yes, ") and announcements ("By the way, ", "Please
    remember that ") before it; empty where nothing else is said."""
    remainder = text
    for _ in range(_MOST_OPENERS):
        length = _measure_opener(remainder)
        if not length:
            break
        remainder = remainder[length:].lstrip()
    return remainder if remainder == text else remainder[:1].upper() + remainder[1:]


def _measure_opener(text: str) -> int:
    """The number of characters that open ``text``: 12 of "By the way, I moved"."""
    patterns = [_OPENER, _FRAME]
    if not text.isascii():
        patterns.insert(0, _CHINESE_OPENER)
    if ": " in text:
        patterns.append(_ANNOUNCEMENT)
    for pattern in patterns:
        match = pattern.match(text)
        if match:
            return match.end()
    return 0


def says_nothing(text: str) -> bool:
    """Return whether a text without openers states nothing worth repeating: a courtesy, a cry, a word or two, a
    bare number."""
    # A number with anything beside it tells something: "7 pm", "3 apples".
    if _DIGIT.search(text):
        return len(text.split()) < 2 and len(HAN.findall(text)) < 2
    is_courtesy = _COURTESY.match(text) is not None
    han_count = 0 if text.isascii() else len(HAN.findall(text))
    if han_count > 2:
        is_short = han_count < _SHORT_HAN
        return (is_short or is_courtesy) and not _CHINESE_TOLD.search(text)
    if len(text) > _SHORT_CHARS and not is_courtesy:
        return False
    words = _WORD.findall(text)
    # Words such as "allergic" tell something in however few words.
    if not _TOLD.isdisjoint(_WORD.findall(text.lower())):
        return False
    if is_courtesy or len(words) < _SHORT_WORDS:
        return True
    is_exclamation = text.endswith("!") and len(words) < _SHORT_EXCLAMATION_WORDS
    has_name = any(word[:1].isupper() for word in words[1:] if not word.startswith("I"))
    return is_exclamation and not has_name


_CONJUNCTION = r"(?:and|but|so|yet|und|aber|denn|sondern)"
_ASIDE = (
    r"(?:because|since|although|though|while|whereas|which|who|as|weil|obwohl|während|wobei|sodass)\b"
    r"(?! (?:of|long|far))"
)
_POINTING = r"(?:he|she|it|they|that|this|er|sie|es|das)\b"
_TAG = (
    r"(?:if (?:that|it|this) (?:helps|matters)|though|as usual|thank you|thanks|please"
    r"|honestly|of course|i asked|you know|danke|bitte)(?=,|$)"
)
# ", and ", "; ", " – ", ", because "
_BOUNDARY = re.compile(
    rf";\s+|\s[–—]\s|\s-\s(?=[^\W\d])|,\s+(?={_CONJUNCTION}\b|{_ASIDE}|where\b|then\b|{_TAG})",
    re.IGNORECASE,
)
_SUBJECT = (
    r"(?:i|we|my|our|the|a|an|ich|wir|mein\w*|unser\w*|der|die|das|ein\w*)\b(?:['’](?:m|ve|re|d|ll))?"
    r"|(?-i:[A-ZÄÖÜ])\w+"
)
_FINITE = (
    r"(?:is|are|was|were|am|has|have|had|does|did|will|would|can|could|must|should|may|might|\w+['’](?:s|m|re|ve|ll|d)"
    r"|costs?|starts?|begins?|opens?|closes?|leaves?|departs?|arrives?|expires?|ends?|lives?|stays?|stands?|works?"
    r"|weighs?|pays?|needs?|wants?|keeps?|takes?|comes?|goes|lasts?|\w{2,}ed|ist|sind|war|hat|haben|wird|werden|kann|muss|heißt|kostet"
    r"|beginnt|endet|fährt|liegt|kommt)"
)
# ",", "—", " - ", " and ": one set of characters first, which is searched for faster
_MAY_PART = re.compile(r"[,;–—\s](?:(?<!\s)|(?:-|and|but|und|aber)\s)", re.IGNORECASE)
_JOINS = re.compile(rf"{_CONJUNCTION}\s+", re.IGNORECASE)
# "its price", "her sister"
_REFERRING = re.compile(
    r"\b(?:its|his|her|their|there|sein\w*|ihr\w*)\b", re.IGNORECASE
)
_PARTICIPLE = (
    r"(?:called|named|located|based|dated|marked|printed|used|needed|required)"
)
# "and the pod in the attic blinks", "we've moved", "I agree"
_STANDS_ALONE = re.compile(
    rf"(?:{_CONJUNCTION}\s+)?(?:(?:{_SUBJECT})(?:\s+[^\s,;]+){{0,6}}?\s+(?!{_PARTICIPLE}\b){_FINITE}\b"
    r"|(?:i|we)['’](?:m|ve|re|ll|d)\b|(?:i|we|ich|wir)\s+[^\W\d_]+)",
    re.IGNORECASE,
)
# ", " of "I called, it rang" and of "I called, Ana was out"
_SPLICE = re.compile(
    rf",\s+(?={_POINTING})|\s(?=(?:and|but|und|aber)\s+{_POINTING})"
    r"|,\s+(?=(?:(?:my|our|the|mein\w*|unser\w*)\s+\w+|(?-i:[A-ZÄÖÜ])\w+)\s+(?:is|are|was|has|ist|sind|hat)\b)",
    re.IGNORECASE,
)
# "if it rains", "weil es regnet"
_BEGINS_BELOW = re.compile(
    r"(?:if|when|while|since|because|as|although|though|after|before|once|unless|whenever|until|wenn|weil|falls|als|da"
    r"|obwohl|sobald|bevor|nachdem)\b",
    re.IGNORECASE,
)
# "and so on", "because I like it", "which is nice", "as usual"
_DROPPED = re.compile(
    rf"(?!(?:but|yet|aber|sondern|wh(?:ich|o) (?:is|are|was|were))\b)"
    rf"(?:{_CONJUNCTION}\b|{_ASIDE}|where\b|{_POINTING}|{_TAG})",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_IS_TAG = re.compile(_TAG, re.IGNORECASE)
_I = ("I'", "I’")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TELLING = (
    WEIGHTY
    | DATE_WORDS
    | NUMBER_WORDS
    | words("not no never only if unless until except without nicht nie kein nur")
)
_ENDING = " ,;:–—"
_CHINESE_PART = re.compile(r"[^，；]+[，；]?")
# "三月", "《三体》", "必须"
_CHINESE_TELLING = re.compile(
    r"[\dA-Za-z“”《》「」]|[一二两三四五六七八九十百千万半]|[不没无叫姓名改定换住在给送周月号年岁]|(?<!特)别"
    r"|过敏|喜欢|讨厌|必须|如果|除非|要是"
)
_CHINESE_REASON = re.compile(r"(?:所以|因为|因此|结果|毕竟)[^\d]*$")
# "我们的预算是", "而酒店的电话改"
_CHINESE_SUBJECT = re.compile(
    r"(?:而|但|并且|所以)?(?:我们?的?|[\u4e00-\u9fff]{1,8}的)[\u4e00-\u9fff]{1,6}[是叫定改为在要]"
)


def clauses(sentence: str) -> tuple[str, ...]:
    """The clauses of ``sentence`` that state something, in order; none, if it is a mere courtesy or exclamation."""
    text = without_openers(sentence)
    if not text or says_nothing(text):
        return ()
    is_chinese = not text.isascii() and len(HAN.findall(text)) * 2 > len(text)
    parts = tuple(_split_chinese(text) if is_chinese else _split_spaced(text))
    if parts == (text,):
        return parts
    return tuple(clause for clause in parts if not says_nothing(clause))


def _split_spaced(text: str) -> Iterator[str]:
    """Yield the clauses of a sentence of a language that parts its words."""
    if not _MAY_PART.search(text):
        yield text
        return
    end = text[-1] if text[-1] in ".!?" else ""
    for group in _group_clauses(text.removesuffix(end)):
        # Reasons and remarks at the end of a clause are left out, the clause itself is not.
        while len(group) > 1 and _is_needless(group[-1]):
            group.pop()
        yield _as_sentence("".join(group), end)


def _group_clauses(text: str) -> list[list[str]]:
    """Return the clauses that stand alone, each with the parts behind it that do not."""
    # "If it rains, we stay at home": a sentence that begins with a subordinate clause is one.
    below = _BEGINS_BELOW.match(text) is not None
    parts = _split_parts(text, below)
    if below:
        return [[*parts]]
    return _group_parts(parts, _stands_alone)


def _group_parts(
    parts: Iterable[str], stands_alone: Callable[[str], object]
) -> list[list[str]]:
    groups: list[list[str]] = []
    for part in parts:
        if groups and not stands_alone(part):
            groups[-1].append(part)
        else:
            groups.append([part])
    return groups


def _stands_alone(part: str) -> bool:
    """Return whether a part names what it speaks of and has a verb."""
    if _DROPPED.match(part) and not _JOINS.match(part):
        return False
    alone = _STANDS_ALONE.match(part)
    return alone is not None and _REFERRING.search(alone.group()) is None


def _split_parts(text: str, below: bool) -> Iterator[str]:
    """Yield the parts of ``text`` between which a clause may begin; what parts two of them stays at the end of the
    first."""
    cuts = {boundary.end() for boundary in _BOUNDARY.finditer(text)}
    if not below:
        cuts |= {splice.end() for splice in _SPLICE.finditer(text)}
    start = 0
    for stop in (*sorted(cuts), len(text)):
        if stop > start:
            yield text[start:stop]
        start = stop


def _is_needless(part: str) -> bool:
    """Return whether a part that does not stand alone can be left out: a reason or a remark without a value."""
    if _IS_TAG.match(part):
        return True
    if not _DROPPED.match(part) or _DIGIT.search(part):
        return False
    # A remark with a telling word, a negation or a name is kept.
    for number, word in enumerate(_WORD.findall(part)):
        lower = word.lower()
        if lower in _TELLING or lower.endswith(("n't", "n’t")):
            return False
        may_be_name = number > 0 and word[:1].isupper() and word[:2] not in _I
        if may_be_name and lower not in STOP_WORDS:
            return False
    return True


def _as_sentence(text: str, end: str) -> str:
    text = text.strip(_ENDING)
    joint = _JOINS.match(text)
    if joint:
        text = text[joint.end() :]
    return text[:1].upper() + text[1:] + end


def _split_chinese(text: str) -> Iterator[str]:
    """Clauses of a Chinese sentence. Those behind the first one share its subject, so they stay with it, but for those
    that have one of their own or tell nothing."""
    end = text[-1] if text[-1] in "。！？" else ""
    parts = _CHINESE_PART.findall(text.removesuffix(end))
    for first, *later_parts in _group_parts(parts, _CHINESE_SUBJECT.match):
        clause = first
        for part in later_parts:
            if _CHINESE_TELLING.search(part) and not _CHINESE_REASON.match(part):
                clause += part
        yield clause.rstrip("，；") + end
