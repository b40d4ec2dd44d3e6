"""Each health warning: a run that has it, counted by hand, and the nearest run that has it not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

import pytest

import memviz
from memviz import Message, ModelError, Run, ScriptedModel
from memviz.core.errors import CounterUnavailableError
from memviz.core.text.wording import dollars
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.warning import HealthWarning
from memviz.metrics.health import budgets
from memviz.metrics.health.growth import find_unbounded_part
from memviz.metrics.requests.traffic import count_traffic
from memviz.models.names import DEFAULT_MODEL
from memviz.models.prices import context_window_tokens, note_window
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.engine.probes import talk
from tests.strategies.conversations import small_parameters
from tests.tables import for_each


def said(*sizes: int, first: str = "user") -> list[Message]:
    """User and assistant in turn, with messages of so many tokens as chars4 counts them."""
    roles = ("user", "assistant") if first == "user" else ("assistant", "user")
    return [Message(roles[at % 2], "x" * 4 * size) for at, size in enumerate(sizes)]


def run_of(
    messages: Sequence[Message],
    id: str,
    answers: Sequence[str | ModelError] = ("s" * 8, "t" * 8),
    **options: Any,
) -> Run:
    """A replay counted by chars4, with a summarizer that gives ``answers`` over and over."""
    counter = options.pop("counter", "chars4")
    model = ScriptedModel(cycle(answers))
    return memviz.replay(
        messages, memviz.strategy(id, **options), model=model, counter=counter
    )


def found(run: Run, kind: str) -> HealthWarning | None:
    warnings = [warning for warning in health_warnings(run) if warning.kind == kind]
    assert len(warnings) <= 1
    return warnings[0] if warnings else None


def expect(run: Run, kind: str) -> HealthWarning:
    warning = found(run, kind)
    assert warning is not None, [other.kind for other in health_warnings(run)]
    return warning


# --- summarizing at nearly every turn ---------------------------------------------------------------------


def test_a_summary_at_every_turn_is_thrash() -> None:
    """With 1 message kept, messages 3, 5, ... 15 trigger: the users' of turns 2 to 8."""
    warning = expect(run_of(talk(8), "summary", buffer_size=1), "thrash")
    assert warning.numbers == (
        "7 summarizations in 7 turns: one every 1.0 turns. Each makes room for 2 messages, and a turn takes 2."
    )
    assert (
        warning.remedy
        == "Raise buffer_size from 1 to about 4, which makes room for 4 turns."
    )
    assert (warning.severity, warning.turns) == ("bad", (2, 3, 4, 5, 6, 7, 8))


def test_two_of_three_turns_are_no_thrash() -> None:
    run = run_of(talk(20), "summary", buffer_size=2)
    assert sum(bool(record.compactions) for record in run.turns) >= 12
    assert not found(run, "thrash")
    assert not found(run_of(talk(60), "summary", buffer_size=4), "thrash")


def test_three_requests_are_too_few_to_call_it_thrash() -> None:
    assert not found(run_of(talk(4), "summary", buffer_size=1), "thrash")
    assert found(run_of(talk(5), "summary", buffer_size=1), "thrash")


@for_each("id", ["recent_only", "summary_only"])
def test_one_summary_a_turn_by_design_is_no_thrash(id: str) -> None:
    assert not found(run_of(talk(12), id), "thrash")


def test_a_strategy_that_cuts_back_to_its_limit_needs_more_than_a_larger_one() -> None:
    """Turns of 20 tokens, 10 of them the input: 5 messages fit 50 tokens, and the summary of 2 besides 4."""
    warning = expect(
        run_of(said(*[10] * 24), "chat_summary_buffer", token_limit=50), "thrash"
    )
    assert "cuts back further below its limit" in warning.remedy
    assert (
        "raise token_limit from 50 to 230, which holds all messages" in warning.remedy
    )


def test_the_remedy_against_thrash_works() -> None:
    sizes = [30] * 60
    warning = expect(
        run_of(said(*sizes), "summary_buffer", max_token_limit=60), "thrash"
    )
    value = int(warning.remedy.split(" to about ")[1].split(",")[0])
    better = run_of(said(*sizes), "summary_buffer", max_token_limit=value)
    assert better.compactions
    assert not found(better, "thrash")


