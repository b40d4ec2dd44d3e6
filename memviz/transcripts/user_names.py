"""Compares and lists the names of the speakers in a conversation, one of whom is the user.

A file may not show which speaker is the user; the errors here ask for the name and list those that were found.
"""

from collections.abc import Sequence

from memviz.core.errors import UnclearUserError
from memviz.core.translation import Said, _

MAX_NAMED = 8


def is_same_name(one: str, other: str) -> bool:
    """Return whether two texts are the same name, in whatever letter case."""
    return one.strip().casefold() == other.strip().casefold()


def no_such_user_error(user: str, names: Sequence[str]) -> UnclearUserError:
    """The error for a name of the user that no speaker has."""
    found = (
        _("the names found are {names}", names=quote_names(names))
        if names
        else _("no name of a speaker was found")
    )
    return UnclearUserError(
        Said(
            "nobody called {user!r} speaks in it: {found}.", user=user[:40], found=found
        ),
        names=names,
    )


def unclear_user_error(names: Sequence[str]) -> UnclearUserError:
    """The error for a text that does not show which of its speakers is the user."""
    return UnclearUserError(
        Said(
            "it is not clear who the user is: lines start with {names}.",
            names=quote_names(names),
        ),
        names=names,
    )


def quote_names(names: Sequence[str]) -> str:
    """Return the first names in quotation marks, and how many more there are: "'Ann', 'Ben' and 3 more"."""
    return shorten_names([repr(name[:40]) for name in names], MAX_NAMED)


def shorten_names(names: Sequence[str], most: int) -> str:
    """Return the first ``most`` names, and how many more there are: "a, b and 3 more"."""
    shown = ", ".join(names[:most])
    more = len(names) - most
    return shown + _(" and {value} more", value=more) if more > 0 else shown
