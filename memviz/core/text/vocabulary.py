"""Word lists: function words, irregular forms, words of questions, and English words by what they say of a sentence.

All are in lower case.
"""


def words(text: str) -> frozenset[str]:
    """The words of ``text``, which are parted by white space."""
    return frozenset(text.split())


STOP_WORDS = words(
    """
    a an the this that these those there here it its it's he she they them him her his hers their theirs
    i me my mine myself we us our ours you your yours who whom whose which what when where why how
    is am are was were be been being do does did doing done have has had having will would shall should can could
    may might must let lets im ive id ill youre youve youll thats whats dont doesnt didnt isnt arent wasnt cant wont
    not no nor yes and or but if so than then as at by for from in into of off on onto out over to up down with
    without within about after before during until till since between through per via again also too very just
    only even still yet already ever now soon today really quite rather actually exactly currently please
    any anything anyone anybody some something someone somebody nobody nothing everybody everyone everything
    all both each every either neither few more most much many other others another such same own one ones
    hi hello hey thanks thank because while though although however well ok okay
    get got getting gets go goes going went gone
    say says said saying tell tells told telling
    remember recall remind reminds know knows knew known mention mentioned ask asked talk talked discuss discussed
    thing things lot lots bit way ways
    s t d ll re ve m don doesn didn isn wasn aren couldn wouldn shouldn
    der die das ein eine einen einem einer ist sind war und oder ich du er sie es wir ihr mein meine meinem meinen
    meiner den dem des unser unsere unseren unserem mir mich dir dich uns euch nicht kein keine für bei nach noch schon
    lautet lauten
    auch dein deine zu im am auf mit von wie wer wo wann warum welche welcher welches wieviel viel hat habe
    el la los las un una unos unas es son era y o yo tu mi mis su sus que cual cuando donde quien como cuanto cuanta
    cuantos cuantas de del al en por para con se ha he qué cuál cuándo dónde quién cómo cuánto
    le les des du elle elles il ils nous vous quoi est sont était et ou je mon ma mes ton ta tes notre nos votre vos 
    quel quelle quels quelles qui
    quand où comment combien au aux dans sur pour avec ce cette a à
    o os as um uma é são foi e eu meu minha seu sua qual quem quando onde quanto quantos do da dos no na em
    il lo gli uno è sono mio mia chi cosa dove quale quanti di che nel nella con
    """
)
"""Words without meaning of their own, and what is said around the subject of a question about a conversation
("remember", "mentioned").

Lists of packages were measured on the 77 questions of the bundled conversations, of which this one answers 69.
Those of stop-words and stopwordsiso hold 1,300 English words ("room", "order" and "two" among them): 67. NLTK's, which
bm25s ships: 67, and 69 with the 120 words of this list that it lacks, for 60 ms of import."""

LIGHT_WORDS = words(
    """name call number date time day amount kind type sort value figure final total new current latest
    original originally initial initially first want like need use never make take give come happen plan stand"""
)
"""Words of a question that say what is asked for more than what it is about; they weigh less."""

_SAME_WORD_GROUPS = """
    pay paid, give gave given, make made, take took taken, come came, buy bought purchase, meet met,
    choose chose chosen, fly flew flown, sell sold, spend spent, write wrote written, grow grew grown,
    leave left depart, send sent, begin began begun start, keep kept, hold held, find found,
    think thought, teach taught, bring brought, drive drove driven, eat ate eaten, wear wore worn,
    speak spoke spoken, run ran, sit sat, stand stood, lose lost, win won, build built, sleep slept,
    break broke broken, child children kid, mother mom mum, father dad, price cost,
    phone telephone, bike bicycle, favourite favorite, colour color, flat apartment, job occupation profession,
    birthday birth born, people person, allergic allergy, man men, woman women,
    foot feet, photo photograph picture, three 3, two 2, four 4, five 5, six 6,
    seven 7, eight 8, nine 9, ten 10, twelve 12
"""
SAME_WORD = {
    variant: group.split()[0]
    for group in _SAME_WORD_GROUPS.replace("\n", " ").split(",")
    for variant in group.split()
}
"""One stem for irregular forms, which no stemmer brings together, and for everyday synonyms."""

