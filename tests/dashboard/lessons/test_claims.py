"""What a lesson claims is held against the runs, and every measure against another way to count the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import memviz
from memviz import Fate
from memviz.core.errors import LessonError
from memviz.dashboard.lessons.claims import (
    find_unclaimed_numbers,
    judge_claims,
    problems,
)
from memviz.dashboard.lessons.lesson import Point
from memviz.dashboard.lessons.measures import MEASURES
from memviz.dashboard.lessons.playing import PlayedStudy, play_study
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Freshness
from memviz.metrics.retention.retention import retention
from memviz.models.names import DEFAULT_MODEL
from memviz.storage.workspace import Workspace
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.dashboard.lessons.writing_lessons import lesson
from tests.tables import for_each

TURN, LAST = 21, 46


@pytest.fixture(scope="module")
def played(workspace: Workspace) -> PlayedStudy:
    return play_study(lesson().steps[0].view.study, workspace)


def taken(played: PlayedStudy, measure: str, **where: Any) -> Any:
    return MEASURES[measure].take(played, Point(measure, **{"setting": 1, **where}))


def claimed(workspace: Workspace, **claim: Any) -> tuple[bool, str]:
    (result,) = judge_claims(
        lesson({"claims": [{"relation": "=", **claim}]}), workspace
    )
    return result.held, result.sentence


def test_the_runs_of_a_lesson_are_those_of_a_replay_with_recorded_summaries(
    played: PlayedStudy,
) -> None:
    summary = memviz.strategy("summary", buffer_size=8)
    run = memviz.replay(
        played.transcript, summary, model=memviz.model("recording:trip")
    )
    assert [one.text for one in played.runs[1].summaries] == [
        one.text for one in run.summaries
    ]


def test_tokens_and_dollars_add_up(played: PlayedStudy) -> None:
    run = played.runs[1]
    use, record = count_token_use(run), run.turns[TURN - 1]
    assert taken(played, "request_tokens", turn=TURN) == record.total_tokens
    newest = max(
        one.version
        for one in run.compactions
        if (run.request_turn(one) or TURN + 1) <= TURN
    )
    assert taken(played, "summary_tokens", turn=TURN) == run.counter(
        run.summaries[newest - 1].text
    )
    assert taken(played, "summary_tokens", turn=TURN) < record.tokens["summary"], (
        "the frame of its message counts apart"
    )
    assert taken(played, "cumulative_tokens") == use.sent_tokens
    assert taken(played, "largest_request_tokens") == use.peak_tokens
    assert taken(played, "summarizer_tokens") == use.summarizer_tokens
    assert taken(played, "cumulative_all_tokens") == use.all_tokens
    assert taken(played, "summaries_written") == use.summarizations
    cost = PricingAssumptions.of(DEFAULT_MODEL, pause_seconds=900.0).cost(
        count_traffic(run)
    )
    assert taken(played, "cumulative_dollars", pause_seconds=900.0) == pytest.approx(
        cost.total_usd
    )
    assert taken(played, "summarizer_dollars", pause_seconds=900.0) == pytest.approx(
        cost.summarizer_usd
    )
    each = [taken(played, "request_dollars", turn=turn) for turn in range(1, LAST + 1)]
    assert sum(each) + taken(played, "summarizer_dollars") == pytest.approx(
        taken(played, "cumulative_dollars")
    )
    assert taken(played, "cached_percent", pause_seconds=1e9) == 0


def test_messages_are_counted_by_their_fates(played: PlayedStudy) -> None:
    fates = played.runs[1].fates(slice(TURN - 1, TURN))[0]
    for name, fate in (
        ("sent", Fate.VERBATIM),
        ("summarized", Fate.SUMMARIZED),
        ("dropped", Fate.DROPPED),
    ):
        assert taken(played, f"messages_{name}", turn=TURN) == (fates == fate).sum()
    assert taken(played, "messages_said", turn=TURN) == 2 * TURN - 1
    assert taken(played, "message_fate", turn=TURN, message=1) == "summarized"
    assert taken(played, "message_fate", turn=TURN, message=92) == "not yet"


def test_facts_are_those_of_retention(played: PlayedStudy) -> None:
    kept = retention(played.runs[1], played.probes)
    number = TURN - 1
    assert taken(played, "facts_told", turn=TURN) == kept.born[number].sum()
    assert (
        taken(played, "facts_known", turn=TURN)
        == (kept.retained & kept.born)[number].sum()
    )
    assert taken(played, "facts_kept_percent") == pytest.approx(
        100 * np.nanmean(kept.share(kept.retained))
    )
    answer = played.probes[1].answers[0]
    assert played.fact(answer.upper()) == 1
    assert taken(played, "fact_known", turn=TURN, fact=answer) is bool(
        kept.retained[number, 1]
    )
    assert (
        taken(played, "fact_told_turn", fact=1)
        == kept.turns[np.flatnonzero(kept.born[:, 1])[0]]
    )


def test_the_value_that_is_held_of_a_changed_fact_has_a_word(
    workspace: Workspace,
) -> None:
    settings = [{"strategy": "window", "window_size": 10}, {"strategy": "buffer"}]
    played = play_study(lesson(settings=settings).steps[0].view.study, workspace)

    def words(setting: int, *turns: int) -> list[Any]:
        where = {"setting": setting, "fact": "3,600 euros"}
        return [taken(played, "fact_values", turn=turn, **where) for turn in turns]

    assert words(0, 17, 18, 27, 30) == ["not changed", "new", "neither", "old"]
    assert words(1, 18) == ["both"]
    assert taken(played, "fact_values", fact="QX7R4M") == "not changed"
    kept = retention(played.runs[0], played.probes)
    assert kept.freshness[29, 0] == Freshness.STALE_ONLY


def test_summaries_are_written_where_the_run_wrote_them(played: PlayedStudy) -> None:
    run = played.runs[1]
    turns = {run.request_turn(one) for one in run.compactions if one.is_summarization}
    assert {
        turn for turn in range(1, LAST + 1) if taken(played, "summarizes", turn=turn)
    } == turns
    first = min(turn for turn in turns if turn)
    assert (
        taken(played, "tokens_after_summary", turn=first)
        == run.turns[first - 1].total_tokens
    )
    assert taken(played, "tokens_before_summary", turn=first) > taken(
        played, "tokens_after_summary", turn=first
    )
    with pytest.raises(LessonError, match="nothing was summarized by turn 2"):
        taken(played, "tokens_before_summary", turn=2)


def test_settings_are_compared(played: PlayedStudy) -> None:
    usd = [taken(played, "cumulative_dollars", setting=number) for number in (0, 1)]
    assert taken(played, "cheapest_setting") == usd.index(min(usd))
    assert taken(played, "smallest_setting") == 1


def test_a_claim_that_holds_and_one_that_does_not_say_what_was_measured(
    workspace: Workspace,
) -> None:
    at = {"measure": "request_tokens", "setting": 1, "turn": 4}
    is_so, sentence = claimed(workspace, **at, value=1186)
    assert is_so
    assert (
        sentence
        == "At turn 4, Running summary · 8 messages: the request has 1,186 tokens, which is 1,186 tokens."
    )
    is_so, sentence = claimed(workspace, **at | {"relation": "<"}, value=1186)
    assert not is_so
    assert sentence.endswith(
        "1,186 tokens, and the lesson says that it is less than 1,186 tokens."
    )


@for_each(
    ("relation", "value", "is_so"),
    [
        ("=", 1186, True),
        ("!=", 1186, False),
        ("<=", 1186, True),
        (">=", 1187, False),
        (">", 1185, True),
        ("about", 1290, True),
        ("about", 1400, False),
    ],
)
def test_every_relation_has_its_rule(
    workspace: Workspace, relation: str, value: float, is_so: bool
) -> None:
    assert (
        claimed(
            workspace, measure="request_tokens", turn=4, relation=relation, value=value
        )[0]
        is is_so
    )


def test_a_claim_may_compare_with_another_place_so_many_times(
    workspace: Workspace,
) -> None:
    at = {
        "measure": "request_tokens",
        "turn": 46,
        "than": {"setting": 1},
        "relation": ">",
    }
    assert claimed(workspace, **at, times=2)[0]
    is_so, sentence = claimed(workspace, **at, times=20)
    assert not is_so
    assert (
        "is more than 20 times that at turn 46, Running summary · 8 messages"
        in sentence
    )


def test_yes_or_no_words_and_settings_are_claims_too(workspace: Workspace) -> None:
    assert claimed(workspace, measure="summarizes", turn=4, value=False) == (
        True,
        "At turn 4, Full buffer: a summary is written right before the request: no, as the lesson says.",
    )
    assert claimed(
        workspace, measure="message_fate", message=1, turn=4, value="verbatim"
    )[0]
    assert claimed(workspace, measure="smallest_setting", value=1)[1].endswith(
        "the setting with the smallest request is Running summary · 8 messages, as the lesson says."
    )


def test_a_claim_about_what_is_not_there_does_not_hold(workspace: Workspace) -> None:
    for claim, words in (
        (
            {"measure": "request_tokens", "turn": 99, "value": 1},
            "there is no turn 99: the conversation has 46 turns.",
        ),
        (
            {"measure": "request_tokens", "turn": 3, "call": 2, "value": 1},
            "turn 3 has no call 2: it has 1 call.",
        ),
        (
            {"measure": "fact_known", "fact": "a llama", "value": True},
            "there is no fact with the answer “a llama”; ",
        ),
        (
            {"measure": "fact_known", "fact": 99, "value": True},
            "there is no fact 99: the conversation has 18 facts.",
        ),
        (
            {"measure": "message_fate", "message": 999, "value": "lost"},
            "there is no message 999",
        ),
        (
            {"measure": "request_dollars", "prices_of": "nobody/x", "value": 1},
            "no price is known of",
        ),
    ):
        is_so, sentence = claimed(workspace, **claim)
        assert not is_so
        assert words in sentence


def test_a_lesson_about_a_conversation_that_is_not_there_says_so(
    workspace: Workspace,
) -> None:
    claims = [{"measure": "turns", "relation": "=", "value": 1}]
    with pytest.raises(
        LessonError,
        match=r"mine: the conversation “gone” is not here: it was deleted, or belongs",
    ):
        list(judge_claims(lesson({"claims": claims}, conversation="gone"), workspace))


def test_numbers_of_a_text_that_no_claim_holds_are_named(workspace: Workspace) -> None:
    step = {
        "text": "In 46 turns and 1,186 tokens, not 1,500, of 8 messages; 3 of them.",
        "view": {"turn": 4},
        "claims": [{"measure": "request_tokens", "relation": "=", "value": 1186}],
    }
    (found,) = find_unclaimed_numbers(lesson(step), workspace)
    assert found == (1, "its text says 46 and 1,500, which no claim holds.")


def test_what_a_fact_was_before_it_changed_is_held_by_a_claim_on_its_values(
    workspace: Workspace,
) -> None:
    claim = {"measure": "fact_values", "relation": "=", "value": "both"}
    text = "It was 3,000 euros, not 3,001, and from 26 June."
    step = {"text": text, "claims": [claim | {"fact": "3,600 euros"}]}
    (found,) = find_unclaimed_numbers(lesson(step), workspace)
    assert found == (1, "its text says 3,001 and 26, which no claim holds.")


def test_what_a_view_names_in_vain_is_said(workspace: Workspace) -> None:
    view = {"turn": 60, "highlight": {"fact": "a llama", "message": 500}}
    step = {"view": view, "prediction": {"kind": "stays", "turn": 99}}
    assert [text for _, text in problems(lesson(step), workspace)] == [
        "it shows turn 60, and the conversation has 46 turns.",
        "it points at message 500, and there are 92.",
        "there is no fact with the answer “a llama”; the conversation's facts are 3,600 euros, cashews and pistachios, "
        "9 July 2027, 28 June 2027, QX7R4M and 13 more.",
        "there is no turn 99: the conversation has 46 turns.",
    ]


def test_the_manual_names_every_measure() -> None:
    manual = (Path(__file__).parents[3] / "docs" / "lessons.md").read_text(
        encoding="utf-8"
    )
    assert [name for name in MEASURES if f"| `{name}` |" not in manual] == []
