"""The page Fleet: the sweep that the server was started with, and the way from its worst conversations to Compare."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.ui.controls.study import CompareState
from memviz.dashboard.ui.fleet.page import MEASURE_KEY
from memviz.dashboard.ui.fleet.worst import SETTING_KEY
from memviz.storage.workspace import Workspace
from memviz.tuning.fleet.opening import FLEET_VARIABLE
from tests.pages.driving import first_seen, open_page, page_of
from tests.transcripts.fleet.chats import chat, lines

GRID = {"window": {"window_size": [2, 4]}, "buffer": {}}


def texts(session: AppTest) -> str:
    shown = [*session.markdown, *session.caption, *session.text, *session.info]
    return "\n".join(str(element.value).replace("\\", "") for element in shown)


def worst_labels(session: AppTest) -> list[str]:
    """Return what stands on the buttons of the worst conversations: ``1,204 · 18 messages · file 1, row 2``."""
    buttons = [button for button in session.button if "fleet-worst" in str(button.key)]
    return [button.label.replace("\\", "") for button in buttons]


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of four conversations and a broken row, swept into the folder that the server shows."""
    file = tmp_path / "chats.jsonl"
    rows = [chat(1), chat(2, turns=9), "{", chat(3, turns=5), chat(4)]
    file.write_bytes(lines(rows))
    memviz.sweep(file, GRID, write=tmp_path / "swept")
    monkeypatch.setenv(FLEET_VARIABLE, str(tmp_path / "swept"))
    return file


def test_without_a_folder_it_says_what_to_type() -> None:
    session = first_seen("fleet")
    assert "This server shows no fleet" in texts(session)
    assert "memviz ui --fleet swept" in session.code[0].value
    assert not session.text_input, "no visitor names a folder"


def test_a_link_names_no_folder(tmp_path: Path) -> None:
    session = open_page("fleet", fleet=str(tmp_path), folder=str(tmp_path))
    assert "This server shows no fleet" in texts(session)


def test_a_link_holds_the_measure_and_the_setting(source: Path) -> None:
    session = open_page("fleet", measure="usd", setting="1")
    assert session.segmented_control(key=MEASURE_KEY).value == "usd"
    assert session.selectbox(key=SETTING_KEY).value == 1
    assert session.query_params["measure"] == "usd"
    session.selectbox(key=SETTING_KEY).set_value(2).run()
    session.segmented_control(key=MEASURE_KEY).set_value("retention").run()
    assert session.query_params["setting"] == "2"
    assert "measure" not in session.query_params
    wrong = open_page("fleet", measure="weight", setting="3")
    said = "\n".join(str(warning.value) for warning in wrong.warning)
    assert "'weight'" in said
    assert "'3'" in said
    assert wrong.segmented_control(key=MEASURE_KEY).value == "retention"


def test_every_setting_is_in_the_table_and_the_worst_follow_the_measure(
    source: Path,
) -> None:
    session = open_page("fleet")
    (table,) = session.dataframe
    assert table.value["conversations"].tolist() == [4, 4, 4]
    assert table.value["median"].tolist()[2] == 1.0
    assert "swept: 12 runs, 3 settings." in texts(session)
    (failures,) = (box for box in session.expander if "failure" in box.label)
    assert failures.label == (
        "1 failure of reading a conversation, or of running a setting over one"
    )

    session.segmented_control(MEASURE_KEY).set_value("sent_tokens").run()
    of_window = worst_labels(session)
    assert [label.rpartition(", ")[2] for label in of_window[:2]] == ["row 2", "row 4"]
    session.selectbox(SETTING_KEY).select_index(2).run()
    of_buffer = worst_labels(session)
    assert len(of_window) == len(of_buffer) == 4
    window_tokens = int(of_window[0].partition(" ")[0].replace(",", ""))
    buffer_tokens = int(of_buffer[0].partition(" ")[0].replace(",", ""))
    assert window_tokens < buffer_tokens


def test_a_click_opens_the_conversation_under_its_setting_beside_the_full_buffer(
    source: Path,
) -> None:
    for _ in range(2):
        session = open_page("fleet")
        session.segmented_control(MEASURE_KEY).set_value("sent_tokens").run()
        session.button(key="fleet-worst-0").click().run()
        assert page_of(session) == "compare"
    study: CompareState = session.session_state["compare"]
    assert [setting.strategy_id for setting in study.settings] == ["buffer", "window"]
    assert study.settings[1].parameters["window_size"] == 2
    entry = Workspace().store.entry(study.conversation_id or "")
    assert entry.title == "swept · file 1, row 2"
    messages = [entry.message_count for entry in Workspace().store.conversations()]
    assert messages.count(18) == 1, "it is saved once"


def test_a_conversation_that_is_gone_is_said(source: Path) -> None:
    session = open_page("fleet")
    source.write_bytes(lines([chat(number + 7) for number in range(9)]))
    session.button(key="fleet-worst-0").click().run()
    assert page_of(session) == "fleet"
    assert "not there any more" in session.error[0].value


def test_a_folder_without_a_sweep_is_refused_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FLEET_VARIABLE, str(tmp_path))
    (error,) = open_page("fleet").error
    assert "It holds no sweep" in error.value.replace("\\", "")


def test_without_a_folder_an_example_shows_what_there_is_to_see() -> None:
    session = open_page("fleet")
    session.button(key="fleet-example").click().run()
    assert "An example: the conversations that come with memviz" in texts(session)
    assert "24 runs, 4 settings" in texts(session)
    assert len(worst_labels(session)) == 6
    session.button(key="fleet-worst-0").click().run()
    assert page_of(session) == "compare"