# --- what a summarization leaves behind -------------------------------------------------------------------

MESSAGES = said(
    10, 20, 10, 20, 1, 1
)  # under buffer_size 1 messages 1-2 are summarized for turn 2, 3-4 for turn 3


@for_each(("tokens", "is_larger"), [(31, True), (30, False)])
def test_a_summary_larger_than_what_it_replaced(tokens: int, is_larger: bool) -> None:
    run = run_of(MESSAGES, "summary", ["s" * 4 * tokens, "tiny"], buffer_size=1)
    warning = found(run, "larger_summary")
    assert bool(warning) == is_larger
    if warning:
        assert warning.numbers == (
            "1 of 2 summaries had more tokens than what they replaced. The worst came after message 3: 31 tokens in "
            "place of 30."
        )
        assert (warning.turns, warning.severity) == ((2,), "caution")
        assert "Raise buffer_size" in warning.remedy


@for_each(("tokens", "is_larger"), [(36, True), (35, False)])
def test_the_old_summary_counts_as_replaced(tokens: int, is_larger: bool) -> None:
    run = run_of(MESSAGES, "summary", ["s" * 4 * 5, "s" * 4 * tokens], buffer_size=1)
    assert bool(found(run, "larger_summary")) == is_larger


def test_the_worst_is_the_one_that_grew_most() -> None:
    """100 tokens in place of 30, and then 135 in place of 130."""
    run = run_of(MESSAGES, "summary", ["s" * 4 * 100, "s" * 4 * 135], buffer_size=1)
    warning = expect(run, "larger_summary")
    assert warning.numbers.startswith("2 of 2 summaries ")
    assert warning.numbers.endswith("after message 3: 100 tokens in place of 30.")


def test_calls_of_tools_count_as_replaced() -> None:
    call = {
        "id": "c",
        "function": {"name": "look", "arguments": "a" * 76},
    }  # 1 and 19 tokens
    messages = [
        Message("user", "xxxx"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "xxxx", tool_call_id="c"),
    ]
    messages += said(1, 1, first="assistant")
    calls_only = run_of(messages, "summary", ["s" * 4 * 22], buffer_size=2)
    assert [compaction.summarized for compaction in calls_only.compactions] == [
        range(3)
    ]
    assert not found(
        calls_only, "larger_summary"
    )  # 1 + 1 + 20 + 1 = 23 tokens: an empty text is counted as one
    assert found(
        run_of(messages, "summary", ["s" * 4 * 24], buffer_size=2), "larger_summary"
    )


def test_summaries_of_short_turns_are_larger_by_design() -> None:
    warning = expect(
        run_of(said(1, 1, 1, 1), "recent_only", ["s" * 12]), "larger_summary"
    )
    assert "enable_summarization" in warning.remedy
    assert warning.severity == "bad"


def test_summaries_that_stay_the_same() -> None:
    warning = expect(
        run_of(talk(8), "summary", ["same"], buffer_size=1), "unchanged_summary"
    )
    assert warning.numbers == (
        "6 of 6 new summaries are letter for letter the one before, though they took in 12 messages."
    )
    assert not found(
        run_of(talk(8), "summary", ["one", "two"], buffer_size=1), "unchanged_summary"
    )
    assert not found(run_of(talk(8), "recent_only", ["same"]), "unchanged_summary")


def test_that_nothing_new_was_said_now_and_then_is_no_warning() -> None:
    """6 summaries are renewed: the 2nd of them is the 1st once more, and then twice."""
    assert not found(
        run_of(talk(8), "summary", ["a", "b", "b", "c", "d", "e", "f"], buffer_size=1),
        "unchanged_summary",
    )
    assert found(
        run_of(talk(8), "summary", ["a", "b", "b", "b", "d", "e", "f"], buffer_size=1),
        "unchanged_summary",
    )


