"""Kinds of values that say when something is, where somebody lives, and which of several.

The form of a kind is that of :mod:`memviz.metrics.retention.taste_kinds`. The trigger
``0`` stands for any digit in the sentence.
"""

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.label_words import CODE, DAY, PLACE, WHEN, kind

TIMES_AND_PLACES = (
    kind(
        triggers="0 past half quarter noon midnight monday tuesday wednesday thursday"
        " friday saturday sunday",
        pattern=(
            r"\b(?:on|to|until|till|by|for|every|each|is|at|from|around)"
            rf" (?:(?:next|this|half) )?(?P<value>{part.DAY_OR_TIME})\b(?! \d| to\b)"
        ),
        weight=WHEN,
        examples=(
            "The call is on next Tuesday morning. -> Tuesday morning",
            "Dinner is at 7:30 pm. -> 7:30 pm",
            "We meet at quarter to five. -> quarter to five",
        ),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\b(?:on|until|till|by|for|from|is|to|since) the"
            rf" (?P<value>{part.NUMBERED_DAY})"
        ),
        weight=DAY,
        examples=("The party is on the 17th. -> 17th",),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\b(?:on|until|till|by|from|is|to|since|starts|am|bis|vom) (?:the )?"
            rf"(?P<value>{part.DAY_OF_MONTH})"
        ),
        weight=DAY,
        examples=(
            "The lease starts on 3 March 2025. -> 3 March 2025",
            "Wir fahren am 3. Mai. -> 3. Mai",
        ),
    ),
    kind(
        triggers="uhr",
        pattern=r"\b(?:um|bis|ab|gegen|von|vor|nach) (?P<value>\d{1,2}(?:[:.]\d\d)? Uhr)\b",
        weight=WHEN,
        examples=("Wir treffen uns um 18:30 Uhr. -> 18:30 Uhr",),
    ),
    kind(
        triggers="0",
        pattern=part.STREET,
        weight=PLACE,
        of_user=False,
        examples=("It is at 12 Harbour Street. -> 12 Harbour Street",),
    ),
    kind(
        triggers="0",
        pattern=part.STREET_FIRST,
        weight=PLACE,
        of_user=False,
        examples=("Die Praxis ist Gartenstraße 5. -> Gartenstraße 5",),
    ),
    kind(
        triggers="live lives lived living moved moving wohne wohnt grew from",
        pattern=(
            r"\b(?:live[sd]? (?:in|at)|living in|moved to|moving to|grew up in"
            r"|wohn(?:e|t|en) in|(?:i am|i['’]m|comes?) from) (?:the )?"
            rf"{part.NAME}"
        ),
        weight=PLACE,
        examples=("My parents moved to Lisbon. -> Lisbon",),
    ),
)

DAYS = (
    kind(
        triggers="0",
        pattern=(
            r"\b(?:take|book|choose|pick|prefer|keep|reserve|want|make it|say|need"
            rf"|hold) the (?P<value>{part.DAY_NUMBER})(?=[.,;!?]|$"
            r"| (?:at|if|unless|and|or|so|but|because|please|instead|then)\b)"
        ),
        weight=DAY,
        examples=("Please book the 17th instead. -> 17th",),
    ),
    kind(
        triggers="0",
        pattern=(
            rf"(?:^|[,;] |\b(?:then|so|and|but) )the (?P<value>{part.DAY_NUMBER})"
            r" (?:(?:really|still|also) )?(?:works|suits|fits"
            r"|is (?:fine|good|great|best|better|ok|okay|perfect|ideal|free|set|fixed"
            r"|confirmed|our|my|when|the (?:day|date|deadline))|it is)\b"
        ),
        weight=DAY,
        examples=("Then the 17th works for me. -> 17th",),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\b(?:on|until|till|by|for|from|is|to|since) the"
            rf" (?P<value>{part.DAY_NUMBER})(?= unless\b)"
        ),
        weight=DAY,
        examples=("We meet on the 17th unless it rains. -> 17th",),
    ),
)
"""Days of which only the number is said."""

GROUPS = (
    kind(
        triggers="grou team clas sect bloc zone row wing hall term towe buil stag trac"
        " leve lane stai entr divi squa form grad unit gate grup klas reih turm gebä"
        " eing aufg absc",
        pattern=(
            r"\b(?:in|on|at|from|to|am|bei|aus) (?:the |der |die |das |dem |den )?"
            rf"(?P<value>(?P<label>{part.GROUP_NOUN}) {part.LETTER_OR_NUMBER})"
        ),
        weight=CODE,
        examples=("Our seats are in block C, near the exit. -> block C",),
    ),
    kind(
        triggers="size größ",
        pattern=(
            r"\b(?:wears?|takes?|needs?|am|is|are|['’]m|['’]s|trage|trägt|brauche"
            r"|braucht|habe|hat)"
            rf" (?:an? |in |the )?(?P<value>(?P<label>size|größe) {part.SIZE})"
            r"(?=[.,;:!?)]|$| (?:in|for|with|and|but|please|bei)\b)"
        ),
        weight=CODE,
        examples=("She wears size 42. -> size 42",),
    ),
    kind(
        triggers="size größ",
        pattern=(
            r"(?:\bsize|größe)(?: is| are| ist|:) (?:an? )?"
            rf"(?P<value>{part.SIZE})"
        ),
        weight=CODE,
        examples=("My shoe size is 42. -> 42",),
    ),
)
"""The letter or number of one group among several, and sizes."""
