"""Who may come in is decided before a server starts, and what visitors may use follows the address."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memviz.core.errors import AccessError
from memviz.models.access import (
    Password,
    ServerAccess,
    is_loopback,
    is_readable_by_others,
    read_password,
    read_server_access,
)
from tests.tables import for_each

SECRET = "correct horse"


@for_each(
    "host",
    [
        "127.0.0.1",
        "127.1.2.3",
        "::1",
        "[::1]",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
    ],
)
def test_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@for_each(
    "host",
    [
        "",
        "0.0.0.0",
        "::",
        "192.168.1.5",
        "example.com",
        "localhost.example.com",
        "127.1",
    ],
)
def test_reached_by_others(host: str) -> None:
    assert not is_loopback(host)


@for_each("address", [None, "", "0.0.0.0", "::", "192.168.1.5", "chats.example.com"])
def test_an_address_that_others_reach_needs_a_decision(address: str | None) -> None:
    with pytest.raises(AccessError, match="--password-file FILE, or --trust-everyone"):
        read_server_access(address, {}).check()
    read_server_access(address, {"MEMVIZ_TRUST_EVERYONE": "1"}).check()
    read_server_access(address, {"MEMVIZ_PASSWORD_FILE": "somewhere"}).check()


def test_this_machine_needs_none() -> None:
    read_server_access("127.0.0.1", {}).check()


@for_each("address", ["127.0.0.1", "0.0.0.0"])
def test_keys_and_private_addresses_follow_the_address_unless_somebody_says_otherwise(
    address: str,
) -> None:
    local = address == "127.0.0.1"
    assert read_server_access(address, {}).of_models == (local, local)
    said = {
        "MEMVIZ_ALLOW_ENVIRONMENT_KEYS": str(int(not local)),
        "MEMVIZ_ALLOW_PRIVATE_BASE_URLS": str(not local),
    }
    assert read_server_access(address, said).of_models == (not local, not local)


def test_a_switch_that_is_neither_on_nor_off_is_an_error() -> None:
    with pytest.raises(
        AccessError, match=r"MEMVIZ_TRUST_EVERYONE is 'maybe': set it to 1 or 0\."
    ):
        read_server_access("0.0.0.0", {"MEMVIZ_TRUST_EVERYONE": "maybe"})


def test_the_variables_say_the_same_again() -> None:
    access = ServerAccess(
        "::",
        trust_everyone=True,
        password_file="a",
        environment_keys=False,
        private_base_urls=True,
        embeddable_by=("https://a.example.com", "http://b:8000"),
    )
    assert read_server_access("::", access.variables()) == access


def test_others_reach_a_server_that_asks_for_a_password_or_trusts_everyone_also_at_this_machines_address() -> (
    None
):
    assert not ServerAccess("127.0.0.1").is_shared
    for shared in (
        ServerAccess("0.0.0.0"),
        ServerAccess("127.0.0.1", True),
        ServerAccess("127.0.0.1", False, "file"),
    ):
        assert shared.is_shared


@for_each(
    "origin",
    [
        "*",
        "https://*.example.com",
        "a.example.com",
        "https://a.example.com/",
        "https://a.example.com; script-src *",
        "file:",
        "null",
        "data:",
        "https://a example.com",
        "https://a.example.com:port",
        "",
    ],
)
def test_only_origins_are_let_to_embed_it(origin: str) -> None:
    with pytest.raises(AccessError, match="is no origin of a page"):
        ServerAccess(
            "127.0.0.1", embeddable_by=("https://fine.example.com", origin)
        ).check()
    ServerAccess(
        "127.0.0.1", embeddable_by=("https://fine.example.com", "http://127.0.0.1:8000")
    ).check()


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
    assert not is_readable_by_others(file)
    file.chmod(0o640)
    assert is_readable_by_others(file)
