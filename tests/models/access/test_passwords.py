"""A password comes from a file, only its digest is kept, and what is no password is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memviz.core.errors import AccessError
from memviz.models.access.passwords import Password, read_password, readable_by_others

SECRET = "correct horse"


@pytest.mark.parametrize(
    "written", [SECRET, SECRET + "\n", SECRET + "\r\n", "\ufeff" + SECRET + "\n\n"]
)
def test_the_password_of_a_file(tmp_path: Path, written: str) -> None:
    file = tmp_path / "password"
    file.write_bytes(written.encode())
    password = read_password(file)
    assert password.matches(SECRET)
    assert not any(
        password.matches(other)
        for other in ("", SECRET[:-1], SECRET.upper(), SECRET + "\n", "\udcff")
    )


def test_spaces_belong_to_it_and_both_ways_to_write_a_letter_count() -> None:
    assert Password(" caf\u00e9 noir ").matches(" cafe\u0301 noir ")
    assert not Password(" caf\u00e9 noir ").matches("caf\u00e9 noir")


def test_the_password_itself_is_not_kept() -> None:
    password = Password(SECRET)
    assert SECRET not in repr(password) + repr(vars(password))


@pytest.mark.parametrize(
    ("written", "words"),
    [
        (b"", "shorter than 8"),
        (b"short\n", "shorter than 8"),
        (b"correct horse\nmore", "several lines"),
        (b"\xff\xfe\xfd" * 4, "not UTF-8"),
        (b"long" * 500, "longer than 1024 bytes"),
    ],
)
def test_what_is_no_password_is_refused_without_showing_it(
    tmp_path: Path, written: bytes, words: str
) -> None:
    file = tmp_path / "password"
    file.write_bytes(written)
    with pytest.raises(AccessError, match=words) as caught:
        read_password(file)
    assert "correct horse" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(AccessError, match="cannot be read: No such file"):
        read_password(tmp_path / "nothing")


@pytest.mark.skipif(os.name != "posix", reason="no such permissions here")
def test_a_file_that_others_may_read_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(SECRET)
    file.chmod(0o600)
    assert not readable_by_others(file)
    file.chmod(0o640)
    assert readable_by_others(file)
