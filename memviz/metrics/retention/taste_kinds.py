"""Allergies, tastes, diets and choices; when something is, and where somebody lives."""

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.label_words import (
    CHOICE,
    CODE,
    DAY,
    PERSONAL,
    PLACE,
    WHEN,
    kind,
)

TO_AVOID = "what to avoid"

TASTES = (
    kind(
        "allergic allergy alérgico intolerant unverträglichkeit intoleranz empfindlich überempfindlich",
        r"\b(?:allerg(?:ic|y|ies) to|intoleran(?:t|ce) (?:to|of)|allergisch (?:gegen|auf)|allergie gegen"
        r"|(?:unverträglichkeit|intoleranz|(?:über)?empfindlich) gegen"
        rf"|al[ée]rgic[oa]s? (?:a l[ao]s?|al?)|allergiques? (?:à la|à l['’]|aux?|à)) ?{part.PHRASE}",
        PERSONAL,
    ),
    kind(
        "allergy allergies intolerance",
        rf"\b(?:my|our|his|her|their|\w+['’]s) (?:(?:severe|bad|strong|mild|slight|food|known) )*"
        rf"(?P<value>(?!(?:food|drug|skin|other|own|new|many|known|severe|bad)\b){part.NOT_FIRST}[a-z][\w-]+)"
        r" (?:allerg(?:y|ies)|intolerance)\b",
        PERSONAL,
    ),
    kind(
        "make makes give gives bring brings cause causes",
        rf"(?:^|[,;:] |\b(?:and|but|because|since|that|oh|well) )(?:(?:and|oh|well) )?{part.OWN}"
        rf"(?P<value>{part.NOT_FIRST}(?!(?:and|oh|well|he|she|they|we|i|which|who)\b)"
        r"[a-z][\w-]+(?: [a-z][\w-]+){0,2}?)"
        r" (?:always |really |just )?(?:makes?|gives?|brings?|causes?) (?:me|us|him|her|them|my \w+|our \w+)"
        rf" (?:out in |up in |feel |very |really )?{part.ILL}\b",
        PERSONAL,
    ),
    kind(
        "habe hat haben leidet leide",
        r"\b(?:habe|hat|haben|leide[tn]?)(?: (?:auch|an|unter|eine|einer|starke[rn]?|schwere[rn]?))+ "
        r"(?P<value>\w+(?:allergie|unverträglichkeit|intoleranz))\b",
        PERSONAL,
        hint="Allergie",
    ),
    kind(
        "vertrage verträgt vertragen esse isst essen trinke trinkt mag",
        r"\b(?:vertrage|verträgt|vertragen|esse|isst|essen|trinke|trinkt|trinken|mag|mögen) (?:(?:auch|gar|absolut) )*"
        r"keine?n? (?-i:(?P<value>[A-ZÄÖÜ][\w-]+(?: (?:und|oder) [A-ZÄÖÜ][\w-]+)?))",
        PERSONAL,
    ),
    kind(
        "allergie supporte mange tolère",
        r"\b(?:allergie (?:à la|à l['’]|aux?|à)|ne (?:supporte|mange|tolère|bois) pas"
        r" (?:de la |du |de |d['’]|les? |la |l['’])?) ?"
        r"(?P<value>(?!(?:ça|cela|bien|beaucoup|trop)\b)\w[\w-]+)",
        PERSONAL,
    ),
    kind(
        "allergy allergies intolerance",
        r"\b(?:an?|ha[sd]|have|got) (?:(?:severe|bad|strong|mild|serious|slight|life-threatening) )*"
        rf"(?P<value>{part.NOT_FIRST}[a-z][\w-]+(?: [a-z][\w-]+)?) (?:allerg(?:y|ies)|intolerance)\b",
        PERSONAL,
    ),
    kind(
        "do",
        r"\b(?:can['’]?t|cannot) do (?P<value>(?!(?:without|with|more|much|so|for|as|in|on|at|a|an|the|my|our"
        r"|your|his|her|their|or|well|better|things|stuff|justice|miracles|\w+day|\w+ing)\b)"
        rf"{part.NOT_FIRST}[a-z][\w-]+)(?=[.,;!]|$| (?:and|or|so|because|since|at all|anymore)\b)",
        PERSONAL,
        hint=TO_AVOID,
    ),
    kind(
        "take tolerate",
        rf"\b(?:can['’]?t|cannot|must(?:n['’]t| not)|not (?:able|allowed) to) take"
        rf" (?P<value>{part.NOT_TAKEN}{part.NOT_FIRST}[a-z][\w-]+)"
        r"(?=[.;!]|,(?! \w+,)|$| (?:because|since|at all)\b)",
        PERSONAL,
        hint=TO_AVOID,
    ),
    kind(
        "well badly cope react",
        rf"{part.SUBJECT} (?:{part.NEVER} (?:do|cope|get on) (?:very |so |too )?well with|cope badly with"
        rf"|reacts? (?:badly|strongly|allergically) to) {part.PHRASE}",
        PERSONAL,
        hint=TO_AVOID,
    ),
    kind(
        "eat drink tolerate stomach digest wear have",
        rf"(?:\b{part.NEVER} (?:(?:ever|even|really) )?(?:eat|drink|tolerate|stomach|digest"
        r"|wear(?! (?:my|your|his|her|our|the|an?)\b))"
        rf"|\b(?:can['’]?t|cannot|mustn['’]t|must not) have) {part.PHRASE}",
        PERSONAL,
        hint=TO_AVOID,
    ),
    kind(
        "hate loathe detest dislike stand bear like fond afraid scared terrified",
        rf"(?:{part.SUBJECT}|\b(?:and|but)) (?:really |absolutely |just )?(?:hates?|loathes?|detests?|dislikes?"
        r"|can(?:['’]?t|not) (?:stand|bear)|do(?:es)?n['’]t (?:really )?like"
        rf"|(?:am|is|are) (?:not (?:very )?fond|afraid|scared|terrified) of) {part.PHRASE}",
        PERSONAL,
    ),
    kind(
        "prefer rather favorite favourite",
        rf"(?:{part.SUBJECT}(?:['’]d)? (?:(?:really|strongly|always|generally|would|much) )*prefers?"
        r"(?: to (?:take|use|have|be|sit|stay|go|travel))?|\b(?:would|['’]d) (?:rather|prefer(?: to)?)"
        r" (?:take|have|go|be|use|stay|travel)(?: (?:by|in|with|at))?"
        rf"|\bfavou?rite (?:[\w-]+ ){{0,3}}(?:is|are)) {part.PHRASE}",
        CHOICE,
    ),
    kind(
        "favorite favourite",
        rf"(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD}){{0,3}}) (?:is|are) "
        r"(?:my|our|his|her|their) favou?rite",
        CHOICE,
    ),
    kind(
        "vegan vegetarian coeliac celiac diabetic lactose gluten teetotal blind colourblind colorblind handed"
        " claustrophobic pregnant pescatarian dyslexic asthmatic epileptic schwanger",
        r"(?:\b(?:am|is|are|ist|bin|sind)|['’](?:m|s|re)) (?:(?:also|an?|strictly|severely|eine?) )*"
        rf"(?P<value>{part.DIETS})\b",
        PERSONAL,
    ),
    kind(
        "decided chose picked settled agreed went gone going opted",
        rf"{part.WE_HAVE} (?:decided (?:on|to|for|against)|chosen?|picked|settled on|agreed (?:on|to)|went with"
        rf"|gone with|opted for|are going with) {part.PHRASE}",
        CHOICE,
    ),
)


