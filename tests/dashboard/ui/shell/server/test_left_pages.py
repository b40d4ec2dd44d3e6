"""A part of a page that its visitor has left asks for nothing any more."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.app_session import AppSessionState
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequests,
)

from memviz.dashboard.ui.shell.server.left_pages import (
    ASKED,
    is_over,
    note_the_way,
    other_base_routes,
)
from tests.tables import for_each

COMPARE, GUIDE = "c0", "9d"


@for_each("path", ASKED)
def test_is_neither_an_error_nor_a_success(path: str) -> None:
    answer = TestClient(
        Starlette(routes=other_base_routes()), follow_redirects=False
    ).get(f"/chat/{path}")
    assert 300 <= answer.status_code < 400
    assert "location" not in answer.headers, (
        "a browser that followed it would take /chat for the address of the server"
    )
    assert f"/{path}" in answer.text


def session(
    *,
    began: str | None,
    waits: RerunData | None = None,
    has_part: bool = True,
    state: AppSessionState = AppSessionState.APP_NOT_RUNNING,
) -> Any:
    """A session in which a run of a page began, and one may wait."""
    requests = ScriptRequests()
    if waits is not None:
        requests.request_rerun(waits)
    return SimpleNamespace(
        _scriptrunner=SimpleNamespace(_requests=requests),
        _pages_manager=SimpleNamespace(intended_page_script_hash=began),
        has_fragment=lambda id: has_part,
        _state=state,
    )


def part_of(page: str) -> ClientState:
    return ClientState(page_script_hash=page, fragment_id="part")


@for_each(
    "here",
    [
        session(began=GUIDE),
        session(began=COMPARE, waits=RerunData(page_script_hash=GUIDE)),
        session(began=COMPARE, has_part=False),
    ],
)
def test_a_part_of_a_page_that_is_left_or_that_is_gone_is_passed_over(
    here: Any,
) -> None:
    assert is_over(here, part_of(COMPARE))


@for_each(
    "here",
    [
        session(began=COMPARE),
        session(began=GUIDE, waits=RerunData(page_script_hash=COMPARE)),
        session(
            began=COMPARE,
            waits=RerunData(page_script_hash=COMPARE, fragment_id="another"),
        ),
        session(began=""),  # a page that was opened by its name
        session(began=None),
    ],
)
def test_one_of_the_page_that_is_seen_is_heard(here: Any) -> None:
    assert not is_over(here, part_of(COMPARE))


def test_a_look_that_a_part_takes_by_itself_waits_while_the_page_runs() -> None:
    look = part_of(COMPARE)
    look.is_auto_rerun = True
    running = session(began=COMPARE, state=AppSessionState.APP_IS_RUNNING)
    assert is_over(running, look)
    assert not is_over(running, part_of(COMPARE)), "a click"
    assert not is_over(session(began=COMPARE), look)


def control_of(page: str) -> ClientState:
    """What a control says that is in no part of its page."""
    asked = ClientState(page_script_hash=page)
    asked.widget_states.widgets.add(id="panel", bool_value=False)
    return asked


def test_the_way_to_a_page_is_always_heard() -> None:
    assert not is_over(session(began=GUIDE), ClientState(page_script_hash=COMPARE))


def test_a_control_of_a_page_is_over_from_the_click_that_led_away_until_the_other_page_is_heard() -> (
    None
):
    here = session(began=COMPARE, waits=RerunData(page_script_hash=GUIDE))
    note_the_way(here, ClientState(page_script_hash=GUIDE))
    assert is_over(here, control_of(COMPARE))
    assert not is_over(here, control_of(GUIDE))
    note_the_way(here, control_of(GUIDE))
    assert not is_over(here, control_of(COMPARE))


def test_where_the_server_turned_the_page_what_was_done_before_still_counts() -> None:
    here = session(began=GUIDE)
    assert not is_over(here, control_of(COMPARE))
    note_the_way(here, ClientState(page_script_hash=COMPARE))
    assert not is_over(here, control_of(COMPARE))
