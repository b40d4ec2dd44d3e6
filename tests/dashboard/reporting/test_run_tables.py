"""The tables hold the numbers of the records, and nothing that a spreadsheet would run."""

from __future__ import annotations

import csv
import struct
from collections.abc import Iterator
from importlib.util import find_spec
from io import StringIO
from xml.etree import ElementTree

import pandas as pd
import pytest

import memviz
from memviz import Message, ModelError, Run, ScriptedModel
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.reporting import run_tables
from memviz.dashboard.reporting.run_tables import (
    COMPACTION_COLUMNS,
    REQUEST_COLUMNS,
    compactions_csv,
    requests_csv,
)
from memviz.dashboard.reporting.themes import DARK
from memviz.dashboard.words.compactions import reason_words
from memviz.metrics.summaries.events import count_request_sizes
from memviz.models.base import Reply, Usage
from memviz.transcripts.csv_cells import unguarded
from tests.dashboard.charts.runs import MARKUP, run_of
from tests.tables import for_each
from tests.tool_loops import loops

FORMULAS = (
    "=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "  =cmd", "'quoted", 'a "b", c\nsecond line', "\n=1", "-12.5"
)  # fmt: skip
with_kaleido = pytest.mark.skipif(
    not run_tables.can_render(), reason="needs kaleido and a Chrome or Chromium"
)
CHART = tokens_per_turn(
    [SettingRun(run_of(), f"A {MARKUP}", 0), SettingRun(run_of("buffer"), "B", 1)]
)


def talk(turns: int) -> list[Message]:
    return [
        Message(role, f"{role} {turn} " * 8)
        for turn in range(turns)
        for role in ("user", "assistant")
    ]


def read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text, newline="")))


@pytest.fixture
def run() -> Run:
    script = [
        Reply("One", usage=Usage(90, 9), cost_usd=0.5, model="m"),
        ModelError("down"),
        *["Two"] * 30,
    ]
    return memviz.replay(
        talk(20),
        memviz.strategy("summary", buffer_size=3),
        model=ScriptedModel(script),
        recalls={7: memviz.Recall(turns=[1])},
        system_prompt="Be brief.",
    )


def test_one_row_a_request_with_the_numbers_of_the_frame(run: Run) -> None:
    table = pd.read_csv(StringIO(requests_csv(run)))
    assert tuple(table.columns) == REQUEST_COLUMNS
    frame = run.frame()
    for column in frame.columns.drop(["flags", "kind"]):
        assert table[column].tolist() == frame[column].tolist(), column
        assert pd.api.types.is_numeric_dtype(table[column])
    assert table["budget_tokens"].isna().all()


def test_every_call_of_a_tool_loop_has_a_row_and_compactions_say_which_they_changed() -> (
    None
):
    run = memviz.replay(
        loops(3, 4),
        memviz.strategy("summary_buffer", max_token_limit=60),
        model=ScriptedModel(["S"] * 9),
    )
    rows = read(requests_csv(run))
    assert [(int(row["turn"]), int(row["call"])) for row in rows] == [
        (t, c) for t in (1, 2, 3) for c in range(1, 6)
    ]
    assert [int(row["total_tokens"]) for row in rows] == [
        record.total_tokens for record in run.requests
    ]
    changed = [(f"{r.turn}", f"{r.call}") for r in run.requests for _ in r.compactions]
    assert any(call != "1" for _, call in changed)
    said = [
        (row["request_turn"], row["request_call"]) for row in read(compactions_csv(run))
    ]
    assert said == changed + [("", "")] * (len(run.compactions) - len(changed))


def test_the_budget_stands_beside_what_counts_against_it() -> None:
    run = memviz.replay(
        talk(10), memviz.strategy("token_buffer", max_tokens=150), model=None
    )
    rows = read(requests_csv(run))
    assert {row["budget_tokens"] for row in rows} == {"150"}
    counted = [
        record.tokens["history"] + record.tokens["input"] for record in run.requests
    ]
    assert [int(row["counted_tokens"]) for row in rows] == counted


def test_who_replied_at_what_cost() -> None:
    model = ScriptedModel(
        [Reply("Yes", model="=evil()", cost_usd=0.25), Reply("No", model="chat-7")]
    )
    chat = memviz.Chat(memviz.strategy("buffer"), model=model)
    chat.send("One?")
    chat.send("Two?")
    first, second = read(requests_csv(chat.run))
    assert (first["reply_model"], first["reply_cost_usd"]) == ("'=evil()", "0.25")
    assert (second["reply_model"], second["reply_cost_usd"]) == ("chat-7", "")
    assert float(second["reply_seconds"]) >= 0


