"""The door of a class: its code, and cookies that nobody can make of somebody else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.errors import AccessError
from memviz.core.storage_errors import StorageError
from memviz.dashboard.ui.shell import elements
from memviz.models.access import ServerAccess, server_access
from memviz.models.class_door import ClassDoor, VisitorCookies, class_door
from memviz.storage.own_libraries import OwnLibraries

KEY = bytes(range(32))


def cookies(key: bytes = KEY, code: str = "maple street") -> VisitorCookies:
    return VisitorCookies(key, code)


def test_each_browser_is_a_visitor_of_its_own() -> None:
    issued = cookies()
    visitors = {issued.visitor_of(issued.issue()) for _ in range(50)}
    assert len(visitors) == 50
    assert None not in visitors


def test_a_cookie_of_another_class_or_another_code_says_nothing() -> None:
    cookie = cookies().issue()
    assert cookies().visitor_of(cookie)
    assert cookies(bytes(32)).visitor_of(cookie) is None
    assert cookies(code="maple lane").visitor_of(cookie) is None


@given(st.data())
def test_a_cookie_with_any_other_letter_says_nothing(data: st.DataObject) -> None:
    cookie = cookies().issue()
    place = data.draw(st.integers(0, len(cookie) - 1))
    letter = data.draw(st.sampled_from("0123456789abcdefg.é/"))
    changed = cookie[:place] + letter + cookie[place + 1 :]
    if changed != cookie:
        assert cookies().visitor_of(changed) is None


@given(st.text())
def test_no_text_is_a_cookie(text: str) -> None:
    assert cookies().visitor_of(text) is None


def test_the_code_is_read_as_people_type_it() -> None:
    door = ClassDoor("Maple Street")
    assert door.admits(" maple street ")
    assert door.admits("MAPLE STREET")
    assert not door.admits("maple")
    assert not door.admits("")
    assert not door.admits("\ud800")


def test_a_code_that_is_typed_otherwise_keeps_its_visitors() -> None:
    cookie = cookies(code="café street").issue()
    assert cookies(code=" CAFE\u0301 Street").visitor_of(cookie)


@pytest.mark.parametrize("code", ["", "maple", " maple ", "       ", "m" * 61])
def test_a_code_that_is_guessed_or_mistyped_too_easily_is_refused(code: str) -> None:
    with pytest.raises(AccessError, match="6 to 60"):
        ClassDoor(code).check()
    ClassDoor("maples").check()


def test_the_key_is_made_once_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    door = ClassDoor("maple street", tmp_path / "class")
    cookie = VisitorCookies.of(door).issue()
    assert VisitorCookies.of(door).visitor_of(cookie)
    assert stat.S_IMODE((tmp_path / "class" / "key").stat().st_mode) == 0o600
    other = ClassDoor("maple street", tmp_path / "other")
    assert VisitorCookies.of(other).visitor_of(cookie) is None


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(AccessError, match="folder of the class"):
        VisitorCookies.of(ClassDoor("maple street", tmp_path / "file"))
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(AccessError, match="is no key of a class"):
        VisitorCookies.of(ClassDoor("maple street", tmp_path))


def test_the_door_travels_in_the_environment(tmp_path: Path) -> None:
    door = ClassDoor("maple street", tmp_path)
    assert class_door(door.variables()) == door
    assert class_door({}) is None
    assert server_access("0.0.0.0", door.variables()).serves_class


def test_a_class_is_a_door_for_others_and_shares_no_keys() -> None:
    ServerAccess("0.0.0.0", serves_class=True).check()
    local = ServerAccess("127.0.0.1", serves_class=True)
    assert local.is_shared
    assert local.of_models == (False, False)
    both = ServerAccess("0.0.0.0", password_file="file", serves_class=True)
    with pytest.raises(AccessError, match="two doors"):
        both.check()


def test_what_is_said_of_a_damaged_library_names_its_file_and_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = ClassDoor("maple street", tmp_path / "class (1)")
    (door.folder / "libraries").mkdir(parents=True)
    (door.folder / "libraries" / "ab12.db").write_bytes(b"no such thing " * 100)
    with pytest.raises(StorageError) as refused:
        OwnLibraries(door.folder).open("ab12")
    assert str(tmp_path) in str(refused.value)
    shown: list[str] = []
    monkeypatch.setattr(elements, "show_problem", shown.append)
    monkeypatch.setattr(elements, "served_class", lambda: door)
    elements.show_error(refused.value)
    (words,) = shown
    assert words.startswith("ab12.db is not a memviz database, or it is damaged.")
    assert "/" not in words
