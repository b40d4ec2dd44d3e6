"""Open a page, find a control by what it says, and read what is drawn."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from html import unescape
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

import numpy as np
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from memviz.dashboard.ui.controls.selected_request import READ_KEY, TURN_KEY
from tests.page_names import ADDRESSES, QUESTIONS
from tests.pages import light_streamlit

APP = Path(__file__).resolve().parents[2] / "navigation.py"
TIMEOUT_SECONDS = 120
LOOK_SECONDS = 0.1
light_streamlit.apply()
_look_until_it_stops = local_script_runner.require_widgets_deltas


def _wait_until_it_stops(runner: LocalScriptRunner, timeout: float) -> None:
    """AppTest looks a thousand times a second through all that the script has sent, and has it wait for that. Its
    thread ends with it. The 3 seconds that AppTest waits by itself are too few beside busy processes, where a script is
    the first to load what it needs."""
    if (thread := runner._script_thread) is not None:
        thread.join(max(timeout, TIMEOUT_SECONDS))
    _look_until_it_stops(runner, timeout=LOOK_SECONDS)


local_script_runner.require_widgets_deltas = _wait_until_it_stops

Control = TypeVar("Control")
T = TypeVar("T")


def open_page(name: str, **query: str) -> AppTest:
    """The page, or the view of a page, as a new browser session first sees it."""
    session = open_address(name, {part: [text] for part, text in query.items()})
    assert page_of(session) == name
    return session


@cache
def first_seen(name: str) -> AppTest:
    """The page, opened once in this process and only to be looked at: who clicks opens a page of their own.
    Tune tries one strategy."""
    query = {"try": '["window"]'} if name == "tune" else {}
    session = open_page(name, **query)
    session._run = _refused  # type: ignore[method-assign]
    return session


def _refused(*arguments: Any, **options: Any) -> AppTest:
    raise AssertionError(
        "This page is shared by several tests, which only look at it: use open_page instead."
    )


def open_address(name: str, query: Mapping[str, Sequence[str]]) -> AppTest:
    """What the address of a page or a view with this query shows."""
    session = AppTest.from_file(str(APP), default_timeout=TIMEOUT_SECONDS)
    for part, texts in query.items():
        session.query_params[part] = list(texts)
    page, view = ADDRESSES.get(name, (name, ""))
    if view:
        session.query_params["view"] = view
    if page != "compare":
        session.switch_page(f"pages/{page}.py")
    return session.run()


def page_of(session: AppTest) -> str:
    """Which page is shown. Fails if an exception is."""
    assert not session.exception, [error.message for error in session.exception]
    return next(
        name
        for name, question in QUESTIONS.items()
        if question == session.title[0].value
    )


def labelled(controls: Iterable[Control], label: str) -> Control:
    """The first of ``controls`` whose label begins with ``label``."""
    controls = list(controls)
    found = next(
        (control for control in controls if control.label.startswith(label)), None
    )
    assert found is not None, (
        f"no {label!r} among {[control.label for control in controls]}"
    )
    return found


def finished(session: AppTest) -> AppTest:
    """The page once its sweep is through."""
    deadline = monotonic() + TIMEOUT_SECONDS
    while any(button.label == "Stop" for button in session.button):
        assert monotonic() < deadline, "the sweep did not end"
        sleep(
            LOOK_SECONDS
        )  # to draw the page without a pause would hold up what it waits for
        session.run()
    page_of(session)
    return session


def click(session: AppTest, label: str) -> AppTest:
    """Click the first button of this label."""
    return labelled(session.button, label).click().run()


def say(session: AppTest, text: str) -> AppTest:
    """Send a chat message."""
    return session.chat_input[0].set_value(text).run()


def figures(session: AppTest) -> list[dict[str, Any]]:
    """The Plotly figures on the page, in order."""
    return [json.loads(chart.proto.spec) for chart in session.get("plotly_chart")]


def token_lines(session: AppTest) -> dict[str, list[float]]:
    """Tokens of every turn by setting, as the first chart draws them."""
    traces = figures(session)[0]["data"]
    return {
        trace["name"]: numbers(trace["y"])
        for trace in traces
        if "lines" in trace["mode"]
        and "text" in trace
        and not trace["name"].endswith(" limit")
    }


def markers(session: AppTest) -> list[str]:
    """The tooltips of the summarizations on the first chart."""
    return [
        text
        for trace in figures(session)[0]["data"]
        if trace["mode"] == "markers"
        for text in trace["text"]
    ]


def numbers(values: Any) -> list[float]:
    """Plotly's numbers, which travel as bytes."""
    if isinstance(values, dict):
        return np.frombuffer(
            base64.b64decode(values["bdata"]), dtype=values["dtype"]
        ).tolist()
    return list(values)


def turn_shown(session: AppTest) -> int:
    """The turn of the request that Compare's reader shows."""
    head = r"\*\*Request of turn ([\d,]+)(, call \d+ of \d+)?\*\*"
    heads = (re.match(head, element.value) for element in session.markdown)
    return next(int(found[1].replace(",", "")) for found in heads if found)


def walk_to(session: AppTest, turn: int) -> AppTest:
    """Move Compare's selection to a turn, as the player does."""
    session.session_state[TURN_KEY] = turn
    return read_request(session)


def panels(session: AppTest) -> list[str]:
    """The labels of the buttons that open a panel."""
    return [block.proto.popover.label for block in session.get("popover")]


def read_request(session: AppTest) -> AppTest:
    """Open the panel of the selected request, as a click on it does."""
    session.session_state[READ_KEY] = True
    return session.run()


def click_point(session: AppTest, number: int, point: Mapping[str, Any]) -> AppTest:
    """What the browser sends when this point of the chart is clicked; ``number`` is its place on the page."""
    id, states = (
        session.get("plotly_chart")[number].proto.id,
        session._tree.get_widget_states,
    )

    def clicked() -> Any:
        sent = states()
        widget = sent.widgets.add()
        widget.id = id
        widget.string_value = json.dumps(
            {
                "selection": {
                    "points": [dict(point)],
                    "point_indices": [0],
                    "box": [],
                    "lasso": [],
                }
            }
        )
        return sent

    session._tree.get_widget_states = clicked
    return session.run()


def request_as_json(session: AppTest) -> list[dict[str, Any]]:
    """The messages of the request that the inspector shows."""
    return json.loads(
        next(code.value for code in session.code if code.language == "json")
    )["messages"]


def texts(session: AppTest) -> list[str]:
    """Everything shown word for word, in order."""
    return [element.value for element in session.text]


def inspected(session: AppTest) -> list[str]:
    """The messages that the inspector shows, in order, as a browser reads its HTML."""
    return [
        unescape(text)
        for block in blocks(session)
        for text in re.findall(r"<p>(.*?)</p>", block, re.DOTALL)
    ]


def in_reading_order(messages: Sequence[T]) -> list[T]:
    """The messages of a request as the inspector shows them: the system prompt, which is sent first, comes last."""
    return [*messages[1:], messages[0]]


def blocks(session: AppTest) -> list[str]:
    """The HTML of the blocks of the request that the inspector shows."""
    bodies = [element.proto.body for element in session.get("html")]
    return [body for body in bodies if "memviz-block" in body and "<style>" not in body]


def sentences(elements: Sequence[Any]) -> list[str]:
    """What messages to the user say, without the backslashes that keep Markdown from reading them."""
    return [element.value.replace("\\", "") for element in elements]


def metric(session: AppTest, label: str) -> str:
    """What a key number shows."""
    return labelled(session.metric, label).value
