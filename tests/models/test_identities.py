"""Visitors whom a proxy or a provider of identities knows: who vouches for them, and how their library is named."""

from __future__ import annotations

import pytest

from memviz.core.errors import AccessError
from memviz.models.access import ServerAccess, read_server_access
from memviz.models.identities import (
    TrustedProxies,
    make_known_visitor,
    read_teachers,
    read_trusted_proxies,
)
from tests.tables import for_each

PROXIES = TrustedProxies("X-Forwarded-Email", ("10.0.0.5", "fd00::/8"))
KEY = bytes(32)


@for_each(
    ("peer", "is_believed"),
    [
        ("10.0.0.5", True),
        ("fd00::1", True),
        ("::ffff:10.0.0.5", True),
        ("::ffff:10.0.0.6", False),
        ("10.0.0.6", False),
        ("127.0.0.1", False),
        ("", False),
        ("unix", False),
    ],
)
def test_only_the_named_proxies_vouch(peer: str, is_believed: bool) -> None:
    assert PROXIES.vouch(peer) is is_believed


@for_each(
    ("values", "identity"),
    [
        ([" ana@example.com "], "ana@example.com"),
        ([], ""),
        ([""], ""),
        (["ana@example.com", "bo@example.com"], ""),
        (["a" * 321], ""),
    ],
)
def test_one_value_names_one_visitor(values: list[str], identity: str) -> None:
    assert PROXIES.identity_in(values) == identity


@for_each(
    ("networks", "sentence"),
    [
        ((), "Anybody could send the header X-User"),
        (("proxy.internal",), "'proxy.internal' is no address of a proxy"),
        (("10.0.0.5/8",), "'10.0.0.5/8' is no address of a proxy"),
    ],
)
def test_a_header_that_is_believed_from_nowhere_is_refused(
    networks: tuple[str, ...], sentence: str
) -> None:
    with pytest.raises(AccessError, match=sentence):
        TrustedProxies("X-User", networks).check()


def test_the_environment_says_all_of_it() -> None:
    assert read_trusted_proxies(PROXIES.variables()) == PROXIES
    assert read_trusted_proxies({}) is None
    doors = read_server_access("0.0.0.0", PROXIES.variables()).personal_doors
    assert doors == ("--identity-header",)


def test_the_address_of_a_connection_may_not_be_made_up() -> None:
    variables = PROXIES.variables()
    for believed in ("127.0.0.1", "*"):
        with pytest.raises(AccessError, match="FORWARDED_ALLOW_IPS"):
            read_trusted_proxies({**variables, "FORWARDED_ALLOW_IPS": believed})
    del variables["FORWARDED_ALLOW_IPS"]
    with pytest.raises(AccessError, match="FORWARDED_ALLOW_IPS"):
        read_trusted_proxies(variables)  # uvicorn believes 127.0.0.1 unasked


@for_each(("value", "asks"), [("1", True), ("0", False), ("", False)])
def test_a_login_is_switched_on_and_off(value: str, asks: bool) -> None:
    doors = read_server_access("0.0.0.0", {"MEMVIZ_LOGIN": value}).personal_doors
    assert doors == (("--login",) if asks else ())


def test_two_doors_are_one_too_many() -> None:
    both = ServerAccess("0.0.0.0", personal_doors=("--class", "--login"))
    with pytest.raises(AccessError, match="--class and --login are two doors"):
        both.check()


def test_a_visitor_is_the_same_at_every_visit_and_nobody_else() -> None:
    ana = make_known_visitor(KEY, "ana@example.com", "Ana\n Lopez", is_teacher=True)
    assert ana == make_known_visitor(
        KEY, "ana@example.com", "Ana Lopez", is_teacher=True
    )
    assert ana.name == "Ana Lopez"
    others = {
        make_known_visitor(KEY, "bo@example.com", "Ana", is_teacher=False).id,
        make_known_visitor(b"1" * 32, "ana@example.com", "Ana", is_teacher=False).id,
    }
    assert ana.id not in others
    assert len(ana.id) == 32
    assert "ana" not in ana.id


def test_teachers_are_named_in_any_case() -> None:
    said = {"MEMVIZ_TEACHERS": "Ana@Example.com bo@example.com"}
    assert read_teachers(said) == {"ana@example.com", "bo@example.com"}