def test_failed_summarizations_say_what_the_first_said() -> None:
    run = run_of(
        talk(5),
        "summary",
        [ModelError("no <b>quota</b>"), "fine", ModelError("down")],
        buffer_size=2,
    )
    failed = [compaction for compaction in run.compactions if compaction.error]
    warning = expect(run, "failed_summarization")
    assert warning.numbers == (
        f"{len(failed)} of {len(run.compactions)} summarizer calls failed. Nothing was lost: what should have been "
        "summarized was sent word for word. The first said: no <b>quota</b>"
    )
    assert len(failed) >= 1
    assert warning.severity == "bad"
    assert health_warnings(run)[0] is not None
    assert not found(run_of(talk(5), "summary", buffer_size=2), "failed_summarization")


def test_what_was_dropped_without_a_summarizer_did_not_fail() -> None:
    run = memviz.replay(
        said(*[10] * 24),
        memviz.strategy("chat_summary_buffer", token_limit=50),
        model=None,
        counter="chars4",
    )
    assert run.compactions
    assert not {warning.kind for warning in health_warnings(run)} - {"odd_counter"}


# --- budgets ----------------------------------------------------------------------------------------------


@for_each(("chars", "is_large"), [(51, True), (50, False)])
def test_a_summary_over_a_budget_that_does_not_count_it(
    chars: int, is_large: bool
) -> None:
    """``Summary of earlier conversation: `` has 33 characters; 84 of them are 21 tokens."""
    run = run_of(
        said(10, 10, 5, 5), "summary_buffer", ["s" * chars], max_token_limit=20
    )
    warning = found(run, "large_summary")
    assert bool(warning) == is_large
    if warning:
        assert warning.numbers == (
            "In 1 of 2 requests the summary took more than the max_token_limit of 20 tokens: 21 at turn 2."
        )
        assert warning.remedy.startswith("Raise max_token_limit to 42,")
        assert warning.severity == "bad"


@for_each(
    ("tokens", "severity"), [(31, "bad"), (30, "caution"), (16, "caution"), (15, None)]
)
def test_a_summary_that_takes_more_than_half_of_a_budget_that_counts_it(
    tokens: int, severity: str | None
) -> None:
    run = run_of(
        said(20, 20, 5, 1), "chat_summary_buffer", ["s" * 4 * tokens], token_limit=30
    )
    warning = found(run, "large_summary")
    assert (warning.severity if warning else None) == severity
    if warning:
        assert warning.numbers == (
            f"In 1 of 2 requests the summary took more than half of the token_limit of 30 tokens: {tokens} at turn 2."
        )


def test_a_list_without_a_budget_is_not_too_large() -> None:
    assert not found(run_of(talk(5), "recent_only", ["s" * 4000]), "large_summary")


@for_each(("tokens", "is_above"), [(21, True), (20, False)])
def test_a_message_that_is_kept_and_triggers_again(tokens: int, is_above: bool) -> None:
    """Message 3 is always kept, and if it is over the limit by itself message 4 fires once more."""
    run = run_of(said(5, 5, tokens, 1), "summary_buffer", max_token_limit=20)
    warning = found(run, "kept_above_trigger")
    assert bool(warning) == is_above
    assert len(run.compactions) == 2
    if warning:
        assert warning.numbers == (
            "After 1 of 2 summarizations the messages kept were still over the max_token_limit of 20 tokens: 21 tokens "
            "after message 3."
        )
        assert "Raise max_token_limit to 42," in warning.remedy
        assert warning.turns == (2,)


def test_the_remedy_against_what_is_kept_works() -> None:
    sizes = (5, 5, 21, 1) * 10
    assert found(
        run_of(said(*sizes), "summary_buffer", max_token_limit=20), "kept_above_trigger"
    )
    assert not found(
        run_of(said(*sizes), "summary_buffer", max_token_limit=42), "kept_above_trigger"
    )


def test_an_input_over_the_budget() -> None:
    run = run_of(said(8, 5, 12, 5, 10, 5), "token_buffer", max_tokens=10)
    warning = expect(run, "over_budget")
    assert warning.numbers == (
        "1 of 3 requests were over the max_tokens of 10 tokens for messages, 1 of them because the input alone is "
        "larger. The largest had 12 tokens, at turn 2."
    )
    assert warning.remedy.startswith("Raise max_tokens to 12 or more")
    assert (warning.turns, warning.severity) == ((2,), "bad")
    assert not found(
        run_of(said(8, 5, 12, 5, 10, 5), "token_buffer", max_tokens=12), "over_budget"
    )


