"""The cookies of a class whose libraries are files."""

from __future__ import annotations

from memviz.models.class_door import ClassDoor, VisitorCookies
from memviz.storage.library_places import LibraryFolder


def cookies_of(door: ClassDoor) -> VisitorCookies:
    """The cookies that a server of this class issues; the key is made where there is none."""
    return VisitorCookies.of(door, LibraryFolder(door.folder).key())
