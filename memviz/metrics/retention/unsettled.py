"""Removal of sentences that state nothing about the user: questions, suppositions, and statements about others.

"Should I buy a Volvo or a Saab?" states no car, and "My neighbour is a pilot" states no job of the user. A question
that mentions something of the user's own ("Is my flight at 9 on time?") stays. Probes are looked up in what is left.
"""

import re

from memviz.core.text.vocabulary import words

_I = re.IGNORECASE
# "It costs 3.50 euros."
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:\.(?=\S)[^.!?。！？\n]*)*[.!?。！？\n]*")
_IF = r"(?:if|whether)"
_ONE = r"(?:i|we|you|he|she|it|they|there|the user|(?-i:[A-Z])\w+)"
_UNSETTLED = (
    # "Should I buy a Volvo or a Saab?"
    re.compile(
        r"^(?:(?:so|and|but|or|hmm|well)[, ]+)?(?:should|shall|would|is|are|was|do|does"
        r"|did|which|what about|how about)\b(?!.*\b(?:my|our)\b)"
        r"[^?]*\bor\b[^?]*\?",
        _I,
    ),
    # "Should we fly to Rome?", "What if it rains?"
    re.compile(
        r"^(?:(?:so|and|but|or)[, ]+)?(?:(?:should|shall) (?:i|we)|what if)\b"
        r"(?!.*\b(?:my|our)\b)",
        _I,
    ),
    # "Do you know whether Ghent is nice?"
    re.compile(
        rf"^(?:do you (?:know|think)|any idea|(?:can|could) you (?:check|tell me)) {_IF}\b"
        r"(?!.*\b(?:my|our)\b)",
        _I,
    ),
    # "Is Ghent a good place to live?"
    re.compile(
        r"^(?:is|are|was|were|does|did|has|isn['’]t|aren['’]t|doesn['’]t)\b(?!.*\b(?:my"
        r"|our|i|we|me|us|mine)\b)[^?]*\?",
        _I,
    ),
    # "If I ever get a dog, ...", "If they had paid more, he would have moved"
    re.compile(
        rf"\bif {_ONE} (?:ever|had|were|won|could have)\b[^.;!?]*(?:\b(?:would|could"
        rf"|might)\b|['’]d\b)|\bif (?!you\b|it\b|there\b){_ONE} ever\b",
        _I,
    ),
    re.compile(
        rf"\b(?:would|could|might)(?: have|['’]ve) \w+[^.;!?]*\bif {_ONE} had\b", _I
    ),
    # "Suppose she worked for Siemens"
    re.compile(r"^(?:suppose|imagine|hypothetically|pretend|let['’]s pretend)\b", _I),
    re.compile(
        r"还是[^。！？?]*[？?]|^(?:我|我们)?(?:该不该|要不要|应不应该|该)[^。！？?]*[？?]"
    ),
    re.compile(
        r"^(?!.*我[的们家])[^？?，,]*(?:吗|是不是|能不能|会不会|可不可以)[^？?，,]*[？?]"
    ),
    re.compile(
        r"(?:要是|如果|假如|倘若|假设)[^。；！？]*(?:当初|以后|将来|哪天|有一天|有朝一日|早知道)|^(?:假如|假设|倘若)"
    ),
)
_CUES = (
    "?",
    "？",
    "if ",
    "suppose",
    "imagine",
    "hypothetic",
    "pretend",
    "要是",
    "如果",
    "假",
    "倘",
)
# "I wonder", "I am considering", "打算"
_ASKS_FOR_IT = re.compile(
    r"\b(?:ask|consider|wonder|suppos|think|want|plan|hope|dream|wish|might|would|prefer)\w*|考虑|打算|想|希望|问",
    _I,
)


def asks_for_what_is_unsettled(question: str) -> bool:
    """Return whether a question asks what somebody considers, so that a question or an "if" answers it."""
    return _ASKS_FOR_IT.search(question) is not None


def drop_unsettled(text: str) -> str:
    """Return ``text`` without the sentences that only ask or suppose; the same object where there are none."""
    lower = text.lower()
    if not any(map(lower.__contains__, _CUES)):
        return text
    kept = []
    sentences = [match.group() for match in _SENTENCE.finditer(text)]
    following = [*sentences[1:], ""]
    for sentence, after in zip(sentences, following, strict=True):
        statement = sentence.strip()
        is_open = False
        # Checked first, because most sentences have none of the cues and the patterns are slow.
        if any(map(statement.lower().__contains__, _CUES)):
            is_open = any(pattern.search(statement) for pattern in _UNSETTLED)
        # A question that is answered at once counts as a statement: "Is he allergic to nuts? No."
        if is_open and "?" in statement and _ANSWERS.match(after):
            is_open = False
        if not is_open:
            kept.append(sentence)
    return text if len(kept) == len(sentences) else " ".join(kept)


_RELATED = (
    r"(?:my|his|her|their|our|the user['’]s|a) (?:\w+ )?"
    r"(?:brother|sister|mother|father|mum|mom|dad|son|daughter|uncle|aunt|cousin|niece|nephew|friend|boss|colleague"
    r"|neighbou?r|flatmate|roommate|landlord|grand\w+)(?: [A-Z]\w+)?"
)
_OF_OTHERS = (
    # "My neighbour is a pilot and tells great stories; I work in an office."
    re.compile(
        rf"(?:(?<=[.!?;] )|(?<=\n)|^){_RELATED} (?:is (?:an? |from |allergic )|was an? "
        rf"|works|lives|has an? |owns|drives"
        r"|studies|plays|speaks|likes|loves|prefers|eats)"
        r"(?:(?!, (?:but|and|so|while|whereas) (?:I|we|the user|she|he)\b)(?!\b(?:me|us|our)\b)[^.;!?\n])*"
        r"(?=$|[.;!?\n]|, (?:but|and|so|while|whereas))",
        _I,
    ),
    re.compile(
        r"(?:(?<=[。！？；，])|^)(?:我的?|用户的?)?(?:哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|父亲"
        r"|母亲|儿子|女儿|朋友|老板|同事|邻居|室友|同学)"
        r"(?:是|在|住|有|养|开|喜欢)[^。！？；，]*"
    ),
)
_CUES_OF_OTHERS = words(
    """brother sister mother father mum mom dad son daughter uncle aunt cousin niece nephew friend boss colleague
    neighbo mate landlord grand 哥 弟 姐 妹 妈 爸 父 母 儿 女 友 老板 同 邻"""
)
_OF_THE_USER = re.compile(r"\b(?:user|i|my|me)\b|用户|我", _I)


def asks_of_the_user(question: str) -> bool:
    """Return whether a question is about the user, and not about somebody related."""
    return _OF_THE_USER.search(question) is not None and not any(
        cue in question.lower() for cue in _CUES_OF_OTHERS
    )


def drop_others(text: str) -> str:
    """Return ``text`` without statements about relatives, friends and neighbours; the same object without any."""
    lower = text.lower()
    if not any(map(lower.__contains__, _CUES_OF_OTHERS)):
        return text
    remaining = text
    for pattern in _OF_OTHERS:
        remaining = pattern.sub(" ", remaining)
    return text if remaining == text else remaining


# "Yes,", "不 "
_ANSWERS = re.compile(
    r"\s*(?:yes|no|yeah|yep|nope|nah|correct|right|是的?|对|不|没有|嗯)(?=[\s,.!，。！]|$)",
    _I,
)