def test_a_budget_broken_by_the_summary_is_told_apart() -> None:
    run = run_of(
        said(20, 20, 5, 1), "chat_summary_buffer", ["s" * 4 * 26], token_limit=30
    )
    warning = expect(run, "over_budget")
    assert (
        "none of them because the input alone is larger. The largest had 31 tokens, at turn 2."
        in warning.numbers
    )
    assert warning.severity == "caution"
    assert not found(
        run_of(
            said(20, 20, 5, 1), "chat_summary_buffer", ["s" * 4 * 25], token_limit=30
        ),
        "over_budget",
    )


# --- growth -----------------------------------------------------------------------------------------------


def test_a_full_buffer_grows_and_says_until_when() -> None:
    """The last request holds 7 x 30 tokens of history, 10 of input, 15 messages at 4 tokens and a primer of 3."""
    warning = expect(run_of(said(*[10, 20] * 8), "buffer"), "growth")
    window = context_window_tokens(DEFAULT_MODEL) or 0
    more = (
        window - (7 * 30 + 10 + 15 * 4 + 3)
    ) // 38 + 1  # two more messages a turn, with 4 tokens of the format each
    assert warning.numbers == (
        "The history sent grew from 0 to 210 tokens from turn 1 to 8, about 30 a turn, and never fell. "
        f"{window:,} tokens, the context window of {DEFAULT_MODEL}, are passed after {more:,} more requests, at turn "
        f"{8 + more:,}, if they go on growing as the last 8 did."
    )
    assert (warning.severity, len(warning.turns)) == ("caution", 8)
    assert not found(run_of(said(*[10, 20] * 7), "buffer"), "growth")


def test_what_growth_costs_is_said_at_the_prices_that_are_given() -> None:
    run, sonnet = (
        run_of(said(*[10, 20] * 8), "buffer"),
        PricingAssumptions.of("anthropic/claude-sonnet-4-5"),
    )
    told = [
        warning for warning in health_warnings(run, sonnet) if warning.kind == "growth"
    ]
    assert "At the prices of anthropic/claude-sonnet-4-5" in told[0].why
    (uncached,) = [
        warning
        for warning in health_warnings(run, replace(sonnet, cache=None))
        if warning.kind == "growth"
    ]
    assert "pauses" not in uncached.why + uncached.remedy, (
        "without a cache no pause decides"
    )
    assert "At the prices of openai/gpt-5-mini" in expect(run, "growth").why


