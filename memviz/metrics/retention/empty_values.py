"""Words that look like a value at their place and say nothing: "fine", "a bit of", "one that ..."."""

import re

from memviz.metrics.retention.label_words import make_alternatives

_EMPTY_START = make_alternatives(
    """
    a_bit a_little a_lot not so very too really quite pretty just still also now already sure fine good great ok okay
    nice bad happy sorry glad afraid here there tired new big fan important possible right wrong clear true open ready
    done set up out over back free busy hard easy interested worried thinking looking going trying planning asking
    wondering hoping bit little lot far halfway is are was were has have had who which that in at on for with from
    until as because while slow full empty noisy quiet easier better worse cheaper gone late early both same next
    last first only almost about around under over between up_to what how why when where off one ones mine yours
    ours theirs hers his before after during since than if then unless yet enough finished due listening watching
    reading doing having being getting seeing making unique interesting
    """
)
"""Begin what is no value: "My dog is ... fine", "... looking for a home"."""
_EMPTY_WHOLE = make_alternatives(
    """
    tables? rooms? flights? tickets? seats? place appointment hotel everything things car time days? options? plan
    idea
    """
)
"""Say only that there is one: "We booked ... a room"."""
_EMPTY_END = make_alternatives(
    "one ones that which who because and or the a an of to not than if"
)
"""End what goes on, or was named before: "A command that did not work", "the blue one"."""
_NO_VALUE = re.compile(
    rf"{_EMPTY_START}\b|.* {_EMPTY_END}$|{_EMPTY_WHOLE}$", re.IGNORECASE
)


def says_something(value: str) -> bool:
    """Return whether a value tells more than that there is one, and is whole."""
    return _NO_VALUE.match(value) is None
