"""A speaker with a clicker, the window of notes, and the picture in a frame of another page."""

from __future__ import annotations

import re
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.axe_findings import check_as_it_stands
from tests.browser.dashboard import Dashboard
from tests.browser.journeys import TRIES, drawn, go, open_models
from tests.browser.script_runs import quiet
from tests.page_names import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Locator, Page

pytestmark = pytest.mark.slow

SETTINGS = "conversation=sample-trip&setting=buffer&setting=summary_buffer+%7B%22max_token_limit%22:700%7D&turn=13"
LEAST_PIXELS = 22
RESIZED_MILLISECONDS = 400
"""So long after a change of its size the page asks for letters as large as fit."""
NO_ICON = '<link rel="icon" href="data:,">'
STAGE = "What happens at each request?"
KEPT = "How much does each setting still know?"
TWO_CLICKS = """() => {
    for (let click = 0; click < 2; click++) {
        document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "PageDown", bubbles: true, composed: true }));
    }
}"""
"""So quick that the browser tells the server of both at once."""


def bar(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Presentation")


def press(page: Page, key: str) -> None:
    page.keyboard.press(key)
    quiet(page)


def test_a_speaker_walks_through_the_pictures_with_notes_in_step_and_leaves(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    go(page, f"{dashboard.url}/compare?{SETTINGS}", "compare")
    drawn(page)
    quiet(page)

    # The key p begins it, but is a letter while somebody types.
    box = page.get_by_role("textbox", name="One question to all settings")
    box.press_sequentially("pp")
    quiet(page)
    expect(bar(page)).to_have_count(0)
    box.fill("")
    page.get_by_role("heading", name=QUESTIONS["compare"]).click()
    press(page, "p")
    expect(bar(page)).to_contain_text("1 of 6")
    expect(page).to_have_url(re.compile("present=on"))

    # The picture has the page to itself, in large letters.
    for hidden in ("stSidebar", "stHeader"):
        expect(page.get_by_test_id(hidden)).to_be_hidden()
    sentence = page.get_by_text("Tokens sent per turn: Full buffer grows")
    assert (
        float(sentence.evaluate("p => parseFloat(getComputedStyle(p).fontSize)"))
        >= LEAST_PIXELS
    )
    expect(drawn(page)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("button", name="Play")).to_be_in_viewport(ratio=1)
    check_as_it_stands(page, "a chart that is presented, light")
    press(page, "ArrowRight")  # the player's key: a turn on, not a picture
    expect(page).to_have_url(re.compile("turn=14"))

    # The notes say what is shown and what comes next, however quickly one walks.
    with page.context.expect_page() as opened:
        bar(page).get_by_role("button", name="Notes").click()
    notes = opened.value
    expect(notes.get_by_role("heading")).to_have_text(QUESTIONS["compare"])
    expect(notes.get_by_text(f"Next: {STAGE}")).to_be_visible()
    expect(notes.get_by_text("Summarized messages")).to_be_visible()
    check_as_it_stands(notes, "notes, light")
    page.evaluate(TWO_CLICKS)
    expect(notes.get_by_role("heading")).to_have_text(QUESTIONS["costs"])
    expect(page.get_by_role("heading", name=QUESTIONS["costs"])).to_be_visible()
    quiet(page)

    press(page, "PageUp")
    expect(page.get_by_role("heading", name=STAGE)).to_be_visible()
    press(page, "ArrowRight")  # the stage's key
    expect(page).to_have_url(re.compile("turn=15.*stage=on"))
    page.emulate_media(color_scheme="dark")
    notes.emulate_media(color_scheme="dark")
    expect(page.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    quiet(page)
    check_as_it_stands(page, "a stage that is presented, dark")
    check_as_it_stands(notes, "notes, dark")

    # A clicker belongs to the window that was clicked last.
    press(page, "PageDown")
    expect(page.get_by_role("heading", name=QUESTIONS["costs"])).to_be_visible()
    notes.keyboard.press("PageDown")
    expect(page.get_by_role("heading", name=QUESTIONS["memory_map"])).to_be_visible()
    quiet(page)
    notes.get_by_role("button", name="Next").click()
    expect(notes.get_by_role("heading")).to_have_text(KEPT)
    expect(page.get_by_role("heading", name=KEPT)).to_be_visible()
    quiet(page)

    # It goes on in a page that is loaded again. Only the address holds that it is presented.
    expect(page).to_have_url(re.compile("/facts.*present=on"))
    page.reload()
    expect(bar(page)).to_contain_text("5 of 6")
    quiet(page)
    press(page, "PageDown")
    expect(page.get_by_role("heading", name=QUESTIONS["retention"])).to_be_visible()
    press(page, "ArrowLeft")  # nothing on this picture moves by arrow keys
    expect(page.get_by_role("heading", name=KEPT)).to_be_visible()
    press(page, "PageUp")
    expect(page.get_by_role("heading", name=QUESTIONS["memory_map"])).to_be_visible()
    expect(notes.get_by_role("heading")).to_have_text(QUESTIONS["memory_map"])
    expect(notes.get_by_role("timer")).to_have_text(re.compile(r"^0\d:\d\d$"))

    # Escape leaves the page as it would be without.
    press(page, "Escape")
    expect(bar(page)).to_have_count(0)
    expect(page.get_by_test_id("stSidebar")).to_be_visible()
    expect(page).not_to_have_url(re.compile("present"))
    expect(page).to_have_url(re.compile("turn=15"))


EARLY_KEYS = """{
    const watch = new MutationObserver(() => {
        if (!document.querySelector("[data-testid=stApp] h1")) return;
        watch.disconnect();
        const { walks, speaker } = window.memvizKeys ?? {};
        window.isHeard = Boolean(walks?.size || speaker);
        for (const key of ["ArrowRight", "p"]) {
            document.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
        }
    });
    watch.observe(document, { childList: true, subtree: true });
}"""
"""Press a key of the stage and one of the speaker when the title stands, and note whether somebody heard them."""


def test_keys_that_are_pressed_before_stage_and_speaker_are_there_wait_for_them(
    page: Page, dashboard: Dashboard
) -> None:
    page.add_init_script(EARLY_KEYS)
    for _ in range(TRIES):
        page.goto(f"{dashboard.url}/compare?{SETTINGS}&stage=on")
        expect(bar(page)).to_contain_text("2 of 6")
        expect(page.locator(".memviz-stage .where")).to_contain_text("turn 14")
        if page.evaluate("isHeard") is False:
            return
    pytest.fail("Whenever the title stood, somebody heard the keys.")


@pytest.fixture
def course(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """The page of a course on this machine, at a port of its own: its address, and the folder that it is served
    from."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))
    ) as server:
        Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        ).start()
        yield f"http://127.0.0.1:{server.server_port}", tmp_path
        server.shutdown()


@pytest.fixture
def embeddable(
    course: tuple[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Dashboard]:
    """A server that the page of the course may show in a frame."""
    monkeypatch.setenv("MEMVIZ_EMBEDDABLE_BY", course[0])
    server = Dashboard(tmp_path_factory.mktemp("embeddable"))
    server.start()
    yield server
    server.stop()


def test_the_code_that_is_offered_shows_the_picture_in_another_page(
    course: tuple[str, Path], embeddable: Dashboard, page: Page
) -> None:
    address, folder = course
    go(page, f"{embeddable.url}/compare?{SETTINGS}", "compare")
    drawn(page)
    quiet(page)
    open_models(page)
    code = page.get_by_label("Code to embed the picture")
    expect(code).to_have_value(
        re.compile(f'^<iframe src="{re.escape(embeddable.url)}/compare[?]')
    )
    (folder / "week3.html").write_text(
        f"<!doctype html>{NO_ICON}<h1>Week 3</h1>{code.input_value()}"
    )
    page.goto(f"{address}/week3.html")
    frame = page.frame_locator("iframe")
    expect(frame.locator(".st-key-compare-tokens .main-svg").first).to_be_visible()
    expect(frame.get_by_text("turn 13: ")).to_be_visible()
    expect(frame.get_by_test_id("stSidebar")).to_be_hidden()
    expect(frame.get_by_role("heading")).to_have_count(0)
    inside = next(each for each in page.frames if each.url.startswith(embeddable.url))
    check_as_it_stands(inside, "the picture in a frame, light")
    page.emulate_media(color_scheme="dark")
    expect(frame.get_by_test_id("stApp")).to_have_css("color-scheme", "dark")
    check_as_it_stands(inside, "the picture in a frame, dark")
    frame.get_by_role("slider", name="Turn").press("ArrowRight")
    expect(frame.get_by_text("turn 14: ")).to_be_visible()
    inside.wait_for_url(re.compile("turn=14"))  # the address follows the picture
    for part in (
        "turn=14",
        "view=minimal",
        "show=tokens",
        "embed=true",
        "conversation=sample-trip",
    ):
        assert part in inside.url
    with page.context.expect_page() as opened:
        frame.get_by_role("link", name="Open in memviz").click()
    whole = opened.value
    expect(whole.get_by_role("heading", name=QUESTIONS["compare"])).to_be_visible()
    expect(whole.get_by_text("Request of turn 14")).to_be_visible()


@pytest.mark.provokes_console_errors
def test_a_page_that_was_not_named_shows_nothing_of_it(
    page: Page, dashboard: Dashboard, course: tuple[str, Path]
) -> None:
    address, folder = course
    (folder / "other.html").write_text(
        f'{NO_ICON}<iframe src="{dashboard.url}/compare?view=minimal&embed=true"></iframe>'
    )
    with page.expect_event(
        "console", lambda message: "frame-ancestors" in message.text
    ):
        page.goto(f"{address}/other.html")
    assert not any(frame.url.startswith(dashboard.url) for frame in page.frames)


def test_fact_and_reason_are_in_sight_once_a_lessons_question_is_answered_and_among_several_lanes(
    page: Page, dashboard: Dashboard
) -> None:
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.goto(f"{dashboard.url}/lessons?lesson=a-fact-dies&step=4&present=on")
    wordings = page.get_by_role("heading", name="One neighbour, three wordings")
    expect(wordings).to_be_visible()
    quiet(page)
    press(page, "PageDown")
    expect(page.get_by_role("heading", name="Turn 35")).to_be_visible()
    page.locator(".st-key-lesson-question").get_by_text("None of the three").click()
    fact_and_reason_are_in_sight(page)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_timeout(RESIZED_MILLISECONDS)
    quiet(page)
    fact_and_reason_are_in_sight(page)
    check_as_it_stands(page, "a lesson that is presented, dark")

    while not page.get_by_role("heading", name="Three other memories").count():
        press(page, "PageDown")
    followed = page.locator(".memviz-stage .facts .highlight")
    is_uncovered = """chip => {
        const { left, right, top, bottom } = chip.getBoundingClientRect();
        const seen = chip.getRootNode().elementFromPoint((left + right) / 2, (top + bottom) / 2);
        return chip.contains(seen);
    }"""
    for key in ("Home", "n", "ArrowRight"):
        press(page, key)
        quiet(page)
        expect(followed).to_be_in_viewport(ratio=1)
        assert followed.evaluate(is_uncovered), f"after {key} something lies over it"


def fact_and_reason_are_in_sight(page: Page) -> None:
    """What is said of the answer, the fact at the last request, and every button of the stage are in the window."""
    reason = page.locator(".st-key-lesson-question").get_by_text(
        "nobody notices until somebody"
    )
    expect(reason).to_be_in_viewport(ratio=1)
    press(page, "End")
    followed = page.locator(".memviz-stage .facts .highlight")
    expect(followed).to_be_in_viewport(ratio=1)
    lost = page.locator(".memviz-stage .facts .just-lost")
    expect(lost.first).to_be_in_viewport(ratio=1)
    for button in page.locator(".memviz-stage button:visible").all():
        box = button.bounding_box()
        assert box
        assert box["y"] + box["height"] <= page.evaluate("innerHeight")
