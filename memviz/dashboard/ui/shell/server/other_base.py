"""Answers to the two questions that Streamlit's page asks below the address of a page.

A page that is opened by its own address (/chat) does not know yet whether memviz stands at the root of the server or
below a path of that name, so it first asks /chat/_stcore/health, and then /_stcore/health. Nothing serves the first
one; a status of 404 would be right, but browsers log it as an error, for every visitor who opens a link.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

ASKED = ("_stcore/health", "_stcore/host-config")


async def _elsewhere(request: Request) -> PlainTextResponse:
    # Not a success, so that the page asks on, and no error, so that nothing is logged.
    asked = request.url.path.partition("/_stcore/")[2]
    return PlainTextResponse(f"See /_stcore/{asked}", HTTPStatus.MULTIPLE_CHOICES)


def other_base_routes() -> list[Route]:
    """The routes: one for each question, below any one name."""
    return [Route(f"/{{page}}/{path}", _elsewhere) for path in ASKED]
