"""The shelf of a class: who may share, publish and withdraw, and that nothing leads back to a library."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz
from memviz import Message, Transcript
from memviz.core.errors import AccessError
from memviz.core.storage_errors import FullLibraryError, StorageError
from memviz.models.class_door import Visitor
from memviz.models.recordings.files import write_recording
from memviz.storage import class_shelf
from memviz.storage.class_shelf import ClassShelf, SharedConversation
from memviz.storage.store import Store
from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Probe
from tests.models.recordings.recorded import a_recording_of
from tests.storage.conftest import BOTH, library_of

pytestmark = pytest.mark.usefixtures("one_sample")
ANA = Visitor("a" * 32, "Ana")
BO = Visitor("b" * 32)
TEACHER = Visitor("c" * 32, "Ms Lee", is_teacher=True)
OTHER_TEACHER = Visitor("d" * 32, is_teacher=True)
PROBE = Probe("What was seen?", ("zebra",), (0,), "value")


def diary() -> Transcript:
    """A conversation with a probe, long enough to be summarized."""
    texts = ["I saw a zebra.", "Where?", "At the river.", "And then?"] * 5
    messages = [
        Message("assistant" if number % 2 else "user", text)
        for number, text in enumerate(texts)
    ]
    return Transcript(tuple(messages), title="Diary", probes=(PROBE,))


def fail_to_keep(*_arguments: object) -> None:
    raise StorageError("The shelf is busy.")


def test_what_cannot_be_shared_whole_leaves_nothing_behind(
    shelf: ClassShelf, library: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as failing:
        failing.setattr(shelf.store, "keep", fail_to_keep)
        with pytest.raises(StorageError, match="busy"):
            put(shelf, library, ANA)
    assert shelf.store.count() == 0
    put(shelf, library, ANA)
    assert shelf.store.count() == 1


@pytest.fixture(params=BOTH)
def shelf_library(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The path or the address of the shelf."""
    return library_of(request, str(tmp_path / "shelf.db"))


@pytest.fixture
def shelf(shelf_library: str) -> ClassShelf:
    return ClassShelf(Store(shelf_library))


@pytest.fixture
def library() -> Workspace:
    return Workspace(":memory:")


def put(shelf: ClassShelf, library: Workspace, visitor: Visitor) -> SharedConversation:
    (entry,) = library.add([diary()])
    return shelf.share(visitor, library, entry.id)


def test_a_copy_has_what_was_shared_and_says_where_it_is_from(
    shelf: ClassShelf, library: Workspace
) -> None:
    (entry,) = library.add([diary()])
    library.rename(entry.id, "My diary")
    shared = shelf.publish(TEACHER, library, entry.id)
    library.store.delete(entry.id)
    other = Workspace(":memory:")
    added = shelf.copy(shared, other, "From Ms Lee.")
    transcript, _ = other.conversation(added.entry.id)
    assert transcript.messages == diary().messages
    assert transcript.probes == (PROBE,)
    assert (transcript.title, transcript.description) == ("My diary", "From Ms Lee.")
    assert added.entry.id not in (shared.conversation_id, entry.id)
    assert shelf.copy(shared, other, "From Ms Lee.").was_there
    # What is done with a copy changes nothing on the shelf.
    other.rename(added.entry.id, "Mine now")
    assert shelf.store.entry(shared.conversation_id).title == "My diary"


def test_recordings_of_this_conversation_alone_go_with_it(
    shelf: ClassShelf, library: Workspace
) -> None:
    (entry,) = library.add([diary()])
    transcript, _ = library.conversation(entry.id)
    summary = memviz.strategy("summary", buffer_size=6)
    played = write_recording(a_recording_of(transcript, summary))
    library.open_recording(played.encode(), "played.recording")
    other_text = write_recording(
        a_recording_of(
            Transcript((*transcript.messages, *transcript.messages)), summary
        )
    )
    library.open_recording(other_text.encode(), "other.recording")
    shared = shelf.share(ANA, library, entry.id)
    copied_to = Workspace(":memory:")
    shelf.copy(shared, copied_to, "From Ana.")
    assert list(copied_to.recordings.opened) == ["played"]
    assert write_recording(copied_to.recordings.opened["played"]) == played
    # One of its own that has the name stays as it is.
    with_own = Workspace(":memory:")
    with_own.open_recording(other_text.encode(), "played.recording")
    shelf.copy(shared, with_own, "From Ana.")
    shelf.copy(shared, with_own, "From Ana.")
    names = {"played", f"played ({shared.token[:4]})"}
    assert set(with_own.recordings.opened) == names
    assert write_recording(with_own.recordings.opened["played"]) == other_text
    shelf.withdraw(ANA, shared.token)
    assert shelf.store.kept_keys("recording") == []