TIMES_AND_PLACES = (
    kind(
        "0 past noon midnight monday tuesday wednesday thursday friday saturday sunday",
        r"\b(?:on|to|until|till|by|for|every|each|is|at|from|around) (?:(?:next|this|half) )?"
        rf"(?P<value>{part.DAY_OR_TIME})\b(?! \d| to\b)",
        WHEN,
    ),
    kind(
        "0",
        rf"\b(?:on|until|till|by|for|from|is|to|since) the (?P<value>{part.NUMBERED_DAY})",
        DAY,
    ),
    kind(
        "0",
        rf"\b(?:on|until|till|by|from|is|to|since|starts|am|bis|vom) (?:the )?(?P<value>{part.DAY_OF_MONTH})",
        DAY,
    ),
    kind(
        "uhr",
        r"\b(?:um|bis|ab|gegen|von|vor|nach) (?P<value>\d{1,2}(?:[:.]\d\d)? Uhr)\b",
        WHEN,
    ),
    kind("0", part.STREET, PLACE, of_user=False),
    kind("0", part.STREET_FIRST, PLACE, of_user=False),
    kind(
        "live lives lived living moved moving wohne wohnt grew from",
        r"\b(?:live[sd]? (?:in|at)|living in|moved to"
        r"|moving to|grew up in|wohn(?:e|t|en) in|(?:i am|i['’]m|comes?) from) (?:the )?"
        rf"{part.NAME}",
        PLACE,
    ),
)

DAYS = (
    kind(
        "0",
        rf"\b(?:take|book|choose|pick|prefer|keep|reserve|want|make it|say|need|hold) the"
        rf" (?P<value>{part.DAY_NUMBER})"
        r"(?=[.,;!?]|$| (?:at|if|unless|and|or|so|but|because|please|instead|then)\b)",
        DAY,
    ),
    kind(
        "0",
        rf"(?:^|[,;] |\b(?:then|so|and|but) )the (?P<value>{part.DAY_NUMBER}) (?:(?:really|still|also) )?"
        r"(?:works|suits|fits|is (?:fine|good|great|best|better|ok|okay|perfect|ideal|free|set|fixed|confirmed|our|my"
        r"|when|the (?:day|date|deadline))|it is)\b",
        DAY,
    ),
    kind(
        "0",
        rf"\b(?:on|until|till|by|for|from|is|to|since) the (?P<value>{part.DAY_NUMBER})(?= unless\b)",
        DAY,
    ),
)
GROUPS = (
    kind(
        "grou team clas sect bloc zone row wing hall term towe buil stag trac leve lane stai entr divi squa form grad"
        " unit gate grup klas reih turm gebä eing aufg absc",
        r"\b(?:in|on|at|from|to|am|bei|aus) (?:the |der |die |das |dem |den )?"
        rf"(?P<value>(?P<label>{part.GROUP_NOUN}) {part.LETTER_OR_NUMBER})",
        CODE,
    ),
    kind(
        "size größ",
        r"\b(?:wears?|takes?|needs?|am|is|are|['’]m|['’]s|trage|trägt|brauche|braucht|habe|hat)"
        rf" (?:an? |in |the )?(?P<value>(?P<label>size|größe) {part.SIZE})"
        r"(?=[.,;:!?)]|$| (?:in|for|with|and|but|please|bei)\b)",
        CODE,
    ),
    kind(
        "size größ",
        rf"(?:\bsize|größe)(?: is| are| ist|:) (?:an? )?(?P<value>{part.SIZE})",
        CODE,
    ),
)
"""What one of several is called by a letter or a number, and sizes."""
