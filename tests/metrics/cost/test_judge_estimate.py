"""What asking and judging will cost, by hand and against what is then really sent."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import memviz
from memviz import Message, Reply, Run, ScriptedModel, Usage
from memviz.dashboard.words.estimates import estimate_words
from memviz.engine.judging import Judging, build_judge_request
from memviz.engine.records import TurnRecord
from memviz.engine.requests import Requests
from memviz.metrics.cost import pricing as cost_pricing
from memviz.metrics.cost.estimate import judge_estimate
from memviz.transcripts.base import Probe
from tests.metrics.cost.priced_traffic import MILLION, PRICES, Work, work

CHARS4 = memviz.counter("chars4")
PROBES = (
    Probe("q" * 4 * 7, ("x",), (0,), "name"),
    Probe("q" * 4 * 5, ("y", "z"), (1,), "name", stale=("w",)),
)
# Tokens as chars4 counts them: 10, 20, 10, 30. A full buffer's last request is 10 + 20 + 10 and 3 x 4 + 3.
MESSAGES = [
    Message(("user", "assistant")[at % 2], "x" * 4 * size)
    for at, size in enumerate((10, 20, 10, 30))
]
NONE = [Work("question"), Work("summary"), Work("verdict")]
LAST, REPLY, MEAN_REPLY = 40 + 15, 30, 25


@pytest.fixture(autouse=True)
def _prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_pricing, "price", PRICES.get)


def run_of(
    id: str = "buffer", answers: Sequence[str | Reply] = (), **parameters: int
) -> Run:
    return memviz.replay(
        MESSAGES,
        memviz.strategy(id, **parameters),
        model=ScriptedModel(answers),
        counter="chars4",
    )


def test_questions_to_a_full_buffer_by_hand() -> None:
    """Each sends the last request, the reply to it and the question, and 4 tokens for each of the two."""
    found = judge_estimate([run_of()], PROBES, "house/plain", "house/small")
    sent = 2 * (LAST + REPLY + 4 + 4) + 7 + 5
    assert [*map(work, found.parts)] == [
        Work("question", 2, sent, 2 * MEAN_REPLY),
        *NONE[1:],
    ]
    assert found.unknown_prices == ()
    assert found.usd == pytest.approx((sent * 2 + 2 * MEAN_REPLY * 10) / MILLION)
    assert (
        estimate_words(found)
        == "2 questions: about 198 tokens in and 50 out, about $0.0009 at list price."
    )


def test_it_is_what_a_full_buffer_is_then_sent() -> None:
    run = run_of()
    work = Judging([run], PROBES, model=ScriptedModel(["x", "y"]))
    list(work.steps())
    sent = sum(result.sent_tokens for result in work.results)
    assert (
        judge_estimate([run], PROBES, "offline", "offline")
        .part("question")
        .input_tokens
        == sent
    )


def test_the_judge_is_counted_and_priced_apart() -> None:
    """It reads the instruction, the case with an answer of the usual length, and says one word of a token."""
    alone = judge_estimate([run_of()], PROBES, "house/plain", "offline")
    found = judge_estimate([run_of()], PROBES, "house/plain", "offline", "house/small")
    read = sum(
        CHARS4(m.content) + 4
        for probe in PROBES
        for m in build_judge_request(probe, "")
    ) + 2 * (3 + MEAN_REPLY)
    assert found.part("question") == alone.part("question")
    assert work(found.part("verdict")) == Work("verdict", 2, read, 2)
    assert found.usd == pytest.approx(alone.usd + (read * 1 + 2 * 3) / MILLION)  # type: ignore[operator]
    assert "; 2 verdicts: about " in estimate_words(found)
    assert judge_estimate([run_of()], PROBES, "offline", "offline", "offline").usd == 0


def test_the_judges_estimate_is_close_to_what_it_is_then_sent() -> None:
    judge = ScriptedModel(["RIGHT", "WRONG"])
    list(
        Judging(
            [run_of()],
            PROBES,
            model=ScriptedModel(["x" * 4 * MEAN_REPLY] * 2),
            judge=judge,
        ).steps()
    )
    sent = (
        sum(CHARS4(m.content) + 4 for request in judge.requests for m in request)
        + 2 * 3
    )
    assert (
        judge_estimate([run_of()], PROBES, "offline", "offline", "offline")
        .part("verdict")
        .input_tokens
        == sent
    )


def test_every_run_is_asked_every_probe() -> None:
    window = run_of("window", window_size=1)
    found = judge_estimate([run_of(), window], PROBES, "offline", "offline", "offline")
    assert (found.part("question").calls, found.part("verdict").calls) == (4, 4)
    assert found.part("question").input_tokens == 198 + 2 * (17 + REPLY + 4 + 4) + 12
    assert estimate_words(found).endswith(", at no cost.")


@pytest.mark.parametrize(("size", "calls"), [(2, 2), (3, 0)])
def test_a_summary_that_the_question_makes_necessary(size: int, calls: int) -> None:
    """4 messages and the question are 5: more than 2 x 2, not more than 2 x 3."""
    run = run_of("summary", buffer_size=size)
    found = judge_estimate([run], PROBES, "offline", "house/small")
    assert found.part("summary").calls == calls
    work = Judging(
        [run],
        PROBES,
        model=ScriptedModel(["x"] * 2),
        summarizer=ScriptedModel(["s"] * 2),
    )
    list(work.steps())
    assert sum(len(result.summaries) for result in work.results) == calls


@pytest.mark.parametrize(("limit", "calls"), [(76, 1), (77, 0), (74, 2)])
def test_a_question_that_is_over_the_room_left(limit: int, calls: int) -> None:
    """The log has 70 tokens; the questions 7 and 5."""
    run = run_of("summary_buffer", max_token_limit=limit)
    assert not run.compactions
    found = judge_estimate([run], PROBES, "offline", "house/small")
    assert work(found.part("summary")) == Work(
        "summary", calls, calls * 70, calls * MEAN_REPLY
    )
    assert found.usd == pytest.approx(calls * (70 * 1 + MEAN_REPLY * 3) / MILLION)


def test_a_summary_is_expected_to_be_as_large_as_the_last() -> None:
    """With one message kept, message 3 triggers, and message 5 will: the question."""
    run = run_of("summary", [Reply("s", usage=Usage(90, 9))], buffer_size=1)
    assert len(run.compactions) == 1
    found = judge_estimate([run], PROBES, "offline", "house/small")
    assert work(found.part("summary")) == Work("summary", 2, 180, 18)
    assert "; 2 summaries: about 180 tokens in and 18 out" in estimate_words(found)


def test_one_summary_a_turn_is_not_made_for_a_question() -> None:
    found = judge_estimate(
        [run_of("recent_only", ["s", "s"])], PROBES, "offline", "offline"
    )
    assert work(found.part("summary")) == Work("summary")


def test_unknown_prices_are_named_once() -> None:
    found = judge_estimate([run_of()], PROBES, "our/a", "our/c", "our/b")
    assert (found.usd, found.unknown_prices) == (None, ("our/a", "our/b"))
    assert estimate_words(found).endswith(
        ". The prices of our/a and our/b are unknown."
    )
    same = judge_estimate([run_of()], PROBES[:1], "our/a", "offline", "our/a")
    assert same.unknown_prices == ("our/a",)
    assert estimate_words(same).startswith("1 question: ")
    assert estimate_words(same).endswith(" out. The price of our/a is unknown.")


def test_nothing_to_ask_costs_nothing() -> None:
    empty = memviz.Chat(memviz.strategy("buffer"), model="offline").run
    for runs, probes in (([run_of()], ()), ([], PROBES), ([empty], PROBES)):
        found = judge_estimate(runs, probes, "our/a", "our/b", "our/c")
        assert [*map(work, found.parts)] == NONE
        assert (found.usd, found.unknown_prices) == (0.0, ())


def test_a_long_conversation_is_estimated_from_few_of_its_requests(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Counted in records that are made: as many for 400 turns as for 40."""
    made: list[int] = []
    make = Requests._build_record

    def noted(requests: Requests, number: int) -> TurnRecord:
        made.append(number)
        return make(requests, number)

    monkeypatch.setattr(Requests, "_build_record", noted)
    counts = []
    for turns in (40, 400):
        run = memviz.replay(
            MESSAGES * (turns // 2), memviz.strategy("window"), counter="chars4"
        )
        made.clear()
        judge_estimate([run], PROBES, "house/plain", "house/small")
        counts.append(len(made))
    assert counts[0] == counts[1] > 0
