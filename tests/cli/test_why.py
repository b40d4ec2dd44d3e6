"""``memviz why``: where a statement was lost, and what would have kept it."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from memviz.dashboard.lessons.study import Study, View, read_view
from memviz.storage.workspace import Workspace
from tests.cli.terminal import memviz, refused
from tests.recorded_session import RULE, session

BUDGET = ("why", "sample-trip", "3,600 euros", "-s", "window")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """A session with a compaction of its own, which lost a rule and kept a number."""
    path = tmp_path / "session.jsonl"
    path.write_text(session(), encoding="utf-8")
    return path


def test_the_story_of_one_statement() -> None:
    shown = memviz(*BUDGET, code=1)
    said, again, label, sent, lost, since, need = [
        line for line in shown.lines[:8] if line
    ]
    assert said.startswith("Said in message 35 (turn 18, user): “")
    assert again == "Said again in messages 36 and 60."
    assert label == "Sliding window · 10 messages"
    assert sent.strip().endswith("turns 36 to 46 not at all.")
    assert "Lost at turn 36: Sliding window · 10 messages sends" in lost
    assert since.strip() == "Since then 11 of 11 requests were without it."
    assert need.strip().startswith("Message 60 (turn 30, assistant) says it again")
    assert any("Its message pinned" in line for line in shown.lines)
    assert "could know" in shown.lines[-1]
    assert shown.lines[-3].strip().startswith("http://127.0.0.1:8501/compare?")


def test_json_says_the_same() -> None:
    (told,) = memviz(*BUDGET, "--json", code=1).json
    assert told["said"][0] == {"message": 35, "turn": 18, "role": "user", "name": None}
    assert told["lost"]["first"] == {"turn": 36, "call": 1}
    assert (told["without_requests"], told["requests_since"]) == (11, 11)
    kinds = [remedy["kind"] for remedy in told["would_have_kept"]]
    assert kinds[:3] == ["pin", "retrieval", "limit"]


def test_the_link_opens_the_memory_map_there() -> None:
    (told,) = memviz(*BUDGET, "--json", code=1).json
    address = urlsplit(told["link"])
    assert address.path == "/compare"
    query = parse_qs(address.query)
    view, problems = read_view(query, View(Study()))
    assert problems == []
    assert view.study.conversation == "trip"
    assert [setting.id for setting in view.study.settings] == ["window"]
    assert (view.turn, view.highlight.setting) == (36, 0)
    assert query["view"] == ["memory_map"]
    assert query["message"] == ["35"]


def test_the_link_names_the_server_that_was_started_last(library: Workspace) -> None:
    library.keep_server_address("http://127.0.0.1:8600/chats")
    (told,) = memviz(*BUDGET, "--json", code=1).json
    assert told["link"].startswith("http://127.0.0.1:8600/chats/compare?")


def test_a_file_has_a_link_once_it_is_saved(log: Path, library: Workspace) -> None:
    before = len(library.store.conversations(limit=-1))
    assert "--save" not in memviz("why", log, RULE, code=1).out
    asked = ("why", log, RULE, "-s", "window:window_size=2")
    shown = memviz(*asked, code=1)
    assert "http" not in shown.out
    assert "--save keeps" in shown.lines[-1]
    assert len(library.store.conversations(limit=-1)) == before
    for _ in range(2):
        (told,) = memviz(*asked, "--save", "--json", code=1).json
    assert len(library.store.conversations(limit=-1)) == before + 1
    id = parse_qs(urlsplit(told["link"]).query)["conversation"][0]
    assert library.store.exists(id)
    again = ("why", id, RULE, "-s", "window:window_size=2", "--json")
    assert memviz(*again, code=1).json == [told]
    (recorded,) = memviz("why", id, RULE, "--json", code=1).json
    assert recorded["link"] is None, "no page draws what the log's program sent"


def test_what_happened_is_what_the_log_says(log: Path) -> None:
    shown = memviz("why", log, RULE, code=1)
    assert "As recorded" in shown.lines
    assert "compacted after message 4, at 9,000 tokens by its own count" in shown.out
    assert "seems to need it or to break it, for it says commit and main" in shown.out
    assert memviz("why", log, "port 5433").code == 0
    named = memviz("why", log, RULE, "-s", "buffer")
    assert "As recorded" not in named.out


def test_without_a_phrase_lost_statements_are_listed() -> None:
    shown = memviz("why", "sample-agent", "-s", "window", code=1)
    assert shown.lines[0] == "Sliding window · 10 messages"
    assert (
        shown.lines[1]
        .strip()
        .startswith(
            "To which folder may you never write? migrations (message 1, turn 1, user)"
        )
    )
    assert "others may be lost too" in shown.out
    nothing = memviz("why", "sample-agent", "-s", "buffer")
    assert nothing.lines[1].strip().startswith("No statement")


def test_nothing_lost_ends_with_0() -> None:
    shown = memviz("why", "sample-trip", "3,600 euros", "-s", "buffer")
    assert not any("Lost at" in line for line in shown.lines)


def test_errors_end_with_2() -> None:
    refused("why", "sample-trip", "zyxw", code=2, words=("No message says 'zyxw'.",))
    refused("why", "nowhere", "x", code=2, words=("no saved conversation",))
    refused("why", "sample-trip", "x", "-s", "windo", code=2, words=("windo",))


def test_a_phrase_of_another_conversation_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "two.json"
    talks = [[{"role": "user", "content": said}] * 2 for said in ("Hello.", "Ahoy.")]
    path.write_text(json.dumps([{"messages": one} for one in talks]), encoding="utf-8")
    shown = memviz("why", path, "ahoy", "-s", "buffer", code=2)
    assert shown.err.endswith("It is in conversation 2: --conversation 2.\n")
    memviz("why", path, "ahoy", "-s", "buffer", "--conversation", 2)


def test_what_would_have_kept_it_is_what_can_be_typed() -> None:
    shown = memviz(*BUDGET, code=1)
    heads = [line for line in shown.lines if line.startswith("  What would")]
    assert heads[0].endswith("to try it")
    limit = next(line for line in shown.lines if "A larger limit" in line)
    named = limit.split("-s ")[1].split()[0]
    assert named == "window:window_size=40"
    memviz("why", "sample-trip", "3,600 euros", "-s", named)


def test_what_would_not_have_kept_it_has_a_heading_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "whales.json"
    lines = ["The door code is 7742.", "Yes.", *["Whales?", "Whales."] * 12]
    roles = ["user", "assistant"] * 13
    rows = [
        {"role": role, "content": line} for role, line in zip(roles, lines, strict=True)
    ]
    path.write_text(json.dumps(rows), encoding="utf-8")
    shown = memviz("why", path, "7742", "-s", "window", code=1)
    heading = next(n for n, line in enumerate(shown.lines) if "would not have" in line)
    not_kept = [n for n, line in enumerate(shown.lines) if line.startswith("  Not ")]
    assert not_kept == [heading + 1]
