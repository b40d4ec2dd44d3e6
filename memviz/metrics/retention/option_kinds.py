"""Options that are ruled out, those that are wanted instead, and statements on a thing that has a name of its own."""

import re

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.empty_values import says_something
from memviz.metrics.retention.label_words import (
    CHOICE,
    DETAIL,
    EXCLUDED,
    PERSON,
    kind,
)

_RULED_OUT = "what is ruled out"
_EMPTY = part.make_alternatives(
    """
    idea problem problems worries need one rush longer matter doubt thanks thank way wonder issue reason chance more
    less point hurry pressure clue fun big such sense trouble hard surprise other further change changes question
    questions good better use end excuse luck time joke comment offence offense fuss hesitation wait waiting fail
    delay else least later yet only just sure always really very too quite even necessarily exactly much many enough
    anymore here there now then mention mistake
    """
)
_BARE = rf"(?!(?:any |the |a |an |all |some )?{_EMPTY}\b)"
_SAYING = r"(?:ever |even |really |please |to |have |the )*"
_VERBS_OUT = (
    r"(?:want|use|using|suggest|recommend|include|add|touch|propose|book|order|buy|mention|change|delete|invite|serve"
    r"|schedule|deploy(?: to)?|push(?: to)?|drop|need|put|offer|install|call|visit|go to|do|work(?: on)?|allow"
    r"|wear|bring)"
)
_THING = r"(?:[\w'’&-]+ ){0,3}?"
_TOPICS = """
    theme topic subject title colou?r venue location menu cake starter main dessert goal aim target deadline diagnosis
    job hobby field language framework database editor stack platform brand model material style format currency
    occasion budget band caterer photographer detective murderer victim villain hero heroine protagonist narrator
    setting genre audience tone motto slogan logo font name nickname username hometown capital employer company school
    university major course destination hotel airline airport terminal station stop meeting launch release event
    dress_code password hint answer supplier vendor provider host owner plan default backup fallback priority limit
    maximum minimum quota port region branch version car bike van boat engine breed flavou?r topping sauce drink tea
    wood fabric paint wallpaper flooring tile roof crop plant soil bottleneck culprit cause winner sponsor client
    customer contact emergency_contact insurer insurance bank landlord neighbourhood district
    """
_TOPIC = part.make_alternatives(_TOPICS)
_VENUE = part.make_alternatives(
    """
    club hall church chapel school hotel hostel restaurant pub bar café cafe library museum park garden gym pool
    office station beach farm barn theatre theater cinema clinic hospital pharmacy bakery market mall campus
    warehouse studio gallery stadium arena castle mill winery brewery lodge cabin cottage villa harbour harbor
    marina pier airport depot workshop lab centre center square nursery cellar attic basement garage loft boathouse
    lighthouse observatory bookshop shop store
    """
)

_COMMON = part.make_alternatives(
    r"""
    questions? ideas? look problems? chance plan meeting bit lot few couple feeling good great nice bad hard
    difficult long short quick big small new different similar hunch fight go try talk chat word time day week
    moment minute while rough busy lovely wonderful terrible really very better worse second third list draft
    suggestion favou?r request thought reason point choice reply answer message call mail email text part number
    lots? place thing way something proper clear
    """
)

