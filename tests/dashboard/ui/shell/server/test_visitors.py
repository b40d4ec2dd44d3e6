"""Who is a teacher where a provider of identities signs people in."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
import streamlit as st

from memviz.dashboard.ui.shell.server.visitors import SignedInVisitors

KEY = bytes(32)
TEACHERS = frozenset({"ana@example.com"})


@pytest.mark.parametrize(
    ("claims", "is_teacher"),
    [
        ({"email_verified": True}, True),
        ({"email_verified": "true"}, True),
        ({"xms_edov": True}, True),
        ({"xms_edov": "1"}, True),
        ({"xms_edov": 1}, True),
        ({}, False),
        ({"email_verified": False}, False),
        ({"email_verified": "false", "xms_edov": 0}, False),
        ({"email_verified": True, "email": "bo@example.com"}, False),
    ],
)
def test_only_an_address_that_the_provider_has_verified_makes_a_teacher(
    monkeypatch: pytest.MonkeyPatch, claims: dict[str, object], is_teacher: bool
) -> None:
    of_ana = {
        "is_logged_in": True,
        "iss": "https://id.example.com",
        "sub": "3f9a",
        "email": "Ana@example.com",
    }
    user = SimpleNamespace(to_dict=lambda: of_ana | claims)
    monkeypatch.setattr(st, "user", user)
    visitor = SignedInVisitors(KEY, TEACHERS).now()
    assert visitor is not None
    assert visitor.is_teacher == is_teacher
