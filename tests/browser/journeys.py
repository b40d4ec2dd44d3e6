"""Steps that journeys share."""

from __future__ import annotations

from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Locator, Page, expect

from memviz.core.translation import _
from tests.browser.chromium import PATIENCE_MILLISECONDS
from tests.browser.script_runs import quiet
from tests.page_names import ADDRESSES, QUESTIONS

if TYPE_CHECKING:
    from tests.models.openai_server import OpenAIServer

VIEWS = {
    "compare": ("Compare", "Tokens"),
    "costs": ("Compare", "Dollars"),
    "memory_map": ("Compare", "Memory map"),
    "retention": ("Facts", "Facts"),
    "summaries": ("Facts", "Summaries"),
}
"""By which link of the navigation and which switch at the title a view is reached."""
TOKENS_CHART = ".st-key-compare-tokens .js-plotly-plot"

TRIES = 5
"""So often is a page opened until its title stands before what hears keys: a busy machine may turn that round."""

SILENCE_SECONDS = 55
"""So long a server of models says nothing: less than the timeout that the pages come with."""

expect.set_options(timeout=PATIENCE_MILLISECONDS)


def address_of(name: str, query: str = "") -> str:
    """The address of a page, or of a view of one, with this query."""
    page, view = ADDRESSES.get(name, (name, ""))
    parts = [part for part in (f"view={view}" if view else "", query) if part]
    return f"/{page}?{'&'.join(parts)}" if parts else f"/{page}"


def go(page: Page, url: str, name: str) -> None:
    """Open an address and wait until the page of this name stands."""
    page.goto(url)
    stands(page, name)


def turn_to(page: Page, name: str) -> None:
    """Click the way to a page, or to a view of one, by its name in the language that the test reads."""
    link, view = VIEWS.get(name, (name.capitalize(), ""))
    # The navigation comes before a term of the same name.
    page.get_by_role("link", name=_(link), exact=True).first.click()
    if view:
        switch = page.get_by_role("radio", name=_(view), exact=True)
        sees(switch)
        quiet(page)
        switch.click()
    stands(page, name)


def stands(page: Page, name: str) -> None:
    """Wait for a page's title, then until nothing runs any more. No exception may be shown."""
    sees(page.get_by_role("heading", name=_(QUESTIONS[name])))
    quiet(page)
    expect(page.get_by_test_id("stException")).to_have_count(0)


def sees(place: Locator) -> None:
    """Wait until it is seen. While a page is drawn anew, what it showed before may stand beside it for a moment.

    ``expect`` would write down the whole page whenever it looks and does not find it.
    """
    place.filter(visible=True).first.wait_for()


def drawn(page: Page, chart: str = TOKENS_CHART) -> Locator:
    """A chart, when it is drawn."""
    page.locator(f"{chart} .main-svg").first.wait_for()
    return page.locator(chart)


STILL_MILLISECONDS = 300
_RESTS = """still => {
    const main = document.querySelector("[data-testid=stMain]");
    const what = `${document.querySelectorAll("*").length} ${main.scrollHeight}`;
    const fades = document.getAnimations().some(
        one => one.playState === "running" && one.effect.getComputedTiming().endTime !== Infinity);
    if (fades || window.lastSeen?.what !== what) window.lastSeen = { what, since: performance.now() };
    return performance.now() - window.lastSeen.since > still;
}"""
"""Whether nothing has come, gone, grown or faded in the page for so long."""


def show_all(page: Page) -> None:
    """Make the window as high as what the page scrolls: Streamlit scrolls a box of its own, not the window."""
    main = page.get_by_test_id("stMain")
    width = page.evaluate("innerWidth")
    page.set_viewport_size(
        {"width": width, "height": main.evaluate("main => main.scrollHeight")}
    )
    # What comes into view is drawn only now, and fades in.
    page.evaluate("delete window.lastSeen")
    page.wait_for_function(_RESTS, arg=STILL_MILLISECONDS, polling=50)


def say(page: Page, text: str) -> None:
    """Type a chat message, see it stand there, and send it."""
    quiet(page)
    box = page.get_by_test_id("stChatInputTextArea")
    expect(box).to_be_enabled()
    box.fill(text)
    expect(box).to_have_value(text)
    box.press("Enter")


def names_of_lines(page: Page) -> Locator:
    """The names at the ends of the lines of the chart of tokens."""
    return page.locator(f"{TOKENS_CHART} .annotation-text", has_text="━")


def read_request(page: Page) -> None:
    """Open the panel of the selected request."""
    page.get_by_role("button", name="Read this request").click()
    quiet(page)


def bubbles(page: Page) -> Locator:
    return page.get_by_test_id("stChatMessage")


def marker_places(page: Page) -> list[dict[str, Any]]:
    """Where the summarizations are on the first chart: x and y in pixels of the viewport, and the turn."""
    places: list[dict[str, Any]] = page.locator(TOKENS_CHART).evaluate(
        """chart => {
            const trace = chart._fullData.find(t => t.mode === 'markers'), box = chart.getBoundingClientRect();
            // A setting far larger than the others has axes of its own, in its strip.
            const axis = id => chart._fullLayout[id[0] + 'axis' + id.slice(1)];
            const xaxis = axis(trace.xaxis), yaxis = axis(trace.yaxis);
            return Array.from(trace.x, (x, i) => ({
                x: box.left + xaxis._offset + xaxis.d2p(x),
                y: box.top + yaxis._offset + yaxis.d2p(trace.y[i]),
                turn: Number(trace.customdata[i].split(':')[1]),
            }));
        }"""
    )
    return places


def open_models(page: Page) -> None:
    """Open the panel of the sidebar that chooses the models, unless it is open."""
    button = page.locator(".st-key-models-panel").get_by_test_id("stPopoverButton")
    if button.get_attribute("aria-expanded") != "true":
        button.click()
    quiet(page)


def choose_model(page: Page, label: str, model: str, api_base: str) -> None:
    """Choose a model behind an address, in the chooser of this label, with any key."""
    if label in ("Chat model", "Summarizer"):
        open_models(page)
    chooser = page.get_by_role("combobox", name=label)
    chooser.click()  # its list is closed again where it is scrolled into view only by what is typed
    chooser.fill(model)
    chooser.press("Enter")
    for name, value in (("API key", "a-key"), ("Base URL", api_base)):
        box = page.get_by_role("textbox", name=name)
        box.fill(value)
        box.press("Enter")
        quiet(page)
    page.keyboard.press(
        "Escape"
    )  # the panel would cover what stands beside the sidebar


def map_place(
    page: Page, number: int, turn: float, message: float
) -> tuple[float, float]:
    """Where a cell of a map is on the memory map's page: x and y in pixels of the viewport."""
    chart = drawn(page, f".st-key-map-{number} .js-plotly-plot")
    chart.scroll_into_view_if_needed()
    x, y = chart.evaluate(
        """(chart, [turn, message]) => {
            const { xaxis, yaxis } = chart._fullLayout, box = chart.getBoundingClientRect();
            return [box.left + xaxis._offset + xaxis.d2p(turn), box.top + yaxis._offset + yaxis.d2p(message)];
        }""",
        [turn, message],
    )
    return x, y


def asked(server: OpenAIServer, number: int = 1) -> None:
    """Wait until the server was asked so often."""
    deadline = monotonic() + 60
    while len(server.requests) < number:
        assert monotonic() < deadline, "nobody asked the model"
        sleep(0.02)
