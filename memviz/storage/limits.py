"""The most that a library may hold, where many visitors have one each on one disk."""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import text
from sqlmodel import Session

from memviz.core.storage_errors import FullLibraryError
from memviz.core.translation import _
from memviz.storage import kept_values, library


class Size(NamedTuple):
    """The size of a library: its conversations, without those that were deleted, and the bytes of its pages in use."""

    conversations: int
    bytes: int

    @classmethod
    def of(cls, session: Session) -> Size:
        """Return the size as this transaction sees it."""
        pages = _pragma(session, "page_count") - _pragma(session, "freelist_count")
        return cls(library.count(session), pages * _pragma(session, "page_size"))


def _pragma(session: Session, name: str) -> int:
    return int(session.execute(text(f"PRAGMA {name}")).scalar_one())


class Limits(NamedTuple):
    """The most of each that a library may hold. What makes it smaller is always allowed."""

    conversations: int
    bytes: int

    def check(self, session: Session, before: Size) -> None:
        """Raise :class:`memviz.core.storage_errors.FullLibraryError` where a transaction made a library larger than it
        may be. Before that what was deleted goes for good, and what sweeps measured, if that makes room."""
        after = Size.of(session)
        if after.conversations > max(self.conversations, before.conversations):
            raise FullLibraryError(
                _(
                    "Your library may hold {most:,} conversations. Delete some of them first.",
                    most=self.conversations,
                )
            )
        if after.bytes <= max(self.bytes, before.bytes):
            return
        library.purge(session, older_than_days=0)
        kept_values.forget_cells(session)
        if Size.of(session).bytes > max(self.bytes, before.bytes):
            raise FullLibraryError(
                _(
                    "Your library may take {megabytes:,} MB. Delete some conversations first.",
                    megabytes=self.bytes // 1_000_000,
                )
            )
