"""The page Fleet: from how settings do over all conversations to one of the worst, in both themes and languages."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

pytest.importorskip(
    "playwright", reason="The browser tests need playwright (pip install playwright)."
)

from playwright.sync_api import expect

import memviz
from memviz.core.translation import _, use_language
from memviz.tuning.fleet.opening import FLEET_VARIABLE
from tests.browser.axe_findings import SEVERE, all_findings, unfold
from tests.browser.journeys import drawn, go, stands
from tests.transcripts.fleet.chats import chat, lines

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser.dashboard import Dashboard

pytestmark = pytest.mark.slow


@pytest.fixture
def swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep that the server which is started next shows."""
    rows = ["{", *(chat(turns, turns) for turns in range(2, 10))]
    (tmp_path / "chats.jsonl").write_bytes(lines(rows))
    grid = {"window": {"window_size": [2, 4]}}
    memviz.sweep(tmp_path / "chats.jsonl", grid, write=tmp_path / "swept")
    monkeypatch.setenv(FLEET_VARIABLE, str(tmp_path / "swept"))


@pytest.mark.usefixtures("swept")
@pytest.mark.parametrize(("scheme", "code"), [("light", "en"), ("dark", "zh")])
def test_a_click_on_one_of_the_worst_opens_it_and_no_rule_is_broken(
    page: Page,
    fresh_dashboard: Dashboard,
    scheme: Literal["light", "dark"],
    code: str,
) -> None:
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    page.add_init_script(axe)
    page.emulate_media(color_scheme=scheme)
    with use_language(code):
        go(page, f"{fresh_dashboard.url}/fleet?lang={code}", "fleet")
        page.get_by_role("radio", name=_("Tokens sent"), exact=True).click()
        drawn(page, ".st-key-fleet-distributions .js-plotly-plot")
        unfold(page)
        broken = [each for each in all_findings(page, "fleet") if not each.is_exempt]
        assert not [each for each in broken if each.impact in SEVERE]
        page.locator(".st-key-fleet-worst-0 button").click()
        stands(page, "compare")
        chosen = page.get_by_role("combobox", name=_("Conversation"), exact=True)
        expect(chosen).to_have_value(re.compile("^swept · "))
    page.goto("about:blank")  # its server ends before it does
