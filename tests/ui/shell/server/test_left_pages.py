"""A part of a page that its visitor has left asks for nothing any more."""

from __future__ import annotations

import pytest
from streamlit.proto.ClientState_pb2 import ClientState

from memviz.ui.shell.server.left_pages import is_of_left_page

PAGES = {"c0": {"url_pathname": "compare"}, "9d": {"url_pathname": "guide"}, "aa": {"url_pathname": "start"}}


def asked(page: str, url: str, fragment: str = "part") -> ClientState:
    state = ClientState(page_script_hash=page, fragment_id=fragment)
    state.context_info.url = url
    return state


@pytest.mark.parametrize(
    ("page", "url"),
    [
        ("c0", "http://127.0.0.1:8501/guide"),
        ("c0", "https://example.org/behind/a/path/guide/"),
        ("9d", "http://127.0.0.1:8501/compare"),
    ],
)
def test_a_part_of_another_page_than_the_address_names_is_passed_over(page: str, url: str) -> None:
    assert is_of_left_page(asked(page, url), PAGES)


@pytest.mark.parametrize(
    ("page", "url"),
    [
        ("c0", "http://127.0.0.1:8501/compare"),
        ("c0", "http://127.0.0.1:8501/"),
        ("c0", "http://127.0.0.1:8501/nowhere"),
        ("c0", ""),
    ],
)
def test_one_of_the_page_that_is_seen_is_heard(page: str, url: str) -> None:
    assert not is_of_left_page(asked(page, url), PAGES)


def test_a_whole_page_is_always_heard() -> None:
    assert not is_of_left_page(asked("c0", "http://127.0.0.1:8501/guide", fragment=""), PAGES)
