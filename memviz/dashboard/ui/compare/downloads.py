"""The files that a visitor takes away from a comparison: a report, the run, its tables and the chart as a picture."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.reporting.run_tables import (
    ImageFormat,
    can_render,
    compactions_csv,
    image,
    requests_csv,
    run_json,
)
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.shell.elements import offer_file, show_caption
from memviz.dashboard.ui.shell.text import file_name
from memviz.engine.run import Run
from memviz.transcripts.base import Transcript
from memviz.tuning.pricing_assumptions import PricingAssumptions

PANEL_PIXELS = 330
DOWNLOADS_KEY = "compare-downloads"
NO_PICTURES = noop(
    "The camera above a chart saves it as PNG. As SVG too with `pip install 'memviz[images]'` and a "
    "Chromium."
)
REPORT_HELP = noop(
    "One file with the interactive charts, the facts kept, the costs, the summaries and the "
    "conversation. Works offline."
)
RUN_HELP = noop("All of it: memviz.Run.from_dict reads it back.")
REQUESTS_HELP = noop(
    "One row for each call of the model, with its turn and the tokens of each part."
)
COMPACTIONS_HELP = noop(
    "One row for each summarization, clearing or other change of what is sent."
)


def draw_downloads(
    settings: Sequence[SettingRun], chosen: SettingRun, transcript: Transcript
) -> None:
    """Draw a panel of files; each is made when its button is clicked."""
    # Drawn before it is opened: a panel that tells the server when it closes does so on the way to another page too,
    # which then stays empty.
    with (
        st.popover(
            _("Download"),
            key=DOWNLOADS_KEY,
            icon=":material/download:",
            width="stretch",
        ),
        st.container(width=PANEL_PIXELS),
    ):
        title = file_name(transcript.title)
        _offer_files_of_all(settings, transcript, title)
        show_caption(chosen.label)
        _offer_files_of_one(chosen, f"{title}-{file_name(chosen.label)}")


def _offer_files_of_all(
    settings: Sequence[SettingRun], transcript: Transcript, title: str
) -> None:
    whose = _("The setting")
    if len(settings) > 1:
        whose = _("All {number} settings", number=len(settings))
    st.caption(whose)
    # At the prices that were chosen last in this session.
    report = partial(_report, settings, transcript, prices_in_force())
    _download_button(
        _("Report (HTML)"), f"{title}.html", "text/html", report, _(REPORT_HELP)
    )
    if not can_render():
        st.caption(_(NO_PICTURES))
        return
    png = partial(_draw_chart, settings, transcript, "png")
    svg = partial(_draw_chart, settings, transcript, "svg")
    _download_button(_("Chart of tokens (PNG)"), f"{title}.png", "image/png", png)
    _download_button(_("Chart of tokens (SVG)"), f"{title}.svg", "image/svg+xml", svg)


def _draw_chart(
    settings: Sequence[SettingRun], transcript: Transcript, format: ImageFormat
) -> bytes:
    return image(tokens_per_turn(settings, recorded=transcript.events), format)


FILES_OF_ONE: tuple[tuple[str, str, str, Callable[[Run], str], str], ...] = (
    (noop("Run (JSON)"), ".json", "application/json", run_json, RUN_HELP),
    (
        noop("Requests (CSV)"),
        "-requests.csv",
        "text/csv",
        requests_csv,
        REQUESTS_HELP,
    ),
    (
        noop("Summaries and clearings (CSV)"),
        "-summarizations.csv",
        "text/csv",
        compactions_csv,
        COMPACTIONS_HELP,
    ),
)
"""The files of a run: the words on the button, the end of the name, the type, what writes it, and the help."""


def _offer_files_of_one(chosen: SettingRun, name: str) -> None:
    for label, ending, mime, write, help in FILES_OF_ONE:
        content = partial(write, chosen.run)
        _download_button(_(label), f"{name}{ending}", mime, content, _(help))


def _report(
    settings: Sequence[SettingRun],
    transcript: Transcript,
    assumptions: PricingAssumptions,
) -> str:
    # Its template engine is needed on a click only.
    from memviz.dashboard.reporting.report import html_report

    runs = [setting.run for setting in settings]
    return html_report(runs, transcript, assumptions=assumptions)


def _download_button(
    label: str,
    name: str,
    mime: str,
    write: Callable[[], str | bytes],
    help: str | None = None,
) -> None:
    offer_file(
        label, write, name, mime, f"download-{label}", help=help, width="stretch"
    )
