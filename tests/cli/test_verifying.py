"""``memviz verify``: one line a breach, and an exit code."""

from __future__ import annotations

from pathlib import Path

from tests.cli.terminal import memviz, refused
from tests.recorded_session import session, session_of_two_compactions


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
    log.write_text(session_of_two_compactions(90_000), encoding="utf-8")
    (told,) = memviz("verify", log, "--json", code=1).json
    assert told["strategy"] == "As recorded"
    (breach,) = told["breaches"]
    assert (breach["kind"], breach["turn"], breach["on_record"]) == ("usage", 3, 90_000)
    unseen = told["tokens_not_in_log"]
    factor = (90_000 - unseen) / (breach["counted"] - unseen) + 1
    shown = memviz("verify", log, "--factor", factor)
    assert shown.lines[0] == "As recorded: 4 requests, nothing is wrong."


def test_what_a_log_lacks_is_told_and_is_not_wrong(tmp_path: Path) -> None:
    log = tmp_path / "session.jsonl"
    for text in (session(), session_of_two_compactions(9100)):
        log.write_text(text, encoding="utf-8")
        shown = memviz("verify", log)
        assert shown.lines[0].endswith("nothing is wrong.")
        assert "lacks the system prompt or the schemas of tools" in shown.out
    assert 8000 < memviz("verify", log, "--json").json[0]["tokens_not_in_log"] < 9000


def test_errors_end_with_2() -> None:
    refused("verify", "nowhere", code=2, words=("no saved conversation 'nowhere'",))
    refused("verify", "sample-trip", "-s", "windo", code=2, words=("windo",))
