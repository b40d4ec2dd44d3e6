"""Charts as picture files, where kaleido and a browser are installed; else a sentence that says what is missing."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from importlib.util import find_spec
from xml.etree import ElementTree

import pytest

import memviz
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.reporting import figures
from memviz.dashboard.reporting.themes import DARK
from tests.dashboard.charts.runs import MARKUP, run_of

with_kaleido = pytest.mark.skipif(
    not figures.can_render(), reason="needs kaleido and a Chrome or Chromium"
)
CHART = tokens_per_turn(
    [SettingRun(run_of(), f"A {MARKUP}", 0), SettingRun(run_of("buffer"), "B", 1)]
)


@pytest.fixture
def looks_again() -> Iterator[None]:
    """What was found of the machine is forgotten, before and after."""
    for found in (figures._browser, figures._has_kaleido):
        found.cache_clear()
    yield
    for found in (figures._browser, figures._has_kaleido):
        found.cache_clear()


@pytest.mark.slow
@with_kaleido
def test_a_png_of_the_size_asked_for() -> None:
    png = figures.image(CHART, "png", 640, 360)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (1280, 720)


@with_kaleido
@pytest.mark.slow
def test_an_svg_in_the_colours_of_the_theme() -> None:
    svg = figures.image(CHART, "svg", 640, 360, DARK).decode()
    top = ElementTree.fromstring(svg)  # noqa: S314 - drawn just now
    assert (top.get("width"), top.get("height")) == ("640", "360")
    assert "rgb(74, 168, 224)" in svg  # the first setting's colour in dark
    assert "tokens sent" in "".join(top.itertext())
    assert not [element for element in top.iter() if element.tag.endswith("script")]


@with_kaleido
def test_what_goes_wrong_while_drawing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    import kaleido

    def fail(*_: object, **__: object) -> bytes:
        raise RuntimeError("The browser closed.")

    monkeypatch.setattr(kaleido, "calc_fig_sync", fail)
    with pytest.raises(
        memviz.MemvizError, match="could not be drawn: The browser closed"
    ):
        figures.image(CHART)


@pytest.mark.usefixtures("looks_again")
def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        figures,
        "find_spec",
        lambda name: None if name == "kaleido" else find_spec(name),
    )
    assert not figures.can_render()
    with pytest.raises(memviz.MemvizError, match=r"pip install 'memviz\[images\]'"):
        figures.image(CHART)


@pytest.mark.skipif(find_spec("kaleido") is None, reason="needs kaleido")
@pytest.mark.usefixtures("looks_again")
def test_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chromium")
    assert not figures.can_render()
    with pytest.raises(memviz.MemvizError, match="need a Chrome or Chromium"):
        figures.image(CHART)


def test_a_browser_that_draws_reaches_no_other_machine() -> None:
    options = figures._browser_options()
    assert options["mathjax"] is False
    assert options["proxy_server"].startswith("127.0.0.1:")
