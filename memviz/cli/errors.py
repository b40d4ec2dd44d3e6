"""Errors on the command line: one sentence on stderr, and an exit code that a script can rely on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer import Exit
from typer.core import TyperGroup

from memviz.cli.output import complain
from memviz.core.bounds import quoted
from memviz.core.errors import (
    MemvizError,
    ParameterError,
    UnknownModelError,
    UnknownNameError,
)

FAILED = 1
WRONG_USE = 2
INTERRUPTED = 130
"""What a shell expects of a command that Ctrl-C ended: 128 and the number of the signal."""
_WRONG_USES = (ParameterError, UnknownNameError, UnknownModelError)


class UnknownFormatNameError(UnknownNameError):
    """No import format has this name."""

    kind = "format"

    def __init__(self, name: str, known: Iterable[str], advice: str) -> None:
        super().__init__(name, known)
        self.args = (
            f"There is no format named {quoted(name)}. {advice}",
        )  # there are too many to list them all


class UnknownExportError(UnknownNameError):
    """No export has this name."""

    kind = "export"


class UnknownTargetError(UnknownNameError):
    """No target of the code export has this name."""

    kind = "target"


class UnknownConversationError(MemvizError):
    """What was given is neither a file nor a saved conversation, or could be several."""


class OutputError(MemvizError):
    """A result cannot be written where it should go."""


class Commands(TyperGroup):
    """The commands. Any error of memviz that one of them raises is told and ends it; nothing shows a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except MemvizError as error:
            complain(f"Error: {error}")
            raise Exit(
                WRONG_USE if isinstance(error, _WRONG_USES) else FAILED
            ) from None
