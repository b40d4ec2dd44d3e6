"""Kinds of values that say what somebody tolerates, likes, or chose.

Each kind is a pattern for one form of sentence, with words of which a sentence has to
have one (``triggers``) and sentences in which it finds its value (``examples``).
"""

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.label_words import CHOICE, PERSONAL, kind

TO_AVOID = "what to avoid"
"""The name of a value that the words of its question would not tell."""

_NO_ALLERGEN = "(?:food|drug|skin|other|own|new|many|known|severe|bad)"
"""Words before "allergies" that name no substance: "my food allergies"."""
_NOT_DONE_WITHOUT = (
    r"(?:without|with|more|much|so|for|as|in|on|at|a|an|the|my|our|your|his|her|their"
    r"|or|well|better|things|stuff|justice|miracles|\w+day|\w+ing)"
)
"""Words behind "can't do" that name nothing to avoid: "I can't do without it"."""

_ALLERGIES = (
    kind(
        triggers="allergic allergy alérgico alergico intolerant unverträglichkeit"
        " intoleranz empfindlich überempfindlich",
        pattern=(
            # English
            r"\b(?:allerg(?:ic|y|ies) to|intoleran(?:t|ce) (?:to|of)"
            # German
            r"|allergisch (?:gegen|auf)|allergie gegen"
            r"|(?:unverträglichkeit|intoleranz|(?:über)?empfindlich) gegen"
            # Spanish
            r"|al[ée]rgic[oa]s? (?:a l[ao]s?|al?)"
            # French
            rf"|allergiques? (?:à la|à l['’]|aux?|à)) ?{part.PHRASE}"
        ),
        weight=PERSONAL,
        examples=(
            "I'm allergic to nuts. -> nuts",
            "Ich bin allergisch gegen Nüsse. -> Nüsse",
            "Soy alérgico a las nueces. -> nueces",
            "Soy alergico a las nueces. -> nueces",
            "Je suis allergique aux noix. -> noix",
        ),
    ),
    kind(
        triggers="allergy allergies intolerance",
        pattern=(
            r"\b(?:my|our|his|her|their|\w+['’]s)"
            r" (?:(?:severe|bad|strong|mild|slight|food|known) )*"
            rf"(?P<value>(?!{_NO_ALLERGEN}\b){part.NOT_FIRST}[a-z][\w-]+)"
            r" (?:allerg(?:y|ies)|intolerance)\b"
        ),
        weight=PERSONAL,
        examples=("Please mind my severe nut allergy. -> nut",),
    ),
    kind(
        triggers="allergy allergies intolerance",
        pattern=(
            r"\b(?:an?|ha[sd]|have|got)"
            r" (?:(?:severe|bad|strong|mild|serious|slight|life-threatening) )*"
            rf"(?P<value>{part.NOT_FIRST}[a-z][\w-]+(?: [a-z][\w-]+)?)"
            r" (?:allerg(?:y|ies)|intolerance)\b"
        ),
        weight=PERSONAL,
        examples=("My son has a mild tree nut allergy. -> tree nut",),
    ),
    kind(
        triggers="make makes give gives bring brings cause causes",
        pattern=(
            r"(?:^|[,;:] |\b(?:and|but|because|since|that|oh|well) )"
            rf"(?:(?:and|oh|well) )?{part.OWN}"
            rf"(?P<value>{part.NOT_FIRST}"
            r"(?!(?:and|oh|well|he|she|they|we|i|which|who)\b)"
            r"[a-z][\w-]+(?: [a-z][\w-]+){0,2}?)"
            r" (?:always |really |just )?(?:makes?|gives?|brings?|causes?)"
            r" (?:me|us|him|her|them|my \w+|our \w+)"
            rf" (?:out in |up in |feel |very |really )?{part.ILL}\b"
        ),
        weight=PERSONAL,
        examples=(
            "Wool makes me itch. -> Wool",
            "No prawns, shellfish always gives me hives. -> shellfish",
        ),
    ),
    kind(
        triggers="habe hat haben leidet leide",
        pattern=(
            r"\b(?:habe|hat|haben|leide[tn]?)"
            r"(?: (?:auch|an|unter|eine|einer|starke[rn]?|schwere[rn]?))+ "
            r"(?P<value>\w+(?:allergie|unverträglichkeit|intoleranz))\b"
        ),
        weight=PERSONAL,
        hint="Allergie",
        examples=("Ich habe eine starke Nussallergie. -> Nussallergie",),
    ),
    kind(
        triggers="vertrage verträgt vertragen esse isst essen trinke trinkt mag mögen",
        pattern=(
            r"\b(?:vertrage|verträgt|vertragen|esse|isst|essen|trinke|trinkt|trinken"
            r"|mag|mögen) (?:(?:auch|gar|absolut) )*"
            r"keine?n? (?-i:(?P<value>[A-ZÄÖÜ][\w-]+(?: (?:und|oder) [A-ZÄÖÜ][\w-]+)?))"
        ),
        weight=PERSONAL,
        examples=(
            "Ich esse kein Fleisch oder Geflügel. -> Fleisch oder Geflügel",
            "Wir mögen keine Pilze. -> Pilze",
        ),
    ),
    kind(
        triggers="allergie supporte mange tolère bois",
        pattern=(
            r"\b(?:allergie (?:à la|à l['’]|aux?|à)"
            r"|ne (?:supporte|mange|tolère|bois) pas"
            r" (?:de la |du |de |d['’]|les? |la |l['’])?) ?"
            r"(?P<value>(?!(?:ça|cela|bien|beaucoup|trop)\b)\w[\w-]+)"
        ),
        weight=PERSONAL,
        examples=(
            "J'ai une allergie aux noix. -> noix",
            "Je ne mange pas de viande. -> viande",
            "Je ne bois pas de vin. -> vin",
        ),
    ),
)
"""Substances that somebody is allergic to, or cannot stand."""

