"""The libraries of visitors on a server of PostgreSQL: each in a schema of its own, so that nobody can ask for
another's."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import cached_property
from math import inf
from typing import NamedTuple

from memviz.storage.database import Database
from memviz.storage.engine import connect_to_server
from memviz.storage.library_places import (
    NOTED_EVERY_SECONDS,
    LibraryFolder,
    LibraryPlaces,
    make_full_class_error,
)
from memviz.storage.limits import Limits
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace

OF_THE_CLASS = "memviz_class"
"""The schema of what visitors share, and of what the servers of a class know of it."""
OF_A_VISITOR = "memviz_visitor_"
SURE_SECONDS = 2.0
"""A library that was there is taken to be there for so long: a page asks dozens of times, and another server may delete
it."""
_VISITOR = re.compile("[0-9a-f]{32}")
"""An id, which is a part of the name of a schema as it is."""
_KEY = "key"
_VISITS = "visits"
_KEY_BYTES = 32


class Visits(NamedTuple):
    """The times of a visitor's first and last visit, in seconds since 1970. The first one tells a library from the one
    before it, which was deleted."""

    first: float
    last: float


class LibrarySchemas(LibraryPlaces):
    """Schemas of the database at an address such as ``postgresql+psycopg://user@host/database``. Several servers may
    have the same ones.

    A visitor has a library from the moment when the class has noted a visit: ``{"3f9a...": [1788000000.0,
    1789000000.0]}``, the times of the first one and the last one. The schema is made, where there is none, when it is
    opened.
    """

    def __init__(self, address: str) -> None:
        self._connections = connect_to_server(address)
        self._seen: dict[str, tuple[float, float | None]] = {}
        """When it was last looked when a library was made, by a clock that only goes forward, and the answer."""

    @property
    def name(self) -> str:
        """The address of the server, without the password."""
        return self._connections.name

    @cached_property
    def _of_the_class(self) -> Database:
        return self._connections.open_library(OF_THE_CLASS)

    @cached_property
    def notes(self) -> Store:
        """The texts of the class, in its schema."""
        return Store(self._of_the_class)

    def key(self) -> bytes:
        """Return the key that the first server of the class made."""
        with self.notes.changing_class_text(_KEY) as changing:
            changing.text = changing.text or secrets.token_hex(_KEY_BYTES)
            return bytes.fromhex(changing.text)

    def open_shelf(self) -> Store:
        """Return what is shared, in the schema of the class."""
        return Store(self._of_the_class)

    def take_over(self, folder: LibraryFolder) -> int:
        """Copy the libraries of a class from its folder, with what is shared and the key, and return how many there
        are. Its visitors have their cookies and find everything. Raises
        :class:`memviz.core.storage_errors.StorageError` where a class is here already."""
        visitors = folder.visitors()
        with closing(folder.open_shelf()) as shelf:
            shelf.copy_to(self.notes)
        with self.notes.changing_class_text(_KEY) as changing:
            changing.text = folder.key().hex()
        for visitor in visitors:
            schema = self._connections.open_library(_schema_of(visitor))
            with closing(Store(folder.path_of(visitor))) as library:
                library.copy_to(Store(schema))
            # Last: what is here is there whole.
            self.make(visitor, len(visitors))
        return len(visitors)

    def has(self, visitor: str) -> bool:
        """Return whether a visit is noted."""
        return visitor in self._visits()

    def made_at(self, visitor: str) -> float | None:
        """Return the time of the first visit, as it was a moment ago; ``None`` where none is noted."""
        now = time.monotonic()
        seen_at, made_at = self._seen.get(visitor, (-inf, None))
        if now - seen_at >= SURE_SECONDS:
            visits = self._visits()
            made_at = visits[visitor].first if visitor in visits else None
            self._seen[visitor] = (now, made_at)
        return made_at

    def make(self, visitor: str, most_visitors: int) -> None:
        """Note the first visit. Raises :class:`ValueError` for what is no id of a visitor."""
        _schema_of(visitor)
        with self._changing_visits() as visits:
            if visitor not in visits and len(visits) >= most_visitors:
                raise make_full_class_error(most_visitors)
            visits.setdefault(visitor, Visits(time.time(), time.time()))
        self._seen.pop(visitor, None)

    def open(self, visitor: str, limits: Limits) -> Workspace:
        """Open the schema of a visitor."""
        schema = self._connections.open_library(_schema_of(visitor))
        return Workspace(schema, limits)

    def note_visit(self, visitor: str) -> None:
        """Note the time, where the last visit that was noted is a while ago."""
        noted = self._visits().get(visitor)
        if noted is None or time.time() - noted.last < NOTED_EVERY_SECONDS:
            return
        with self._changing_visits() as visits:
            if visitor in visits:
                visits[visitor] = visits[visitor]._replace(last=time.time())

    def delete(self, visitor: str) -> None:
        """Drop the schema of a visitor, and forget the visits. No server notes a visit meanwhile."""
        with self._changing_visits() as visits:
            self._drop(visitor, visits)

    def idle_visitors(self, seconds: float) -> list[str]:
        """Return the visitors whose last visit is so long ago, and those who have a schema and no visit: another server
        made it again for a page that was still open when the library was deleted."""
        before = time.time() - seconds
        visits = self._visits()
        idle = [visitor for visitor in visits if visits[visitor].last < before]
        for schema in self._connections.schemas():
            visitor = schema.removeprefix(OF_A_VISITOR)
            if _VISITOR.fullmatch(visitor) and visitor not in visits:
                idle.append(visitor)
        return idle

    def delete_idle(self, visitor: str, seconds: float) -> bool:
        """Drop the schema of a visitor whose last visit is so long ago, or of whom none is noted."""
        with self._changing_visits() as visits:
            if visitor in visits and visits[visitor].last >= time.time() - seconds:
                return False
            self._drop(visitor, visits)
        return True

    def _drop(self, visitor: str, visits: dict[str, Visits]) -> None:
        self._connections.drop_library(_schema_of(visitor))
        visits.pop(visitor, None)
        self._seen.pop(visitor, None)

    def _visits(self) -> Mapping[str, Visits]:
        return _read_visits(self.notes.class_text(_VISITS))

    @contextmanager
    def _changing_visits(self) -> Iterator[dict[str, Visits]]:
        """Give the visits to the block, which may change them while no other server does."""
        with self.notes.changing_class_text(_VISITS) as changing:
            visits = _read_visits(changing.text)
            yield visits
            changing.text = json.dumps(visits)


def _read_visits(text: str | None) -> dict[str, Visits]:
    return {
        visitor: Visits(*times) for visitor, times in json.loads(text or "{}").items()
    }


def _schema_of(visitor: str) -> str:
    """Return the name of the schema of a visitor: "memviz_visitor_3f9a02bc771ed05b3f9a02bc771ed05b"."""
    if not _VISITOR.fullmatch(visitor):
        raise ValueError(f"{visitor!r} is no id of a visitor")
    return OF_A_VISITOR + visitor
