"""Words by which a sentence says that a value replaces another one, with an example for each.

In the tables each line is an alternative of a pattern, and an example that it is found in.
"""

import re


def read_table(table: str) -> list[tuple[str, str]]:
    """Return each alternative with its example: ``"moved (?:to|from)  # moved to Friday"``."""
    rows = []
    for line in table.strip().splitlines():
        alternative, _, example = line.partition(" # ")
        rows.append((alternative.strip(), example.strip()))
    return rows


def _make_alternatives(table: str) -> str:
    return "|".join(alternative for alternative, _ in read_table(table))


CHANGE_ALONE = r"""
    slip(?:s|ped) (?:by|to|back|until)       # the launch slips by a week
    comes? out at|came out at                # it came out at 40 euros
    took over|taking over|takes over         # Mia took over from Ben
    settled on                               # we settled on oak
    make that                                # make that six people
    (?:go|goes|went|gone|going) (?:up|down)  # the rent went up to 900
    (?:got|had) that wrong                   # I got that wrong, it is 9
    eat my words                             # I eat my words, it is 9
    swapped|bumped                           # we bumped it to Friday
    grew|grown|shrank                        # the team grew to nine
"""
"""What tells of a change and of nothing else, in the clause of the new value as in the one before it."""
MAY_BE_CHANGE = r"""
    instead|rather than                                # we take the bus instead
    changed?(?: my mind)?|changes to|chang(?:e|ing)    # it changed to Friday
    moved?(?: it)? (?:to|from|back|forward)            # they moved it to Friday
    (?:has|have|was|were|been) moved                   # the check-up has moved
    switch(?:ed|es)?                                   # we switched to tea
    updated?|correction|upgraded|downgraded            # correction: six people
    actually|sorry|turns out|after all                 # it is six after all
    rescheduled|postponed|rebooked|cancell?ed          # the visit is postponed
    pushed|push|brought forward                        # pushed to Friday
    replac(?:ed|es)|renamed                            # it is renamed Falcon
    raised|reduced|lower(?:ed)|increased|extended      # raised to 900 euros
    cut to                                             # cut to six people
    make it|made it                                    # make it six
    no longer|now                                      # we are six now
    i meant|my mistake|scratch that                    # I meant six
    mixed (?:that|it) up                               # I mixed it up
    gone with|going with|went with|signed with         # we went with oak
    jump(?:ed|ing)? to|straight to                     # it jumped to 900
    from (?:now|next|tomorrow)|starting (?:next|from)  # from next week
    as of                                              # as of May it is 900
"""
"""What often tells of a change in the clause of the new value."""
MAY_BE_CHANGE_CHINESE = r"""
    改(?![造善进革天日良])          # 改到周五
    [加减缩搬]到                    # 加到六人
    换成|换到|换了                  # 换成茶
    推迟|提前|延期|延到             # 推迟到周五
    更正|说错                       # 更正：六人
    变成|变更|调到|调整             # 变成六人
    升级?到|降到|涨到|谈到          # 涨到九百
    挪到|往[前后]挪                 # 挪到周五
    现在|其实|不再                  # 现在是六人
"""
STRONG_CHANGE = r"""
    instead|after all                          # we take the bus instead
    change of plan|changed?|had to change      # change of plan
    moved|switched|replaced                    # the check-up moved to Friday
    updated?|correction|upgraded|downgraded    # correction: six people
    rescheduled|postponed|push(?:ed)?          # pushed to Friday
    rebooked|cancell?ed                        # the visit is cancelled
    make it|scratch that|i meant|turns out     # make it six
    pulled out|fell through|fallen through     # the hall fell through
"""
"""What tells of a change in the clause before that of the new value as well."""
STRONG_CHANGE_CHINESE = r"""
    其实(?:只|是|应该)                      # 其实是六人
    [加减缩]到|提高到|降低到                # 加到六人
    改[成到为用在名签住坐走去]              # 改到周五
    换成|换到|变成                          # 换成茶
    推迟|提前|延期|挪到|往[前后]挪          # 推迟到周五
    更正|现在|谈到                          # 更正：六人
    取消|来不了|没法来|没房|离职            # 酒店没房
"""
VALUE_IS_GONE = r"""
    no longer|not|cancell?ed|dropped                         # not Ben
    left|gone|closed|full|out|sold out                       # the hall is full
    too (?:dear|expensive|far|small|big|loud|slow)           # it is too small
    booked (?:us|out)                                        # the hall is booked out
    pulled out|f(?:e|a)ll(?:en)? through|off sick|hurt       # Ben pulled out
    can['’]t|cannot|couldn['’]t|unavailable                  # Ben can't come
"""
"""What the clause of an older value says where it holds no more."""
VALUE_IS_GONE_CHINESE = r"""
    没法|[来去赶]不[了回]|离职                # 小王来不了
    坐不下|没房|没有了|满了                   # 酒店没房
    不[要去住用]|取消                         # 不去公园
    太[贵远小吵慢]                            # 太贵
"""

