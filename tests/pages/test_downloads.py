"""What can be taken away: conversations in every format, runs, tables and the report."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.reporting.run_tables import can_render
from memviz.dashboard.ui.compare.downloads import DOWNLOADS_KEY
from memviz.transcripts.export import EXPORTS
from memviz.transcripts.loading import load_transcript
from memviz.transcripts.samples import sample
from tests.pages.downloads import named
from tests.pages.driving import labelled, open_page, read_request


def offered(session: AppTest) -> AppTest:
    """The page with its panel of downloads open."""
    session.session_state[DOWNLOADS_KEY] = True
    return session.run()


@pytest.mark.slow
def test_a_comparison_gives_report_run_and_tables(
    made: dict[str, Callable[[], str | bytes]],
) -> None:
    page = offered(read_request(open_page("compare", conversation="sample-trip")))
    turns = len(sample("trip").messages) // 2
    run = memviz.Run.from_dict(
        json.loads(named(made, "summary-buffer-1-500-tokens-120-words.json"))
    )
    assert len(run.turns) == turns
    assert run.compactions
    table = list(csv.DictReader(io.StringIO(named(made, "-requests.csv"), newline="")))
    assert [int(row["total_tokens"]) for row in table] == [
        record.total_tokens for record in run.turns
    ]
    assert len(
        list(csv.reader(io.StringIO(named(made, "-summarizations.csv"), newline="")))
    ) == 1 + len(run.compactions)
    report = named(made, "two-weeks-in-portugal-and-then-a-grandmother-joins.html")
    assert all(
        line.label in report for line in (run.strategy, memviz.strategy("buffer"))
    )
    assert "the prices of openai/gpt-5-mini and a pause of 1 min" in report
    labelled(page.segmented_control, "Seen as").set_value("dollars").run()
    prices = labelled(page.selectbox, "Prices of the chat model")
    # Models leave the list on the day that their provider retires them.
    other = next(name for name in prices.options if name.startswith("anthropic/"))
    prices.set_value(other).run()
    labelled(page.segmented_control, "Seen as").set_value("tokens").run()
    report = named(made, "two-weeks-in-portugal-and-then-a-grandmother-joins.html")
    assert f"the prices of {other}" in report, "those that were chosen last"
    assert not page.exception


def test_the_files_are_of_the_setting_that_is_looked_at(
    made: dict[str, Callable[[], str | bytes]],
) -> None:
    page = offered(read_request(open_page("compare", conversation="sample-trip")))
    made.clear()
    labelled(page.selectbox, "Setting").set_value(0).run()
    run = memviz.Run.from_dict(json.loads(named(made, "full-buffer.json")))
    assert run.strategy.id == "buffer"


@pytest.mark.skipif(not can_render(), reason="needs kaleido and a Chromium")
@pytest.mark.slow
def test_the_chart_comes_as_a_picture_where_one_can_be_drawn(
    made: dict[str, Callable[[], str | bytes]],
) -> None:
    offered(read_request(open_page("compare", conversation="sample-trip")))
    assert named(made, ".svg").lstrip().startswith("<svg")


def test_the_library_saves_in_every_format(
    made: dict[str, Callable[[], str | bytes]],
) -> None:
    library = open_page("library")
    for kind in EXPORTS:
        made.clear()
        labelled(library.selectbox, "Save as").set_value(kind).run()
        saved = made["statistics-tutoring-nine-late-buses" + EXPORTS[kind].suffix]()
        assert isinstance(saved, str)
        assert_holds_the_tutoring(saved)


def assert_holds_the_tutoring(saved: str) -> None:
    again = load_transcript(saved.encode())
    said = [
        message.to_request() for message in again.messages if message.role != "system"
    ]
    assert said == [
        message.to_request()
        for message in sample("tutoring").messages
        if message.role != "system"
    ]