def test_growth_past_the_context_window_is_bad() -> None:
    """Request 7 holds 12 messages of history and an input."""
    window = context_window_tokens(DEFAULT_MODEL) or 0
    warning = expect(
        run_of(talk(8), "buffer", counter=lambda _: window // 13), "growth"
    )
    assert warning.numbers.endswith("were passed at turn 7.")
    assert warning.severity == "bad"


def test_growth_under_a_model_of_ones_own_is_held_against_its_window_and_nobodys_else() -> (
    None
):
    chat = memviz.Chat(
        memviz.strategy("buffer"),
        model=ScriptedModel(
            [memviz.Reply("word " * 20, model="llamafile/growing")] * 9
        ),
    )
    for _ in range(9):
        chat.send("word " * 10)
    assert "context window" not in expect(chat.run, "growth").numbers
    note_window("llamafile/growing", 200)
    warning = expect(chat.run, "growth")
    assert (
        "200 tokens, the context window of llamafile/growing, were passed at turn"
        in warning.numbers
    )
    assert warning.severity == "bad"


@for_each("id", ["recent_only", "summary_only"])
def test_a_list_of_summaries_grows(id: str) -> None:
    warning = expect(run_of(talk(9), id, ["s" * 40]), "growth")
    assert warning.numbers.startswith("The list of summaries sent grew from 0 to ")
    assert not found(run_of(talk(9), id, enable_summarization=False), "growth")


def test_a_list_that_is_no_longer_added_to_does_not_grow() -> None:
    """From turn 4 on every summary fails, so the turns are sent word for word instead."""
    run = run_of(talk(12), "recent_only", ["s" * 40] * 3 + [ModelError("down")] * 99)
    assert run.turns[-1].tokens["summary"] == run.turns[5].tokens["summary"] > 0
    assert not found(run, "growth")


def test_what_fell_once_does_not_grow_without_bound() -> None:
    run = run_of(talk(12), "buffer")
    fell = [
        replace(record, tokens={**record.tokens, "history": 1}) if at == 6 else record
        for at, record in enumerate(run.turns)
    ]
    assert found(run, "growth")
    assert not found(replace(run, requests=tuple(fell)), "growth")


# --- clearing that costs more than it saves ---------------------------------------------------------------

CACHED = PricingAssumptions.of("anthropic/claude-sonnet-4-5", pause_seconds=60.0)


def tool_talk(turns: int, result_tokens: int, answer_tokens: int) -> list[Message]:
    """Turns with one call of a tool each."""
    return [
        message
        for turn in range(turns)
        for message in (
            Message("user", "x" * 40),
            Message(
                "assistant", "", tool_calls=(memviz.ToolCall(f"c{turn}", "look", "{}"),)
            ),
            Message("tool", "x" * 4 * result_tokens, tool_call_id=f"c{turn}"),
            Message("assistant", "x" * 4 * answer_tokens),
        )
    ]


def test_clearing_little_before_much_costs_more_than_it_saves() -> None:
    """Each result is cleared when the next one comes: 600 tokens go, and an answer of 2,000 behind them is read at the
    full price once more. With all messages sent whole it would cost what the full buffer does."""
    messages = tool_talk(8, 600, 2_000)
    run = run_of(messages, "clear_tool_results", trigger_tokens=0, keep_results=1)
    (warning,) = [
        one for one in health_warnings(run, CACHED) if one.kind == "dear_clearing"
    ]
    full = CACHED.cost(count_traffic(run_of(messages, "buffer"))).main_usd
    own = CACHED.cost(count_traffic(run)).main_usd
    assert own is not None
    assert full is not None
    assert own > full
    assert (
        f"cost {dollars(own)}; with those messages sent whole they would cost {dollars(full)}."
        in warning.numbers
    )
    assert warning.numbers.startswith("7 clearings left ")
    assert warning.turns == tuple(range(2, 9))
    assert "lower keep_results from 1" in warning.remedy
    assert "With pauses of 5 min or longer" in warning.remedy


@for_each(
    ("result_tokens", "prices"),
    [
        (20_000, CACHED),
        (600, replace(CACHED, pause_seconds=600.0)),
        (600, replace(CACHED, cache=None)),
        (600, replace(CACHED, main=None)),
    ],
)
def test_clearing_that_saves_is_no_warning(
    result_tokens: int, prices: PricingAssumptions
) -> None:
    """Large results; a cache that does not outlast the pause, or none; unknown prices."""
    run = run_of(
        tool_talk(8, result_tokens, 2_000),
        "clear_tool_results",
        trigger_tokens=0,
        keep_results=1,
    )
    assert run.compactions
    assert not [
        one for one in health_warnings(run, prices) if one.kind == "dear_clearing"
    ]


@for_each(
    ("id", "parameters"),
    [
        ("window", {"window_size": 40}),
        ("token_buffer", {"max_tokens": 9000}),
        ("summary", {"buffer_size": 20}),
        ("summary_buffer", {"max_token_limit": 9000}),
        ("chat_summary_buffer", {}),
    ],
)
def test_a_limit_not_reached_yet_is_no_growth_without_bound(
    id: str, parameters: dict[str, int]
) -> None:
    run, full = run_of(talk(10), id, **parameters), run_of(talk(10), "buffer")
    assert [record.tokens for record in run.turns] == [
        record.tokens for record in full.turns
    ]
    assert found(full, "growth")
    assert not found(run, "growth")


def test_every_strategy_is_known_to_have_a_bound_or_none() -> None:
    unbounded = {
        id: find_unbounded_part(memviz.strategy(id, **small_parameters(id)))
        for id in memviz.strategies()
    }
    assert {id: part for id, part in unbounded.items() if part} == {
        "buffer": "history",
        "recent_only": "summary",
        "summary_only": "summary",
        "clear_tool_results": "history",  # what people and the model said
    }


# --- requests that may be refused -------------------------------------------------------------------------


def test_a_tool_result_without_its_call() -> None:
    call = {"id": "c", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        Message("user", "one"),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "three", tool_call_id="c"),
        Message("assistant", "four"),
        Message("user", "five"),
        Message("assistant", "six"),
    ]
    warning = expect(run_of(messages, "window", window_size=3), "orphaned_tool_message")
    assert (
        warning.numbers == "1 of 3 requests hold a tool result whose call was cut off."
    )
    assert (warning.turns, warning.severity) == ((2,), "bad")
    for_visitors, for_programs = warning.remedy.split(";")
    assert for_visitors.startswith("Choose a strategy that cuts between turns")
    assert "repair_tool_pairs=True" in for_programs
    assert not found(run_of(messages, "window", window_size=4), "orphaned_tool_message")
    assert not found(run_of(messages, "window", window_size=2), "orphaned_tool_message")