def test_one_row_a_compaction_with_the_numbers_of_its_record(run: Run) -> None:
    rows = read(compactions_csv(run))
    assert tuple(rows[0]) == COMPACTION_COLUMNS
    assert len(rows) == len(run.compactions) > 4
    for number, (row, compaction) in enumerate(
        zip(rows, run.compactions, strict=True), 1
    ):
        assert int(row["compaction"]) == number
        assert row["request_turn"] == str(run.request_turn(compaction) or "")
        assert int(row["after_message"]) == compaction.after_message + 1
        assert row["reason"] == reason_words(compaction)
        assert (int(row["first_message"]) - 1, int(row["last_message"])) == (
            compaction.summarized.start,
            compaction.summarized.stop,
        )
        sizes = (int(row["request_before_tokens"]), int(row["request_after_tokens"]))
        assert sizes == count_request_sizes(compaction, run)
        assert int(row["summarizer_prompt_tokens"]) == compaction.prompt_tokens
        assert int(row["summarizer_output_tokens"]) == compaction.output_tokens
        assert row["cost_usd"] == (
            "" if compaction.total_cost_usd is None else str(compaction.total_cost_usd)
        )
        assert row["version"] == (
            "" if compaction.version is None else str(compaction.version)
        )
        assert row["summary"] == (compaction.summary or "")
        assert row["error"] == (compaction.error or "")
    assert [row["what"] for row in rows[:3]] == [
        "written by the summarizer",
        "failed",
        "written by the summarizer",
    ]
    assert rows[0]["summary_tokens"]
    assert not rows[1]["summary_tokens"]


@for_each("text", FORMULAS)
def test_no_cell_is_a_formula_and_every_text_comes_back(text: str) -> None:
    model = ScriptedModel([Reply(text, model=text), ModelError(text), *[text] * 20])
    run = memviz.replay(talk(8), memviz.strategy("summary", buffer_size=1), model=model)
    rows = read(compactions_csv(run))
    texts = [
        row[column]
        for row in rows
        for column in ("summary", "model", "error", "reason", "what")
    ]
    assert not [cell for cell in texts if cell and cell[0] in "=+-@\t\r\n"]
    assert unguarded(rows[0]["summary"]) == run.compactions[0].summary
    assert any(row["error"] for row in rows)


def test_a_run_of_nothing_has_its_columns() -> None:
    run = memviz.ChatMemory(memviz.strategy("summary"), model=None).run
    assert requests_csv(run) == ",".join(REQUEST_COLUMNS) + "\r\n"
    assert compactions_csv(run) == ",".join(COMPACTION_COLUMNS) + "\r\n"


@pytest.fixture
def looks_again() -> Iterator[None]:
    """What was found of the machine is forgotten, before and after."""
    for found in (run_tables._browser, run_tables._has_kaleido):
        found.cache_clear()
    yield
    for found in (run_tables._browser, run_tables._has_kaleido):
        found.cache_clear()


@pytest.mark.slow
@with_kaleido
def test_a_png_of_the_size_asked_for() -> None:
    png = run_tables.image(CHART, "png", 640, 360)
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) == (1280, 720)


@with_kaleido
@pytest.mark.slow
def test_an_svg_in_the_colours_of_the_theme() -> None:
    svg = run_tables.image(CHART, "svg", 640, 360, DARK).decode()
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
        run_tables.image(CHART)


@pytest.mark.usefixtures("looks_again")
def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        run_tables,
        "find_spec",
        lambda name: None if name == "kaleido" else find_spec(name),
    )
    assert not run_tables.can_render()
    with pytest.raises(memviz.MemvizError, match=r"pip install 'memviz\[images\]'"):
        run_tables.image(CHART)


@pytest.mark.skipif(find_spec("kaleido") is None, reason="needs kaleido")
@pytest.mark.usefixtures("looks_again")
def test_without_a_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", "/nowhere/chromium")
    assert not run_tables.can_render()
    with pytest.raises(memviz.MemvizError, match="need a Chrome or Chromium"):
        run_tables.image(CHART)


def test_a_browser_that_draws_reaches_no_other_machine() -> None:
    options = run_tables._browser_options()
    assert options["mathjax"] is False
    assert options["proxy_server"].startswith("127.0.0.1:")
