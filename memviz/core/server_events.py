"""Events of a running server, for whoever runs it: a page was drawn, a replay ended, an error was shown.

An event is a record of Python's logging, so that nobody pays for it where nobody listens. It carries names that memviz
gives itself (a page, a strategy, a class of errors) and numbers: never a text of a conversation, a key, or who somebody
is.
"""

import logging
from traceback import extract_tb

LOGGER = logging.getLogger("memviz.server")
LOGGER.setLevel(logging.INFO)
LOGGER.addHandler(logging.NullHandler())
LOGGER.propagate = False  # the handlers of the program around memviz want warnings
PAGE = "page"
REPLAY = "replay"
ERROR = "error"


def note_event(event: str, **values: str | float) -> None:
    """Tell whoever listens that ``event`` happened: ``note_event(PAGE, page="facts", seconds=0.31)``."""
    LOGGER.info(event, extra={"values": values})


def values_of(record: logging.LogRecord) -> dict[str, str | float]:
    """Return the names and numbers of an event; none for a record of another logger."""
    values: dict[str, str | float] = getattr(record, "values", {})
    return values


def note_error(error: Exception) -> None:
    """Tell that a page showed ``error`` or ended with it: its class and the line that raised it, not its words."""
    note_event(ERROR, error=type(error).__name__, raised_at=place_raised(error))


def place_raised(error: BaseException) -> str:
    """Return where an error was raised: "workspace.py:120"; empty for one that was not."""
    frames = extract_tb(error.__traceback__)
    if not frames:
        return ""
    return f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}"
