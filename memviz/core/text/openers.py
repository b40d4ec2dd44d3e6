"""The words that people say around a statement: greetings, thanks, exclamations, answers, announcements, and sentences
of nothing else; in English, German and Chinese.

"Hi Ana! By the way, the deposit is 300 euros." states "The deposit is 300 euros."; "Sounds great, thank you!" states
nothing. What the rules do not know stays: a word too many is better than a fact too few.

The patterns are made of lists of words and phrases, one list a kind. The comment above each shows texts that match it.
"""

import re

from memviz.core.text.vocabulary import WEIGHTY, words
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
# "good morning everyone", "guten Tag"
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
_ADDRESSED = r"(?:,? (?-i:[A-Z])\w+(?=[,.!]))?"
# ", ", "! ", " - "
_PAUSE = r"(?:\s*[,.!:;…]+|\s+[–—-])(?:\s+|$)"
# "Oh, ", "Hi Ana! ", "Hello I", "and the thing is that "
_OPENER = re.compile(
    rf"(?:(?:{_INTERJECTION}|{_REPLY}|{_REMARK}){_PAUSE}|(?:{_GREETING}|{_THANKS}){_ADDRESSED}(?:{_PAUSE}|$)"
    rf"|(?:{_GREETING})\s+(?=(?:i|we|my|our|ich|wir)\b)"
    r"|(?:oh |ah )?(?:and|but|so|und|aber)\s+(?:basically |the thing is (?:that )?)*"
    r"(?!(?:far|that|long|many|much|as|called|yet|also)\b))",
    re.IGNORECASE,
)
# "mention" of "I forgot to mention"
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
# a character of no name and no number, to be followed by how often it may come, and by ")"
_UNNAMED = r"(?-i:(?:I\b|[^:\dA-Z])"
# "One thing I should have said first: ", "Small change: "; not "Tell Ana: ", which names somebody
_ANNOUNCEMENT = re.compile(
    rf"(?![^:]*['’]s )(?-i:[A-Z]?){_UNNAMED}{{0,40}})\b(?:thing|request|question|rule|news|change|correction|addition"
    r"|mention|say|said|tell|told|ask|asked|reminder|update|point|answer|frage|bitte|hinweis|regel)\b"
    rf"{_UNNAMED}{{0,60}}): (?=\w)",
    re.IGNORECASE,
)
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
_CHINESE_TELLING = re.compile(
    r"过敏|不[吃喝要能用做卖去是]|喜欢|讨厌|密码|叫|姓|决定|[一二两三四五六七八九十百千万]"
)
DIGIT = re.compile(r"\d")
# "well", "don't", "check-in"
WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_TELLING_WORDS = WEIGHTY | words("no not never only n't nie kein keine nur vegan")
"""Words that tell something in however short a text: "allergic", "no nuts"."""
_SHORT_CHARS = 60
"""A longer text says something, unless it is a courtesy."""
_SHORT_WORDS = 3
"""Fewer words than that say nothing by themselves."""
_SHORT_EXCLAMATION_WORDS = 7
_SHORT_HAN = 5
_MOST_OPENERS = 5
"""So many openers are taken off one sentence: "Oh, thanks! By the way, ..." has three."""


def remove_openers(text: str) -> str:
    """Return ``text`` without greetings, thanks, exclamations, answers ("Yes, ") and announcements ("By the way, ",
    "Please remember that ") before it; empty where nothing else is said."""
    remainder = text
    for _ in range(_MOST_OPENERS):
        length = _measure_opener(remainder)
        if not length:
            break
        remainder = remainder[length:].lstrip()
    return remainder if remainder == text else remainder[:1].upper() + remainder[1:]


def _measure_opener(text: str) -> int:
    """Return the number of characters that open ``text``: 12 of "By the way, I moved"."""
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


def is_empty_talk(text: str) -> bool:
    """Return whether a text without openers states nothing worth repeating: a courtesy, a cry, a word or two, a
    bare number."""
    # A number with anything beside it tells something: "7 pm", "3 apples".
    if DIGIT.search(text):
        return len(text.split()) < 2 and len(HAN.findall(text)) < 2
    is_courtesy = _COURTESY.match(text) is not None
    han_count = 0 if text.isascii() else len(HAN.findall(text))
    if han_count > 2:
        is_short = han_count < _SHORT_HAN
        return (is_short or is_courtesy) and not _CHINESE_TELLING.search(text)
    if len(text) > _SHORT_CHARS and not is_courtesy:
        return False
    words_said = WORD.findall(text)
    if not _TELLING_WORDS.isdisjoint(WORD.findall(text.lower())):
        return False
    if is_courtesy or len(words_said) < _SHORT_WORDS:
        return True
    is_exclamation = text.endswith("!") and len(words_said) < _SHORT_EXCLAMATION_WORDS
    has_name = any(
        word[:1].isupper() for word in words_said[1:] if not word.startswith("I")
    )
    return is_exclamation and not has_name
