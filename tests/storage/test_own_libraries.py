"""Libraries of visitors who have one each: apart, limited, and deleted."""

from __future__ import annotations

import os
import stat
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memviz import Message, Transcript
from memviz.core.storage_errors import DatabaseMovedError, FullLibraryError
from memviz.storage.limits import Limits
from memviz.storage.own_libraries import OwnLibraries
from memviz.storage.workspace import Workspace

ANA, BO = "a" * 32, "b" * 32
AMPLE = Limits(1_000, 10**9)
DAY = 86_400.0


def chat(text: str, title: str = "mine") -> Transcript:
    return Transcript((Message("user", text),), title=title)


def test_nobody_has_what_another_saved(tmp_path: Path) -> None:
    libraries = OwnLibraries(tmp_path, AMPLE)
    of_ana, of_bo = libraries.open(ANA), libraries.open(BO)
    (entry,) = of_ana.add([chat("My zebra secret")])
    assert of_ana.store.exists(entry.id)
    assert not of_bo.store.exists(entry.id)
    assert of_bo.store.page("zebra", 10, 0).total == 0
    assert of_bo.store.count() == of_ana.store.count() - 1 > 0
    again = OwnLibraries(tmp_path, AMPLE).open(ANA)
    assert again.store.exists(entry.id)
    mode = stat.S_IMODE(libraries.path_of(ANA).stat().st_mode)
    assert mode == 0o600


def test_more_conversations_than_allowed_are_refused_and_none_is_saved(
    tmp_path: Path,
) -> None:
    bundled = OwnLibraries(tmp_path / "ample", AMPLE).open(ANA).store.count()
    library = OwnLibraries(tmp_path, Limits(bundled + 2, 10**9)).open(ANA)
    (first, second) = library.add([chat("One"), chat("Two")])
    with pytest.raises(FullLibraryError, match=f"hold {bundled + 2} conversations"):
        library.add([chat("Three")])
    assert library.store.count() == bundled + 2
    # What makes it smaller, and what goes on with a conversation, is allowed.
    library.rename(first.id, "renamed")
    library.store.delete(second.id)
    library.add([chat("Three")])


def test_more_bytes_than_allowed_are_refused(tmp_path: Path) -> None:
    size = OwnLibraries(tmp_path / "ample", AMPLE).open(ANA)
    used = Path(size.store.path).stat().st_size
    library = OwnLibraries(tmp_path, Limits(1_000, used + 2_000_000)).open(ANA)
    (entry,) = library.add([chat("x" * 1_000_000)])
    count = library.store.count()
    with pytest.raises(FullLibraryError, match="may take 2 MB"):
        library.add([chat("y" * 3_000_000)])
    assert library.store.count() == count
    # What was deleted goes for good where that makes room.
    library.store.delete(entry.id)
    library.add([chat("z" * 1_900_000)])


def test_everything_of_one_visitor_is_deleted_and_nothing_of_another(
    tmp_path: Path,
) -> None:
    libraries = OwnLibraries(tmp_path, AMPLE)
    of_ana = libraries.open(ANA)
    (entry,) = of_ana.add([chat("My zebra secret")])
    of_bo = libraries.open(BO)
    (other,) = of_bo.add([chat("Another's")])
    folder = libraries.path_of(ANA).parent
    (folder / f"{ANA}.db.before-v3").write_text("an older one")
    libraries.delete(ANA)
    assert not list(folder.glob(f"{ANA}*"))
    # Another tab that still has it open saves nothing more.
    with pytest.raises(DatabaseMovedError):
        of_ana.add([chat("Again")])
    assert libraries.open(BO).store.exists(other.id)
    assert not libraries.open(ANA).store.exists(entry.id)


def test_what_nobody_has_opened_for_long_is_deleted(tmp_path: Path) -> None:
    libraries = OwnLibraries(tmp_path, AMPLE)
    kept, idle = libraries.path_of(BO), libraries.path_of(ANA)
    for visitor in (ANA, BO):
        libraries.open(visitor).store.close()
    libraries.delete_idle(DAY)
    assert kept.exists()
    assert idle.exists()
    long_ago = time.time() - 2 * DAY
    for file in idle.parent.iterdir():
        os.utime(file, (long_ago, long_ago))
    libraries.note_visit(BO)
    libraries.delete_idle(DAY)
    assert kept.exists()
    assert not idle.exists()


def test_a_full_library_opens_and_what_is_worked_out_goes_before_anything_is_refused(
    tmp_path: Path,
) -> None:
    libraries = OwnLibraries(tmp_path, AMPLE)
    library = libraries.open(ANA)
    (entry,) = library.add([chat("Mine")])
    library.store.keep_cell("cell", {"large": os.urandom(500_000).hex()})
    count = library.store.count()
    library.store.close()
    used = libraries.path_of(ANA).stat().st_size
    full = OwnLibraries(tmp_path, Limits(count - 1, used + 500_000)).open(ANA)
    assert full.store.count() == count
    assert full.answers_folder is None, "what would come on top"
    full.store.delete(entry.id)
    full.store.keep_cell("other", {"large": os.urandom(500_000).hex()})
    assert full.store.find_cells(["cell"]) == {}


def test_there_are_only_so_many_visitors(tmp_path: Path) -> None:
    libraries = OwnLibraries(tmp_path, most_visitors=1)
    libraries.open(ANA)
    with pytest.raises(FullLibraryError, match="1 visitors"):
        libraries.open(BO)
    assert not libraries.path_of(BO).exists()
    assert libraries.open(ANA).store.count() > 0


def test_all_threads_of_a_visitor_have_one_library_and_each_is_looked_after_once(
    tmp_path: Path,
) -> None:
    seen: list[Workspace] = []
    libraries = OwnLibraries(tmp_path, AMPLE, at_opening=seen.append)
    with ThreadPoolExecutor(8) as threads:
        opened = list(threads.map(libraries.open, [ANA, BO] * 20))
    assert len({id(one) for one in opened}) == 2
    assert len(seen) == 2
