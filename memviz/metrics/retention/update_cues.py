"""Ways to say that something is over or is not so, besides a plain "not": "gave up on", "off the table", 原定, 作废.

Each entry is the letters that a sentence has to hold before its pattern is tried, and the pattern, whose group ``old``
is what is set aside. Patterns are compiled where a sentence has their letters.
"""

_UNIT = r"(?:[^.,;:!?()]|(?<=\d)[.,:](?=\d))"
"""A character within a clause."""
_END = (
    r"(?=$|[.,;:!?()](?!\d)|\b(?:and|but|because|since|so|when|after|last|in|for|this|due|to make|until"
    r"|while|now|years?|months?|weeks?)\b)"
)
_IS = r"(?:is|are|was|were|['’]s|has been|have been|had been|got|gets)"
_START = r"(?:^|[,;:] ?|\b(?:and|but|so|that) )"
_HAN_UNIT = r"[^，。；！？,;]"
_HAN_END = r"(?=$|[，。；！？,;])"
_HAN_NOW = (
    r"(?:后来|现在|如今|结果|但|不过|改|换|这次|最后|今年|调|推迟|提前|目前|眼下)"
)

_CHANGED = (
    r"(?:changed|raised|lowered|increased|reduced|cut|moved|extended|shortened|postponed|pushed back|brought forward"
    r"|shifted|updated|corrected|revised|replaced|renamed|upgraded|downgraded|dropped|adjusted|amended|doubled|halved)"
)

Cued = tuple[tuple[str, ...], str]

