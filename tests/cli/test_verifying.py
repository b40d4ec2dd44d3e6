"""``memviz verify``: one line a breach, and an exit code."""

from __future__ import annotations

from pathlib import Path

from tests.cli.terminal import memviz, refused
from tests.recorded_session import session


def test_what_is_sound_is_said_and_ends_with_0(chat: Path) -> None:
    shown = memviz("verify", chat)
    assert [line.endswith("6 requests, nothing is wrong.") for line in shown.lines] == [
        True,
    ]
    assert memviz("verify", chat, "-s", "window", "--json").json == [
        {"strategy": "Sliding window · 10 messages", "requests": 6, "breaches": []}
    ]


def test_a_breach_has_its_place_and_ends_with_1() -> None:
    shown = memviz("verify", "sample-agent", "-s", "window", code=1)
    head, *lines = shown.lines
    assert head == "Sliding window · 10 messages: 8 found wrong in 25 requests."
    assert lines[0].startswith("- Turn 3, call 2: message 5 is a tool's result")
    (told,) = memviz("verify", "sample-agent", "-s", "window", "--json", code=1).json
    assert told["breaches"][0] == {
        "kind": "no_call",
        "turn": 3,
        "call": 2,
        "message": 5,
        "text": lines[0].removeprefix("- "),
    }
    assert len(told["breaches"]) == 8


def test_a_log_with_compactions_of_its_own_is_checked_as_it_was(
    tmp_path: Path,
) -> None:
    log = tmp_path / "session.jsonl"
    log.write_text(session(), encoding="utf-8")
    (told,) = memviz("verify", log, "--json", code=1).json
    assert told["strategy"] == "As recorded"
    (breach,) = told["breaches"]
    assert (breach["kind"], breach["turn"], breach["on_record"]) == ("usage", 2, 9000)
    factor = breach["on_record"] / breach["counted"] + 1
    assert memviz("verify", log, "--factor", factor).lines == [
        "As recorded: 3 requests, nothing is wrong."
    ]


def test_errors_end_with_2() -> None:
    refused("verify", "nowhere", code=2, words=("no saved conversation 'nowhere'",))
    refused("verify", "sample-trip", "-s", "windo", code=2, words=("windo",))
