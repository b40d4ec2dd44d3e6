"""How sentences that ask for something begin: "Please, could you ..." and an order."""

import re

_OPENERS = (
    r"(?:(?:please|now|and|so|then|also|ok|okay|hey|kindly|just|but|can you|could you|would you|will you|bitte|请你?"
    r"|麻烦你?|帮我)[, ]*)*"
)
FOR_ME = "(?: me| us)?"
"""Behind the verb of an order."""


def starts(*alternatives: str) -> re.Pattern[str]:
    """A sentence that begins with one of ``alternatives``; the group ``rest`` is what follows."""
    return re.compile(
        rf"{_OPENERS}(?:{'|'.join(alternatives)})(?P<rest>.*)", re.IGNORECASE
    )
