"""The kinds of cells of the memory map."""

from typing import NamedTuple

from memviz.core.context import Fate


class Step(NamedTuple):
    """A fate, and for summarized messages from how many summarizations on."""

    fate: Fate
    generation: int = 0


STEPS = (
    Step(Fate.NOT_YET),
    Step(Fate.DROPPED),
    Step(Fate.SUMMARIZED, 1),
    Step(Fate.SUMMARIZED, 2),
    Step(Fate.SUMMARIZED, 4),
    Step(Fate.SUMMARIZED, 8),
    Step(Fate.RECALLED),
    Step(Fate.VERBATIM),
    Step(Fate.CLEARED),
    Step(Fate.SHORTENED),
    Step(Fate.OPAQUE),
)
"""The kinds of cells of the map; a cell's code is its place here, and codes keep their numbers. A step of generations
ends where the next begins: once, 2-3, 4-7, 8 or more times summarized. From *dropped* to *word for word* it holds: the
more of a message is sent, the higher its code."""


_CODES = {step.fate: code for code, step in enumerate(STEPS)}


def code_of(fate: Fate, generation: int = 0) -> int:
    """Return the place in :data:`STEPS` of a fate."""
    if fate is not Fate.SUMMARIZED:
        return _CODES[fate]
    return max(
        code
        for code, step in enumerate(STEPS)
        if step.fate is Fate.SUMMARIZED and step.generation <= generation
    )


RECALLED_CODE = code_of(Fate.RECALLED)
