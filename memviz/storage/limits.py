"""The most that a library may hold, where many visitors have one each on one disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from memviz.core.background import BackgroundWork
from memviz.core.errors import BusyError
from memviz.core.storage_errors import FullLibraryError
from memviz.core.translation import _
from memviz.models.visitor_limits import VisitorLimits
from memviz.storage import kept_values, library
from memviz.storage.database import Database


class Size(NamedTuple):
    """The size of a library: its conversations, without those that were deleted, and the bytes that it takes."""

    conversations: int
    bytes: int

    @classmethod
    def of(cls, session: Session, database: Database) -> Size:
        """Return the size as this transaction sees it."""
        used_bytes = database.used_bytes(session.connection())
        return cls(library.count(session), used_bytes)


class Limits(NamedTuple):
    """The most of each that a library may hold. What makes it smaller is always allowed."""

    conversations: int
    bytes: int
    replays: int = VisitorLimits().replays
    """Those at work at once."""

    replays_in_all: int | None = None
    """Replays and free sweeps of all libraries of this server that are at work at once; ``None`` for any number."""

    @classmethod
    def of_visitor(cls, limits: VisitorLimits) -> Limits:
        """Return what of the limits of a visitor is kept by a library."""
        return cls(
            limits.conversations,
            limits.megabytes * 1_000_000,
            limits.replays,
            limits.replays_in_all,
        )

    def expect_room(
        self, own: Sequence[BackgroundWork], of_all: Sequence[BackgroundWork]
    ) -> None:
        """Raise :class:`memviz.core.errors.BusyError` where as much is at work as may be: of the library's ``own``
        replays, or of the replays and sweeps ``of_all`` libraries."""
        if _count_at_work(own) >= self.replays:
            raise BusyError(
                _(
                    "This server replays {most:,} settings at once for each visitor. The others follow when these are "
                    "done or stopped.",
                    most=self.replays,
                )
            )
        if self.replays_in_all is None:
            return
        if _count_at_work(of_all) >= self.replays_in_all:
            raise BusyError(
                _(
                    "This server makes {most:,} replays and sweeps at once for all visitors together. The others "
                    "follow when these are done or stopped.",
                    most=self.replays_in_all,
                )
            )

    def check(self, session: Session, database: Database, before: Size) -> None:
        """Raise :class:`memviz.core.storage_errors.FullLibraryError` where a transaction made a library larger than it
        may be. Before that what was deleted goes for good, and what sweeps measured, if that makes room."""
        after = Size.of(session, database)
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
        if Size.of(session, database).bytes > max(self.bytes, before.bytes):
            raise FullLibraryError(
                _(
                    "Your library may take {megabytes:,} MB. Delete some conversations first.",
                    megabytes=self.bytes // 1_000_000,
                )
            )


def _count_at_work(works: Sequence[BackgroundWork]) -> int:
    return sum(work.is_at_work for work in works)
