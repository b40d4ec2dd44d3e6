"""The page Live: what is in the window of a watched program, as it grows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from memviz.core.translation import Said, to_json
from memviz.dashboard.ui.live.page import CHOICE_KEY
from memviz.storage.store import Store
from memviz.storage.watched import Growth
from memviz.watching.growing_files import GrowingFile
from memviz.watching.keeper import Keeper
from tests.pages.driving import first_seen, open_page
from tests.watching.growing import SAMPLES


def texts(session: AppTest) -> str:
    shown = [*session.markdown, *session.caption, *session.text, *session.info]
    return "\n".join(str(one.value).replace("\\", "") for one in shown)


@pytest.fixture
def keeper(database: Path) -> Keeper:
    return Keeper(Store(database))


def test_where_nothing_is_watched_it_says_what_to_type() -> None:
    session = first_seen("live")
    assert "Nothing is watched yet" in texts(session)
    assert session.code[0].value.startswith("memviz watch --db ")


def test_a_session_of_codex_is_shown_with_its_window_and_its_last_compaction(
    keeper: Keeper,
) -> None:
    GrowingFile(SAMPLES / "codex.jsonl", "codex", "one", keeper).read_on()
    said = texts(open_page("live"))
    assert "of 258,400 tokens in the window (1 %), as its provider counted." in said
    assert "Codex, local compaction (its own rule)" in said
    assert "Claude Code" in said
    assert "They are all still here." in said
    assert "it is no picture of what the program sent" in said
    assert "What the last compaction took out, further below, is from the log." in said


def test_what_grows_is_there_at_the_next_look(keeper: Keeper) -> None:
    asked = {"role": "user", "content": "How far is it to <b>Porto</b>?"}
    told = {"role": "assistant", "content": "word " * 500}
    keeper.append("claude_code", "one", [asked, told], keys=["1", "2"], title="Porto")
    session = open_page("live")
    assert "About 5" in texts(session)
    assert "it is no picture of what the program sent" in texts(session)
    assert "is from the log" not in texts(session)
    (largest,) = session.dataframe
    assert largest.value["Tokens"].max() > 400
    # 2,305 and not 2305.
    columns = json.loads(largest.proto.columns)
    assert columns["Tokens"]["type_config"]["format"] == "localized"
    keeper.append("claude_code", "one", [asked, told], keys=["3", "4"])
    keeper.append("proxy", "two", [asked, told], title="Newest")
    session = session.run()
    chosen = session.selectbox(CHOICE_KEY)
    assert chosen.value == "claude_code/one", "who looks is not taken elsewhere"
    assert [one.partition(" ·")[0] for one in chosen.options] == ["Newest", "Porto"]
    assert "About 1,0" in texts(session)
    chosen.select("proxy/two")
    assert "Nobody says by which rule" in texts(session.run())


def test_who_is_looked_at_stays_while_all_grow_and_those_alike_are_told_apart(
    keeper: Keeper,
) -> None:
    asked = {"role": "user", "content": "Fix the tests."}
    told = {"role": "assistant", "content": "Done."}
    for name in ("one", "two", "three"):
        keeper.append("codex", name, [asked, told], title="Fix the tests")
    session = open_page("live")
    chosen = session.selectbox(CHOICE_KEY)
    before = set(chosen.options)
    assert len(before) == 3
    # What was shown when it was chosen is not what it is by now.
    for number, name in enumerate(("one", "two", "three")):
        more = {"role": "user", "content": f"And now {number}?"}
        keeper.append("codex", name, [more], keys=[str(number)])
    chosen.select("codex/one")
    session = session.run()
    assert session.selectbox(CHOICE_KEY).value == "codex/one"
    assert set(session.selectbox(CHOICE_KEY).options) == before
    assert "3 messages" in texts(session)


def test_the_address_names_the_chosen_conversation(keeper: Keeper) -> None:
    said = [
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Ok."},
    ]
    keeper.append("codex", "one", said, title="One")
    keeper.append("codex", "two", said, title="Two")
    session = open_page("live", watched="codex/one")
    chosen = session.selectbox(CHOICE_KEY)
    assert chosen.value == "codex/one"
    chosen.select("codex/two")
    session = session.run()
    assert session.query_params["watched"] in ("codex/two", ["codex/two"])
    assert (
        open_page("live", watched="nobody").selectbox(CHOICE_KEY).value == "codex/two"
    )


def test_a_subagent_is_called_one(keeper: Keeper) -> None:
    GrowingFile(SAMPLES / "codex.jsonl", "codex", "one", keeper).read_on()
    keeper.store.grow_watched(
        "codex/one", lambda kept: Growth(kept.message_count, [], {"is_subagent": True})
    )
    (option,) = open_page("live").selectbox(CHOICE_KEY).options
    assert option.endswith("Codex, subagent")


def test_a_session_of_which_not_all_is_kept_says_so(keeper: Keeper) -> None:
    asked = {"role": "user", "content": "How far is it?"}
    keeper.append("gemini_cli", "one", [asked], keys=["1"], title="Porto")
    assert not open_page("live").warning
    problem = to_json(Said("{name} is too large.", name="<b>one</b>.json"))
    growth = Growth(1, (), {"problem": problem})
    keeper.store.grow_watched("gemini_cli/one", lambda watched: growth)
    (warning,) = open_page("live").warning
    assert "is too large" in warning.value
    assert "<b>" not in warning.value.replace("\\<", "")


def test_of_a_long_conversation_it_plays_the_newest_part_and_says_so(
    keeper: Keeper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memviz.dashboard.ui.live.page.FIRST_MESSAGES", 5)
    turn = [
        {"role": "user", "content": "How far is it?"},
        {"role": "assistant", "content": "Ten miles."},
    ]
    keys = [str(number) for number in range(10)]
    keeper.append("claude_code", "one", turn * 5, keys=keys, title="Porto")
    session = open_page("live")
    assert "**So far: the newest 4 of 10 messages.**" in texts(session)
    assert max(session.dataframe[0].value["Turn"]) == 2
    session.button("live-all").click().run()
    assert "So far" not in texts(session)
    assert max(session.dataframe[0].value["Turn"]) == 5


def test_an_example_grows_where_nothing_is_watched(database: Path) -> None:
    session = open_page("live")
    session.button(key="live-example").click().run()
    assert "A coding agent and the lost hour · example" in str(
        session.selectbox(CHOICE_KEY).options
    )
    store = Store(database)
    (before,) = store.newest_watched()
    session.run()
    (after,) = store.newest_watched()
    assert after.message_count == before.message_count + 2
    assert not session.exception
