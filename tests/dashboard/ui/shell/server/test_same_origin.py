"""Requests of other pages are refused, whatever name or port they come from."""

from __future__ import annotations

from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from memviz.dashboard.ui.shell.server.same_origin import SameOrigin
from tests.tables import for_each

HERE = "http://127.0.0.1:8501"


async def page(_: Any) -> PlainTextResponse:
    return PlainTextResponse("a page")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


def client(base: str = HERE, **options: Any) -> TestClient:
    guard = Middleware(SameOrigin, **{"is_local": True, **options})
    routes = [
        Route("/", page, methods=["GET", "POST", "PUT"]),
        WebSocketRoute("/stream", talk),
    ]
    return TestClient(Starlette(routes=routes, middleware=[guard]), base_url=base)


def is_let_in(asking: TestClient, origin: str | None) -> bool:
    """Whether both a request and a handshake pass; they have to agree."""
    headers = {} if origin is None else {"Origin": origin}
    status = asking.put("/", headers=headers).status_code
    try:
        with asking.websocket_connect(
            "/stream", headers={**headers, "Host": asking.base_url.netloc.decode()}
        ) as open_:
            assert open_.receive_text() == "hello"
            handshake = True
    except WebSocketDisconnect:
        handshake = False
    assert handshake == (status == 200)
    assert handshake or status == 403
    return handshake


@for_each("base", [HERE, "http://localhost:8501", "http://[::1]:8501"])
def test_its_own_pages_and_programs_are_let_in(base: str) -> None:
    assert is_let_in(client(base), base)
    assert is_let_in(client(base), base.upper())
    assert is_let_in(client(base), None)


@for_each(
    "origin",
    [
        "http://127.0.0.1:9999",
        "http://localhost:8501",
        "http://127.0.0.1",
        "http://localhost",
        "http://0.0.0.0:8501",
        "https://example.com",
        "null",
        "",
        "http://127.0.0.1:8501.example.com",
        "http://[",
        "http://127.0.0.1:85010",
        "file://",
    ],
)
def test_every_other_page_is_refused(origin: str) -> None:
    assert not is_let_in(client(), origin)


def test_a_foreign_name_that_leads_to_this_machine_is_refused() -> None:
    assert not is_let_in(
        client("http://rebound.example.com:8501"), "http://rebound.example.com:8501"
    )
    assert is_let_in(
        client("http://rebound.example.com:8501", is_local=False),
        "http://rebound.example.com:8501",
    )


def test_what_the_operator_lists_is_let_in() -> None:
    listed = {
        "other_hosts": ["chats.example.com"],
        "other_origins": ["https://portal.example.com"],
    }
    assert is_let_in(
        client("http://chats.example.com", **listed), "https://chats.example.com"
    )
    assert not is_let_in(
        client("http://other.example.com", **listed), "https://other.example.com"
    )
    assert is_let_in(
        client("http://other.example.com", other_hosts=["*.example.com"]),
        "https://other.example.com",
    )
    assert is_let_in(client(**listed), "https://portal.example.com")
    assert not is_let_in(client(**listed), "http://portal.example.com")


def test_no_other_page_may_frame_it() -> None:
    shown = client(other_origins=["https://portal.example.com"]).get("/")
    assert (
        shown.headers["content-security-policy"]
        == "frame-ancestors 'self' https://portal.example.com"
    )


def test_a_page_that_may_frame_it_may_do_nothing_else() -> None:
    course = "http://127.0.0.1:8000"
    asking = client(embeddable_by=[course, "https://Course.example.com"])
    framed = asking.get("/").headers["content-security-policy"]
    assert framed == f"frame-ancestors 'self' {course} https://course.example.com"
    assert not is_let_in(asking, course)
