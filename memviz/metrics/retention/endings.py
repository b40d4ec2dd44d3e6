"""More ways in which a text says that something is over, or is not wanted, each with an example.

Entries are those of :mod:`memviz.metrics.retention.update_cues`: letters that a sentence has to hold, and a
pattern whose group ``old`` is what is set aside.

Who retired or died stays who he was, unless a successor is named in the same sentence.
"""

_UNIT = r"(?:[^.,;:!?()]|(?<=\d)[.,:](?=\d)|(?<=Dr)\.)"
"""A character within a clause."""
_END = r"(?=$|[.,;:!?()](?!\d)|\b(?:and|but|because|since|so|when|after|last|in|for|this|while|now)\b)"
_START = r"(?:^|[,;:] ?|\b(?:and|but|so|that) )"
_OLD = rf"(?P<old>{_UNIT}{{1,60}}?)"
_HAN_UNIT = r"[^，。；！？,;]"
_HAN_OLD = rf"(?P<old>{_HAN_UNIT}{{1,20}}?)"
_SUCCESSOR = r"(?=[^.;!?]*\b(?:new|now|instead|replaced|took over|takes over)\b)"
_MINE = r"(?:the|her|his|my|our|their)"

Cued = tuple[tuple[str, ...], str]

ENDED: tuple[Cued, ...] = (
    # "Dinner at 7 pm won't work after all"; "the Wi-Fi in building 7 doesn't work" ends no building
    (
        (" work",),
        rf"{_START}{_OLD} (?:(?:won['’]t|will not|did(?:n['’]t| not)) work(?: out)?(?: after all| any ?more)?"
        r"|does(?:n['’]t| not) work(?: out)? (?:after all|any ?more))(?=$|[.,;!?])",
    ),
    # "Her bicycle was stolen", "the rate of 3% ran out"
    (
        (
            "stolen",
            "overbooked",
            "ran out",
            "broke down",
            "shut down",
            "closed down",
            "out of business",
            "lapsed",
        ),
        rf"{_START}{_OLD} (?:(?:has |have |just )*(?:ran out|broke down|shut down"
        rf"|closed down|went out of business|lapsed)"
        r"|(?:was|were|got|has been|have been|is) (?:stolen|overbooked))\b",
    ),
    # "Dr. Lowe retired, so her new dentist is Dr. Amin"
    (
        ("retired", "passed away", "died", "let go", "resigned", "stepped down"),
        rf"{_START}{_OLD} (?:has |have |was |just )*(?:retired|passed away|died|let go"
        rf"|resigned|stepped down)\b{_SUCCESSOR}",
    ),
    # "Tomas has handed the project over to Wei"
    (
        ("handed", "succeeded by"),
        rf"{_START}{_OLD} (?:has |have )?(?:handed over {_UNIT}{{1,30}}? to|handed {_UNIT}{{1,30}}? over to"
        r"|(?:was|is|has been) succeeded by)\b",
    ),
    # "tulip88 is the old password", "20 guests was the first estimate"
    (
        (" old ", "previous", "former ", "initial ", "earlier ", "outdated ", "first "),
        rf"{_START}{_OLD} (?:is|was|are|were) (?:only |just )?{_MINE} (?:old|previous|former|initial|earlier|outdated"
        r"|first(?= (?:estimate|guess|draft|plan|idea|quote|offer)))\b",
    ),
    # "Teal turned out too dark, so the walls will be cream"
    (
        (" too ",),
        rf"{_START}{_OLD} (?:turned out|proved|was|were)(?: to be)? (?:far |much |way |a bit )?too \w+,? so\b",
    ),
    # "He returned the Aero 14", "was let go from Vela"
    (
        (
            "returned ",
            "sent back",
            "gave back",
            "broke up with",
            "split ",
            "let go from",
            "laid off",
            "fired ",
            "resigned from",
            "dropped out of",
        ),
        rf"\b(?:returned (?={_MINE}\b)|sent back|gave back|broke up with"
        rf"|split (?:up )?(?:with|from)|let go (?:from|by)"
        rf"|laid off (?:from|by)|fired (?:from|by)|resigned from|dropped out of)\b ?{_OLD}"
        rf"(?:{_END}|(?= (?:to|from|at|on)\b))",
    ),
    (
        ("broke up", "split up", "divorced", "separated"),
        rf"\b(?:she|he|they|i|user) and {_OLD} (?:have |has |got |are )?(?:broke up"
        rf"|broken up|split up|divorced|separated)\b",
    ),
    # "let her FitPoint membership lapse", "closed the account at Northgate"
    (
        (" lapse", " expire", " run out"),
        rf"\blet {_MINE} {_OLD} (?:lapse|expire|run out)\b",
    ),
    (
        ("account",),
        rf"\b(?:closed|cancell?ed) {_MINE} (?:\w+ )?account (?:at|with) {_OLD}{_END}",
    ),
    # "They'd booked Crete but swapped to Malta"
    (
        (
            "swapped to",
            "switched to",
            "changed to",
            "went for",
            "settled on",
            "ended up",
        ),
        rf"\b(?:booked|planned|chose|chosen|picked|wanted|ordered|had)\b {_OLD},? but (?:then |later |finally )?"
        r"(?:swapped|switched|changed|went for|settled on|ended up)\b",
    ),
    # "It had been $900", "it was $30 last year; this year"
    (("had been",), rf"\b(?:it|that|they|which) had been {_OLD}(?=$|[.,;!?](?!\d))"),
    (
        (
            "last year",
            "last month",
            "last week",
            "last term",
            "last season",
            "last time",
        ),
        rf"\b(?:was|were|cost|charged|paid) {_OLD} last (?:year|month|week|term|season"
        rf"|time)[,;.]? (?:but |and )?(?:this|now)\b",
    ),
    (
        ("last term", "last year", "last season"),
        rf"{_START}{_OLD} (?:was|were) last (?:term|year|season)(?=$|[.,;!?])",
    ),
    # "After six years in Dublin, the user is back in Cork"
    (
        ("years in", "years at", "years with", "months in", "months at"),
        rf"\bafter {_UNIT}{{1,20}}? (?:years?|months?) (?:in|at|with) {_OLD},"
        r"(?=[^.;!?]{0,40}\b(?:back|moved|left|returned|now|new)\b)",
    ),
    # 飞点的会员到期没续, 自行车被偷了, 刘医生退休了，换成了陈医生
    (
        ("没续", "被偷", "报废", "退货", "停产", "倒闭", "丢了"),
        rf"{_HAN_OLD}(?:已经|都|就|到期|也)*(?:没续|被偷|报废|退货(?=了|[，。；！？,;]|$)|停产|倒闭|丢了)",
    ),
    (
        ("退休", "离职", "去世"),
        rf"{_HAN_OLD}(?:已经)?(?:退休|离职|去世)了?[，,](?=[^。！？]*(?:换|新|改|现在|接))",
    ),
    # 她和小林六月分手了
    (
        ("分手", "离婚", "绝交"),
        rf"(?:和|跟|与){_HAN_OLD}{_HAN_UNIT}{{0,6}}?(?:分手|离婚|绝交)",
    ),
    # 小张把项目交给小王了
    (
        ("交给", "移交"),
        rf"(?:^|(?<=[，。；])){_HAN_OLD}[把将]{_HAN_UNIT}{{1,10}}?(?:工作|项目|负责|岗位|团队)?(?:交给|移交给)",
    ),
    # 7点不行，改8点吧
    (("不行", "不合适", "来不及"), rf"{_HAN_OLD}(?:不行|不合适|来不及)[，,。]"),
    # tulip88是旧密码, 周一是上学期的
    (
        ("是旧", "是老的", "是上", "是以前", "是原来"),
        rf"{_HAN_OLD}是(?:旧|老的|上[次个学周年]|以前|原来)",
    ),
    # 去年30元，今年35元
    (
        ("去年", "上个月", "上月", "上周", "上学期", "从前", "以前"),
        rf"(?:去年|上个?月|上周|上学期|从前|以前){_HAN_OLD}[，,；]"
        rf"(?={_HAN_UNIT}{{0,10}}(?:今年|这个?月|本月|这周|这学期|现在|如今|目前|后是))",
    ),
    # "海港大厅订不到"
    (
        ("订不到", "订满", "客满", "满员", "没位", "去不成", "去不了", "停业"),
        rf"(?P<old>{_HAN_UNIT}{{1,20}}?)(?:已经|都|也|全)*(?:订不到|订满|客满|满员|没位|去不成|去不了|停业)",
    ),
    # "他说桥已开放，后来发现是假的"
    (
        ("是假的", "不是真的", "不属实", "谣言"),
        rf"(?P<old>{_HAN_UNIT}{{1,30}})[，,]{_HAN_UNIT}{{0,8}}(?:是假的|不是真的|不属实|是谣言)",
    ),
)
"""What is outdated."""