OPTIONS = (
    kind(
        triggers="dr mr mrs ms prof",
        pattern=(
            rf"\b(?:Dr|Mr|Mrs|Ms|Prof)\.? (?P<value>{part.NAME_WORD}(?:"
            rf" {part.NAME_WORD})?)"
        ),
        weight=PERSON,
        category="name",
        examples=("My dentist is Dr. Okafor Lind. -> Okafor Lind",),
    ),
    kind(
        triggers="have has had got",
        pattern=(
            rf"(?:{part.SUBJECT}|\band|['’]ve|['’]s) (?:(?:do|also|already|just|still|now|have"
            r"|has) )*(?:have|has|had|got) (?:an?|one) "
            rf"(?P<value>(?!{_COMMON}\b){part.NOT_FIRST}[\w'’-]+(?: (?!(?:{_COMMON}|of|to|that|which|who|in|on|at"
            r"|for|with|and|or|from|about|so|but"
            r"|because|as|is|was|if|when|where)\b)[\w'’-]+){0,2})"
        ),
        weight=DETAIL - 0.5,
        is_value=says_something,
        examples=(
            "We have a beagle. -> beagle",
            "I've got a spare tent. -> spare tent",
        ),
    ),
    kind(
        triggers="hurts aches sore broken injured bad swollen weak sprained operated",
        pattern=(
            r"\b(?:my|her|his|our \w+['’]s) (?P<value>(?:left |right "
            r"|lower |upper )?[a-z]+)"
            r" (?:hurts?|aches?|(?:is|are) (?:sore|broken|injured|swollen|bad|weak|sprained)|was"
            r" operated)"
        ),
        weight=PERSON,
        examples=(
            "My left knee hurts. -> left knee",
            "My ankles are weak. -> ankles",
            "Her wrist is sprained. -> wrist",
            "His hip was operated in May. -> hip",
        ),
    ),
    kind(
        triggers="at in to from near behind outside inside opposite",
        pattern=(
            r"\b(?:at|in|to|from|near|behind|outside|inside|opposite) "
            r"(?:the|our|my|his|her|an?) "
            rf"(?P<value>(?:[\w'’-]+ ){{1,2}}{_VENUE})(?!\w)"
        ),
        weight=DETAIL,
        category="name",
        is_value=says_something,
        examples=(
            "We meet at the old mill. -> old mill",
            "It is opposite the town hall. -> town hall",
        ),
    ),
    kind(
        triggers="no without avoid skip exclude except anything nothing rather instead"
        " leave",
        pattern=(
            r"\b(?:no|without|avoid(?:ing)?|skip(?:ping)?|exclud(?:e|ing)|except(?: for)?|anything but|nothing "
            r"(?:with|like)"
            rf"|leave out|instead of|rather than) (?:any |the |a |an )?{_BARE}{part.PHRASE}"
        ),
        weight=EXCLUDED,
        is_value=says_something,
        hint=_RULED_OUT,
        examples=(
            "No nuts, please. -> nuts",
            "We travel without the dog. -> dog",
            "Please skip the soup. -> soup",
            "I'll take anything but tofu. -> tofu",
            "There should be nothing like karaoke. -> karaoke",
            "Oats instead of rice. -> rice",
        ),
    ),
    kind(
        triggers="ruled dropped rejected against cancelled scrapped stopped quit gave"
        " given",
        pattern=(
            r"\b(?:ruled? out|dropped|rejected|(?:decided|voted|advised) against|cancell?ed|scrapped|stopped "
            r"(?:taking|using|doing|eating)"
            rf"|quit|gave up|given up) (?:the |a |an )?{_BARE}{part.PHRASE}"
        ),
        weight=EXCLUDED,
        is_value=says_something,
        hint=_RULED_OUT,
        examples=(
            "We ruled out Lisbon. -> Lisbon",
            "She decided against surgery. -> surgery",
            "He stopped taking aspirin. -> aspirin",
            "We have given up the allotment. -> allotment",
        ),
    ),
    kind(
        triggers="do don does dont must should shouldn can cannot never not won",
        pattern=(
            rf"\b(?:(?:do|does|must|should|can)(?:n['’]?t| not)|cannot|dont|never|not to|won['’]t)"
            rf" {_SAYING}{_VERBS_OUT} (?:any |the |a |an |it to |with |at |in |on )?{_BARE}{part.PHRASE}"
        ),
        weight=EXCLUDED,
        is_value=says_something,
        hint=_RULED_OUT,
        examples=(
            "Please do not use plastic. -> plastic",
            "We cannot use Docker. -> Docker",
            "You shouldn't book the ferry. -> ferry",
            "Never serve shellfish. -> shellfish",
        ),
    ),
    kind(
        triggers="not",
        pattern=(
            rf"[,;–-] ?(?:but )?not (?:in |on |at |by |for |with |to |from |the |a |an |any )*{_BARE}{part.PHRASE}"
            r"(?=[.,;!]|$)"
        ),
        weight=EXCLUDED,
        is_value=says_something,
        hint=_RULED_OUT,
        examples=("We take the train, not the bus. -> bus",),
    ),
    kind(
        triggers="out off ruled excluded not no forbidden banned cancelled won",
        pattern=(
            rf"(?:^|[,;:] |\b(?:and|but|so|because|since) )(?:the |my |our |any |all )?(?P<value>{part.NOT_FIRST}"
            r"(?!(?:everyone|everybody|nobody|i|we|he|she|they|you|who|which|times?|work|sold|figure|find"
            rf"|turns?)\b){_THING}[\w'’&-]+) (?:(?:is|are)(?: all)? "
            r"(?:out(?! of| on| in| there| for)|off the table|ruled out|excluded|not an option|a no-go|forbidden|banned"
            r"|not allowed|cancelled|canceled)|won['’]t work|did not work)\b"
        ),
        weight=EXCLUDED,
        is_value=says_something,
        hint=_RULED_OUT,
        examples=(
            "The ferry is off the table. -> ferry",
            "Lisbon is ruled out. -> Lisbon",
            "The attic is not an option. -> attic",
            "Plastic is a no-go. -> Plastic",
            "Tuesday morning won't work. -> Tuesday morning",
            "The old script did not work. -> old script",
        ),
    ),
    kind(
        triggers=_TOPICS.replace("_", " ").replace("?", ""),
        pattern=(
            rf"\b(?:the|my|our|his|her|their|its|\w+['’]s|^)? ?(?:[\w-]+ )?{_TOPIC}(?: (?:of|for|at|on|in) "
            r"(?:[\w'’-]+ ){1,3}?)? ?"
            r"(?:is|are|was|will be|should be|must be|['’]s|=|:) (?:now |still |actually |really |called |going to be"
            rf" )*{part.PHRASE}"
        ),
        weight=DETAIL,
        is_value=says_something,
        examples=(
            "The theme is pirates. -> pirates",
            "Our venue for the party is Harbour View. -> Harbour View",
        ),
    ),
    kind(
        triggers="love like adore enjoy",
        pattern=(
            rf"(?:{part.SUBJECT}|\b(?:and|but)) (?:(?:really|also|both|all|absolutely|do)"
            r" )*(?<!would )(?:loves?|likes?|adores?|enjoys?) "
            rf"(?!to\b){part.PHRASE}"
        ),
        weight=DETAIL,
        is_value=says_something,
        examples=("He adores jazz. -> jazz",),
    ),
    kind(
        triggers="use uses drive play own owns keep speak teach study on ride grow breed"
        " collect work wear",
        pattern=(
            rf"(?:{part.SUBJECT}|\band)(?:['’]ve| have| has)?(?: (?:also|mostly|only|already|currently|both|always"
            r"|still))* "
            r"(?:uses?|drives?|plays?|owns?|keeps?|speaks?|teach(?:es)?|stud(?:y|ies)|runs? on|rides?|grows?"
            r"|breeds?|collects?"
            rf"|works? (?:as|at|for|with)|wears?) {part.PHRASE}"
        ),
        weight=DETAIL,
        is_value=says_something,
        examples=(
            "She drives a tractor. -> tractor",
            "He owns a vineyard. -> vineyard",
            "She rides a moped. -> moped",
            "He grows tulips. -> tulips",
            "She collects stamps. -> stamps",
            "She breeds alpacas. -> alpacas",
        ),
    ),
    kind(
        triggers="wants needs must",
        pattern=(
            rf"{part.SUBJECT} (?:(?:really|also|both|only|just|definitely) )*"
            r"(?:wants?|needs?|must have) "
            r"(?!to\b|you\b|help\b|some help\b|advice\b|your\b|something\b|an idea\b|ideas\b"
            rf"|more\b){part.PHRASE}"
        ),
        weight=DETAIL,
        is_value=says_something,
        examples=(
            "We want a balcony. -> balcony",
            "We must have parking. -> parking",
        ),
    ),
    kind(
        triggers="diagnosed suffers treated got living",
        pattern=(
            r"\b(?:diagnosed with|suffers? from|been treated for|have got|living"
            r" with) (?:a |an )?"
            rf"{part.PHRASE}"
        ),
        weight=PERSON,
        examples=(
            "He suffers from gout. -> gout",
            "She was diagnosed with asthma. -> asthma",
            "He has been treated for gout. -> gout",
            "She is living with asthma. -> asthma",
        ),
    ),
    kind(
        triggers="im i he she my our",
        pattern=(
            r"\b(?:i['’]?m|i am|he is|she is|he['’]s|she['’]s|(?:my|our) \w+ is) (?:now )?an? "
            rf"{part.PHRASE}"
        ),
        weight=DETAIL,
        is_value=says_something,
        examples=(
            "I'm a welder. -> welder",
            "My sister is a nurse. -> nurse",
        ),
    ),
    kind(
        triggers="work",
        pattern=(
            r"\bwork(?:s|ed|ing)? (?:as|at|for|in) (?:a |an |the )?"
            + part.PHRASE[len(part.OWN) :]
        ),
        weight=DETAIL,
        is_value=says_something,
        examples=("I work as a welder. -> welder",),
    ),
    kind(
        triggers="called named titled dubbed labelled nicknamed codenamed",
        pattern=(
            r"\b(?:called|named|titled|dubbed|labelled|nicknamed|codenamed|code-named)"
            r" (?:the )?[\"“']?(?-i:(?P<value>[A-Z0-9][\w'’&-]*(?: (?:of|the|and|&|de|la|[A-Z0-9][\w'’&-]*)){0,4}))"
        ),
        weight=PERSON,
        category="name",
        examples=(
            "The boat is called Sea Pearl. -> Sea Pearl",
            "He was nicknamed Sparky. -> Sparky",
            "The release is codenamed Falcon. -> Falcon",
        ),
    ),
    kind(
        triggers="go going gone went stick stay",
        pattern=(
            r"\b(?:going|go|gone|went|stick(?:ing)?|stay(?:ing)?) (?:with|for) "
            r"(?!an? (?:walk|run|swim|ride|drive|stroll|hike|meal|drink)\b)(?:the |a |an )?"
            + part.PHRASE[len(part.OWN) :]
        ),
        weight=CHOICE,
        is_value=says_something,
        examples=(
            "We are going with oak. -> oak",
            "We went for oak. -> oak",
            "We stick with oak. -> oak",
            "We are staying with oak. -> oak",
        ),
    ),
    kind(
        triggers="booked reserved ordered hired bought rented chosen picked",
        pattern=(
            r"\b(?:i|we|he|she|they)(?:['’]ve| have|['’]d)?(?: "
            r"(?:already|just|now|also))* "
            r"(?:booked|reserved|ordered|hired|bought|rented|chosen|picked)"
            rf" {part.PHRASE}"
        ),
        weight=CHOICE,
        is_value=says_something,
        examples=(
            "We booked a cottage. -> cottage",
            "We have chosen oak. -> oak",
            "They've picked oak. -> oak",
        ),
    ),
)
_QUOTED_PLAINLY = re.compile(r"(?-i:[A-Z0-9#].*)|\S+")


def _is_title(value: str) -> bool:
    """Few words of which the first is written large, or a single one."""
    return len(value.split()) <= 6 and _QUOTED_PLAINLY.fullmatch(value) is not None


TITLES = (
    kind(
        triggers='" “',
        pattern=r"(?<!the word )[\"“](?P<value>[^\"”“]{2,40}[^\"”“.,!?])[\"”]",
        weight=CHOICE,
        is_value=_is_title,
        examples=("We read “Dune Messiah” together. -> Dune Messiah",),
    ),
)
"""What somebody sets in quotation marks."""
