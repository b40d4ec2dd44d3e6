"""Where a server is, as a link that somebody on its machine follows names it."""

from __future__ import annotations

import pytest
import streamlit as st

from memviz.dashboard.ui.shell.server.checks import server_address


@pytest.mark.parametrize(
    ("address", "base_path", "told"),
    [
        ("127.0.0.1", "", "http://127.0.0.1:8600"),
        ("0.0.0.0", "", "http://127.0.0.1:8600"),
        ("::", "/chats/", "http://127.0.0.1:8600/chats"),
        (None, "", "http://127.0.0.1:8600"),
        ("::1", "", "http://[::1]:8600"),
        ("chats.example.com", "", "http://chats.example.com:8600"),
    ],
)
def test_the_address_is_that_of_the_options(
    address: str | None, base_path: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = {
        "server.address": address,
        "server.port": 8600,
        "server.baseUrlPath": base_path,
    }
    monkeypatch.setattr(st, "get_option", options.__getitem__)
    assert server_address() == told