def test_only_a_teacher_publishes(shelf: ClassShelf, library: Workspace) -> None:
    (entry,) = library.add([diary()])
    with pytest.raises(AccessError, match="Only a teacher"):
        shelf.publish(ANA, library, entry.id)
    assert shelf.shared() == []
    assert shelf.store.count() == 0
    published = shelf.publish(TEACHER, library, entry.id)
    assert shelf.published() == [published]
    assert shelf.shared_by_link() == []


@pytest.mark.parametrize(
    ("is_published", "visitor", "is_allowed"),
    [
        (False, ANA, True),
        (False, BO, False),
        (False, OTHER_TEACHER, True),
        (False, Visitor("e" * 32, ANA.name), False),
        (True, TEACHER, True),
        (True, OTHER_TEACHER, True),
        (True, BO, False),
        (True, Visitor("e" * 32, TEACHER.name), False),
    ],
)
def test_whoever_shares_and_any_teacher_withdraws(
    shelf: ClassShelf,
    library: Workspace,
    is_published: bool,
    visitor: Visitor,
    is_allowed: bool,
) -> None:
    (entry,) = library.add([diary()])
    if is_published:
        shared = shelf.publish(TEACHER, library, entry.id)
    else:
        shared = shelf.share(ANA, library, entry.id)
    assert shared.may_be_withdrawn_by(visitor) == is_allowed
    if not is_allowed:
        with pytest.raises(AccessError, match="Only whoever shares"):
            shelf.withdraw(visitor, shared.token)
        assert shelf.find(shared.token) == shared
        return
    shelf.withdraw(visitor, shared.token)
    assert shelf.find(shared.token) is None
    assert shelf.store.count() == 0
    assert not shelf.store.exists(shared.conversation_id)


def test_a_link_is_dead_at_once_and_another_server_finds_what_is_shared(
    shelf: ClassShelf, library: Workspace, shelf_library: str
) -> None:
    shared, other = put(shelf, library, ANA), put(shelf, library, BO)
    assert set(shelf.shared_by_link()) == {shared, other}
    assert shared.token != other.token
    assert len(shared.token) == 32, "128 bits"
    again = ClassShelf(Store(shelf_library))
    assert again.find(shared.token) == shared
    for guess in ("", shared.token[:-1], shared.token.upper() + "é", "../x", "\ud800"):
        assert again.find(guess) is None
    shelf.withdraw(ANA, shared.token)
    assert again.find(shared.token) is None
    assert again.find(other.token) == other


def test_what_a_visitor_shares_goes_with_the_library(
    shelf: ClassShelf, library: Workspace
) -> None:
    put(shelf, library, ANA)
    put(shelf, library, ANA)
    other = put(shelf, library, BO)
    shelf.withdraw_all_of(ANA.id)
    assert shelf.shared() == [other]


def test_a_visitor_shares_so_many_and_none_that_is_too_large(
    shelf: ClassShelf, library: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(class_shelf, "MOST_OF_ONE_VISITOR", 2)
    for _number in range(2):
        put(shelf, library, ANA)
    with pytest.raises(FullLibraryError, match="share 2 conversations"):
        put(shelf, library, ANA)
    large = Transcript((Message("user", "x" * 5_000_000),), title="Large")
    (entry,) = library.add([large])
    with pytest.raises(FullLibraryError, match="larger than 5 MB"):
        shelf.share(BO, library, entry.id)
    shelf.store.limits = class_shelf.OF_THE_SHELF._replace(conversations=2)
    with pytest.raises(FullLibraryError, match="shelf of this class is full"):
        put(shelf, library, BO)
    assert len(shelf.shared()) == 2
