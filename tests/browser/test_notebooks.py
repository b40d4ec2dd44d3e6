"""Outputs of a notebook in Chromium, with the network off: light and dark as the notebook is, and played to the end."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

from memviz.dashboard.reporting.themes import THEMES

CELLS = (
    "import memviz\n"
    "from memviz.transcripts.samples import sample\n"
    "trip = sample('trip')\n"
    "run = memviz.replay(trip, memviz.strategy('summary_buffer', max_token_limit=1500))\n"
    "run",
    "memviz.retention(run, trip.probes)",
    "memviz.sweep(trip, {'window': {'window_size': [4, 40]}, 'summary': {'buffer_size': [4, 8]}, 'buffer': {}})",
)
LOOKS = {"light": ("#ffffff", "#212121"), "dark": ("#111111", "#e0e0e0")}
"""Background and letters of a notebook, as JupyterLab has them."""
HOST = """<!DOCTYPE html><meta charset="utf-8"><style>
body[data-jp-theme-light="true"] {{ background: {light[0]}; color: {light[1]}; }}
body[data-jp-theme-light="false"] {{ background: {dark[0]}; color: {dark[1]}; }}
* {{ font-style: italic; box-sizing: content-box; }} svg, p {{ margin: 9px; }}
</style><body data-jp-theme-light="{is_light}">{outputs}</body>"""
"""A page with outputs, whose style would spoil them where it could."""
VS_CODE_LETTERS = {"light": "#3b3b3b", "dark": "#cccccc"}
VS_CODE = """<!DOCTYPE html><meta charset="utf-8"><body style="margin: 0">
<iframe id="webview" src="{webview}" style="width: 100%; height: 800px; border: 0"
 sandbox="allow-scripts allow-same-origin allow-forms allow-pointer-lock allow-downloads"></iframe></body>"""
VS_CODE_WEBVIEW = """<!DOCTYPE html><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="
 default-src 'none'; script-src https://*.vscode-cdn.net 'unsafe-inline' 'unsafe-eval';
 style-src https://*.vscode-cdn.net 'unsafe-inline'; img-src https: http: data:; font-src https:; connect-src https:;
 child-src https: data:;"><body style="background: transparent; color: {letters}"><div id="output"></div>
