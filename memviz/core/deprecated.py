"""Names of the version before, read for one version more with a notice of what they are called now."""

from __future__ import annotations

import warnings

LAST_VERSION = "0.2"
"""The last version that reads them."""


def renamed_notice(old: str, new: str) -> str:
    """The sentence that says so."""
    return (
        f"{old} is called {new} now; the old name is read until version {LAST_VERSION}."
    )


def warn_renamed(old: str, new: str, *, stacklevel: int = 3) -> None:
    """Warn whoever wrote the old name in code: a :class:`DeprecationWarning` at their line."""
    warnings.warn(renamed_notice(old, new), DeprecationWarning, stacklevel=stacklevel)
