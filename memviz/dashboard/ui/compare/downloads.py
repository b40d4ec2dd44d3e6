"""What a visitor takes away from a comparison: a report, the run, its tables and the chart as a picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.reporting.figures import ImageFormat, can_render, image
from memviz.dashboard.reporting.run_json import run_json
from memviz.dashboard.reporting.run_tables import compactions_csv, requests_csv
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

PANEL_PIXELS, DOWNLOADS_KEY = 330, "compare-downloads"
NO_PICTURES = "The camera above a chart saves it as PNG. As SVG too with `pip install 'memviz[images]'` and a Chromium."


class _File(NamedTuple):
    label: str
    name: str
    mime: str
    write: Callable[[], str | bytes]
    help: str = ""


def run_downloads(
    settings: Sequence[SettingRun], chosen: SettingRun, transcript: Transcript
) -> None:
    """A panel of files; each is made when its button is clicked."""
    # Drawn before it is opened: a panel that tells the server when it closes does so on the way to another page too,
    # which then stays empty.
    with (
        st.popover(
            "Download", key=DOWNLOADS_KEY, icon=":material/download:", width="stretch"
        ),
        st.container(width=PANEL_PIXELS),
    ):
        _files(settings, chosen, transcript)


def _files(
    settings: Sequence[SettingRun], chosen: SettingRun, transcript: Transcript
) -> None:
    title = file_name(transcript.title)
    st.caption(f"All {len(settings)} settings" if len(settings) > 1 else "The setting")
    report = partial(_report, settings, transcript, prices_in_force())
    _buttons(
        [
            _File(
                "Report (HTML)",
                f"{title}.html",
                "text/html",
                report,
                "One file with the interactive charts, the facts kept, the costs, the summaries and the "
                "conversation. Works offline.",
            ),
            *_pictures(settings, transcript, title),
        ]
    )
    if not can_render():
        st.caption(NO_PICTURES)
    st.caption(plain(chosen.label))
    run = chosen.run
    name = f"{title}-{file_name(chosen.label)}"
    _buttons(
        [
            _File(
                "Run (JSON)",
                f"{name}.json",
                "application/json",
                partial(run_json, run),
                "All of it: memviz.Run.from_dict reads it back.",
            ),
            _File(
                "Requests (CSV)",
                f"{name}-requests.csv",
                "text/csv",
                partial(requests_csv, run),
                "One row for each call of the model, with its turn and the tokens of each part.",
            ),
            _File(
                "Summaries and clearings (CSV)",
                f"{name}-summarizations.csv",
                "text/csv",
                partial(compactions_csv, run),
                "One row for each summarization, clearing or other change of what is sent.",
            ),
        ]
    )


def _report(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    assumptions: PricingAssumptions,
) -> str:
    """The report, at the prices that were chosen last in this session."""
    # Its template engine is needed on a click only.
    from memviz.dashboard.reporting.report import html_report

    runs = [setting.run for setting in settings]
    return html_report(runs, transcript, assumptions=assumptions)


def _pictures(
    settings: Sequence[SettingRun], transcript: Transcript, title: str
) -> list[_File]:
    if not can_render():
        return []

    def draw(format: ImageFormat) -> bytes:
        return image(tokens_per_turn(settings, recorded=transcript.events), format)

    return [
        _File(
            "Chart of tokens (PNG)", f"{title}.png", "image/png", partial(draw, "png")
        ),
        _File(
            "Chart of tokens (SVG)",
            f"{title}.svg",
            "image/svg+xml",
            partial(draw, "svg"),
        ),
    ]


def _buttons(files: Sequence[_File]) -> None:
    for file in files:
        st.download_button(
            file.label,
            file.write,
            file.name,
            file.mime,
            key=f"download-{file.label}",
            help=file.help or None,
            icon=":material/download:",
            on_click="ignore",
            width="stretch",
        )
