"""The memory value and the log of summaries, against counting and following everything again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Log, Message
from memviz.core.counters import COUNTERS, AnyCounter, Counter
from memviz.core.memory import Memory
from memviz.core.summaries import SummaryLog, SummaryVersion
from memviz.engine.setting import Setting, new_space
from tests.engine.probes import SUMMARIZING, small, talk
from tests.tables import for_each

SPACES = [" ", "  ", "\n", "\n\n", "\r\n", "\t", "\u3000", "\u00a0", "\u2028"]
SIGNS = [
    "'s",
    "42",
    "/",
    "[",
    "]",
    "...",
    "!?",
    "=",
    "\u200b",
    "\U0001f600",
    "\U0001f469\u200d\U0001f467",
]
PIECES = ["word", "two words", " and more", "naïve", "搬家", "が", *SIGNS, *SPACES]
odd_texts = st.one_of(
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=8).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12),
)
written_texts = odd_texts.filter(str.strip).map(
    str.strip
)  # the engine strips what a summarizer wrote


def summary(
    version: int,
    text: str = "s",
    covers: range | None = None,
    added: range | None = None,
    replaces: int | None = None,
) -> SummaryVersion:
    covers = range(version - 1, version) if covers is None else covers
    return SummaryVersion(
        version=version,
        turn=version,
        text=text,
        covers=covers,
        added=covers if added is None else added,
        counter=memviz.counter("chars4"),
        replaces=replaces,
    )


def summary_log(
    strategy: memviz.Strategy, counter: AnyCounter, versions: list[SummaryVersion]
) -> SummaryLog:
    log = new_space(Log(), Setting(strategy, memviz.counter(counter))).summaries
    for version in versions:
        log.append(version)
    return log


# One strategy for each way in which summaries read inside a request.
FORMATS = {
    summary_log(cls(), "chars4", [summary(1)]).text(0, 1): id
    for id, cls in memviz.strategies().items()
}


class TestTokens:
    @pytest.mark.parametrize("counter", list(COUNTERS))
    @pytest.mark.parametrize("id", list(FORMATS.values()))
    @given(texts=st.lists(written_texts, min_size=1, max_size=5), data=st.data())
    def test_are_those_of_the_text(
        self, id: str, counter: str, texts: list[str], data: st.DataObject
    ) -> None:
        strategy = memviz.strategy(id)
        log = summary_log(
            strategy,
            counter,
            [summary(i, text) for i, text in enumerate(texts, start=1)],
        )
        start = data.draw(st.integers(0, len(texts) - 1))
        stop = data.draw(
            st.integers(
                start + 1, len(texts) if strategy.summary_heading else start + 1
            )
        )
        assert log.tokens(start, stop) == memviz.counter(counter)(log.text(start, stop))

    @given(texts=st.lists(odd_texts, min_size=1, max_size=4))
    @for_each("counter", list(COUNTERS))
    @for_each("id", SUMMARIZING)
    def test_of_every_request_are_those_of_its_summary_message(
        self, id: str, counter: str, texts: list[str]
    ) -> None:
        run = memviz.replay(
            talk(6), small(id), model=memviz.ScriptedModel(texts * 20), counter=counter
        )
        for record in run.turns:
            block = record.context.block("summary")
            sent = "" if block is None else block.messages[0].content
            assert record.tokens["summary"] == (
                memviz.counter(counter)(sent) if sent else 0
            )

    @for_each("id", ["summary", "summary_only"])
    def test_of_no_versions_are_none(self, id: str) -> None:
        log = summary_log(memviz.strategy(id), "chars4", [summary(1)])
        assert [log.tokens(at, at) for at in (0, 1)] == [0, 0]

    @for_each("counter", list(COUNTERS))
    def test_of_a_very_long_list_are_right_but_for_the_slices_that_a_tokenizer_takes(
        self, counter: str
    ) -> None:
        texts = [
            f"Turn {i} was about 搬家 and {i * 37} euros; nothing was decided. " * 200
            for i in range(12)
        ]
        versions = [summary(i, text.strip()) for i, text in enumerate(texts, start=1)]
        log, count = (
            summary_log(memviz.strategy("summary_only"), counter, versions),
            memviz.counter(counter),
        )
        assert log.tokens(0, 12) == pytest.approx(count(log.text(0, 12)), rel=1e-4)

    def test_of_a_counter_of_ones_own_that_adds_up_are_right(self) -> None:
        def words(text: str) -> int:
            return len(text.split())

        log = summary_log(
            memviz.strategy("summary_only"),
            words,
            [summary(i, "two words " * i) for i in (1, 2, 3)],
        )
        assert [log.tokens(0, stop) for stop in (1, 2, 3)] == [
            words(log.text(0, stop)) for stop in (1, 2, 3)
        ]

    def test_of_a_growing_list_are_known_without_counting_it_again(self) -> None:
        seen: list[int] = []
        counter = Counter("probe", lambda text: seen.append(len(text)) or len(text))
        text = "What was said in this turn. " * 20
        log = summary_log(
            memviz.strategy("summary_only"),
            counter,
            [summary(i, text) for i in range(1, 51)],
        )
        for length in range(1, 51):
            log.tokens(0, length)
        assert sum(seen) <= 4 * len(log.text(0, 50))


class TestText:
    def test_of_a_list_is_the_heading_and_one_entry_a_turn(self) -> None:
        log = summary_log(
            memviz.strategy("summary_only"),
            "chars4",
            [summary(1, "a"), summary(2, "b")],
        )
        assert (
            log.text(0, 2)
            == "=== ACCUMULATED MEMORY SUMMARIES ===\n[Turn 1] a\n[Turn 2] b"
        )
        assert log.text(1, 2) == "=== ACCUMULATED MEMORY SUMMARIES ===\n[Turn 2] b"

    @for_each(
        ("id", "text"),
        [
            ("summary", "Summary of earlier conversation: b"),
            ("chat_summary_buffer", "b"),
        ],
    )
    def test_of_a_running_summary_is_its_entry(self, id: str, text: str) -> None:
        log = summary_log(
            memviz.strategy(id),
            "chars4",
            [summary(1, "a"), summary(2, "b", replaces=1)],
        )
        assert log.text(1, 2) == text


class TestListsWithEditsAndUndos:
    @pytest.mark.parametrize("counter", ["o200k_base", "chars4"])
    @given(data=st.data())
    def test_a_block_shows_what_is_in_force_in_the_order_of_the_turns(
        self, counter: str, data: st.DataObject
    ) -> None:
        """Against a plain dictionary of turns: add the next turn, edit one, or undo the last change."""
        in_force: dict[int, SummaryVersion] = {}
        history: list[tuple[int, dict[int, SummaryVersion]]] = []
        log, newest = summary_log(memviz.strategy("summary_only"), counter, []), 0
        for step in data.draw(
            st.lists(st.sampled_from(["add", "edit", "undo"]), min_size=1, max_size=9)
        ):
            if step == "undo":
                newest, in_force = history.pop() if history else (newest, in_force)
            elif step == "add" or in_force:
                history.append((newest, in_force))
                turn = (
                    max(in_force, default=0) + 1
                    if step == "add"
                    else data.draw(st.sampled_from(sorted(in_force)))
                )
                text, place = data.draw(written_texts), range(turn, turn + 1)
                newest_version = SummaryVersion(
                    len(log) + 1,
                    turn,
                    text,
                    place,
                    place,
                    memviz.counter(counter),
                    follows=newest,
                )
                log.append(newest_version)
                newest, in_force = len(log), {**in_force, turn: newest_version}
            assert log.in_block(0, newest) == [
                in_force[turn] for turn in sorted(in_force)
            ]
            assert [part for part in log.covered(0, newest) if part] == (
                [range(1, len(in_force) + 1)]
                if in_force and len(log.covered(0, newest)) == 1
                else [in_force[turn].covers for turn in sorted(in_force)]
            )
            if in_force:
                lines = [
                    f"[Turn {turn}] {in_force[turn].text}" for turn in sorted(in_force)
                ]
                assert log.text(0, newest) == "\n".join(
                    ["=== ACCUMULATED MEMORY SUMMARIES ===", *lines]
                )
                assert log.tokens(0, newest) == memviz.counter(counter)(
                    log.text(0, newest)
                )


@st.composite
def lists_of_entries(draw: st.DrawFn) -> list[SummaryVersion]:
    """Entries of an accumulating list: one range after the other, here and there with a gap."""
    versions, at = list[SummaryVersion](), 0
    for number in range(1, draw(st.integers(1, 8)) + 1):
        start = at + draw(st.sampled_from([0, 0, 2]))
        at = start + draw(st.integers(1, 3))
        versions.append(summary(number, covers=range(start, at)))
    return versions


@st.composite
def chains(draw: st.DrawFn) -> list[SummaryVersion]:
    """Summaries of which each takes in an earlier one, or starts anew."""
    versions, at = list[SummaryVersion](), 0
    for number in range(1, draw(st.integers(1, 8)) + 1):
        added = range(at, at + draw(st.integers(1, 3)))
        replaces = draw(st.sampled_from([None, *range(1, number)]))
        start = versions[replaces - 1].covers.start if replaces else added.start
        at = added.stop
        versions.append(summary(number, "s", range(start, at), added, replaces))
    return versions


class TestCovered:
    @given(versions=lists_of_entries(), data=st.data())
    def test_is_what_the_versions_cover_together(
        self, versions: list[SummaryVersion], data: st.DataObject
    ) -> None:
        log = summary_log(memviz.strategy("summary_only"), "chars4", versions)
        start = data.draw(st.integers(0, len(versions)))
        stop = data.draw(st.integers(start, len(versions)))
        expected = [
            position for version in versions[start:stop] for position in version.covers
        ]
        covered = log.covered(start, stop)
        assert [position for part in covered for position in part] == expected
        if expected == list(range(len(expected))):
            assert len(covered) <= 1, "a list without gaps is one range"

    @given(versions=chains(), data=st.data())
    def test_of_a_chain_holds_no_other_message(
        self, versions: list[SummaryVersion], data: st.DataObject
    ) -> None:
        log = summary_log(memviz.strategy("summary"), "chars4", versions)
        start = data.draw(st.integers(0, len(versions) - 1))
        stop = data.draw(st.integers(start + 1, len(versions)))
        together = {
            position for version in versions[start:stop] for position in version.covers
        }
        assert {
            position for part in log.covered(start, stop) for position in part
        } == together
        assert [log.covered(i, i + 1) for i in range(len(versions))] == [
            (version.covers,) for version in versions
        ]


class TestPrefix:
    @given(versions=lists_of_entries(), data=st.data())
    def test_is_a_log_of_its_own_with_the_first_versions(
        self, versions: list[SummaryVersion], data: st.DataObject
    ) -> None:
        strategy = memviz.strategy("summary_only")
        log = summary_log(strategy, "o200k_base", versions)
        length = data.draw(st.integers(0, len(versions)))
        prefix, anew = (
            log.prefix(length),
            summary_log(strategy, "o200k_base", versions[:length]),
        )
        prefix.append(summary(length + 1, "another way to go on"))
        anew.append(summary(length + 1, "another way to go on"))
        assert (len(prefix), prefix.versions, len(log)) == (
            length + 1,
            anew.versions,
            len(versions),
        )
        assert [prefix.tokens(0, i) for i in range(length + 2)] == [
            anew.tokens(0, i) for i in range(length + 2)
        ]
        assert prefix.covered(0, length + 1) == anew.covered(0, length + 1)


class TestMemory:
    CALL = Message("assistant", "", tool_calls=({"id": "c", "name": "look"},))
    MESSAGES = (
        Message("system", "s" * 8),
        Message("user", "u" * 40),
        CALL,
        Message("tool", "t" * 12, tool_call_id="c"),
        Message("assistant", "a" * 20),
        Message("user", "u" * 4),
    )

    def memory(self, length: int, summary_count: int = 0, cursor: int = 0) -> Memory:
        setting = Setting(memviz.strategy("summary"), memviz.counter("chars4"))
        space = new_space(Log(self.MESSAGES), setting)
        for number in (1, 2):
            space.summaries.append(summary(number, f"summary {number}"))
        return Memory(space, length, summary_count, cursor)

    def test_counts_what_is_not_summarized(self) -> None:
        memory = self.memory(5, 1, cursor=2)
        assert (memory.pending, memory.pending_tokens) == (3, 1 + 3 + 5)
        assert memory.messages(range(3, 5)) == list(self.MESSAGES[3:5])

    def test_knows_only_its_own_summaries(self) -> None:
        memories = [self.memory(5, count) for count in (0, 1, 2)]
        assert [memory.summary and memory.summary.text for memory in memories] == [
            None,
            "summary 1",
            "summary 2",
        ]
        assert [memory.newest_summary for memory in memories] == [
            range(0),
            range(1),
            range(1, 2),
        ]
        assert [memory.all_summaries for memory in memories] == [
            range(0),
            range(1),
            range(2),
        ]

    def test_reads_turn_and_input_off_its_own_length(self) -> None:
        memories = [self.memory(length) for length in range(len(self.MESSAGES) + 1)]
        assert [memory.turn for memory in memories] == [0, 0, 1, 1, 1, 1, 2]
        assert [tuple(memory.input) for memory in memories] == [
            (),
            (),
            (1,),
            (),
            (3,),
            (),
            (5,),
        ]
        assert [memory.before_input for memory in memories] == [0, 1, 1, 3, 3, 5, 5]
        assert [memory.is_turn_open for memory in memories] == [
            False,
            False,
            True,
            True,
            True,
            False,
            True,
        ]
        assert [memory.before_open_turn for memory in memories] == [0, 1, 1, 1, 1, 5, 5]

    def test_grows_without_changing(self) -> None:
        before = self.memory(3, 1, cursor=2)
        after = before.appended(4)
        assert (after.length, after.summary_count, after.cursor, before.length) == (
            4,
            1,
            2,
            3,
        )
        assert after.space is before.space
