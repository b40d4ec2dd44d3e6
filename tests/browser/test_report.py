"""The report opened from disk: it draws, it fetches nothing, and text in it stays text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

import memviz
from memviz import Message, ModelError, ScriptedModel
from memviz.dashboard.reporting.report import html_report
from memviz.dashboard.reporting.themes import THEMES
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.samples import sample

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)><img src=https://example.org/spy.png>"
    "<svg onload=alert(3)></svg><a href=javascript:alert(4)>click</a> %{x} &lt;b&gt; \u2028"
)


@pytest.fixture(scope="module")
def trip_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a bundled conversation under three settings."""
    trip = sample("trip")
    settings = [
        ("buffer", {}),
        ("window", {"window_size": 10}),
        ("summary_buffer", {"max_token_limit": 1500}),
    ]
    runs = [
        memviz.replay(trip, memviz.strategy(id, **parameters))
        for id, parameters in settings
    ]
    return written(
        tmp_path_factory.mktemp("report") / "trip.html", html_report(runs, trip)
    )


@pytest.fixture(scope="module")
def hostile_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in which every text that came from somebody tries to run a script."""
    call = {"id": HOSTILE, "function": {"name": HOSTILE, "arguments": HOSTILE}}
    messages = (
        Message("user", HOSTILE, name=HOSTILE),
        Message("assistant", HOSTILE, tool_calls=(call,)),  # type: ignore[arg-type]
        Message("tool", HOSTILE, tool_call_id=HOSTILE),
        *(Message("user", HOSTILE), Message("assistant", HOSTILE)) * 8,
    )
    told = Transcript(
        messages,
        title=HOSTILE,
        description=HOSTILE,
        system_prompt=HOSTILE,
        warnings=(HOSTILE,),
        events=(RecordedEvent("summary", 2, HOSTILE, HOSTILE),),
    )
    model = ScriptedModel([HOSTILE, ModelError(HOSTILE), *[HOSTILE] * 20])
    runs = [memviz.replay(told, memviz.strategy("summary", buffer_size=2), model=model)]
    return written(
        tmp_path_factory.mktemp("report") / "hostile.html", html_report(runs, told)
    )


def written(path: Path, html: str) -> Path:
    path.write_text(html, encoding="utf-8")
    return path


def opened(context: BrowserContext, file: Path) -> tuple[Page, list[str]]:
    """The report with all its charts, and everything that it asked for."""
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.url)
        if route.request.url == file.as_uri():
            route.continue_()
        else:
            route.abort()

    context.route("**/*", refuse)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail(f"a dialog says {dialog.message}"))
    page.goto(file.as_uri())
    page.wait_for_selector("html[data-drawn=all]", state="attached")
    return page, asked


def chart(page: Page, name: str) -> Locator:
    return page.locator(f".chart[data-chart='{name}']")


def point_at(page: Page, name: str, x: float, y: float) -> Locator:
    """Move the pointer to a place of a chart, in the units of its axes; returns the tooltip."""
    place = chart(page, name)
    place.scroll_into_view_if_needed()
    at = place.evaluate(
        """(chart, [x, y]) => {
            const box = chart.getBoundingClientRect(), { xaxis, yaxis } = chart._fullLayout;
            return [box.x + xaxis._offset + xaxis.d2p(x), box.y + yaxis._offset + yaxis.d2p(y)];
        }""",
        [x, y],
    )
    page.mouse.move(at[0] - 3, at[1])
    page.mouse.move(*at)
    return place.locator(".hoverlayer .hovertext").first


@pytest.mark.parametrize(
    ("scheme", "width"),
    [("light", 1500), pytest.param("dark", 420, marks=pytest.mark.slow)],
)
def test_it_draws_everything_and_asks_for_nothing(
    open_context: Callable[..., BrowserContext],
    trip_file: Path,
    scheme: str,
    width: int,
) -> None:
    context = open_context(
        color_scheme=scheme, viewport={"width": width, "height": 900}
    )
    page, asked = opened(context, trip_file)
    assert set(asked) == {trip_file.as_uri()}
    places = page.locator(".chart")
    assert places.count() == 8
    for index in range(places.count()):
        expect(places.nth(index).locator(".main-svg").first).to_be_attached()
        box = places.nth(index).locator(".main-svg").first.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
    assert page.evaluate("document.scrollingElement.scrollWidth") <= width
    theme = THEMES[scheme]
    assert color_of(page.locator("body"), "background-color") == rgb(theme.background)
    assert color_of(
        chart(page, "tokens").locator(".main-svg").first, "background-color"
    ) == rgb(theme.background)
    assert color_of(
        chart(page, "tokens").locator(".scatterlayer .js-line").first, "stroke"
    ) == rgb(theme.settings[0])


def color_of(locator: Locator, property: str) -> str:
    return str(
        locator.evaluate("(element, name) => getComputedStyle(element)[name]", property)
    )


def rgb(color: str) -> str:
    return "rgb({}, {}, {})".format(*(int(color[at : at + 2], 16) for at in (1, 3, 5)))


def test_its_player_steps_through_the_requests(
    open_context: Callable[..., BrowserContext], trip_file: Path
) -> None:
    page, asked = opened(
        open_context(viewport={"width": 1280, "height": 720}), trip_file
    )
    page.keyboard.press("n")
    player = page.locator("#stage .memviz-stage")
    expect(player.locator(".sentence")).to_contain_text("over the limit of 1,500")
    expect(player.locator(".readout").nth(2)).to_contain_text("tokens")
    player.get_by_role("combobox", name="What the lanes say").select_option("memory")
    expect(player.locator(".readout").nth(2)).to_contain_text("in summary")
    assert set(asked) == {trip_file.as_uri()}


@pytest.mark.slow
def test_pointing_tells_the_numbers_a_chart_is_saved_and_the_colours_follow_the_reader(
    open_context: Callable[..., BrowserContext], trip_file: Path
) -> None:
    page, asked = opened(
        open_context(color_scheme="light", viewport={"width": 1500, "height": 900}),
        trip_file,
    )
    run = memviz.replay(sample("trip"), memviz.strategy("buffer"), model=None)
    tokens = run.turns[29].total_tokens
    expect(point_at(page, "tokens", 30, tokens)).to_contain_text(
        f"turn 30: {tokens:,} tokens sent"
    )
    expect(point_at(page, "map-2", 30, 12)).to_contain_text(
        "replaced by a summary (version 8),summarized 7 times"
    )
    point_at(page, "composition-0", 30, tokens / 2)
    told = chart(page, "composition-0").locator(".hoverlayer")
    expect(told).to_contain_text("turn 30")
    expect(told).to_contain_text(
        f"History : {run.turns[29].tokens['history']:,} tokens"
    )

    with page.expect_download() as download:
        chart(page, "tokens").locator(".modebar-btn").dispatch_event("click")
    assert download.value.suggested_filename == "tokens.png"
    assert download.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    assert not [url for url in asked if url.startswith(("http", "ws"))]

    line = chart(page, "tokens").locator(".scatterlayer .js-line").first
    mark = chart(page, "map-0").locator(".annotation-text tspan").first
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        expect(line).to_have_css("stroke", rgb(THEMES[scheme].settings[0]))
        expect(mark).to_have_css("fill", rgb(THEMES[scheme].settings[0]))


@pytest.mark.slow
def test_on_paper_it_is_light(
    open_context: Callable[..., BrowserContext], trip_file: Path
) -> None:
    page, _ = opened(open_context(color_scheme="dark"), trip_file)
    line = chart(page, "tokens").locator(".scatterlayer .js-line").first
    page.evaluate(
        """addEventListener("beforeprint", () => {
            const lines = document.querySelector(".chart .scatterlayer .js-line");
            window.printed = [lines.style.stroke, document.querySelector(".chart .main-svg").clientWidth];
        })"""
    )
    page.pdf(format="A4")
    stroke, pixels = page.evaluate("window.printed")
    assert stroke == rgb(THEMES["light"].settings[0])
    assert pixels < 700
    expect(line).to_have_css("stroke", rgb(THEMES["dark"].settings[0]))


@pytest.mark.slow
def test_text_never_becomes_markup(
    open_context: Callable[..., BrowserContext], hostile_file: Path
) -> None:
    page, asked = opened(open_context(), hostile_file)
    page.evaluate(
        "document.querySelectorAll('details').forEach(part => part.open = true)"
    )
    assert page.title().startswith("</script><script>alert(1)")
    expect(page.locator("article .text").nth(1)).to_have_text(
        HOSTILE, use_inner_text=False
    )
    failed = page.evaluate(
        """() => {
            const trace = document.querySelector(".chart").data.find(trace => trace.marker?.symbol?.includes?.("x"));
            const number = trace.marker.symbol.indexOf("x");
            return [trace.x, trace.y].map(values => (values._inputArray ?? values)[number]);
        }"""
    )
    tooltip = point_at(page, "tokens", *failed)
    expect(tooltip).to_contain_text("</script><script>alert(1)</script>")
    expect(tooltip).to_contain_text("%{x} &lt;b&gt;")
    expect(point_at(page, "map-0", 9, 2)).to_contain_text("</script><script>alert(1)")
    made = page.evaluate(
        "['img', 'script[src]', 'a[href^=javascript]', '[onload]'].map(s => document.querySelectorAll(s).length)"
    )
    assert made == [0, 0, 0, 0]
    assert page.locator("script").count() == 5
    assert set(asked) == {hostile_file.as_uri()}


@pytest.mark.slow
@pytest.mark.provokes_console_errors
def test_a_script_that_got_in_all_the_same_would_not_run(
    open_context: Callable[..., BrowserContext], trip_file: Path, tmp_path: Path
) -> None:
    bad = "<script>document.title = 'broken in'</script><img src=x onerror=\"document.title = 'broken in'\">"
    html = trip_file.read_text(encoding="utf-8").replace("<main>", f"<main>{bad}", 1)
    page, _ = opened(open_context(), written(tmp_path / "broken.html", html))
    assert page.title() == sample("trip").title
    assert (
        page.evaluate(
            "fetch('https://example.org').then(() => 'sent', () => 'refused')"
        )
        == "refused"
    )