ENDED: tuple[Cued, ...] = (
    # before a word for what is so now: "originally 9, now 10"
    (
        (
            "originally",
            "initially",
            "at first",
            "at the start",
            "previously",
            "formerly",
        ),
        (
            r"\b(?:originally|initially|at first|at the start|previously|formerly)\b(?! from)(?P<old>[^;!?]{1,80}?)"
            r"(?=[,–—-]? ?\b(?:but|now|then|later|until|it['’]s)\b)"
        ),
    ),
    (
        ("originally", "initially", "at first", "previously", "formerly"),
        (
            r"\b(?:originally|initially|at first|previously|formerly)\b(?! from)(?P<old>[^,;!?]{1,60}?), "
            r"(?:it |this |that |they )?"
            rf"(?:was|were|has|have|had|is)(?: been)?(?: since| later| then)? {_CHANGED}\b"
        ),
    ),
    (
        ("first ",),
        (
            r"\b(?:he|she|they|we|i|it|user)(?: had)? first (?:had"
            r"|wanted|planned|thought|chose|booked|asked|set|picked)\b"
            r"(?P<old>[^;!?]{1,60}?),? (?:but|then|and then)\b"
        ),
    ),
    (
        ("it to", "them to", "that to", "this to", "it into", "it up to", "it down to"),
        (
            rf"{_START}(?P<old>{_UNIT}{{1,80}}?),? (?:but|and then|then)(?: have| has| had)?(?: since| later| then)? "
            rf"{_CHANGED} (?:it|this|that|them) (?:up |down )?(?:to|into)\b"
        ),
    ),
    (
        ("rewr", "ported", "translated"),
        (
            rf"\b(?:rewritten|rewrote|rewriting|ported|translated)\b{_UNIT}{{0,40}}?\bfrom (?P<old>{_UNIT}{{1,60}}?) "
            r"(?:in|to|into)\b"
        ),
    ),
    (
        ("taken", "booked", "sold out", "full", "available", "occupied"),
        (
            rf"{_START}(?P<old>{_UNIT}{{1,60}}?) (?:is|are|was|were) (?:already |now |fully )?"
            r"(?:taken|booked|booked out|booked up|sold out|full|occupied|unavailable|not available),? so\b"
        ),
    ),
    (
        ("going to", "supposed to", "meant to"),
        (r"\b(?:was|were) (?:going|supposed|meant) to (?P<old>[^;!?]{1,60}?),? but\b"),
    ),
    (
        ("originally", "initially", "first"),
        (
            r"\b(?:was|were|had been)\b (?:originally |initially |first |at first )"
            rf"(?P<old>(?:planned|set|scheduled|booked|due|meant|supposed|going|at|for|on|in|\W?\d){_UNIT}{{1,60}})"
        ),
    ),
    (
        ("at first", "originally", "initially", "to begin with"),
        (
            rf"\b(?:was|were)\b(?P<old>{_UNIT}{{1,60}}?) (?:at first|originally|initially|to begin with)\b"
        ),
    ),
    (
        ("now", "since", "moved", "changed"),
        (
            r"\b(?:was|were|had)\b(?! never)(?P<old>[^;!?]{1,60}?),? (?:but|and) (?:it|they|that|he|she|this|we|i)?"
            r"(?:['’]s| is| are|['’]re| was| were)? ?(?:now|since|been moved|moved|changed|been changed)\b"
        ),
    ),
    (
        ("old ",),
        (
            r"\b(?:the|her|his|their|my|our) old (?:\w+ )?(?:code|number|address|password|phone|budget|plan|date|time"
            rf"|price|name|e-?mail|job|rate|rent|pin|limit|deadline)\b(?P<old>{_UNIT}{{1,40}}?){_END}"
        ),
    ),
    # what is given up
    (
        (
            "gave up",
            "given up",
            "giving up",
            "quit",
            "got rid of",
            "gave away",
            "ditched",
            "abandon",
            "drop",
            "scrap",
            "backed out",
            "pulled out",
            "came off",
            "come off",
            "outgrew",
            "grew out of",
            "walked away",
            "done with",
            "moved on from",
            "moved away",
            "moved out of",
            "sold ",
            "withdrew",
        ),
        (
            r"\b(?:g(?:ave|iven|iving) up(?: on)?|quit(?:s|ting)?|got rid of|gave away|ditched|abandon(?:ed|s)"
            r"|dropped (?=(?:the|her|his|their|my|our)\b)|scrapped|backed out of|pulled out of|c[ao]me off|outgrew"
            r"|grew out of|walked away from|done with|moved (?:on from|away from|out of)|withdrew from"
            rf"|sold (?=(?:the|her|his|their|my|our)\b))\b(?P<old>{_UNIT}{{1,60}}?){_END}"
        ),
    ),
    (
        ("stopped", "has stopped", "ceased"),
        (
            rf"\b(?:stopped|ceased)\b (?P<old>(?!working\b(?! at| for| as| with))(?:\w{{2,}}ing|the)\b{_UNIT}{{0,60}}?)"
            r"(?=$|[.,;:!?()](?!\d)|\b(?:and|but|because|since|so|when|after|last|due|now)\b)"
        ),
    ),
    (
        ("took ", "taken ", "taking "),
        (
            rf"\bt(?:ook|aken|aking) (?:him|her|them|me|us|the user|\w+) off (?P<old>(?:the "
            rf"|of )?{_UNIT}{{1,40}}?){_END}"
        ),
    ),
    (
        ("swap", "exchang", "trad"),
        (
            rf"\b(?:swapp?|exchang|trad)(?:ed|ing|es?|s)? (?:in )?(?P<old>{_UNIT}{{1,60}}?) (?:for|with)\b"
        ),
    ),
    (
        ("left ", "leaving "),
        (
            r"\b(?:left|leaving) (?P<old>(?:(?:her|his|their|my|the) (?:job|position|role|post) (?:at|with|as) )?"
            r"(?-i:[A-Z])[^.,;!?]{1,40}?) (?:for|to (?:join|work))\b"
        ),
    ),
    (
        ("forget", "scratch", "disregard", "ignore"),
        (
            rf"{_START}(?:please )?(?:forget|scratch|disregard"
            rf"|ignore)(?: about)? (?!to\b|that I)(?P<old>{_UNIT}{{1,60}}?)"
            r"(?=$|[.,;:!?()–—](?!\d)|\b(?:and|but|because|since|so|it['’]s)\b)"
        ),
    ),
    (
        ("thought", "assum", "believ", "expected"),
        (
            r"\b(?:thought|assum(?:ed?|ing|es)|believed?|expected)\b(?P<old>[^;!?]{1,70}?),? "
            r"(?:but|it turns out|actually|though in fact)\b"
        ),
    ),
    # what stands before the words that end it
    (
        (
            "off the table",
            "out of the question",
            "ruled out",
            "dropped",
            "shelved",
            "abandoned",
            "withdrawn",
            "outdated",
            "obsolete",
            "expired",
            "void",
            "invalid",
            "wrong",
            "incorrect",
            "mistake",
            "typo",
            "out of date",
            "revoked",
            "not valid",
            "reversed",
            "lifted",
            " off",
            " out",
            "discontinued",
            "retired",
            "sold",
            "given away",
            "overturned",
            "a thing of the past",
            "rejected",
            "turned down",
            "declined",
            "vetoed",
            "outgrown",
            "voted down",
        ),
        (
            rf"{_START}(?P<old>{_UNIT}{{1,60}}?) ?(?<!what)(?<!something)\b{_IS} (?:now |already |all |since )?"
            r"(?:off the table|out of the question|ruled out|dropped|shelved|abandoned|withdrawn|outdated|obsolete"
            r"|expired|void|invalid|wrong|incorrect|a mistake|a typo|out of date|revoked|reversed|lifted|discontinued"
            r"|retired|sold|given away|overturned|a thing of the past|rejected"
            r"|turned down|declined|vetoed|outgrown|voted down"
            r"|(?:off|out)(?=$|[.,;!?]| because| since| now| for (?:her|him|them|me|us|good)))(?!\w)"
        ),
    ),
    (
        (
            "fell through",
            "fallen through",
            "expired",
            "longer",
            "stopped working",
            "anymore",
            "any more",
        ),
        (
            rf"{_START}(?P<old>{_UNIT}{{1,60}}?) (?:(?:has |have )?f(?:ell"
            rf"|allen) through|(?:has |have )?(?:just )?expired"
            r"|(?:do|does|is|are)(?:n['’]t| not|) (?:\w+ ){0,2}(?:any ?more|no longer)|no longer \w+)"
        ),
    ),
    # Chinese
    (
        (
            "原定",
            "原计划",
            "原本",
            "原先",
            "本来",
            "起初",
            "最初",
            "一开始",
            "之前",
            "先前",
            "原来",
            "以前",
            "曾",
        ),
        (
            rf"(?:原定|原计划|原本|原先|本来|起初|最初|一开始|之前|先前|原来|以前|曾经|曾)(?P<old>{_HAN_UNIT}{{1,30}}?)"
            rf"(?:[，,；]{_HAN_UNIT}{{0,15}})??(?={_HAN_NOW})"
        ),
    ),
    (("原定",), (rf"原定(?P<old>{_HAN_UNIT}{{1,30}}){_HAN_END}")),
    (
        ("以为", "误传", "听说"),
        (
            rf"(?:以为|误传|听说)(?P<old>{_HAN_UNIT}{{1,30}})[，,](?={_HAN_UNIT}{{0,4}}(?:其实|实际|但|可|不过|结果|原来|才发现))"
        ),
    ),
    (
        ("把", "将"),
        (
            rf"[把将](?P<old>{_HAN_UNIT}{{1,20}}?)(?:都|给|全)?(?:停|戒|退|取消|删|卖|扔|辞|换掉|放弃|送人|送走)[了掉]?"
        ),
    ),
    (
        (
            "放弃",
            "戒",
            "停用",
            "停了",
            "停掉",
            "停吃",
            "卖掉",
            "卖了",
            "退掉",
            "退了",
            "辞",
            "告别",
            "退出",
            "离开",
            "不打算",
            "不想再",
        ),
        (
            rf"(?:放弃了?|(?<!警)戒[掉了]*(?![指备律严])|停[用了掉吃]了?|卖[掉了]了?|退[掉了出]了?|辞[掉去了]了?|告别了?|离开了?|不打算再?|不想再)"
            rf"(?P<old>{_HAN_UNIT}{{1,20}}?)(?={_HAN_END}|换|改|转)"
        ),
    ),
    (
        ("了",),
        (
            rf"(?:^|(?<=[，。；！？,;：:]))(?P<old>(?!{_HAN_UNIT}*(?:过敏|因为|所以)){_HAN_UNIT}{{1,20}}?)"
            r"(?:已经|早就|早已|早|都|也|就|暂时|现在)*"
            r"(?:[不没]再?[去学用喝吃做养住干玩练订要买打踢弹看搞办穿开骑]了|(?:停|戒|退|卖|黄|取消|泡汤|离职|分手|搬走)了)"
        ),
    ),
    (
        (
            "作废",
            "失效",
            "过期",
            "停用",
            "不算数",
            "泡汤",
            "搁置",
            "行不通",
            "无效",
            "作罢",
            "不成立",
            "弄错",
            "写错",
            "记错",
            "说错",
        ),
        (
            rf"(?P<old>{_HAN_UNIT}{{1,25}}?)(?:已经|早就|早已|已|都|就|是|现在)*(?:作废|失效|过期|停用|不算数|泡汤|搁置|行不通"
            r"|无效|作罢|不成立"
            r"|(?:弄|写|记|说)错)"
        ),
    ),
)
"""What is outdated."""

