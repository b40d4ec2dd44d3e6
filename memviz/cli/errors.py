"""Errors on the command line: one sentence on stderr, and an exit code that a script
can rely on.
"""

from collections.abc import Iterable

from memviz.core.bounds import quoted
from memviz.core.errors import MemvizError, ParameterError, UnknownNameError
from memviz.core.model_errors import UnknownModelError

FAILED = 1
"""The exit code of a command that could not do its work."""
WRONG_USE = 2
"""The exit code of a command that was given wrong words, as shells expect it."""
INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended, as shells expect it: 128 and the number
of the signal."""
WRONG_USES = (ParameterError, UnknownNameError, UnknownModelError)
"""Errors that end a command with ``WRONG_USE``."""


class UnknownFormatNameError(UnknownNameError):
    """No import format has this name."""

    kind = "format"

    def __init__(self, name: str, known: Iterable[str], advice: str) -> None:
        super().__init__(name, known)
        # Not the sentence of the base class: there are too many formats to list them.
        sentence = f"There is no format named {quoted(name)}. {advice}"
        self.args = (sentence,)


class UnknownExportError(UnknownNameError):
    """No export has this name."""

    kind = "export"


class UnknownTargetError(UnknownNameError):
    """No target of the code export has this name."""

    kind = "target"


class UnknownConversationError(MemvizError):
    """An argument is neither a file nor a saved conversation, or could be several."""


class OutputError(MemvizError):
    """A result cannot be written where it should go."""