def test_an_assistant_first_and_the_window_that_helps() -> None:
    warning = expect(run_of(talk(5), "window", window_size=4), "assistant_first")
    assert warning.numbers == (
        "In 3 of 5 requests the first message behind the system part is an assistant's."
    )
    assert warning.remedy == (
        "Set window_size to 5: then the user's message comes first in 3 of 3 such requests."
    )
    assert warning.turns == (3, 4, 5)
    assert not found(run_of(talk(5), "window", window_size=5), "assistant_first")


@for_each(
    ("replies", "size", "remedy"),
    [
        (2, 2, "Set window_size to 1: then"),
        (2, 3, "Set window_size to 4: then"),
        (3, 3, "Choose a strategy"),
    ],
)
def test_the_window_that_helps_is_told_only_if_it_does(
    replies: int, size: int, remedy: str
) -> None:
    """With 2 replies a turn 1, 4, 7 messages begin with the user's; with 3 replies 1, 5, 9."""
    messages = [
        Message("assistant" if at % (replies + 1) else "user", f"{at}")
        for at in range(6 * (replies + 1))
    ]
    warning = expect(run_of(messages, "window", window_size=size), "assistant_first")
    assert warning.remedy.startswith(remedy)


def test_no_window_helps_where_a_recalled_answer_would_come_first() -> None:
    """A window of 1 message would begin with the user's, were no reply brought back."""
    messages = [Message("assistant" if at % 3 else "user", f"{at}") for at in range(18)]
    recalls = {turn: memviz.Recall(messages=[1]) for turn in range(2, 7)}
    window = memviz.strategy("window", window_size=2)
    run = memviz.replay(messages, window, recalls=recalls, counter="chars4")
    warning = expect(run, "assistant_first")
    assert warning.remedy.startswith("Choose a strategy")


def test_an_assistant_first_behind_a_summary_and_system_messages() -> None:
    """After message 3 a summary stands for two; what follows is the user's. After message 5 of 2 x 2 it is not."""
    assert not found(run_of(talk(3), "summary", buffer_size=1), "assistant_first")
    warning = expect(run_of(talk(3), "summary", buffer_size=2), "assistant_first")
    assert warning.turns == (3,)
    assert warning.remedy.startswith(
        "Choose a strategy that begins what it keeps with a message of the user"
    )
    note = Message("system", "note")
    window = run_of(
        [*talk(1)[:1], note, *talk(1)[1:], *talk(1)], "window", window_size=3
    )
    assert expect(window, "assistant_first").turns == (2,)
    only_input = run_of([*talk(1), note, *talk(1)], "window", window_size=2)
    assert not found(only_input, "assistant_first")


def test_a_recalled_answer_comes_first_where_no_history_is_sent() -> None:
    recalls = {3: memviz.Recall(messages=[1])}
    run = memviz.replay(
        talk(4), memviz.strategy("summary_only"), recalls=recalls, counter="chars4"
    )
    assert expect(run, "assistant_first").turns == (3,)


