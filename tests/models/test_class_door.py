"""The door of a class: its code, and cookies that nobody can make of somebody else."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.errors import AccessError
from memviz.core.storage_errors import StorageError
from memviz.dashboard.ui.shell import elements
from memviz.models.access import ServerAccess, read_server_access
from memviz.models.class_door import (
    LONGEST_NAME_CHARS,
    ClassDoor,
    Visitor,
    VisitorCookies,
    door_link,
    make_teacher_code,
    read_class_door,
)
from memviz.storage.library_places import LibraryFolder
from memviz.storage.own_libraries import OwnLibraries
from tests.class_cookies import cookies_of
from tests.tables import for_each

KEY = bytes(range(32))


TEACHER_CODE = "3f9a-02bc-771e-d05b"


def cookies(
    key: bytes = KEY, code: str = "maple street", teacher_code: str = TEACHER_CODE
) -> VisitorCookies:
    return VisitorCookies(key, code, teacher_code)


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


def test_a_cookie_says_who_somebody_is() -> None:
    student = cookies().visitor_of(cookies().issue(" Ana\n  Lopez\u202e "))
    assert student is not None
    assert (student.name, student.is_teacher) == ("Ana Lopez", False)
    cookie = cookies().issue("李老师", is_teacher=True, visitor_id=student.id)
    assert cookies().visitor_of(cookie) == Visitor(student.id, "李老师", True)


@given(st.text())
def test_any_name_makes_a_cookie_and_none_is_long(name: str) -> None:
    cookie = cookies().issue(name)
    visitor = cookies().visitor_of(cookie)
    assert visitor is not None
    assert not visitor.is_teacher
    assert len(visitor.name) <= LONGEST_NAME_CHARS
    assert visitor.name.isprintable()
    assert len(cookie) < 1_000


def test_a_teacher_under_another_code_is_the_same_visitor_and_no_teacher() -> None:
    cookie = cookies().issue("Ana", is_teacher=True)
    visitor = cookies().visitor_of(cookie)
    assert visitor is not None
    assert visitor.is_teacher
    for teacher_code in ("another code", ""):
        later = cookies(teacher_code=teacher_code).visitor_of(cookie)
        assert later == Visitor(visitor.id, "Ana", False)


def test_without_a_teachers_code_nobody_is_a_teacher() -> None:
    door = ClassDoor("maple street")
    assert not door.admits_as_teacher("")
    none_yet = cookies(teacher_code="")
    visitor = none_yet.visitor_of(none_yet.issue(is_teacher=True))
    assert visitor is not None
    assert not visitor.is_teacher


def test_the_teachers_code_is_no_other_and_not_guessed() -> None:
    door = ClassDoor("maple street", teacher_code=make_teacher_code())
    door.check()
    assert door.admits(door.teacher_code)
    assert door.admits_as_teacher(f" {door.teacher_code.upper()} ")
    assert not door.admits_as_teacher("maple street")
    assert make_teacher_code() != door.teacher_code
    with pytest.raises(AccessError, match="everybody would be a teacher"):
        ClassDoor("maple street", teacher_code=" Maple STREET").check()
    with pytest.raises(AccessError, match="10 to 60"):
        ClassDoor("maple street", teacher_code="teacher").check()


def test_a_link_to_the_door_sends_the_code_to_no_server() -> None:
    link = door_link("http://192.0.2.7:8501", "maple street/é")
    assert link == "http://192.0.2.7:8501/door#maple%20street%2F%C3%A9"
    assert "maple" not in urlsplit(link).path + urlsplit(link).query


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


@for_each("code", ["", "maple", " maple ", "       ", "m" * 61])
def test_a_code_that_is_guessed_or_mistyped_too_easily_is_refused(code: str) -> None:
    with pytest.raises(AccessError, match="6 to 60"):
        ClassDoor(code).check()
    ClassDoor("maples").check()


def test_the_key_is_made_once_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    door = ClassDoor("maple street", tmp_path / "class")
    cookie = cookies_of(door).issue()
    assert cookies_of(door).visitor_of(cookie)
    assert stat.S_IMODE((tmp_path / "class" / "key").stat().st_mode) == 0o600
    other = ClassDoor("maple street", tmp_path / "other")
    assert cookies_of(other).visitor_of(cookie) is None


def test_a_folder_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(AccessError, match="folder of the class"):
        cookies_of(ClassDoor("maple street", tmp_path / "file"))
    (tmp_path / "key").write_bytes(b"short")
    with pytest.raises(AccessError, match="is no key of a class"):
        cookies_of(ClassDoor("maple street", tmp_path))


def test_the_door_travels_in_the_environment(tmp_path: Path) -> None:
    door = ClassDoor("maple street", tmp_path)
    assert read_class_door(door.variables()) == door
    address = "http://192.0.2.7:8501"
    with_teacher = ClassDoor("maple street", tmp_path, TEACHER_CODE, address)
    assert read_class_door(with_teacher.variables()) == with_teacher
    assert read_class_door({}) is None
    assert read_server_access("0.0.0.0", door.variables()).personal_doors


def test_a_class_is_a_door_for_others_and_shares_no_keys() -> None:
    ServerAccess("0.0.0.0", personal_doors=("--class",)).check()
    local = ServerAccess("127.0.0.1", personal_doors=("--class",))
    assert local.is_shared
    assert local.of_models == (False, False)
    both = ServerAccess("0.0.0.0", password_file="file", personal_doors=("--class",))
    with pytest.raises(AccessError, match="two doors"):
        both.check()


def test_what_is_said_of_a_damaged_library_names_its_file_and_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = ClassDoor("maple street", tmp_path / "class (1)")
    (door.folder / "libraries").mkdir(parents=True)
    (door.folder / "libraries" / "ab12.db").write_bytes(b"no such thing " * 100)
    with pytest.raises(StorageError) as refused:
        OwnLibraries(LibraryFolder(door.folder)).open("ab12")
    assert str(tmp_path) in str(refused.value)
    shown: list[str] = []
    monkeypatch.setattr(elements, "show_problem", shown.append)
    monkeypatch.setattr(elements, "has_own_libraries", lambda: True)
    monkeypatch.setenv("MEMVIZ_CLASS_FOLDER", str(door.folder))
    elements.show_error(refused.value)
    (words,) = shown
    assert words.startswith("ab12.db is not a memviz database, or it is damaged.")
    assert "/" not in words


def test_the_cookie_has_one_name_on_all_servers_of_a_class_and_another_for_another_class() -> (
    None
):
    name = VisitorCookies(bytes(32), "maple street").name
    assert VisitorCookies(bytes(32), " Maple STREET ").name == name
    assert VisitorCookies(bytes(32), "oak street").name != name
    assert VisitorCookies(b"1" * 32, "maple street").name != name
    assert re.fullmatch(r"memviz_[0-9a-f]{12}", name)
