"""Whether what answers a question is in the request, counted on a conversation small enough to count by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import memviz
from benchmarks.evidence import (
    SETTINGS,
    answers_said,
    ask,
    ask_all,
    look_at_calls,
    questions,
    read,
    table,
    with_embeddings,
)
from memviz import Log, Message, Probe, ToolCall, Transcript
from memviz.transcripts.samples import bundled
from tests.real_conversations import FOLDER, MISSING, is_there
from tests.strategies.slow_pipeline import said as said_in_turn

PAGE = (Path(__file__).parents[2] / "docs" / "findings.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_table_is_what_the_command_makes() -> None:
    assert f"\n{table(list(bundled().values()))}\n" in PAGE


@pytest.mark.slow
@pytest.mark.skipif(not is_there(), reason=MISSING)
def test_the_table_of_tau_bench_is_what_the_command_makes() -> None:
    assert f"\n{table(read(str(FOLDER / 'tau_bench_airline_20.json')))}\n" in PAGE


def test_evidence_is_looked_up_in_the_request_for_the_question() -> None:
    probe = Probe("Which code?", ("7731",), (0, 2), "numbers")
    messages = (
        Message("user", "The code is 7731."),
        Message("assistant", "Noted."),
        Message("user", "Of the gate."),
        Message("assistant", "Fine."),
    )
    log = Log([*messages, Message("user", probe.question)])
    newest = ask(memviz.strategy("window", window_size=3), log, probe)
    assert (newest.evidence, newest.held) == (2, 1)
    sent = memviz.replay(log, memviz.strategy("window", window_size=3)).pending
    assert sent is not None
    assert newest.tokens == sent.total_tokens
    found = ask(
        memviz.strategy("retrieval", top_k=1, newest_messages=1, neighbours=0),
        log,
        probe,
    )
    assert found.held == 1
    assert ask(memviz.strategy("buffer"), log, probe).held == 2
    other = Probe("Who?", ("Ana",), (), "names")
    assert [
        one for _, one in questions([Transcript(messages, probes=(other, probe))])
    ] == [probe]


def test_each_retrieval_is_asked_with_each_share_of_an_embedding() -> None:
    plain = [one.code_label for one in SETTINGS if one.id == "retrieval"]
    assert [one.code_label for one in with_embeddings([30, 100])] == [
        f"{label} · embedding_percent={percent}"
        for percent in (30, 100)
        for label in plain
    ]


LOCKER = [
    {"role": "user", "content": "My locker is 4817.", "has_answer": True},
    {"role": "assistant", "content": "Noted."},
]
WEATHER = [
    {"role": "user", "content": "How is the weather in Turin?"},
    {"role": "assistant", "content": "It rains."},
]


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def rows_of(path: Path, *settings: memviz.Strategy) -> list[list[str]]:
    """The shares of each setting."""
    _, _, *rows = table(read(str(path)), settings).split("\n")
    return [cells(row)[1:4] for row in rows]


WINDOW = memviz.strategy("window", window_size=3)
FOUND = memviz.strategy("retrieval", top_k=1, newest_messages=1, neighbours=0)


def test_a_file_of_longmemeval_is_asked_behind_all_its_sessions(tmp_path: Path) -> None:
    item = {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Which locker do I have?",
        "answer": 4817,
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 10:00"],
        "haystack_sessions": [LOCKER, WEATHER],
        "answer_session_ids": ["s1"],
    }
    path = tmp_path / "longmemeval_oracle.json"
    path.write_text(json.dumps([item]), encoding="utf-8")
    assert rows_of(path, WINDOW, FOUND) == [["0%"] * 3, ["100%"] * 3]


def test_a_file_of_memory_stress_is_asked_at_its_checkpoints(tmp_path: Path) -> None:
    def session(number: int, phase: int, turns: list[dict[str, object]]) -> object:
        said = [{"role": one["role"], "content": one["content"]} for one in turns]
        return {
            "session_id": f"S{number}",
            "session_index": number,
            "phase": phase,
            "turns": said,
        }

    def question(phase: int) -> object:
        return {
            "question": "Which locker do I have?",
            "answer": "4817",
            "target_fact_ids": ["F1"],
            "question_type": "fact_recall",
            "phase_asked": phase,
        }

    data = {
        "version": "1.0",
        "sessions": [session(2, 2, WEATHER), session(1, 1, LOCKER)],
        "facts": [
            {
                "fact_id": "F1",
                "content": "User's locker is 4817",
                "session_planted": "S1",
                "mention_sessions": ["S1"],
            }
        ],
        "questions": [question(1), question(4)],
    }
    path = tmp_path / "memorystress_v1.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    first, last = read(str(path))
    assert [len(first.messages), len(last.messages)] == [2, 4]
    assert [probe.evidence for probe in (*first.probes, *last.probes)] == [(0,), (0,)]
    assert rows_of(path, WINDOW, FOUND) == [["50%"] * 3, ["100%"] * 3]


def test_a_summary_tells_an_answer_whose_message_is_not_sent() -> None:
    talk = [message for number in range(9) for message in said_in_turn(number)]
    probe = Probe("Which code?", ("7731",), (0,), "numbers")
    talk[0] = Message("user", "The code of the gate is 7731.")
    setting = memviz.strategy("summary_only")
    said = answers_said(talk, [probe])
    under = ask_all([setting], talk, [probe], said)[setting]
    (asked,) = under.asked
    assert (asked.held, asked.is_told) == (0, True)
    assert under.notes_usd > 0


def test_a_value_of_a_result_is_looked_up_in_the_request_that_led_to_its_use() -> None:
    def calls(id: str, tool: str, arguments: str) -> Message:
        return Message("assistant", "", tool_calls=(ToolCall(id, tool, arguments),))

    talk = [
        Message("user", "Cancel my trip, I am ana_li."),
        calls("a", "find", '{"user": "ana_li"}'),
        Message("tool", '{"reservation": "QX7712"}', tool_call_id="a"),
        Message("assistant", "Shall I?"),
        Message("user", "Yes."),
        calls("b", "cancel", '{"reservation": "QX7712"}'),
        Message("tool", "Done.", tool_call_id="b"),
        Message("assistant", "It is cancelled."),
    ]
    kept = look_at_calls(memviz.strategy("buffer"), talk).asked
    assert [(one.held, one.is_told) for one in kept] == [(1, True)]
    lost = look_at_calls(memviz.strategy("window", window_size=2), talk).asked
    assert [(one.held, one.is_told) for one in lost] == [(0, False)]
