"""What a page still asks for when its visitor has left it goes unheard, so that it cannot bring the page back.

A click on a part of a page, or a part that looks again by itself, asks for a run of that part. Where somebody turned to
another page a moment before, Streamlit (1.67) takes both together for one request, and the newer of them says of which
page: the way to the other page is lost, or that page stays empty. The address that the browser shows at that moment is
the truth.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession, AppSessionState

if TYPE_CHECKING:
    from streamlit.proto.ClientState_pb2 import ClientState


def is_of_left_page(asked: ClientState, pages: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether ``asked`` is for a part of a page other than the one at whose address the browser is; ``pages`` are
    Streamlit's, by their hash. An address that is no page's says nothing."""
    if not asked.fragment_id or not asked.context_info.url:
        return False
    name = urlsplit(asked.context_info.url).path.rstrip("/").rpartition("/")[2]
    shown = {hash for hash, page in pages.items() if page.get("url_pathname") == name}
    return bool(name and shown) and asked.page_script_hash not in shown


def leave_parts_of_left_pages() -> None:
    """Have every session of this server pass over such requests, and those for parts that are gone. The browser is told
    that nothing is left to do."""
    if hasattr(AppSession.request_rerun, "__wrapped__"):
        return
    run_what_is_asked = AppSession.request_rerun

    @wraps(run_what_is_asked)
    def request_rerun(self: AppSession, client_state: ClientState | None) -> None:
        pages: Any = self._pages_manager.get_pages()
        part = client_state.fragment_id if client_state is not None else ""
        if client_state is None or not part or (self.has_fragment(part) and not is_of_left_page(client_state, pages)):
            run_what_is_asked(self, client_state)
        elif self._state is not AppSessionState.APP_IS_RUNNING:  # else that what runs has ended is answer enough
            self._enqueue_forward_msg(ForwardMsg(script_finished=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))

    AppSession.request_rerun = request_rerun  # type: ignore[method-assign]
