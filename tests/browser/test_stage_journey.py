"""A visitor plays requests on the stage: in Compare, and in a file of its own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import BrowserContext, Locator, Page, expect

import memviz
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.data import Json, stage_data
from memviz.dashboard.stage.files import script, style
from memviz.transcripts.samples import sample
from tests.browser.journeys import go, sees
from tests.browser.script_runs import quiet

if TYPE_CHECKING:
    from tests.browser.dashboard import Dashboard

PHONE = {"width": 390, "height": 844}
SETTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("buffer", {}),
    ("window", {"window_size": 10}),
    ("summary_buffer", {"max_token_limit": 1500}),
)
ASKED = {
    "step": 12, "setting": 2, "text": "Will this request <b>summarize</b>?", "choices": ["Yes", "No"], "answer": 0,
    "reason": "1,600 tokens are over 1,500.",
}  # fmt: skip


@pytest.fixture(scope="module")
def played() -> Json:
    """The bundled trip under three settings, with one question."""
    runs = [
        memviz.replay(sample("trip"), memviz.strategy(id, **parameters))
        for id, parameters in SETTINGS
    ]
    settings = [SettingRun(run, run.label, index) for index, run in enumerate(runs)]
    return stage_data(settings, sample("trip"), at=10, chosen=2, questions=[ASKED])


def opened(context: BrowserContext, folder: Path, data: Json) -> Page:
    """A file with the stage alone."""
    file, told = folder / "stage.html", json.dumps(data).replace("</", "<\\/")
    file.write_text(
        f"<!DOCTYPE html><html lang=en><meta charset=utf-8><title>Stage</title><style>{style()}</style>"
        f"<main></main><script>{script()}\nconst moves = [];\n"
        f"const hooks = {{ onMove: (move) => moves.push(move) }};\n"
        f"const stage = new MemvizStage(document.querySelector('main'), {told}, hooks);</script>",
        encoding="utf-8",
    )
    page = context.new_page()
    page.goto(file.as_uri())
    return page


def sentence(page: Page) -> Locator:
    return page.locator(".memviz-stage .sentence")


def is_moving(page: Page) -> bool:
    return bool(page.evaluate("stage.picture.isMoving"))


@pytest.mark.slow
def test_it_plays_from_a_key_that_came_early_steps_to_events_and_ends_and_the_reader_follows(
    page: Page, dashboard: Dashboard
) -> None:
    settings = "conversation=sample-trip&setting=buffer&setting=summary"
    go(page, f"{dashboard.url}/compare?{settings}&turn=10", "compare")
    stage = page.locator(".memviz-stage")

    # The space key is pressed before the stage is there: it plays, and does not switch the stage off.
    page.get_by_role("radio", name="Animation", exact=True).click()
    page.keyboard.press(" ")
    sees(stage.get_by_role("button", name="Pause"))
    # The request that is read follows. Any later turn will do: a busy server draws the one where it rests longer.
    sees(page.get_by_text(re.compile(r"^Request of turn (1[1-9]|[23]\d|4[0-5])$")))
    sees(stage.get_by_role("button", name="Pause"))
    page.keyboard.press(" ")
    sees(stage.get_by_role("button", name="Play", exact=True))
    quiet(page)
    assert "stage=on" in page.url

    # Keys lead to a turn, to an event and to both ends.
    slider = stage.get_by_role("slider", name="Turn")
    page.keyboard.press("Home")
    expect(slider).to_have_value("0")
    page.keyboard.press("ArrowRight")
    sees(page.get_by_text("Request of turn 2", exact=True))
    page.keyboard.press("n")
    expect(sentence(page)).to_contain_text("Summarized messages")
    expect(sentence(page)).to_contain_text("tokens.")
    turn = str(stage.locator(".where").text_content()).split()[1]
    sees(page.get_by_text(f"Request of turn {turn}", exact=True))
    stage.get_by_role("button", name="Full buffer").click()
    expect(sentence(page)).to_contain_text("are new. The request:")
    quiet(page)
    page.keyboard.press("End")
    expect(slider).to_have_value("45")
    expect(stage.locator(".keys")).to_contain_text("Home End")
    page.get_by_role("radio", name="Memory map", exact=True).click()
    expect(stage.locator(".readout").first).to_contain_text("whole")


@pytest.mark.slow
def test_a_stage_that_is_read_plays_on_into_the_next_part(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    first = {**played, "tells_while_playing": True, "moves": 0}
    page = opened(open_context(), tmp_path, first)
    page.evaluate("stage.speeds.value = '4', stage.speed = 4")
    page.keyboard.press(" ")
    page.wait_for_function("moves.length > 1")
    page.evaluate(
        """data => stage.update({ ...data, id: "next", serial: 2, moves: MemvizKeys.here.moves })""",
        {**first, "at": 30},
    )
    page.wait_for_function("stage.walk.isPlaying && stage.walk.at > 31")


def six_settings() -> str:
    every = (
        "buffer",
        "window",
        "token_buffer",
        "summary",
        'summary_buffer {"max_token_limit": 1500}',
        "fifo_facts",
    )
    return urlencode(
        [
            ("conversation", "sample-trip"),
            ("stage", "on"),
            ("turn", 40),
            *(("setting", one) for one in every),
        ]
    )


def edges(page: Page, selector: str) -> dict[str, float]:
    return dict(
        page.locator(selector).first.evaluate(
            "(element) => element.getBoundingClientRect().toJSON()"
        )
    )


@pytest.mark.slow
def test_six_settings_facts_sentence_and_buttons_are_seen_at_once_also_before_an_audience(
    page: Page, dashboard: Dashboard
) -> None:
    page.set_viewport_size({"width": 1280, "height": 720})
    page.goto(f"{dashboard.url}/compare?{six_settings()}&view=dollars")
    expect(page.locator(".memviz-stage .labels button")).to_have_count(6)
    quiet(page)
    six_lanes_fit(page)
    page.keyboard.press("p")
    speaker = page.get_by_role("navigation", name="Presentation")
    expect(speaker).to_be_visible()
    quiet(page)
    expect(page.locator(".memviz-stage .labels button")).to_have_count(6)
    six_lanes_fit(page)

    # On a phone the bar of the speaker leaves the player free.
    page.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    page.wait_for_timeout(400)  # the page asks for smaller letters a moment later
    quiet(page)
    for part in (".memviz-stage .row", ".memviz-stage .where"):
        top = edges(page, "nav[aria-label=Presentation]")["top"]
        assert edges(page, part)["bottom"] <= top


def six_lanes_fit(page: Page) -> None:
    """The last lane, the facts and the foot of the stage stand below one another in the window."""
    last_lane, facts, foot = (
        edges(page, f".memviz-stage {part}")
        for part in (".labels > :last-child", ".facts", ".foot")
    )
    assert last_lane["bottom"] <= facts["top"]
    assert facts["bottom"] <= foot["top"]
    assert foot["bottom"] <= 720


@pytest.mark.slow
def test_the_older_messages_fold_into_the_summary_before_ones_eyes(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(reduced_motion="no-preference"), tmp_path, played)
    page.get_by_role("button", name="One request on").click()
    page.wait_for_function("!stage.picture.isMoving")
    page.keyboard.press("ArrowRight")
    readout = page.locator(".memviz-stage .readout").nth(2)
    request = played["settings"][2]["requests"][12]
    expect(readout).to_have_text(
        f"{request['before'][0]:,} tokens"
    )  # first it grows over its limit
    expect(readout).to_have_class("readout over")
    moved = page.evaluate(
        """async () => {
            const places = new Set();
            while (stage.picture.isMoving) {
                const fading = [...stage.picture.lanes[2].values()].find((item) => item.isGone);
                if (fading) places.add(Math.round(fading.now.x));
                await new Promise(requestAnimationFrame);
            }
            return [...places];
        }"""
    )
    assert len(moved) > 5, "a message that is summarized moves, frame by frame"
    expect(readout).to_have_text(f"{request['tokens']:,} tokens")
    assert (
        page.evaluate(
            "[...stage.picture.lanes[2].values()].filter((item) => item.isGone).length"
        )
        == 0
    )


def test_who_wants_less_motion_gets_none(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(), tmp_path, played)  # reduced_motion="reduce"
    page.keyboard.press("ArrowRight")
    assert not is_moving(page)
    page.keyboard.press("n")
    assert not is_moving(page)
    expect(sentence(page)).to_contain_text("over the limit of 1,500")


@pytest.mark.slow
def test_playing_tells_nobody_but_where_it_ends_and_pauses_in_the_background(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(viewport=PHONE), tmp_path, played)
    page.evaluate("stage.speeds.value = '4', stage.speed = 4, stage.go(30)")
    page.keyboard.press(" ")
    sees(page.get_by_role("button", name="Pause"))
    page.wait_for_function("stage.walk.at >= 33")
    page.evaluate(
        """() => {
            Object.defineProperty(document, "hidden", { value: true, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }"""
    )
    sees(page.get_by_role("button", name="Play"))
    page.wait_for_function("moves.length > 0 && moves.at(-1).step === stage.walk.at")
    assert page.evaluate("moves.length") <= 2, "the first place and the last"
    assert page.evaluate("document.scrollingElement.scrollWidth") <= PHONE["width"]


def test_asked_first_the_player_waits_for_an_answer_and_keeps_the_score(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(), tmp_path, played)
    page.get_by_role("checkbox", name="Ask me first").check()
    page.keyboard.press("n")
    question = page.get_by_role("group", name="Before you see it")
    expect(question).to_contain_text("Will this request <b>summarize</b>?")
    assert page.evaluate("stage.walk.at") == 11, "it waits at the step before"
    page.get_by_role("button", name="No", exact=True).click()
    expect(question).to_contain_text("No: Yes. 1,600 tokens are over 1,500.")
    expect(page.locator(".memviz-stage .score")).to_have_text("0 of 1 right")
    page.get_by_role("button", name="See it").click()
    assert page.evaluate("stage.walk.at") == 12
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("stage.walk.at") == 12, "nobody is asked twice"


def test_facts_that_a_step_has_lost_stand_behind_those_that_are_followed(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    requests = played["settings"][2]["requests"]
    known = [request["known"] for request in requests if "known" in request]
    before, after = next(pair for pair in pairwise(known) if any(map(_is_lost, *pair)))
    lost = [
        number
        for number, pair in enumerate(zip(before, after, strict=True))
        if _is_lost(*pair)
    ]
    at = next(
        at for at, request in enumerate(requests) if request.get("known") == after
    )
    followed = max(number for number, code in enumerate(after) if code > "1")
    data = {**played, "at": at, "chosen": 2, "highlight": {"facts": [followed]}}
    page = opened(open_context(), tmp_path, data)
    seen = page.locator(".memviz-stage .facts li:not(.name):visible")
    places = {
        chip.inner_text().partition(",")[0].strip(): chip.bounding_box()
        for chip in seen.all()
    }
    rows = [places[played["facts"][number]["answer"]] for number in [followed, *lost]]
    order = [(box["y"], box["x"]) for box in rows if box]
    others = [
        (box["y"], box["x"]) for box in places.values() if box and box not in rows
    ]
    assert max(order) < min(others)
    assert order[0] == min(order)


def _is_lost(before: str, after: str) -> bool:
    return after == "1" and before > "1"


def test_facts_that_come_move_nothing_below_them(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    heights = []
    for at in (0, len(played["steps"]) - 1):
        page = opened(open_context(), tmp_path, {**played, "at": at})
        row = page.locator(".memviz-stage .facts")
        heights.append(row.bounding_box()["height"])  # type: ignore[index]
    assert len(played["facts"]) > 6
    assert heights[0] == heights[1]


def test_a_fact_that_is_followed_is_in_sight_and_a_button_says_that_there_are_more(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    last = len(played["facts"]) - 1
    data = {**played, "at": len(played["steps"]) - 1, "highlight": {"facts": [last]}}
    page = opened(open_context(viewport=PHONE), tmp_path, data)
    row, chips = (
        page.locator(".memviz-stage .facts"),
        page.locator(".memviz-stage .facts li:not(.name)"),
    )
    expect(chips.first).to_contain_text(played["facts"][last]["answer"][:30])
    assert row.evaluate("row => row.scrollHeight > row.clientHeight")
    page.get_by_role("button", name="Show all facts").click()
    assert row.evaluate("row => row.scrollHeight === row.clientHeight")
    page.get_by_role("button", name="Show fewer facts").click()
    cut = """row => [...row.children].filter((chip) => {
        const { top, bottom } = chip.getBoundingClientRect(), end = row.getBoundingClientRect().bottom;
        return top < end && bottom > end;
    }).length"""
    assert row.evaluate(cut) == 0, "no row is cut in half"


def test_a_summary_is_read_with_the_sentence_that_holds_the_followed_fact(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    requests = enumerate(played["settings"][2]["requests"])
    first, second = (
        next(
            at
            for at, one in requests
            if ["n", n, n + 1] in [p[:3] for p in one["pieces"]]
        )
        for n in (0, 1)
    )
    texts = {
        str(version): ["Plain <b>words</b>. ", f"The fact {version}. ", "Rest."]
        for version in range(1, 60)
    }
    settings = [*played["settings"][:2], {**played["settings"][2], "summaries": texts}]
    page = opened(
        open_context(), tmp_path, {**played, "settings": settings, "at": first}
    )
    legend = page.locator(".memviz-stage .legend")
    for words in (
        "Word for word",
        "Summary, and messages in it",
        "Newest message",
        "System prompt",
        "Lost fact",
    ):
        expect(legend).to_contain_text(words)
    reader = page.locator(".memviz-stage .reader")
    expect(reader).to_be_hidden()
    page.get_by_role("button", name="Read the summary").click()
    expect(reader).to_contain_text("Plain <b>words</b>.")
    expect(reader.locator("mark")).to_have_text("The fact 1. ")
    page.evaluate("(step) => stage.go(step)", second)
    expect(reader.locator("mark")).to_have_text("The fact 2. ")  # it follows the walk
    reader.press("Escape")
    expect(reader).to_be_hidden()
    place = page.evaluate(
        """() => {
            const { top, left } = stage.canvas.getBoundingClientRect(), { room } = stage.picture;
            const { now } = [...stage.picture.lanes[2].values()].find(({ kind }) => kind === "summary");
            return [left + room.left + now.x + now.w / 2, top + room.lanes[2].top + room.laneHeight / 2];
        }"""
    )
    page.mouse.move(*place)
    expect(page.locator(".memviz-stage .tip mark")).to_have_text("The fact 2.")
    page.mouse.click(*place)
    expect(reader).to_be_visible()


@pytest.mark.parametrize("width", [1280, 740])
def test_how_full_a_memory_is_is_said_in_full(
    open_context: Callable[..., BrowserContext], tmp_path: Path, width: int
) -> None:
    run = memviz.replay(sample("trip"), memviz.strategy("summary", buffer_size=16))
    data = stage_data([SettingRun(run, run.label, 0)], sample("trip"), at=10)
    viewport = {"width": width, "height": 720}
    page = opened(open_context(viewport=viewport), tmp_path, data)
    expect(page.locator(".memviz-stage .fill")).to_have_text("21 of 32 messages")
    page.evaluate("stage.go(15)")
    expect(page.locator(".memviz-stage .fill")).to_have_text("31 of 32 messages")
    expect(page.locator(".memviz-stage .fill")).to_be_visible()
    clipped = """span => [span, span.parentElement].some((box) =>
        box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 2)"""
    assert not page.locator(".memviz-stage .said").evaluate(clipped)


def test_how_full_a_memory_is_stands_under_the_pointer_where_there_is_no_room(
    open_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    run = memviz.replay(sample("trip"), memviz.strategy("summary", buffer_size=16))
    settings = [SettingRun(run, run.label, number) for number in range(6)]
    data = stage_data(settings, sample("trip"), at=10)
    viewport = {"width": 740, "height": 480}  # too low for names of two lines
    page = opened(open_context(viewport=viewport), tmp_path, data)
    said = page.locator(".memviz-stage .said").first
    expect(said.locator(".fill")).to_be_hidden()
    assert "21 of 32 messages" in str(said.get_attribute("title"))


def test_pointing_at_a_message_tells_what_it_is(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(), tmp_path, played)
    box = page.locator("canvas").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    expect(page.locator(".memviz-stage .tip")).to_contain_text(
        "Message 1, user, turn 1"
    )
    expect(page.locator(".memviz-stage .tip")).to_contain_text(
        str(played["messages"][0][2])[:40]
    )


def test_a_player_that_comes_while_the_stage_is_under_way_takes_no_key_of_it(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(), tmp_path, played)
    plays = page.evaluate(
        """(data) => {
            stage.leave();
            const opener = document.createElement("div");
            opener.className = "st-key-compare-stage";
            opener.innerHTML = "<button>Stage</button>";
            document.body.append(opener);
            opener.firstChild.click();
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true, cancelable: true }));
            const heard = [];
            MemvizKeys.here.join({ owner: {}, leaveIfGone: () => false, act: (key) => heard.push(key) });
            const later = new MemvizStage(document.querySelector("main"), { ...data, scene: "later" }, hooks);
            return { heard, isPlaying: later.walk.isPlaying };
        }""",
        played,
    )
    assert plays == {"heard": [], "isPlaying": True}


def test_a_stage_of_one_step_has_no_controls_that_lead_nowhere(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    lanes = [{**one, "requests": one["requests"][:1]} for one in played["settings"]]
    alone = {**played, "settings": lanes, "steps": played["steps"][:1], "at": 0}
    page = opened(open_context(), tmp_path, {**alone, "questions": []})
    expect(page.locator(".memviz-stage canvas")).to_be_visible()
    for name in ("previous", "play", "next", "event"):
        expect(page.locator(f'.memviz-stage [name="{name}"]')).to_be_hidden()
    expect(page.locator(".memviz-stage .track")).to_be_hidden()
    expect(page.locator(".memviz-stage .keys")).to_be_hidden()


def test_a_stage_in_the_place_of_another_stands_where_the_visitor_went(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(
        open_context(), tmp_path, {**played, "id": "one", "serial": 1, "moves": 0}
    )
    page.keyboard.press("ArrowRight")
    again = """(data) => {
        const root = document.createElement("main");
        document.querySelector("main").replaceWith(root); // as when the page is drawn anew
        window.stage2 = new MemvizStage(root, data, hooks);
        return stage2.walk.at;
    }"""
    assert page.evaluate(again, {**played, "id": "one", "serial": 1, "moves": 0}) == 11
    page.keyboard.press("ArrowRight")
    assert page.evaluate("stage2.walk.at") == 12, "one walk hears it"
    page.wait_for_function("moves.at(-1)?.step === 12")
    older = {**played, "id": "two", "serial": 2, "moves": 0}
    page.evaluate("(data) => stage2.update(data)", older)
    assert page.evaluate("stage2.walk.at") == 12, (
        "what was said before the page heard of the move counts less"
    )
    told = {
        **older,
        "serial": 3,
        "moves": page.evaluate("moves.at(-1).number"),
        "at": 3,
    }
    page.evaluate("(data) => stage2.update(data)", told)
    assert page.evaluate("stage2.walk.at") == 3


def test_facts_of_a_stage_that_is_drawn_anew_look_at_once_as_they_are(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    data = {
        **played,
        "at": len(played["steps"]) - 1,
        "chosen": 1,
    }  # a window, which has lost facts by then
    page = opened(open_context(reduced_motion="no-preference"), tmp_path, data)
    fading = page.evaluate(
        """(data) => {
            stage.update({ ...data, id: "anew", serial: "anew" });
            const lost = [...document.querySelectorAll(".facts li[data-known='1']")];
            return [lost.length, lost.flatMap((chip) => chip.getAnimations({ subtree: true })).length];
        }""",
        data,
    )
    assert fading[0] > 0
    assert fading[1] == 0


def test_a_click_elsewhere_pauses_and_the_page_hears_of_the_request_that_is_seen(
    open_context: Callable[..., BrowserContext], tmp_path: Path, played: Json
) -> None:
    page = opened(open_context(), tmp_path, played)
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('button'), { textContent: 'Keep' }))"
    )
    page.keyboard.press(" ")
    page.wait_for_function("stage.walk.at > 10")
    page.get_by_role("button", name="Keep").click()
    assert not page.evaluate("stage.walk.isPlaying")
    page.wait_for_function("moves.length > 0 && moves.at(-1).step === stage.walk.at")
