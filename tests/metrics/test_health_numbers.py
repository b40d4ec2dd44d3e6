"""Every number in every warning, and whether there is one, against counting anew from the messages sent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import floor
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from memviz import Message, Run, ToolCall
from memviz.core.text.words import count_content_words
from memviz.dashboard.words.health import health_warnings
from memviz.metrics.health.budgets import REFERENCE
from memviz.metrics.requests.traffic import count_traffic
from memviz.models.names import DEFAULT_MODEL
from memviz.models.prices import context_window_tokens
from memviz.strategies.library import LibraryStrategy
from memviz.tuning.pricing_assumptions import PricingAssumptions
from tests.engine.probes import IDS, small
from tests.strategies.conversations import COUNTERS, conversations, outcomes, summarizer
from tests.tables import for_each

WINDOW_TOKENS = context_window_tokens(DEFAULT_MODEL) or 0
Found = list[str] | None
"""The numbers that a warning has to say, in order; ``None`` for no warning."""
BUDGETS = {
    "token_buffer": "max_tokens", "summary_buffer": "max_token_limit", "chat_summary_buffer": "token_limit",
    "fifo_facts": "history_limit", "observations": "observe_tokens", "memory_blocks": "newest_tokens",
}  # fmt: skip
LIMITS_IN_MESSAGES: dict[str, Callable[[Any], int]] = {
    "summary": lambda strategy: 2 * strategy.buffer_size,
    "working_memory": lambda strategy: strategy.every_messages,
}
COUNT_NOTES = ("chat_summary_buffer",)


def say(*values: int) -> list[str]:
    return [f"{value:,}" for value in values]


def first_of_most(values: list[int]) -> int:
    return values.index(max(values))


class Recount:
    """Counts a run again from its requests as materialized, its log and its summaries' texts."""

    def __init__(self, run: Run, calls: int) -> None:
        self.run, self.calls, self.count, self.id = (
            run,
            calls,
            run.counter,
            run.strategy.id,
        )
        self.budget = (
            getattr(run.strategy, BUDGETS[self.id]) if self.id in BUDGETS else None
        )
        self.done = [c for c in run.compactions if c.error is None]
        self.requests = [record.context for record in run.requests]

    def size(self, turn: int, *kinds: str) -> int:
        """Tokens of the blocks of these kinds in a request (0-based)."""
        texts = [
            m.content
            for block in self.requests[turn].blocks
            if block.kind in kinds
            for m in block.messages
        ]
        return sum(map(self.count, texts))

    def named(self, number: int) -> list[str]:
        """The turn of a request (0-based), and where its turn took several calls which of them it is."""
        record = self.run.requests[number]
        calls = sum(one.turn == record.turn for one in self.run.requests)
        return say(record.turn, *([record.call] if calls > 1 else []))

    def text(self, version: int | None) -> str:
        return self.run.summaries[version - 1].text if version else ""

    def failed_summarization(self) -> Found:
        failed = [c for c in self.run.compactions if c.error is not None]
        return say(len(failed), self.calls) if failed else None

    def orphaned_tool_message(self) -> Found:
        orphaned = self.run.frame()["flags"].str.contains("orphaned").sum()
        return say(orphaned, len(self.requests)) if orphaned else None

    def over_budget(self) -> Found:
        kinds = (
            ("history", "input", "summary")
            if self.id in COUNT_NOTES
            else ("history", "input")
        )
        sizes = [self.size(at, *kinds) for at in range(len(self.requests))]
        over = [
            at
            for at, size in enumerate(sizes)
            if self.budget is not None and size > self.budget
        ]
        if not over or self.budget is None:
            return None
        alone = sum(self.size(at, "input") > self.budget for at in over)
        worst = first_of_most(sizes)
        said = say(
            len(over),
            len(sizes),
            self.budget,
            *([alone] if alone else []),
            sizes[worst],
        )
        return said + self.named(worst)

    def large_summary(self) -> Found:
        sizes = [self.size(at, "summary") for at in range(len(self.requests))]
        factor = 2 if self.id in COUNT_NOTES else 1
        large = [
            size
            for size in sizes
            if self.budget is not None and size * factor > self.budget
        ]
        if not large or self.budget is None:
            return None
        worst = first_of_most(sizes)
        return say(len(large), len(sizes), self.budget, sizes[worst]) + self.named(
            worst
        )

    def kept_above_trigger(self) -> Found:
        if (
            self.id
            not in ("summary_buffer", "fifo_facts", "observations", "memory_blocks")
            or self.budget is None
        ):
            return None
        # Notes that are condensed take no message out.
        taking = [c for c in self.done if c.keep_from > c.before.cursor]
        kept = [
            sum(
                self.count(m.content)
                for m in self.run.log[c.keep_from : c.after_message + 1]
            )
            for c in taking
        ]
        above = [size for size in kept if size > self.budget]
        if not above:
            return None
        worst = first_of_most(kept)
        return say(
            len(above),
            len(kept),
            self.budget,
            kept[worst],
            taking[worst].after_message + 1,
        )

    def larger_summary(self) -> Found:
        written = [c for c in self.done if c.summary is not None and not c.is_fixed]
        grown = []
        for c in written:
            old = [self.text(c.replaces)] if c.replaces else []
            calls = [
                t
                for p in c.summarized
                for call in self.run.log[p].tool_calls
                for t in (call.name, call.arguments)
            ]
            before = sum(
                map(
                    self.count,
                    [*(self.run.log[p].content for p in c.summarized), *calls, *old],
                )
            )
            grown.append((self.count(str(c.summary)), before, c.after_message + 1))
        larger = [item for item in grown if item[0] > item[1]]
        if not larger:
            return None
        tokens, before, message = larger[
            first_of_most([new - old for new, old, _ in larger])
        ]
        return say(len(larger), len(written), message, tokens, before)

    def unchanged_summary(self) -> Found:
        renewed = [
            c
            for c in self.done
            if c.replaces and not c.is_fixed and c.track == "summary"
        ]
        same = [c for c in renewed if c.summary == self.text(c.replaces)]
        if not same or len(same) * 4 < len(renewed):
            return None
        return say(len(same), len(renewed), sum(len(c.summarized) for c in same))

    def thrash(self) -> Found:
        rows = [
            (r, [c for c in r.compactions if c.summary is not None and not c.is_fixed])
            for r in self.run.requests
        ]
        first = next((at for at, (_, written) in enumerate(rows) if written), len(rows))
        since = rows[first:]
        busy = sum(bool(written) for _, written in since)
        if (
            self.id in ("recent_only", "summary_only", "facts_store", "fact_graph")
            or len(since) < 4
            or busy * 4 < 3 * len(since)
        ):
            return None
        written = [c for _, some in since for c in some]
        if self.id in (
            "threshold_summary",
            "pipeline",
            "hand_off",
            "summary_tree",
        ) or isinstance(
            self.run.strategy, LibraryStrategy
        ):  # whose room is of one unit or another, or of none
            return [*say(len(written), len(since)), f"{len(since) / len(written):.1f}"]
        gaps = [
            0
            if self._is_condensed_next(c)
            else self.room(c.keep_from, c.after_message + 1, str(c.summary))
            for c in written
        ]
        start, stop = since[0][0].memory.length, since[-1][0].memory.length
        taken = [
            1 if self.id in LIMITS_IN_MESSAGES else self.count(m.content)
            for m in self.run.log[start:stop]
        ]
        means = [
            f"{sum(gaps) / len(gaps):,.0f}",
            f"{sum(taken) / (len(since) - 1):,.0f}",
        ]
        return [
            *say(len(written), len(since)),
            f"{len(since) / len(written):.1f}",
            *means,
        ]

    def room(self, start: int, stop: int, summary: str) -> int:
        if self.id in LIMITS_IN_MESSAGES:
            most = LIMITS_IN_MESSAGES[self.id](self.run.strategy)
            return max(1, most + 1 - (stop - start))
        used = sum(self.count(m.content) for m in self.run.log[start:stop])
        leads = start < stop and self.run.log[start].role not in ("assistant", "tool")
        used += (
            self.count(summary) if self.id == "chat_summary_buffer" and not leads else 0
        )
        limit = getattr(self.run.strategy, "history_limit", self.budget)
        return max(0, int(limit or 0) + 1 - used)

    def _is_condensed_next(self, one: memviz.Compaction) -> bool:
        """Whether the notes are so long that they are written anew at once."""
        most = getattr(self.run.strategy, "reflect_tokens", None)
        is_new = one.keep_from > one.before.cursor
        return most is not None and is_new and self.count(str(one.summary)) > most

    def growth(self) -> Found:
        part = {"buffer": "history", "clear_tool_results": "history"}.get(self.id)
        part = "summary" if self.id in ("recent_only", "summary_only") else part
        sizes = (
            [self.size(at, part) for at in range(len(self.requests))] if part else []
        )
        if (
            len(sizes) < 8
            or sizes != sorted(sizes)
            or sizes[-1] == sizes[len(sizes) // 2]
        ):
            return None
        pace = (sizes[-1] - sizes[0]) / (len(sizes) - 1)
        grew = [
            *say(sizes[0], sizes[-1]),
            *self.named(0),
            *self.named(-1),
            f"{pace:,.0f}",
        ]
        sent = [self._sent(request.messages) for request in self.requests[-20:]]
        middle, mean = Fraction(len(sent) - 1, 2), Fraction(sum(sent), len(sent))
        slope = sum((at - middle) * (size - mean) for at, size in enumerate(sent))
        slope /= sum((at - middle) ** 2 for at in range(len(sent)))
        if slope <= 0:
            return grew
        place = (
            middle + (WINDOW_TOKENS - mean) / slope
        )  # where the line is at the window
        more = max(1, floor(place) + 1 - (len(sent) - 1))
        turn = [] if self.run.has_calls else [self.run.turns[-1].turn + more]
        return [
            *grew,
            *say(WINDOW_TOKENS),
            "5",
            *say(more, *turn, len(sent)),
        ]  # of gpt-5-mini

    def _sent(self, messages: Sequence[Message]) -> int:
        calls = [call for m in messages for call in m.tool_calls]
        texts = [m.content for m in messages] + [m.name for m in messages if m.name]
        texts += [text for call in calls for text in (call.name, call.arguments)]
        named = sum(
            1 for m in messages if m.name
        )  # a name costs a token more than its text
        return sum(map(self.count, texts)) + named + 4 * len(messages) + 3

    def assistant_first(self) -> Found:
        spoken = [
            [m.role for m in request.messages if m.role != "system"]
            for request in self.requests
        ]
        first = sum(roles[:1] == ["assistant"] for roles in spoken)
        return say(first, len(spoken)) if first else None

    def _brought_back(self) -> Iterator[tuple[int, set[int]]]:
        """The numbers of the requests of which the strategy looked something up, and the positions of that."""
        for number, request in enumerate(self.requests):
            found = {
                position
                for block in request.blocks
                if block.kind == "recalled"
                for position in block.indices
            }
            if found and self.id in ("retrieval", "memory_blocks"):
                yield number, found

    def own_question(self) -> Found:
        rows = list(self._brought_back())
        echoes = []
        for number, found in rows:
            asked = [
                m.content
                for block in self.requests[number].blocks
                if block.kind == "input"
                for m in block.messages
                if m.role == "user"
            ]
            question = set(count_content_words("\n".join(asked)))
            said = [set(count_content_words(self.run.log[p].content)) for p in found]
            echoes.append(sum(not one - question for one in said))
        echoed = sum(map(bool, echoes))
        if not echoed or echoed * 4 < len(rows):
            return None
        return say(echoed, len(rows), sum(echoes))

    def missing_neighbour(self) -> Found:
        alone = all_found = 0
        for number, found in self._brought_back():
            word_for_word = [
                block
                for block in self.requests[number].blocks
                if block.kind != "summary"
            ]
            sent = {p for block in word_for_word for p in block.indices}
            for position in found:
                all_found += 1
                message = self.run.log[position]
                other = position + (1 if message.role == "user" else -1)
                if not self.run.space.system_stop <= other < len(self.run.log):
                    continue
                roles = {
                    message.role: message,
                    self.run.log[other].role: self.run.log[other],
                }
                is_pair = roles.keys() == {"user", "assistant"}
                if is_pair and not roles["assistant"].tool_calls:
                    alone += other not in sent
        return say(alone, all_found) if alone and alone * 2 >= all_found else None

    def same_turn(self) -> Found:
        rows = list(self._brought_back())
        times: dict[int, int] = {}
        for _, found in rows:
            for turn in {self.run.log.turn_number(p) for p in found} - {0}:
                times[turn] = times.get(turn, 0) + 1
        most = max(times.values(), default=0)
        if len(rows) < 8 or not most:
            return None
        turn = min(turn for turn, count in times.items() if count == most)
        return say(most, len(rows), turn) if most * 4 >= len(rows) * 3 else None

    def odd_counter(self) -> Found:
        texts = [m.content for m in self.run.log if m.content]
        picked = [
            texts[int(at * len(texts) / min(20, len(texts)))]
            for at in range(min(20, len(texts)))
        ]
        beginnings = [text[:250] for text in picked]
        here, there = (
            sum(map(count, beginnings))
            for count in (self.count, memviz.counter(REFERENCE))
        )
        if there < 50 or 2 / 3 < here / there < 3 / 2:
            return None
        return [
            *say(len(beginnings), here, there),
            f"{max(here / there, there / here):.1f}",
        ]


KINDS = [
    name
    for name in vars(Recount)
    if name not in ("size", "named", "text", "room") and not name.startswith("_")
]


def numbers_in(sentence: str) -> list[str]:
    sentence = re.sub(
        r"o200k_base|chars4", "", sentence.partition(" The first said:")[0]
    )
    return re.findall(r"\d+(?:,\d{3})*(?:\.\d)?", sentence)


def costs_more(run: Run, whole: Run) -> bool:
    """Whether the requests of one run cost 1 % more than those of the other, in dollars under a prompt cache."""
    usd, whole_usd = (
        PricingAssumptions.of(DEFAULT_MODEL).cost(count_traffic(one)).main_usd or 0.0
        for one in (run, whole)
    )
    return usd > 0 and usd >= 1.01 * whole_usd


def check(
    messages: list[Message], id: str, plan: list[str], counter: str, prompt: str | None
) -> set[str]:
    """Compare all warnings of a run with the recount; returns their kinds."""
    model = summarizer(plan)
    run = memviz.replay(
        messages, small(id), model=model, counter=counter, system_prompt=prompt
    )
    recount = Recount(run, len(model.requests) - sum(one.asked for one in run.foreseen))
    wanted = {
        kind: numbers
        for kind in KINDS
        if (numbers := getattr(recount, kind)()) is not None
    }
    wanted = (
        wanted if run.requests else {}
    )  # nobody answered yet: there is nothing to warn of
    warnings = health_warnings(run)
    said = {warning.kind: numbers_in(warning.numbers) for warning in warnings}
    if id in ("clear_tool_results", "langchain_context_editing"):
        whole = memviz.replay(
            messages, memviz.strategy("buffer"), counter=counter, system_prompt=prompt
        )
        assert (said.pop("dear_clearing", None) is not None) == costs_more(run, whole)
    if id == "pipeline":
        # Its other steps make its requests no full buffer with results cleared, so no run is
        # at hand that sends the same ones whole.
        said.pop("dear_clearing", None)
    if id in ("threshold_summary", "pipeline", "hand_off") and "thrash" in said:
        said["thrash"] = said["thrash"][:3]
    assert said == wanted
    turns = {record.turn for record in run.turns} | {
        compaction.turn for compaction in run.compactions
    }
    turns |= (
        {run.pending.turn} if run.pending else set()
    )  # what was summarized last is first sent there
    for warning in warnings:
        assert list(warning.turns) == sorted(set(warning.turns) & turns)
        assert all((warning.title, warning.why, warning.remedy))
    restored = Run.from_dict(run.to_dict())
    assert health_warnings(restored) == warnings
    return set(wanted)


def little_to_clear() -> list[Message]:
    """An empty result is replaced by more tokens than it had, and the cache ends there: clearing it costs more."""
    calls = [
        (ToolCall(f"call{number}", "look_up", '{"q": "rain"}'),) for number in range(2)
    ]
    return [
        Message("user", ""),
        Message("assistant", ""),
        Message("user", ""),
        Message("assistant", "", tool_calls=calls[0]),
        Message("tool", "", tool_call_id="call0"),
        Message("assistant", ""),
        Message("user", ""),
        Message("assistant", "", tool_calls=calls[1]),
        Message("tool", "m8 budget Lisbon naïve 搬家 42 the cat", tool_call_id="call1"),
        Message("assistant", ""),
    ]


def test_a_clearing_that_makes_requests_longer_says_so() -> None:
    run = memviz.replay(
        little_to_clear(), small("clear_tool_results"), counter="o200k_base"
    )
    (dear,) = (one for one in health_warnings(run) if one.kind == "dear_clearing")
    assert dear.numbers.startswith(
        "1 clearing added 4 tokens to the requests and broke "
    )


@example(messages=little_to_clear(), plan=["good"], counter="o200k_base", prompt=None)
@given(
    messages=conversations(60),
    plan=outcomes,
    counter=st.sampled_from(COUNTERS),
    prompt=st.sampled_from([None, "Be brief."]),
)
@for_each("id", IDS)
def test_every_number_is_what_counting_again_gives(
    id: str, messages: list[Message], plan: list[str], counter: str, prompt: str | None
) -> None:
    check(messages, id, plan, counter, prompt)


def talks() -> Iterator[tuple[str, Callable[[int], Message]]]:
    """Conversations that provoke every kind of warning."""
    role = ("user", "assistant")
    yield "short", lambda at: Message(role[at % 2], f"word {at}")
    yield (
        "the same question",
        lambda at: Message(role[at % 2], ("Key?" + " Key." * (not at), "Hm.")[at % 2]),
    )
    yield (
        "long",
        lambda at: Message(
            role[at % 2], f"some words and a number {at} " * (1 + at % 9)
        ),
    )
    yield (
        "chinese",
        lambda at: Message(role[at % 2], f"我想在里斯本租一套两居室的公寓{at}" * 3),
    )
    call = {"id": "c", "function": {"name": "look_up", "arguments": "{}"}}
    yield (
        "tools",
        lambda at: (
            Message("user", f"question {at}"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", f"result {at}", tool_call_id="c"),
            Message("assistant", f"answer {at}"),
        )[at % 4],
    )


@pytest.mark.slow
def test_every_kind_of_warning_is_met_and_counted_right() -> None:
    met: set[str] = set()
    for _, message in talks():
        messages = [message(at) for at in range(40)]
        for id in IDS:
            for plan in (["good"], ["long"], ["raise", "good"]):
                met |= check(messages, id, plan, "chars4", None)
    met.add("unchanged_summary")  # these summaries all differ
    assert not set(KINDS) - met, "no conversation of talks() has it: add one that does"
    assert met <= set(KINDS)
