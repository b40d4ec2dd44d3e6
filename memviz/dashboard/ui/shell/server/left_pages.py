"""Two answers to requests that Streamlit's page makes at the wrong address.

Requests of a page that its visitor has left go unheard, so that they cannot bring the page
back: a click on a part of a page, or a part that looks again by itself, asks for a run of
that part. Where somebody turned to another page a moment before, Streamlit (1.67) takes
both together for one request, and the newer of them says of which page: the way to the
other page is lost, or that page stays empty. So it is with a panel that tells when it
closes: the click on the way to another page closes it, and the browser tells that after
the click.

So go looks that a part takes by itself while the page runs: on a server that is behind
they would pile up, and one that meets a run which another look began can end it before it
comes to the part, which then never looks again. The next look comes by itself.

A page that is opened by its own address (/chat) does not know yet whether memviz stands at
the root of the server or below a path of that name, so it first asks
/chat/_stcore/health, and then /_stcore/health. Nothing serves the first one; a status of
404 would be right, but browsers log it as an error, for every visitor who opens a link.
"""

from __future__ import annotations

from functools import wraps
from http import HTTPStatus
from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse
from starlette.routing import Route
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

if TYPE_CHECKING:
    from starlette.requests import Request
    from streamlit.proto.ClientState_pb2 import ClientState

ASKED = ("_stcore/health", "_stcore/host-config")


async def _elsewhere(request: Request) -> PlainTextResponse:
    # Not a success, so that the page asks on, and no error, so that nothing is logged.
    asked = request.url.path.partition("/_stcore/")[2]
    return PlainTextResponse(f"See /_stcore/{asked}", HTTPStatus.MULTIPLE_CHOICES)


def other_base_routes() -> list[Route]:
    """The routes: one for each question, below any one name."""
    return [Route(f"/{{page}}/{path}", _elsewhere) for path in ASKED]


def page_turned_to(session: AppSession) -> str:
    """The page, by Streamlit's hash, of the run that waits to begin, else of the newest that began; empty for one that
    was opened by its name."""
    runner = session._scriptrunner
    waiting = runner._requests if runner is not None else None
    if (
        waiting is not None
        and waiting._state is ScriptRequestType.RERUN
        and waiting._rerun_data.page_script_hash
    ):
        return waiting._rerun_data.page_script_hash
    return session._pages_manager.intended_page_script_hash or ""


ON_THE_WAY = "memviz_on_the_way"
"""The attribute of a session with the page that its visitor clicked the way to, until something of that page is heard:
where the server itself turned the page, what its visitor did a moment before still counts."""


def is_over(session: AppSession, asked: ClientState) -> bool:
    """Return true if ``asked`` is of a page that its visitor has left, for a part that the page no longer has, or from
    a part that looks again by itself while the page runs."""
    if asked.is_auto_rerun and session._state is AppSessionState.APP_IS_RUNNING:
        return True
    page = page_turned_to(session)
    is_left = bool(page and page != asked.page_script_hash)
    if asked.fragment_id:
        return is_left or not session.has_fragment(asked.fragment_id)
    is_of_a_control = bool(asked.widget_states.widgets)
    return is_left and is_of_a_control and page == getattr(session, ON_THE_WAY, "")


def note_the_way(session: AppSession, asked: ClientState) -> None:
    """Keep which page ``asked`` leads to, if it does: the way to a page comes without the values of any control."""
    if not asked.fragment_id and not asked.widget_states.widgets:
        setattr(session, ON_THE_WAY, asked.page_script_hash)
    elif asked.page_script_hash == getattr(session, ON_THE_WAY, ""):
        setattr(session, ON_THE_WAY, "")


def leave_parts_of_left_pages() -> None:
    """Have every session of this server pass over such requests. The browser is told that nothing is left to do."""
    if hasattr(AppSession.request_rerun, "__wrapped__"):
        return
    run_what_is_asked = AppSession.request_rerun

    @wraps(run_what_is_asked)
    def request_rerun(self: AppSession, client_state: ClientState | None) -> None:
        if client_state is None or not is_over(self, client_state):
            if client_state is not None:
                note_the_way(self, client_state)
            run_what_is_asked(self, client_state)
        elif (
            self._state is not AppSessionState.APP_IS_RUNNING
        ):  # else that what runs has ended is answer enough
            self._enqueue_forward_msg(
                ForwardMsg(
                    script_finished=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
                )
            )

    AppSession.request_rerun = request_rerun  # type: ignore[method-assign]
