"""When something is, and where somebody lives."""

from __future__ import annotations

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.labelled_kinds import CODE, DAY, PLACE, WHEN, kind

TIMES_AND_PLACES = (
    kind(
        "0 past noon midnight monday tuesday wednesday thursday friday saturday sunday",
        r"\b(?:on|to|until|till|by|for|every|each|is|at|from|around) (?:(?:next|this|half) )?"
        rf"(?P<value>{part.WHEN})\b(?! \d| to\b)",
        "single fact",
        WHEN,
    ),
    kind(
        "0",
        rf"\b(?:on|until|till|by|for|from|is|to|since) the (?P<value>{part.NUMBERED_DAY})",
        "single fact",
        DAY,
    ),
    kind(
        "0",
        rf"\b(?:on|until|till|by|from|is|to|since|starts|am|bis|vom) (?:the )?(?P<value>{part.DAY_OF_MONTH})",
        "single fact",
        DAY,
    ),
    kind(
        "uhr",
        r"\b(?:um|bis|ab|gegen|von|vor|nach) (?P<value>\d{1,2}(?:[:.]\d\d)? Uhr)\b",
        "single fact",
        WHEN,
    ),
    kind("0", part.STREET, "single fact", PLACE, False),
    kind("0", part.STREET_FIRST, "single fact", PLACE, False),
    kind(
        "live lives lived living moved moving wohne wohnt grew from",
        r"\b(?:live[sd]? (?:in|at)|living in|moved to"
        r"|moving to|grew up in|wohn(?:e|t|en) in|(?:i am|i['’]m|comes?) from) (?:the )?"
        rf"{part.NAME}",
        "single fact",
        PLACE,
    ),
)

DAYS = (
    kind(
        "0",
        rf"\b(?:take|book|choose|pick|prefer|keep|reserve|want|make it|say|need|hold) the"
        rf" (?P<value>{part.DAY_NUMBER})"
        r"(?=[.,;!?]|$| (?:at|if|unless|and|or|so|but|because|please|instead|then)\b)",
        "single fact",
        DAY,
    ),
    kind(
        "0",
        rf"(?:^|[,;] |\b(?:then|so|and|but) )the (?P<value>{part.DAY_NUMBER}) (?:(?:really|still|also) )?"
        r"(?:works|suits|fits|is (?:fine|good|great|best|better|ok|okay|perfect|ideal|free|set|fixed|confirmed|our|my"
        r"|when|the (?:day|date|deadline))|it is)\b",
        "single fact",
        DAY,
    ),
    kind(
        "0",
        rf"\b(?:on|until|till|by|for|from|is|to|since) the (?P<value>{part.DAY_NUMBER})(?= unless\b)",
        "single fact",
        DAY,
    ),
)
GROUPS = (
    kind(
        "grou team clas sect bloc zone row wing hall term towe buil stag trac leve lane stai entr divi squa form grad"
        " unit gate grup klas reih turm gebä eing aufg absc",
        r"\b(?:in|on|at|from|to|am|bei|aus) (?:the |der |die |das |dem |den )?"
        rf"(?P<value>(?P<label>{part.GROUP_NOUN}) {part.LETTER_OR_NUMBER})",
        "single fact",
        CODE,
    ),
    kind(
        "size größ",
        r"\b(?:wears?|takes?|needs?|am|is|are|['’]m|['’]s|trage|trägt|brauche|braucht|habe|hat)"
        rf" (?:an? |in |the )?(?P<value>(?P<label>size|größe) {part.SIZE})"
        r"(?=[.,;:!?)]|$| (?:in|for|with|and|but|please|bei)\b)",
        "single fact",
        CODE,
    ),
    kind(
        "size größ",
        rf"(?:\bsize|größe)(?: is| are| ist|:) (?:an? )?(?P<value>{part.SIZE})",
        "single fact",
        CODE,
    ),
)
"""What one of several is called by a letter or a number, and sizes."""