DENIED: tuple[Cued, ...] = (
    # "prefers phone calls over emails", "rather an aisle seat than a window seat"
    (
        ("prefer", "favor", "favour"),
        rf"\b(?:prefer|favou?r)(?:s|red|ring)? (?!to\b){_UNIT}{{1,40}}? (?:over|to|more than) {_OLD}{_END}",
    ),
    ((" than ",), rf"\b(?:rather|sooner)\b {_UNIT}{{1,50}}? than {_OLD}{_END}"),
    # "Nobody calls her Bee"
    (
        ("nobody", "no one", "none of"),
        rf"\b(?:nobody|no one|none of (?:us|them))\b (?!{_UNIT}*\b(?:but|except)\b){_OLD}{_END}",
    ),
    # "a non-alcoholic drink"
    (("non-",), r"\bnon-(?P<old>\w+)"),
    # 比起邮件，她更喜欢打电话; 与其靠窗，不如靠走道
    (("比起",), rf"比起{_HAN_OLD}[，,](?={_HAN_UNIT}{{0,6}}(?:更|还是))"),
    (("与其",), rf"与其{_HAN_OLD}[，,]?(?:不如|宁可|倒不如)"),
    # "It is not the case that the team won", but not where that is denied once more
    (
        ("case that", "true that", "false that", "untrue that"),
        (
            rf"\b(?:(?:not|n['’]t) (?:the case|true)|false"
            rf"|untrue) that\b(?P<old>(?:(?!\bnot?\b|n['’]t\b){_UNIT}){{1,80}}){_END}"
        ),
    ),
    # "He claimed the bridge is open, which turned out to be false"
    (
        ("false", "untrue", "wrong", "a lie", "a myth", "nonsense"),
        (
            rf"(?P<old>{_UNIT}{{1,80}}), (?:which|but that|but this|but it|though that)\b{_UNIT}{{0,30}}?"
            r"\b(?:false|untrue|wrong|a lie|a myth|nonsense)\b"
        ),
    ),
    # "Everyone except Paul is coming"
    (
        ("except", "apart from", "but not"),
        (
            rf"\b(?:everyone|everybody|all of (?:us"
            rf"|them))\b{_UNIT}{{0,30}}?\b(?:except(?: for)?|apart from|but not)\b"
            rf"(?P<old>{_UNIT}{{1,40}}?)(?=$|[.,;:!?()]|\b(?:is|are|was|were|will|has|have"
            rf"|can|comes?|came|goes|went)\b)"
        ),
    ),
    (
        ("除了",),
        rf"除了?(?P<old>{_HAN_UNIT}{{1,20}}?)(?:以外|之外|外)?[，,](?:大家|其他人|其余人|所有人|别人|剩下的?)",
    ),
    # "Dairy has to be avoided", "leave out the nuts"
    (
        ("avoided", "left out", "excluded", "omitted", "skipped", "kept out"),
        (
            rf"{_START}(?P<old>{_UNIT}{{1,40}}?) (?:(?:is|are|has|have|needs?|must|should|will|to|be|all)\b ?){{1,4}}"
            r"(?:avoided|left out|excluded|omitted|skipped|kept out)\b"
        ),
    ),
    (
        (
            "leave out",
            "leaves out",
            "leaving out",
            "exclude",
            "excluding",
            "omit",
            "skip the",
            "steer clear of",
        ),
        (
            rf"\b(?:leav(?:e|es|ing) out|exclud(?:e|es|ing)|omit(?:s|ting)?|skip(?= the\b)"
            rf"|steer clear of)\b(?P<old>{_UNIT}{{1,40}}?){_END}"
        ),
    ),
    # "奶制品一律避免"
    (
        ("避免", "去掉", "别放", "拿掉", "不碰"),
        rf"(?P<old>{_HAN_UNIT}{{1,20}}?)(?:一律|一概|全部|都|请|要|必须)+(?:避免|去掉|别放|拿掉|不碰)",
    ),
)
"""What is denied."""
