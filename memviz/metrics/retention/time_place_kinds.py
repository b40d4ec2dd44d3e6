"""When something is, and where somebody lives."""

from __future__ import annotations

from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.labelled_kinds import DAY, PLACE, WHEN, kind

TIMES_AND_PLACES = (
    kind("0 past noon midnight monday tuesday wednesday thursday friday saturday sunday",
          r"\b(?:on|to|until|till|by|for|every|each|is|at|from|around) (?:(?:next|this|half) )?"
          rf"(?P<value>{part.WHEN})\b(?! \d| to\b)", "single fact", WHEN),
    kind("0", rf"\b(?:on|until|till|by|for|from|is|to|since) the (?P<value>{part.NUMBERED_DAY})", "single fact", DAY),
    kind("0", rf"\b(?:on|until|till|by|from|is|to|since|starts|am|bis|vom) (?:the )?(?P<value>{part.DAY_OF_MONTH})",
         "single fact", DAY),
    kind("uhr", r"\b(?:um|bis|ab|gegen|von|vor|nach) (?P<value>\d{1,2}(?:[:.]\d\d)? Uhr)\b", "single fact", WHEN),
    kind("0", part.STREET, "single fact", PLACE, False),
    kind("0", part.STREET_FIRST, "single fact", PLACE, False),
    kind("live lives lived living moved moving wohne wohnt grew from", r"\b(?:live[sd]? (?:in|at)|living in|moved to"
          r"|moving to|grew up in|wohn(?:e|t|en) in|(?:i am|i['’]m|comes?) from) (?:the )?"
          rf"{part.NAME}", "single fact", PLACE),
)  # fmt: skip