def test_a_message_that_was_left_out_is_not_first() -> None:
    """The call without a result is mended away, and stood between the note and the question."""
    call = {"id": "c", "function": {"name": "look", "arguments": "{}"}}
    messages = [
        Message("system", "note"),
        Message("assistant", "", tool_calls=(call,)),
        Message("user", "question"),
        Message("assistant", "answer"),
    ]
    mended, raw = (
        memviz.replay(
            messages,
            memviz.strategy("buffer"),
            counter="chars4",
            repair_tool_pairs=repair,
        )
        for repair in (True, False)
    )
    assert [m.role for m in mended.turns[0].context.messages] == ["system", "user"]
    assert not found(mended, "assistant_first")
    assert found(raw, "assistant_first")


def test_a_greeting_is_the_conversations_own() -> None:
    warning = expect(
        run_of([Message("assistant", "Hello"), *talk(2)], "buffer"), "assistant_first"
    )
    assert "greeting" in warning.remedy
    assert warning.turns == (1, 2)


# --- the counter ------------------------------------------------------------------------------------------


def test_a_counter_that_does_not_fit_the_language() -> None:
    texts = ["我想在里斯本租一套两居室的公寓，预算是每月一千五百欧元。" * 3] * 6
    messages = [
        Message(("user", "assistant")[at % 2], text) for at, text in enumerate(texts)
    ]
    o200k, chars4 = memviz.counter("o200k_base"), memviz.counter("chars4")
    expected, counted = sum(map(o200k, texts)), sum(map(chars4, texts))
    warning = expect(run_of(messages, "buffer"), "odd_counter")
    assert warning.numbers == (
        f"In a sample of 6 messages chars4 counts {counted} tokens and o200k_base {expected}: "
        f"{expected / counted:.1f} times too few."
    )
    assert (warning.severity, warning.turns_in_words) == ("bad", "")
    for counter in ("bytes4", "o200k_base"):
        assert not found(run_of(messages, "buffer", counter=counter), "odd_counter")


def words(factor: float) -> Callable[[str], int]:
    count = memviz.counter("o200k_base")
    return lambda text: round(count(text) * factor)


ENGLISH = [
    Message(
        ("user", "assistant")[at % 2], "We talked about the budget for Lisbon. " * 9
    )
    for at in range(30)
]


@for_each(
    ("factor", "severity"),
    [
        (0.45, "bad"),
        (0.6, "caution"),
        (0.75, None),
        (1.0, None),
        (1.45, None),
        (1.6, "caution"),
        (3.0, "caution"),
    ],
)
def test_from_which_factor_on_a_counter_is_odd(
    factor: float, severity: str | None
) -> None:
    warning = found(run_of(ENGLISH, "buffer", counter=words(factor)), "odd_counter")
    assert (warning.severity if warning else None) == severity


def test_the_estimates_fit_english() -> None:
    for counter in ("chars4", "bytes4", "cl100k_base"):
        assert not found(run_of(ENGLISH, "buffer", counter=counter), "odd_counter")


def test_only_a_sample_is_counted_anew() -> None:
    seen: list[str] = []

    def counter(text: str) -> int:
        seen.append(text)
        return 1

    run = run_of(
        [*ENGLISH * 10, Message("user", "y" * 10_000)], "buffer", counter=counter
    )
    seen.clear()
    assert expect(run, "odd_counter")
    assert len(seen) == 20
    assert sum(map(len, seen)) <= 5_000


def test_the_sample_is_spread_over_the_conversation() -> None:
    log = memviz.replay(talk(30), memviz.strategy("buffer")).log
    texts = [message.content for message in log]
    assert list(budgets.sample_texts(log)) == texts[::3]
    assert list(budgets.sample_texts(log.prefix(7))) == texts[:7]


def test_a_short_conversation_is_not_judged_by_its_rounding() -> None:
    assert not found(run_of(talk(2), "buffer", counter=lambda _: 100), "odd_counter")


def test_without_the_reference_nothing_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise CounterUnavailableError(name)

    run = run_of(ENGLISH, "buffer", counter=lambda _: 1)
    budgets._count_reference_tokens.cache_clear()
    monkeypatch.setattr(budgets, "counter", missing)
    assert not found(run, "odd_counter")
    budgets._count_reference_tokens.cache_clear()