ABBREVIATIONS = words(
    "mr mrs ms dr prof st no nr vs etc e.g i.e eg ie approx dept inc ltd co jr sr fig vol ca bzw z.b u.s a.m p.m"
)

CHINESE_STOP = (
    "(?:什么|哪[个座家一]?)(?:名字|城市|地方|国家|公司|时候|时间|东西|日子)|叫什么名字|除了|那[位家种次条]|这[位家种次条]|(?<!公)里(?![程面])|"
    "当(?![然地时天初])|什么|多少(?:万?元|块钱?|钱|个|人|天|平方米)?|怎么样|怎么|为什么|哪一天|哪一个|哪一位|哪天|哪个|哪位|哪里|哪儿|哪些|哪|几号|几点|几个|几位|几天|几|谁|"
    "请问|告诉|记得|记住|知道|提醒|之前|刚才|现在|目前|已经|一下|一个|一些|这个|那个|这些|那些|可以|能够|应该|需要|"
    "你好|您好|我们|你们|他们|她们|它们|咱们|自己|如果|因为|所以|但是|不过|还有|或者|以及|并且|而且|就是|不是|没有|"
    "(?<!目)的|了(?!解)|是|我|你|您|他|她|它|在(?!线)|吗|呢|吧|啊|呀|也|都|就|还|很|和|与|跟|或|及|把|被|给|对(?!面)|从|到|向|会|能|要|"
    "有|这|那|说|过(?!敏)|着|得|地(?![址方点铁图区])|请|想|叫|为|以|之|其|等"
)

CHANGE_WORDS = words(
    """change move switch update correct raise reduce lower increase extend postpone push reschedule replace revise
    final new set january february march april june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday"""
)
"""Words in which a stale fact and its update differ, besides the value."""

NUMBER_WORDS = words(
    """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million dozen half twice zero"""
)

MONTHS = words(
    """january february april june july august september october november december
    jan feb apr jun jul aug sep sept oct nov dec
    januar februar märz juni juli oktober dezember"""
)

DATE_WORDS = MONTHS | words(
    """monday mondays tuesday tuesdays wednesday wednesdays thursday thursdays friday fridays saturday saturdays sunday
    sundays tomorrow yesterday tonight noon midnight weekend weekends spring summer autumn winter christmas
    easter o'clock"""
)

PERSONAL = words("i i'm i've i'll i'd i’m i’ve my we we're we've our mine me us ours")

WEIGHTY = words(
    """decide decided decision chose chosen choose prefer prefers preferred preference favourite favorite allergic
    allergy allergies intolerant intolerance vegetarian vegan must deadline due instead changed moved switched agreed
    booked reserved reservation budget costs cost price password code address name named called born birthday married
    lives live works hate hates love loves afraid important promised confirmed cancelled canceled final finally signed
    limit limited goal planned number paid bought"""
)

CHANGE = words(
    """instead changed changes changing moved moving switched now new updated actually corrected correction raised
    reduced lowered increased extended postponed pushed rescheduled replaced renamed revised final"""
)

MODALS = words("could can may might should would")

HEDGED = words(
    "consider usually typically generally often maybe perhaps recommend suggest depends i'd i’d you'd generally"
)

HEDGED_STARTS = words(
    """if perhaps maybe try avoid add use check ask start keep don't let make remember feel bring choose consider write
    put take pick set plan when"""
)

SMALL_TALK_STARTS = words(
    """hi hello hey thanks thank great perfect sure certainly absolutely sounds good nice ok okay understood noted happy
    glad sorry wonderful lovely yes no fine right exactly welcome"""
)

POINTING_STARTS = words(
    "he she it it's it’s that that's this these those they there there's his her their who"
)
"""A sentence that begins with one of these speaks of something that another sentence names."""

MAY_ADMIT_IGNORANCE = words(
    """know have see find recall remember told sure aware record mention information nothing
    don't didn't can't cannot not"""
)
