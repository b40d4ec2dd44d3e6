"""The lists of facts that nobody tuned on are what they were, and are compared as the benchmark says."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest

from benchmarks.proposed_facts import (
    HEAD,
    LIMIT,
    UNTOUCHED,
    read_conversation,
    rows_of,
    wilson_interval,
    write_proposals,
)

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")
PATHS = sorted(UNTOUCHED.glob("*.json"))


def test_the_untouched_conversations_are_untouched() -> None:
    (told,) = re.findall(
        r"sha256  (\w{64})", (UNTOUCHED / "README.md").read_text(encoding="utf-8")
    )
    assert (
        hashlib.sha256(b"".join(path.read_bytes() for path in PATHS)).hexdigest()
        == told
    )


@pytest.mark.slow
def test_the_table_is_what_the_command_makes() -> None:
    facts = [fact for path in PATHS for fact in read_conversation(path, LIMIT).facts]
    assert len(facts) == 208
    assert "\n".join([HEAD, *rows_of(facts)]) in PAGE


def conversation(tmp_path: Path) -> Path:
    messages = [
        {
            "role": "user",
            "content": "My door code is 7742 and we meet at the town hall on Friday.",
        },
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "The meeting moved to Monday."},
    ]
    answers = {
        "7742": None,
        "Friday at the town hall": None,
        "Monday": "Friday",
        "the moon": None,
    }
    facts = [
        {
            "question": "?",
            "answer": answer,
            "turn": 2 if old else 1,
            "kind": "k",
            "changed_in_turn": None,
            "old": old,
        }
        for answer, old in answers.items()
    ]
    path = tmp_path / "one.json"
    path.write_text(
        json.dumps({"title": "t", "lang": "en", "messages": messages, "facts": facts}),
        encoding="utf-8",
    )
    return path


def test_a_fact_is_found_in_its_turn_wholly_or_in_part(tmp_path: Path) -> None:
    read = read_conversation(conversation(tmp_path), LIMIT)
    assert [(fact.is_found, fact.is_whole) for fact in read.facts] == [
        (True, True),
        (True, False),
        (True, True),
        (False, False),
    ]
    assert (read.updates, read.updates_found) == (1, 1)
    write_proposals([read], tmp_path / "proposals.jsonl")
    lines = [
        json.loads(line)
        for line in (tmp_path / "proposals.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    assert len(lines) == len(read.proposals)
    assert lines[0]["sentence"].startswith("My door code is 7742")


def test_the_interval_is_wilsons() -> None:
    low, high = wilson_interval(81, 263)  # the example of Newcombe (1998), table I
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