_AVOIDED = (
    kind(
        triggers="do",
        pattern=(
            rf"\b(?:can['’]?t|cannot) do (?P<value>(?!{_NOT_DONE_WITHOUT}\b)"
            rf"{part.NOT_FIRST}[a-z][\w-]+)"
            r"(?=[.,;!]|$| (?:and|or|so|because|since|at all|anymore)\b)"
        ),
        weight=PERSONAL,
        hint=TO_AVOID,
        examples=("I can't do dairy at all. -> dairy",),
    ),
    kind(
        triggers="take tolerate",
        pattern=(
            r"\b(?:can['’]?t|cannot|must(?:n['’]t| not)|not (?:able|allowed) to) take"
            rf" (?P<value>{part.NOT_TAKEN}{part.NOT_FIRST}[a-z][\w-]+)"
            r"(?=[.;!]|,(?! \w+,)|$| (?:because|since|at all)\b)"
        ),
        weight=PERSONAL,
        hint=TO_AVOID,
        examples=("She is not allowed to take ibuprofen. -> ibuprofen",),
    ),
    kind(
        triggers="well badly cope react",
        pattern=(
            rf"{part.SUBJECT} (?:"
            rf"{part.NEVER} (?:do|cope|get on) (?:very |so |too )?well with"
            r"|cope badly with"
            rf"|reacts? (?:badly|strongly|allergically) to) {part.PHRASE}"
        ),
        weight=PERSONAL,
        hint=TO_AVOID,
        examples=(
            "I don't do well with caffeine. -> caffeine",
            "My son reacts badly to penicillin. -> penicillin",
        ),
    ),
    kind(
        triggers="eat drink tolerate stomach digest wear have",
        pattern=(
            rf"(?:\b{part.NEVER} (?:(?:ever|even|really) )?"
            r"(?:eat|drink|tolerate|stomach|digest"
            r"|wear(?! (?:my|your|his|her|our|the|an?)\b))"
            rf"|\b(?:can['’]?t|cannot|mustn['’]t|must not) have) {part.PHRASE}"
        ),
        weight=PERSONAL,
        hint=TO_AVOID,
        examples=(
            "We never eat pork. -> pork",
            "He can't have gluten. -> gluten",
        ),
    ),
)
"""Things that somebody must not or does not eat, take or wear."""

_LIKES_AND_DISLIKES = (
    kind(
        triggers="hate loathe detest dislike stand bear like fond afraid scared"
        " terrified",
        pattern=(
            rf"(?:{part.SUBJECT}|\b(?:and|but)) (?:really |absolutely |just )?"
            r"(?:hates?|loathes?|detests?|dislikes?"
            r"|can(?:['’]?t|not) (?:stand|bear)|do(?:es)?n['’]t (?:really )?like"
            r"|(?:am|is|are) (?:not (?:very )?fond|afraid|scared|terrified) of)"
            rf" {part.PHRASE}"
        ),
        weight=PERSONAL,
        examples=(
            "I really hate early flights. -> early flights",
            "My wife is afraid of heights. -> heights",
        ),
    ),
    kind(
        triggers="prefer rather favorite favourite",
        pattern=(
            # "she always prefers to take ..."
            rf"(?:{part.SUBJECT}(?:['’]d)?"
            r" (?:(?:really|strongly|always|generally|would|much) )*prefers?"
            r"(?: to (?:take|use|have|be|sit|stay|go|travel))?"
            # "I'd rather travel by ..."
            r"|\b(?:would|['’]d) (?:rather|prefer(?: to)?)"
            r" (?:take|have|go|be|use|stay|travel)(?: (?:by|in|with|at))?"
            # "her favourite kind of tea is ..."
            rf"|\bfavou?rite (?:[\w-]+ ){{0,3}}(?:is|are)) {part.PHRASE}"
        ),
        weight=CHOICE,
        examples=(
            "She always prefers aisle seats. -> aisle seats",
            "We'd rather travel by train. -> train",
            "My favourite colour is teal. -> teal",
        ),
    ),
    kind(
        triggers="favorite favourite",
        pattern=(
            rf"(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD}){{0,3}}) (?:is|are) "
            r"(?:my|our|his|her|their) favou?rite"
        ),
        weight=CHOICE,
        examples=("Earl Grey is my favourite. -> Earl Grey",),
    ),
    kind(
        triggers="vegan vegetarian coeliac celiac diabetic lactose gluten teetotal"
        " blind colourblind colorblind handed claustrophobic pregnant pescatarian"
        " dyslexic asthmatic epileptic schwanger",
        pattern=(
            r"(?:\b(?:am|is|are|ist|bin|sind)|['’](?:m|s|re))"
            r" (?:(?:also|an?|strictly|severely|eine?) )*"
            rf"(?P<value>{part.DIETS})\b"
        ),
        weight=PERSONAL,
        examples=(
            "I'm a vegetarian. -> vegetarian",
            "My sister is lactose intolerant. -> lactose intolerant",
        ),
    ),
    kind(
        triggers="decided chose picked settled agreed went gone going opted",
        pattern=(
            rf"{part.WE_HAVE} (?:decided (?:on|to|for|against)|chosen?|picked"
            r"|settled on|agreed (?:on|to)|went with|gone with|opted for"
            rf"|are going with) {part.PHRASE}"
        ),
        weight=CHOICE,
        examples=("We have finally settled on oak flooring. -> oak flooring",),
    ),
)
"""Tastes, diets and conditions, and what somebody decided on."""

TASTES = (*_ALLERGIES, *_AVOIDED, *_LIKES_AND_DISLIKES)
