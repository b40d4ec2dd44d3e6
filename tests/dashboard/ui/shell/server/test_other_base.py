"""What Streamlit's page asks below a page's address is answered, and not as a success."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

from memviz.dashboard.ui.shell.server.other_base import ASKED, other_base_routes


@pytest.mark.parametrize("path", ASKED)
def test_is_neither_an_error_nor_a_success(path: str) -> None:
    answer = TestClient(
        Starlette(routes=other_base_routes()), follow_redirects=False
    ).get(f"/chat/{path}")
    assert 300 <= answer.status_code < 400
    assert "location" not in answer.headers, (
        "a browser that followed it would take /chat for the address of the server"
    )
    assert f"/{path}" in answer.text
