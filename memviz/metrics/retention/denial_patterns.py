"""Patterns of what a clause denies or calls outdated, each beside the letters that a sentence has to hold before it is
tried: to look for a few letters takes next to no time."""

import re

Rule = tuple[tuple[str, ...], re.Pattern[str] | str]
"""Letters of which a sentence has to hold some, and a pattern whose group ``old`` is denied or outdated. A pattern that
is a text is compiled when a sentence first needs it."""
_I = re.IGNORECASE
_CHANGE = (
    r"(?:mov|switch|chang|updat|correct|reschedul|postpon|push|rais|lower|increas|reduc"
    r"|renam|relocat|transferr|upgrad"
    r"|downgrad|went|goes|going|revis|shift|extend|cut|dropp|bump|lift|climb|jump|swapp"
    r"|slid|sank|grew|rose|fell|adjust|amend|migrat|convert"
    r"|brought)\w*"
)
_WITHIN = r"(?:[^.;!?]|(?<=\d)\.(?=\d))"
"""A character of a sentence's part; the point of a number is one."""
_MONEY = "€$£¥元"
_CANCELLED = r"(?:cancell?ed|called off|scrapped|abgesagt|storniert|annul[ée]+\w*|cancelad[oa]s?)"
OUTDATED: tuple[Rule, ...] = (
    # "They moved from Lisbon to Porto."
    (
        ("from ",),
        re.compile(
            rf"\b{_CHANGE}\b{_WITHIN}{{0,80}}?\bfrom (?P<old>{_WITHIN}{{1,80}}?),? (?:to|into|onto|over to)\b",
            _I,
        ),
    ),
    # "from Monday to Friday was changed"
    (
        ("from ",),
        re.compile(
            rf"\bfrom (?P<old>{_WITHIN}{{1,60}}?) to {_WITHIN}{{1,60}}? (?:was|were|has|have|is)? ?"
            r"(?:changed|moved)\b",
            _I,
        ),
    ),
    # "She changed jobs to teaching."
    (
        ("chang",),
        re.compile(
            r"\bchang(?:ed|es|ing) (?P<old>(?!from\b|to\b|(?:the|his|her|their|my"
            r"|our)\b)[^.,;!?]{1,60}?) (?:to|into)\b",
            _I,
        ),
    ),
    # "He replaced tea with coffee."
    (
        ("replac",),
        re.compile(
            r"\breplac(?:e|es|ed|ing) (?P<old>(?!by\b|with\b)[^.,;!?]{1,60}?) (?:with|by)\b",
            _I,
        ),
    ),
    # "instead of tea", "no longer in Rome"
    (
        ("instead of", "rather than", "in place of", "longer", "not any", "opposed"),
        re.compile(
            r"\b(?:instead of|rather than|in place of|no longer|not any ?more|not any longer|as opposed to)\b"
            r"(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$|[.,;:!?)(](?!\d)|\b(?:but|and|he|she|they"
            r"|it|we|the user|now|because"
            r"|since)\b)",
            _I,
        ),
    ),
    # "used to live in Rome"
    (
        ("used to", "formerly", "previously"),
        re.compile(
            r"\b(?:used to|formerly|previously)\b(?! (?:mentioned|said|stated|agreed|discussed|noted"
            r"|the \w+ing|it\b))"
            r"(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$|[.,;:!?)(](?!\d)|\b(?:but|and|now)\b)",
            _I,
        ),
    ),
    # "cancelled the trip to Rome"
    (
        ("cancel", "called off", "scrapped", "abgesagt", "storniert", "annul"),
        re.compile(
            rf"(?<!be )(?<!or )\b{_CANCELLED}\b(?! (?:free|until|up to|if|by))(?P<old>(?:[^.,;:!?()]"
            rf"|(?<=\d)[.,:](?=\d)){{1,80}}?)"
            r"(?=$|[.,;:!?()](?!\d)|\b(?:and|but|because|since|so)\b)",
            _I,
        ),
    ),
    # German, French, Spanish, Portuguese
    # "von Bonn nach Kiel gezogen"
    (
        ("von ",),
        re.compile(
            r"\bvon (?P<old>[^.,;!?]{1,60}?) (?:nach|auf|zu|zum|zur) [^.;!?]{1,60}?"
            r"(?:gezogen|verschoben|geändert|gewechselt|erhöht|gesenkt|verlegt|umgestellt)",
            _I,
        ),
    ),
    # "zog letztes Jahr von Bonn nach Kiel"
    (
        ("von ",),
        re.compile(
            r"\b(?:zog|zieht|wechsel\w+|verschob\w*|änder\w+|erhöh\w+"
            r"|senk\w+) [^.;!?]{0,40}?von (?P<old>[^.,;!?]{1,60}?)"
            r" (?:nach|auf|zu|zum|zur)\b",
            _I,
        ),
    ),
    # "statt Tee", "en lugar de té"
    (
        (
            "statt",
            "anstelle",
            "nicht mehr",
            "au lieu",
            "lugar de",
            "vez de",
            "ya no",
            "já não",
        ),
        re.compile(
            r"\b(?:anstatt|statt|anstelle von|nicht mehr|au lieu de|en lugar de|en vez de|em vez de|ya no|já não)\b"
            r"(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$|[.,;:!?)(](?!\d)|\b(?:sondern|aber|und"
            r"|mais|et|sino|pero|mas|e)\b)",
            _I,
        ),
    ),
    # "déménagé de Lyon à Paris"
    (
        ("déménag", "chang", "pass", "mud", "cambi", "pas", "alter"),
        re.compile(
            r"\b(?:déménag|chang|pass|mud|cambi|pas|alter)\w+ [^.;!?]{0,40}?\b(?:de|del|do"
            r"|da) (?P<old>[^.,;!?]{1,60}?)"
            r" (?:à|a|para|au|en|pour)\b",
            _I,
        ),
    ),
    # "ne vit plus à Lyon"
    (
        (" plus ",),
        re.compile(
            r"\bn(?:e |['’])\S+ plus (?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80})",
            _I,
        ),
    ),
    # Chinese
    # "从上海搬到北京"
    (
        ("从", "從", "由"),
        re.compile(
            r"[从從由](?P<old>[^，。；！？,;]{1,30}?)(?:搬|改|换|換|变|變|调|調|移|转|轉|升|涨"
            r"|漲|降|提|推|延|挪|增|减|減|加到|缩|扩|跳槽|离职|離職|辞职|辭職|退)"
        ),
    ),
    # "把周一改成周二"
    (
        ("把", "将", "將"),
        re.compile(
            r"[把将將](?P<old>[^，。；！？,;]{1,30}?)(?:改|换|換|变|變)[成为為到]"
        ),
    ),
    # "不再喝茶"
    (
        ("不",),
        re.compile(
            r"(?:不再|再也不|已经不|已經不)(?P<old>[^，。；！？,;]{1,40}?)(?=$|[，。；！？,;]|而是|但|现在|現在)"
        ),
    ),
    # "以前住在上海"
    (
        ("原来", "原來", "以前", "曾"),
        re.compile(
            r"(?:原来|原來|以前|曾经|曾經)(?P<old>[住在是叫用有][^，。；！？,;]{1,40}?)(?=$|[，。；！？,;])"
        ),
    ),
)
"""What is called outdated, by what stands before it or around it."""
_NO_DENIAL = (
    r"(?! (?:only|just|merely|simply|until|till|before|far from|bad|yet sure|sure|certain|to mention"
    r"|(?:any )?(?:more|less"
    r"|fewer|later|earlier|longer) than|doubt|problem|matter|worries|wonder|forget|hesitate|miss(?:es|ed)?|worry|mind"
    r"|later than|sooner than"
    r"|nur|allein|seulement|solo|só)\b)"
)
DENIED: tuple[Rule, ...] = (
    # "has no car"
    (
        ("no ",),
        re.compile(
            rf"\bno\b(?!\.| ?\d| ?[,!]|$){_NO_DENIAL}(?P<old>(?:[^.,;:!?()—–]"
            rf"|(?<=\d)[.,:](?=\d)){{1,60}}?)(?=$|[.,;:!?()—–](?!\d)"
            rf"|\b(?:for|on|at|by|before"
            r"|after|until|but|and|because|since|so|if|when|that|who|which|longer)\b)",
            _I,
        ),
    ),
    # "not in Lisbon", "without nuts"
    (
        ("not", "never", "nor", "neither", "without", "n't", "n’t"),
        re.compile(
            rf"(?:\b(?:not|never|nor|neither|without|cannot)|n['’]t)\b{_NO_DENIAL}"
            r"(?P<old>(?:[^.,;:!?()—–]|(?<=\d)[.,:](?=\d)){1,100}?(?:,? (?:or|nor) (?:[^.,;:!?()—–]"
            r"|(?<=\d)[.,:](?=\d)){1,60}?)?)(?=$|[.,;:!?()—–](?!\d)"
            r"|\b(?:but|because|since|so|although|though|while|whereas|that|who|which|when|where|if|until|unless"
            r"|except|however"
            r"|instead|before|after|between)\b|\band (?:now |then |also )?(?:he|she|it|they|we|i|you|the|his|her"
            r"|their|my|our|is|are|was|has|have|will"
            r"|lives|works|wants|likes|prefers|needs|moved|\w{3,}ed)\b)",
            _I,
        ),
    ),
    # "Monday is not right", "the old number is no longer valid"
    (
        ("not", "n't", "n’t", "longer"),
        re.compile(
            r"(?:^|[,;:] ?|\b(?:and|but) )(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,60}?) (?:is|was|are|were"
            r"|isn['’]t|wasn['’]t"
            r"|aren['’]t)(?: not| no longer)?"
            r"(?<=not|n['’]t|ger) (?:the|an?|his|her|their|my|our|your|correct|right|true|valid|current|up to date"
            r"|where|available"
            r"|an option|in force|needed|it)\b",
            _I,
        ),
    ),
    # "nicht in Bonn", "kein Auto"
    (
        ("nicht", "kein", "nie"),
        re.compile(
            rf"\b(?:nicht|kein(?:e[nmrs]?)?|nie|niemals)\b{_NO_DENIAL}(?P<old>(?:[^.,;:!?()]"
            rf"|(?<=\d)[.,:](?=\d)){{1,80}}?)(?=$"
            rf"|[.,;:!?()](?!\d)|\b(?:sondern|aber|weil|da|und)\b)",
            _I,
        ),
    ),
    # "n'aime pas le thé"
    (
        (" pas", " jamais"),
        re.compile(
            r"\bn(?:e |['’])\S+ (?:pas|jamais)\b(?P<old>(?:[^.,;:!?()]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$"
            r"|[.,;:!?()](?!\d)|\b(?:mais|car"
            r"|et)\b)",
            _I,
        ),
    ),
    # "não come carne"
    (
        ("não", "nao", "nunca", "nem"),
        re.compile(
            r"\b(?:não|nao|nunca|nem)\b(?P<old>(?:[^.,;:!?()]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$"
            r"|[.,;:!?()](?!\d)|\b(?:mas|sino|pero|porque"
            r"|e|y)\b)",
            _I,
        ),
    ),
    # "不喝茶", "没有车"
    (
        ("不", "没", "沒", "并非", "並非", "别"),
        re.compile(
            r"(?:(?<!不是)(?<!没有)(?<!不会)(?<!不能)(?<!无)不(?!(?:[是会能可]|得)[不没]"
            r"|[过過仅僅但只同错錯久断斷客止少超如管然论論必]|会忘|要忘|得不"
            r"|好意思|知道|用谢|早于|晚于|到)|(?<!不是)没有?(?!不|问题|关系|事|错|[跟和与给对向])"
            r"|沒有?(?![跟和與給對向])|并非|並非|别(?![人的墅])(?=[去买吃放用选订]))"
            r"(?P<old>[^，。；！？,;]{1,40}?)(?=$|[，。；！？,;]|而是|但)"
        ),
    ),
)
"""What is denied."""
OUTDATED_BEFORE: tuple[tuple[tuple[str, ...], re.Pattern[str]], ...] = (
    # "tea was replaced"
    (
        ("replaced", "superseded"),
        re.compile(
            r" (?:was|were|has been|is|are|have been) (?:replaced|superseded)\b", _I
        ),
    ),
    # from one value to another, or from one word to another: "09:40→Porto" is a route, and "12:10→13:15" a journey
    # "3 -> 4", "tea → coffee"
    (
        ("->", "→", "⇒"),
        re.compile(
            rf"(?:(?<=\d)(?<!:\d\d)|(?<=\d%)|(?<=\d [{_MONEY}])|(?<=\d[{_MONEY}])) ?(?:->|→|⇒) ?(?=[{_MONEY}]?\d)"
            r"|(?<=[^\W\d]) ?(?:->|→|⇒) ?(?=[^\W\d])"
        ),
    ),
    # "the trip was cancelled"
    (
        ("cancel", "called off", "scrapped", "abgesagt", "storniert", "annul"),
        re.compile(
            rf" (?:was|were|is|are|been|got|has|ist|wurde|fue|foi|est) (?:\w+ )?{_CANCELLED}\b(?! (?:free|until|if))",
            _I,
        ),
    ),
    # "3点改成4点"
    (
        ("改", "换", "換", "变", "變"),
        re.compile(
            r"(?<=[\d一二三四五六七八九十百千万点月日号元年])(?:改|换|換|变|變)(?:成|为|為|到)"
        ),
    ),
    # "会议取消了"
    (("取消",), re.compile(r"取消(?!政策|费|費)")),
)
"""What calls outdated what stands before it in its clause."""
