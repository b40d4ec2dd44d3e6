"""Know when a page is quiet: every run of the script that the browser asked for has ended and is drawn.

Streamlit marks a page as running only when the server says so, a moment after the click that asked for the run. How
long that moment is depends on the machine, so waiting for a fixed time is either slow or not enough. What the browser
sends and receives is exact.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

DRAWN = '[data-testid="stApp"][data-test-script-state="notRunning"][data-test-connection-state="CONNECTED"]'
SETTLING_MILLISECONDS = 50
"""What was received last is drawn by tasks that are queued in the page: this long later, they had their turn."""

_WATCH = """
([rerunTag, finishedField, early]) => {
    const runs = window.scriptRuns = { asked: false, changed: 0 };
    const mark = asked => Object.assign(runs, { asked, changed: performance.now() });

    // Protobuf: a field begins with its number and kind; of the kinds only numbers (0) and bytes (2) occur here.
    const finished = bytes => {
        let at = 0;
        const number = () => {
            for (let value = 0, factor = 1; ; factor *= 128) {
                const byte = bytes[at++];
                value += (byte & 127) * factor;
                if (byte < 128) return value;
            }
        };
        while (at < bytes.length) {
            const tag = number(), value = number();
            if (tag === finishedField * 8) return value !== early;
            if (tag % 8 === 2) at += value;
            else if (tag % 8 !== 0) return false;
        }
        return false;
    };

    window.WebSocket = class extends WebSocket {
        constructor(...where) {
            super(...where);
            this.addEventListener("message", event => {
                if (event.data instanceof ArrayBuffer && finished(new Uint8Array(event.data))) mark(false);
            });
        }
        send(data) {
            if (data[0] === rerunTag) mark(true);
            super.send(data);
        }
    };
}
"""
_QUIET = """
([drawn, settling]) => {
    const runs = window.scriptRuns;
    return !runs.asked && performance.now() - runs.changed > settling && document.querySelector(drawn) !== null;
}
"""


def watch_runs(context: BrowserContext) -> None:
    """Have every page that ``context`` opens note what it asks for and what has finished."""
    numbers = [
        BackMsg.DESCRIPTOR.fields_by_name["rerun_script"].number * 8 + 2,
        ForwardMsg.DESCRIPTOR.fields_by_name["script_finished"].number,
        ForwardMsg.FINISHED_EARLY_FOR_RERUN,
    ]
    context.add_init_script(f"({_WATCH})({numbers})")


def quiet(page: Page) -> None:
    """Wait until no run is asked for, under way or waiting to be drawn."""
    page.wait_for_function(_QUIET, arg=[DRAWN, SETTLING_MILLISECONDS], polling=20)
