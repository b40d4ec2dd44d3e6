"""The page that the server sends hears keys from its first moment on; nothing else is changed."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from memviz.dashboard.stage.files import keys_script
from memviz.dashboard.ui.shell.server.early_keys import EarlyKeys

PAGE = "<html><head><title>Page</title></head><body>a page</body></html>"


async def page(request: Request) -> HTMLResponse:
    assert "accept-encoding" not in request.headers
    return HTMLResponse(PAGE, headers={"etag": "1"})


async def text(request: Request) -> PlainTextResponse:
    return PlainTextResponse("<head>")


def test_the_script_stands_first_in_a_page_and_nowhere_else() -> None:
    routes = [Route("/", page), Route("/text", text)]
    client = TestClient(Starlette(routes=routes, middleware=[Middleware(EarlyKeys)]))
    sent = client.get("/", headers={"accept": "text/html,*/*"})
    assert keys_script() in sent.text
    assert sent.text.index("<script>") < sent.text.index("<title>")
    assert sent.text.endswith("</head><body>a page</body></html>")
    assert "etag" not in sent.headers
    assert int(sent.headers["content-length"]) == len(sent.content)
    assert client.get("/text", headers={"accept": "text/html"}).text == "<head>"