# --- all together -----------------------------------------------------------------------------------------


def test_the_bad_ones_come_first() -> None:
    severities = [
        warning.severity
        for warning in health_warnings(
            run_of(talk(12), "summary", ["same"], buffer_size=1)
        )
    ]
    assert severities == sorted(severities)
    assert set(severities) == {"bad", "caution"}


def test_a_chat_that_has_not_begun_is_healthy() -> None:
    assert (
        health_warnings(
            memviz.Chat(memviz.strategy("summary"), model=ScriptedModel([])).run
        )
        == ()
    )


@for_each(
    ("turns", "text"),
    [
        ((), ""),
        ((3,), "turn 3"),
        ((3, 5), "turns 3 and 5"),
        ((1, 2, 3, 1_004), "turns 1, 2, 3 and 1,004"),
        ((1, 2, 3, 4, 9), "5 turns from 1 to 9"),
    ],
)
def test_turns_in_words(turns: tuple[int, ...], text: str) -> None:
    assert HealthWarning("k", "t", "n", "w", "r", turns).turns_in_words == text


def test_what_the_user_reworded_is_no_summarization() -> None:
    chat = memviz.Chat(
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(["yes"] * 40),
        summarizer=ScriptedModel(["s"]),
    )
    while not chat.run.summaries:
        chat.send("a question about the trip")
    before = health_warnings(chat.run)
    for number in range(12):
        version = chat.summaries_in_force[0].version
        chat.edit_summary(
            version,
            f"a wording far longer than all that it stands for, number {number}",
        )
    chat.undo_summary()
    assert health_warnings(chat.run) == before


def looked_up(*said: str, **parameters: int) -> dict[str, HealthWarning]:
    """The warnings about what was looked up for each of these questions, which were answered without their words."""
    talk = [
        message
        for text in said
        for message in (Message("user", text), Message("assistant", "Noted."))
    ]
    small = {"newest_messages": 1, "neighbours": 0, "top_k": 1, **parameters}
    run = memviz.replay(talk, memviz.strategy("retrieval", **small), counter="chars4")
    return {warning.kind: warning for warning in health_warnings(run)}


def test_a_question_that_finds_itself_is_warned_of_from_a_quarter_of_the_requests() -> (
    None
):
    again = ["Where is the key?", "Where is the key?"]
    others = ["The ship left the harbour.", "Which ship was it?"]
    more = [f"{word} and sails." for word in ("Masts", "Hulls", "Decks", "Keels")]
    assert "own_question" in looked_up(*others, *more[:3], *again)
    assert "own_question" not in looked_up(*others, *more, *again)
    assert "answers stand beside" in looked_up(*again)["own_question"].remedy
    # A message that says more than the question is what is looked for.
    assert "own_question" not in looked_up("The key is red.", "Where is the key?")


def test_a_find_without_its_answer_is_warned_of_and_neighbours_mend_it() -> None:
    talk = ["The key is red.", "Where is the key?"]
    assert "missing_neighbour" in looked_up(*talk)
    assert "missing_neighbour" not in looked_up(*talk, neighbours=1)


def test_a_turn_that_is_brought_back_again_and_again_is_warned_of_from_8_requests() -> (
    None
):
    talk = ["The keys, keys and keys."] + [
        f"The keys, {word}?" for word in "abcdefghijkl"
    ]
    found = looked_up(*talk[:9])["same_turn"]
    assert "turn 1." in found.numbers
    assert "same_turn" not in looked_up(*talk[:8])


def test_a_turn_counts_as_repeated_from_three_quarters_of_the_requests() -> None:
    keys = [f"The keys, {word}?" for word in "abcdef"]
    ships = [f"The ship, {word}?" for word in "ghi"]
    first = ["The keys, keys and keys.", "The ship, ship and ship."]
    found = looked_up(*first, *keys, *ships[:2])["same_turn"]
    assert found.numbers.startswith("6 of 8 requests")
    assert "same_turn" not in looked_up(*first, *keys[:5], *ships)