DENIED: tuple[Cued, ...] = (
    (("不过敏",), rf"对(?P<old>{_HAN_UNIT}{{1,20}}不过敏)"),
    (
        (
            "turned down",
            "declin",
            "reject",
            "decided against",
            "ruled out",
            "anything but",
            "passed on",
        ),
        (
            r"\b(?:turn(?:ed|ing) down|declin(?:ed|ing|es)|reject(?:ed|s|ing)|(?:decided|voted|advised) against"
            r"|rul(?:ed|ing) out"
            rf"|anything but|passed on)\b(?P<old>{_UNIT}{{1,60}}?){_END}"
        ),
    ),
    (
        ("n't", "n’t", "not "),
        (
            rf"{_START}(?P<old>{_UNIT}{{1,60}}?) (?:is|was|are|were|does|do|did)(?:n['’]t| not)"
            r" (?:hers|his|mine|theirs|ours|yours|belong)\b"
        ),
    ),
    (
        ("might", "may ", "someday", "one day", "maybe", "perhaps"),
        (
            r"\b(?:might|may|someday|one day|maybe|perhaps)\b(?P<old>[^.;!?]{1,60}?),? (?:but|though|and) "
            r"[^.;!?]{0,40}(?:\b(?:no|not|none)\b|n['’]t\b)"
        ),
    ),
    (
        ("也许", "可能", "或许", "说不定"),
        (
            rf"(?:也许|可能|或许|说不定)(?P<old>{_HAN_UNIT}{{1,30}})[，,；](?={_HAN_UNIT}{{0,15}}没)"
        ),
    ),
    (("-free",), (r"(?<![\w-])(?P<old>[^\W\d_]+(?:[ -][^\W\d_]+)?)-free\b")),
    (
        ("去掉", "去除", "拿掉", "避开", "忌", "排除", "拒绝", "推掉", "免了"),
        (
            rf"(?:去掉|去除|拿掉|避开|忌口?|排除了?|拒绝了?|推掉了?|免了)(?P<old>{_HAN_UNIT}{{1,20}}?){_HAN_END}"
        ),
    ),
)
"""What is denied."""
