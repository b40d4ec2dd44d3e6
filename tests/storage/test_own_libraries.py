"""Libraries of visitors who have one each: apart, limited, and deleted."""

from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from memviz import Message, Transcript
from memviz.core.storage_errors import (
    DatabaseMovedError,
    FullLibraryError,
    StorageError,
)
from memviz.storage.library_places import LibraryFolder, LibraryPlaces
from memviz.storage.library_schemas import LibrarySchemas
from memviz.storage.limits import Limits
from memviz.storage.own_libraries import OwnLibraries, library_places
from memviz.storage.workspace import Workspace
from tests.postgres import PostgresCluster
from tests.storage.conftest import BOTH

pytestmark = pytest.mark.usefixtures("one_sample")
ANA, BO = "a" * 32, "b" * 32
AMPLE = Limits(1_000, 10**9)
DAY = 86_400.0


def chat(text: str, title: str = "mine") -> Transcript:
    return Transcript((Message("user", text),), title=title)


@pytest.fixture(params=BOTH)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The folder or the server of the libraries of a class."""
    if request.param == "file":
        return str(tmp_path)
    cluster: PostgresCluster = request.getfixturevalue("postgres")
    return cluster.address(cluster.new_database())


@pytest.fixture
def places(address: str) -> LibraryPlaces:
    return places_at(address)


def places_at(address: str) -> LibraryPlaces:
    """The places of a class, as one more server that serves it has them."""
    return library_places(address, Path(address))


def test_nobody_has_what_another_saved(address: str, places: LibraryPlaces) -> None:
    libraries = OwnLibraries(places, AMPLE)
    of_ana, of_bo = libraries.open(ANA), libraries.open(BO)
    (entry,) = of_ana.add([chat("My zebra secret")])
    assert of_ana.store.exists(entry.id)
    assert not of_bo.store.exists(entry.id)
    assert of_bo.store.page("zebra", 10, 0).total == 0
    assert of_bo.store.count() == of_ana.store.count() - 1 > 0
    again = OwnLibraries(places_at(address), AMPLE).open(ANA)
    assert again.store.exists(entry.id)


def test_nobody_waits_while_the_library_of_another_is_opened(
    places: LibraryPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = OwnLibraries(places, AMPLE)
    of_ana = libraries.open(ANA)
    begun, may_end = Event(), Event()
    open_place = places.open

    def open_slowly(visitor: str, limits: Limits) -> Workspace:
        begun.set()
        assert may_end.wait(20)
        return open_place(visitor, limits)

    monkeypatch.setattr(places, "open", open_slowly)
    with ThreadPoolExecutor(2) as threads:
        opening = threads.submit(libraries.open, BO)
        assert begun.wait(20)
        try:
            assert threads.submit(libraries.open, ANA).result(5) is of_ana
        finally:
            may_end.set()
        assert opening.result(20).store.count()


def test_a_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = LibraryFolder(tmp_path)
    OwnLibraries(folder, AMPLE).open(ANA)
    mode = stat.S_IMODE(folder.path_of(ANA).stat().st_mode)
    assert mode == 0o600


def test_the_key_is_made_once_for_all_servers(
    address: str, places: LibraryPlaces
) -> None:
    key = places.key()
    assert len(key) == 32
    assert places_at(address).key() == key == places.key()


def test_more_conversations_than_allowed_are_refused_and_none_is_saved(
    places: LibraryPlaces,
) -> None:
    bundled = OwnLibraries(places, AMPLE).open(BO).store.count()
    library = OwnLibraries(places, Limits(bundled + 2, 10**9)).open(ANA)
    (first, second) = library.add([chat("One"), chat("Two")])
    with pytest.raises(FullLibraryError, match=f"hold {bundled + 2} conversations"):
        library.add([chat("Three")])
    assert library.store.count() == bundled + 2
    # What makes it smaller, and what goes on with a conversation, is allowed.
    library.rename(first.id, "renamed")
    library.store.delete(second.id)
    library.add([chat("Three")])


def test_more_bytes_than_allowed_are_refused(places: LibraryPlaces) -> None:
    used = OwnLibraries(places, AMPLE).open(ANA).store.used_bytes
    library = OwnLibraries(places, Limits(1_000, used + 2_000_000)).open(ANA)
    # A text of hexadecimal digits is stored as it is: PostgreSQL packs others.
    (entry,) = library.add([chat(os.urandom(500_000).hex())])
    count = library.store.count()
    with pytest.raises(FullLibraryError, match="may take 2 MB"):
        library.add([chat(os.urandom(1_500_000).hex())])
    assert library.store.count() == count
    # What was deleted goes for good where that makes room.
    library.store.delete(entry.id)
    library.add([chat(os.urandom(900_000).hex())])


def test_everything_of_one_visitor_is_deleted_and_nothing_of_another(
    places: LibraryPlaces,
) -> None:
    libraries = OwnLibraries(places, AMPLE)
    of_ana = libraries.open(ANA)
    (entry,) = of_ana.add([chat("My zebra secret")])
    of_bo = libraries.open(BO)
    (other,) = of_bo.add([chat("Another's")])
    libraries.delete(ANA)
    assert not libraries.has(ANA)
    # Another tab that still has it open saves nothing more.
    with pytest.raises(StorageError):
        of_ana.add([chat("Again")])
    assert libraries.open(BO).store.exists(other.id)
    assert not libraries.open(ANA).store.exists(entry.id)


def test_nothing_is_left_of_a_file_that_is_deleted(tmp_path: Path) -> None:
    folder = LibraryFolder(tmp_path)
    libraries = OwnLibraries(folder, AMPLE)
    of_ana = libraries.open(ANA)
    (folder.path_of(ANA).parent / f"{ANA}.db.before-v3").write_text("an older one")
    libraries.delete(ANA)
    assert not list(folder.path_of(ANA).parent.glob(f"{ANA}*"))
    with pytest.raises(DatabaseMovedError):
        of_ana.add([chat("Again")])


def test_what_nobody_has_opened_for_long_is_deleted(
    places: LibraryPlaces, monkeypatch: pytest.MonkeyPatch
) -> None:
    libraries = OwnLibraries(places, AMPLE)
    for visitor in (ANA, BO):
        libraries.open(visitor).store.close()
    libraries.delete_idle(DAY)
    assert libraries.has(ANA)
    assert libraries.has(BO)
    now = time.time()
    monkeypatch.setattr("time.time", lambda: now + 2 * DAY)
    libraries.note_visit(BO)
    monkeypatch.setattr("time.time", lambda: now + 2 * DAY + 60)
    libraries.delete_idle(DAY)
    assert not libraries.has(ANA)
    assert libraries.has(BO)


def test_a_full_library_opens_and_what_is_worked_out_goes_before_anything_is_refused(
    places: LibraryPlaces,
) -> None:
    library = OwnLibraries(places, AMPLE).open(ANA)
    (entry,) = library.add([chat("Mine")])
    library.store.keep_cell("cell", {"large": os.urandom(500_000).hex()})
    count = library.store.count()
    used = library.store.used_bytes
    library.store.close()
    full = OwnLibraries(places, Limits(count - 1, used + 300_000)).open(ANA)
    assert full.store.count() == count
    assert full.answers_folder is None, "what would come on top"
    full.store.delete(entry.id)
    full.store.keep_cell("other", {"large": os.urandom(500_000).hex()})
    assert full.store.find_cells(["cell"]) == {}


def test_there_are_only_so_many_visitors(address: str, places: LibraryPlaces) -> None:
    libraries = OwnLibraries(places, most_visitors=1)
    libraries.open(ANA)
    for one_more_server in (libraries, OwnLibraries(places, most_visitors=1)):
        with pytest.raises(FullLibraryError, match="1 visitors"):
            one_more_server.open(BO)
    assert not libraries.has(BO)
    assert libraries.open(ANA).store.count() > 0


def test_all_threads_of_a_visitor_have_one_library_and_each_is_looked_after_once(
    places: LibraryPlaces,
) -> None:
    seen: list[Workspace] = []
    libraries = OwnLibraries(places, AMPLE, at_opening=seen.append)
    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(libraries.open, [ANA, BO] * 20))
    assert len({id(library) for library in opened}) == 2
    assert len(seen) == 2


class TestTwoServers:
    @pytest.fixture
    def address(self, postgres: PostgresCluster) -> str:
        return postgres.address(postgres.new_database())

    @pytest.fixture
    def servers(self, address: str) -> tuple[OwnLibraries, OwnLibraries]:
        first, second = (
            OwnLibraries(places_at(address), AMPLE) for _server in range(2)
        )
        return first, second

    def test_show_what_the_other_saved(
        self, servers: tuple[OwnLibraries, OwnLibraries]
    ) -> None:
        first, second = (libraries.open(ANA) for libraries in servers)
        (entry,) = first.add([chat("My zebra secret")])
        assert second.store.page("zebra", 10, 0).total == 1
        second.rename(entry.id, "renamed")
        assert first.store.entry(entry.id).title == "renamed"

    def test_open_anew_what_the_other_deleted(
        self,
        servers: tuple[OwnLibraries, OwnLibraries],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        first, second = servers
        (entry,) = first.open(ANA).add([chat("Mine")])
        still_open = second.open(ANA)
        assert still_open.store.exists(entry.id)
        first.delete(ANA)
        with pytest.raises(StorageError):
            still_open.add([chat("Within a moment")])
        monkeypatch.setattr("memviz.storage.library_schemas.SURE_SECONDS", 0.0)
        anew = second.open(ANA)
        assert not anew.store.exists(entry.id)
        anew.add([chat("A new one")])

    def test_open_anew_what_was_made_anew_on_the_other(
        self,
        servers: tuple[OwnLibraries, OwnLibraries],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr("memviz.storage.library_schemas.SURE_SECONDS", 0.0)
        first, second = servers
        before = first.open(ANA)
        second.delete(ANA)
        (entry,) = second.open(ANA).add([chat("A new one")])
        anew = first.open(ANA)
        assert anew is not before
        assert anew is first.open(ANA)
        assert anew.store.exists(entry.id)

    def test_write_nothing_to_look_for_idle_libraries(
        self, address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        places = places_at(address)
        libraries = OwnLibraries(places, AMPLE)
        libraries.open(ANA)
        monkeypatch.setattr(LibrarySchemas, "delete_idle", None)
        libraries.delete_idle(DAY)
        assert places.has(ANA)

    def test_drop_the_schema_of_a_visitor_without_a_visit(self, address: str) -> None:
        """Another server opened the library in the moment when it was deleted."""
        places = LibrarySchemas(address)
        OwnLibraries(places, AMPLE).open(BO)
        places.open(ANA, AMPLE)
        assert not places.has(ANA)
        assert places.idle_visitors(DAY) == [ANA]
        OwnLibraries(places, AMPLE).delete_idle(DAY)
        assert places.idle_visitors(DAY) == []
        assert places.has(BO)

    def test_read_of_nobody_else_over_one_connection(self, address: str) -> None:
        """PostgreSQL keeps statements prepared by their words, and those of two visitors have the same."""
        libraries = OwnLibraries(places_at(address), AMPLE)
        of_ana, of_bo = libraries.open(ANA), libraries.open(BO)
        of_ana.add([chat("My zebra secret")])
        for _turn in range(12):
            assert of_ana.store.page("zebra", 10, 0).total == 1
            assert of_bo.store.page("zebra", 10, 0).total == 0
            of_bo.add([chat("Of Bo")])
        assert of_ana.store.count() == of_bo.store.count() - 11

    def test_make_one_library_of_a_visitor_who_comes_to_both_at_once(
        self, servers: tuple[OwnLibraries, OwnLibraries]
    ) -> None:
        with ThreadPoolExecutor(2) as threads:
            opened = list(threads.map(lambda server: server.open(ANA), servers))
        (entry,) = opened[0].add([chat("Mine")])
        assert opened[1].store.exists(entry.id)
        assert opened[0].store.check() == []

    def test_no_name_leads_out_of_the_schema_of_a_visitor(self, address: str) -> None:
        libraries = OwnLibraries(places_at(address), AMPLE)
        for visitor in ("", "a'; DROP SCHEMA public; --", 'a"', "A" * 32, "a" * 60):
            with pytest.raises(ValueError, match="no id of a visitor"):
                libraries.open(visitor)
            assert not libraries.has(visitor)

    def test_one_visitor_takes_everything_away(
        self, address: str, tmp_path: Path
    ) -> None:
        libraries = OwnLibraries(places_at(address), AMPLE)
        (entry,) = libraries.open(ANA).add([chat("Of Ana")])
        libraries.open(BO).add([chat("Bo saw an okapi")])
        copy = tmp_path / "copy.db"
        libraries.open(ANA).store.back_up(copy)
        assert Workspace(copy).store.exists(entry.id)
        assert Workspace(copy).store.page("okapi", 10, 0).total == 0