<script id="html" type="application/json">{html}</script>
<script>output.innerHTML = JSON.parse(document.getElementById("html").textContent);</script></body>"""
"""Outputs as VS Code shows them: in a frame with this sandbox, with the policy that ``notebook.experimental.enableCsp``
adds, written as ``innerHTML`` on no background of their own."""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def outputs() -> list[str]:
    """What the last line of each cell shows of its value."""
    names: dict[str, object] = {}
    shown = []
    for source in CELLS:
        *statements, value = source.splitlines()
        exec("\n".join(statements), names)  # noqa: S102 - our own cells
        shown.append(eval(value, names)._repr_html_())  # noqa: S307
    return shown


def test_a_kernel_of_jupyter_says_the_same(outputs: list[str]) -> None:
    nbformat = pytest.importorskip("nbformat", reason="needs the extra notebooks")
    nbclient = pytest.importorskip("nbclient", reason="needs the extra notebooks")
    pytest.importorskip("ipykernel", reason="needs the extra notebooks")
    cells = [nbformat.v4.new_code_cell(source) for source in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    executed = [cell.outputs[-1]["data"] for cell in notebook.cells]
    assert [data["text/html"] for data in executed] == outputs
    assert executed[0]["text/plain"].startswith("Run(strategy=")


def opened(context: BrowserContext, outputs: list[str], file: Path, theme: str) -> Page:
    html = HOST.format(
        **LOOKS,
        is_light="true" if theme == "light" else "false",
        outputs="".join(outputs),
    )
    file.write_text(html, encoding="utf-8")
    asked: list[str] = []
    context.set_offline(True)
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_load_state("networkidle")
    assert asked == [file.as_uri()] or set(asked) <= {file.as_uri(), "about:srcdoc"}
    return page


def frame_at(page: Page, number: int) -> FrameLocator:
    return page.frame_locator(f".memviz-output >> nth={number} >> iframe")


def colors_of(frame: FrameLocator) -> tuple[str, str]:
    script = (
        "body => [getComputedStyle(body).backgroundColor, getComputedStyle(body).color]"
    )
    background, letters = frame.locator("body").evaluate(script)
    return background, letters


def rgb(color: str) -> str:
    return "rgb({}, {}, {})".format(*(int(color[at : at + 2], 16) for at in (1, 3, 5)))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_outputs_are_drawn_offline_and_look_as_the_notebook_does(
    open_context: Callable[..., BrowserContext],
    outputs: list[str],
    tmp_path: Path,
    theme: str,
) -> None:
    # The system has the other theme: the notebook's own counts.
    system = "dark" if theme == "light" else "light"
    context = open_context(color_scheme=system, viewport={"width": 1100, "height": 900})
    page = opened(context, outputs, tmp_path / "outputs.html", theme)
    for number in range(len(CELLS)):
        frame = frame_at(page, number)
        expect(frame.locator("svg.drawn")).to_be_visible()
        look = (rgb(LOOKS[theme][0]), rgb(THEMES[theme].text))
        assert colors_of(frame) == look
        heights = frame.locator("body").evaluate(
            "body => [body.scrollHeight, innerHeight]"
        )
        assert abs(heights[0] - heights[1]) <= 1, "as high as its content"
        assert (
            frame.locator("figure").evaluate(
                "figure => getComputedStyle(figure).fontStyle"
            )
            == "normal"
        )

    run = frame_at(page, 0)
    expect(run.locator(".where")).to_have_text("turn 46 of 46")
    run.locator("body").click()
    page.keyboard.press("Home")
    page.keyboard.press("n")
    expect(run.locator(".sentence")).to_contain_text("over the limit of 1,500")
    run.locator("polygon[data-tip]").first.hover()
    expect(run.locator("#tip")).to_contain_text("Summarized")

    # The reader switches the theme of the notebook.
    page.evaluate(
        "theme => (document.body.dataset.jpThemeLight = String(theme === 'light'))",
        system,
    )
    expect(run.locator(f"html[data-theme={system}]")).to_be_attached()
    assert colors_of(run) == (rgb(LOOKS[system][0]), rgb(THEMES[system].text))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_outputs_are_drawn_and_played_in_what_vs_code_lets_them_do(
    open_context: Callable[..., BrowserContext],
    outputs: list[str],
    tmp_path: Path,
    theme: str,
) -> None:
    system = "dark" if theme == "light" else "light"
    context = open_context(color_scheme=system, viewport={"width": 1100, "height": 900})
    webview = tmp_path / "webview.html"
    html = json.dumps("".join(outputs)).replace("</", "<\\/")
    letters = VS_CODE_LETTERS[theme]
    webview.write_text(VS_CODE_WEBVIEW.format(letters=letters, html=html))
    notebook = tmp_path / "notebook.html"
    notebook.write_text(VS_CODE.format(webview=webview.as_uri()))
    refused: list[str] = []
    context.set_offline(True)
    page = context.new_page()
    page.on("console", lambda message: refused.append(message.text))
    page.goto(notebook.as_uri())
    shown = page.frame_locator("#webview")
    for number in range(len(CELLS)):
        frame = shown.frame_locator(f".memviz-output >> nth={number} >> iframe")
        expect(frame.locator("svg.drawn")).to_be_visible()
        expect(frame.locator(f"html[data-theme={theme}]")).to_be_attached()
    run = shown.frame_locator(".memviz-output >> nth=0 >> iframe")
    expect(run.locator(".where")).to_have_text("turn 46 of 46")
    run.locator("body").click()
    page.keyboard.press("Home")
    expect(run.locator(".where")).to_have_text("turn 1 of 46")
    assert refused == []


def test_a_frame_that_is_shut_off_keeps_its_height_and_follows_the_system(
    open_context: Callable[..., BrowserContext],
    outputs: list[str],
    tmp_path: Path,
) -> None:
    context = open_context(color_scheme="dark", viewport={"width": 1100, "height": 900})
    shut = outputs[0].replace("<iframe ", '<iframe sandbox="allow-scripts" ')
    page = opened(context, [shut], tmp_path / "shut.html", "light")
    frame = frame_at(page, 0)
    expect(frame.get_by_role("button", name="Play")).to_be_visible()
    assert colors_of(frame) == (
        rgb(THEMES["dark"].background),
        rgb(THEMES["dark"].text),
    )
    content, room = frame.locator("body").evaluate(
        "body => [body.scrollHeight, innerHeight]"
    )
    assert content <= room