CHANGE = re.compile(
    rf"\b(?:{_make_alternatives(MAY_BE_CHANGE)}|{_make_alternatives(CHANGE_ALONE)})\b"
    rf"|{_make_alternatives(MAY_BE_CHANGE_CHINESE)}",
    re.IGNORECASE,
)
"""Stands in the clause of a new value."""
STRONG = re.compile(
    rf"\b(?:{_make_alternatives(STRONG_CHANGE)}|{_make_alternatives(CHANGE_ALONE)})\b"
    # "Actually 3 people", "Oh sorry, 3 people"
    r"|^\s*(?:oh |no,? |sorry,? )*(?:actually|sorry)\b"
    rf"|{_make_alternatives(STRONG_CHANGE_CHINESE)}",
    re.IGNORECASE,
)
"""Stands in the clause of a new value, or in the one before it: "Change of plan, we are six"."""
GONE = re.compile(
    rf"\b(?:{_make_alternatives(VALUE_IS_GONE)})\b|{_make_alternatives(VALUE_IS_GONE_CHINESE)}",
    re.IGNORECASE,
)
SET_ASIDE = re.compile(
    # "no", "don't want the", "instead of"
    r"(?:\b(?:not|no|n['’]t \w+|without|instead of|rather than|cancell?ed)(?: the| a| any)?"
    # 不要, 排除了
    r"|不要|别|不去|排除了?|取消了?|除了) ?$",
    re.IGNORECASE,
)
"""Stands right before a value that is none any more."""
ADDED = re.compile(
    r"\b(?:also|another|additional(?:ly)?|extra|besides|as well|too|second|plus)\b"
    r"|还有|另外|再加|也要",
    re.IGNORECASE,
)
"""Says that a value comes beside the older one: "another flight on Friday"."""
NEW_IS = re.compile(
    r"\bnew [\w ]{1,25}?(?: is| are| will be|:)(?: on| at| the)?\s*$", re.IGNORECASE
)
"""Stands right before a new value: "The new code is ..."."""
NEW = re.compile(r"\bnew\b|现在|改[名成为用]|换成", re.IGNORECASE)
RENAMED = re.compile(r"\b(?:chang|switch|renam)|改|换", re.IGNORECASE)
"""Says of a name, a place or a text that another one takes its place."""
FROM_TO = re.compile(
    r"\b(?:mov|chang|switch|push|shift|postpon|rais|reduc|lower|cut|increas|extend|upgrad|downgrad"
    rf"|go|went|gone)|{CHANGE.pattern}",
    re.IGNORECASE,
)
"""Says of another value that one takes its place: "raised from 5 to 6"."""
FROM = re.compile(
    r"(?:\bfrom|从|原来是?|原本是?|原定)\s*(?:the |port |version |on )?[\"“$€£¥]?$",
    re.IGNORECASE,
)
"""Stands right before the older value: "from port ..."."""
OLD_FIRST = re.compile(
    # "5 | euros up to | 6", "5 | -> | 6"
    r"\s*(?:€|euros?|%|percent|[a-z]{1,12})?\s*(?:up |down |over |forward |back )?(?:to|->|→)\s.*"
    # 从五人 | 改成 | 六人
    r"|.*(?:改|换|升|降|推迟|提前|延|调整?|涨|变)(?:级)?(?:到|成|为).*"
    # 原来五人 | ，现在 | 六人
    r"|.*(?:，|,)?(?:现在|后来|最后).*",
    re.DOTALL,
)
"""All that stands between an older value and the newer one behind it."""
NEW_FIRST = re.compile(
    # "6 | people, not the | 5"
    r"[^.;!?]{0,30}\b(?:instead of|rather than|not|no longer)\s+(?:the |on |at |in |by |for )?"
    # 六人 | ，而不是 | 五人
    r"|[^。；]{0,6}(?:，|,)?(?:而)?不是",
    re.IGNORECASE,
)
"""All that stands between a newer value and the older one behind it."""
# "; ", " but "
CLAUSE_END = re.compile(r"[,;:]\s+|[，；：、。]|\s+(?:and|but|so|because)\s+")
