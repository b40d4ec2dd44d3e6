"""Runs: lossless JSON, fates, generations and the table."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Fate, Message, Recall, Reply, Run, ScriptedModel, Usage
from tests.engine.probes import REPRESENTATIVES, Digest, sent, small, talk
from tests.same_runs import contents
from tests.strategies.conversations import COUNTERS, conversations, outcomes, summarizer
from tests.tables import for_each

every_kind = for_each("id", REPRESENTATIVES)


def through_json(run: Run) -> Run:
    return Run.from_dict(json.loads(json.dumps(run.to_dict())))


def assert_same(run: Run, copy: Run) -> None:
    assert contents(copy) == contents(run)
    assert copy.to_dict() == run.to_dict()
    assert copy.strategy == run.strategy
    assert (copy.counter, copy.system_prompt) == (run.counter, run.system_prompt)
    assert list(copy.log) == list(run.log)
    assert sent(copy) == sent(run)
    assert [record.context.blocks for record in copy.turns] == [
        record.context.blocks for record in run.turns
    ]
    assert copy.turns == run.turns
    assert copy.compactions == run.compactions
    assert [c.prompt for c in copy.compactions] == [c.prompt for c in run.compactions]
    assert copy.summaries == run.summaries
    assert copy.fates().tolist() == run.fates().tolist()
    assert copy.generations().tolist() == run.generations().tolist()
    assert copy.frame().equals(run.frame())


def test_pictures_do_not_push_out_numbers() -> None:
    run, worked_out = memviz.replay(talk(2), memviz.strategy("buffer")), list[int]()
    for _ in range(2):
        run.once("number", lambda: worked_out.append(1))
        for picture in range(100):
            run.once(picture, lambda: None, is_picture=True)
    assert worked_out == [1]


class TestJson:
    @given(
        messages=conversations(),
        plan=outcomes,
        counter=st.sampled_from(COUNTERS),
        prompt=st.sampled_from([None, "Be kind."]),
        recalled=st.none() | st.integers(-1, 20),
    )
    @every_kind
    def test_there_and_back_is_the_same_run(
        self,
        id: str,
        messages: list[Message],
        plan: list[str],
        counter: str,
        prompt: str | None,
        recalled: int | None,
    ) -> None:
        recalls = (
            {}
            if recalled is None
            else {1: Recall(messages=[recalled]), 2: Recall(turns=[recalled, 1])}
        )
        run = memviz.replay(
            messages,
            small(id),
            model=summarizer(plan),
            counter=counter,
            system_prompt=prompt,
            recalls=recalls,
        )
        assert_same(run, through_json(run))

    @every_kind
    def test_live_facts_survive(self, id: str) -> None:
        replies = [
            Reply(
                f"answer {i}\nwith two lines",
                usage=Usage(10, 2, 5),
                cost_usd=0.5,
                model="big",
            )
            for i in range(40)
        ]
        chat = memviz.Chat(
            small(id), model=ScriptedModel(replies), system_prompt="Be kind."
        )
        for i in range(6):
            chat.send(f"question {i}")
        chat.recall(turns=[1])
        stream = chat.stream("stopped")
        next(stream)
        stream.close()
        run = chat.run
        assert run.turns[0].facts is not None
        assert run.turns[0].facts.cost_usd == 0.5
        assert run.turns[-1].flags[-1] == "partial_reply"
        assert_same(run, through_json(run))

    def test_messages_keep_all_their_fields(self) -> None:
        call = {"id": "a", "function": {"name": "look_up", "arguments": '{"q": "Ä"}'}}
        messages = [
            Message("user", "Ünï 😀", name="Mira", meta={"at": 3, "tags": ["x", None]}),
            Message("assistant", "", tool_calls=(call,)),  # type: ignore[arg-type]
            Message("tool", "", tool_call_id=""),
        ]
        run = memviz.replay(messages, memviz.strategy("buffer"), model=None)
        assert list(through_json(run).log) == messages

    def test_a_run_over_an_own_counter_comes_back_with_that_counter(self) -> None:
        def words(text: str) -> int:
            return len(text.split())

        run = memviz.replay(talk(3), small("summary"), model=Digest(), counter=words)
        saved = json.loads(json.dumps(run.to_dict()))
        assert_same(run, Run.from_dict(saved, counter=words))
        with pytest.raises(memviz.UnknownCounterError, match="words"):
            Run.from_dict(saved)

    def test_equal_means_equal(self) -> None:
        messages = talk(3)
        run = memviz.replay(
            messages, memviz.strategy("window", window_size=2), model=None
        )
        assert contents(run) == contents(
            memviz.replay(
                messages, memviz.strategy("window", window_size=2), model=None
            )
        )
        assert run != memviz.replay(
            messages, memviz.strategy("window", window_size=3), model=None
        )
        assert run != memviz.replay(
            talk(2), memviz.strategy("window", window_size=2), model=None
        )


class TestFates:
    def test_hand_worked_fates(self) -> None:
        """Turns 1 to 3, buffer_size 1: message 0 and 1 are summarized after message 2, and so on."""
        run = memviz.replay(
            talk(3),
            small("summary"),
            model=Digest(),
            recalls={2: Recall(messages=[0]), 3: Recall(messages=[1, 3])},
        )
        not_yet, summarized, recalled, verbatim = (
            Fate.NOT_YET,
            Fate.SUMMARIZED,
            Fate.RECALLED,
            Fate.VERBATIM,
        )
        assert run.fates().tolist() == [
            [verbatim, not_yet, not_yet, not_yet, not_yet, not_yet],
            [recalled, summarized, verbatim, not_yet, not_yet, not_yet],
            [summarized, recalled, summarized, recalled, verbatim, not_yet],
        ]
        assert run.generations().tolist() == [
            [0] * 6,
            [0, 1, 0, 0, 0, 0],
            [2, 0, 1, 0, 0, 0],
        ]

    def test_a_message_over_the_limit_is_verbatim_at_its_own_request_and_summarized_after(
        self,
    ) -> None:
        messages = [
            Message("user", "long " * 100),
            Message("assistant", "ok"),
            Message("user", "and?"),
        ]
        run = memviz.replay(messages, small("chat_summary_buffer"), model=Digest())
        assert run.pending is not None
        assert run.fates()[:, 0].tolist() == [Fate.VERBATIM]
        assert run.fates_at(run.pending)[0] == Fate.SUMMARIZED

    @pytest.mark.slow
    @given(messages=conversations(), plan=outcomes, data=st.data())
    @every_kind
    def test_fates_say_what_the_blocks_say(
        self, id: str, messages: list[Message], plan: list[str], data: st.DataObject
    ) -> None:
        picked = data.draw(
            st.lists(st.integers(0, len(messages) - 1), min_size=1, max_size=5)
        )
        recalls = {turn: Recall(messages=picked) for turn in (2, 4)}
        run = memviz.replay(
            messages,
            small(id),
            model=summarizer(plan),
            counter="chars4",
            recalls=recalls,
        )
        fates = run.fates()
        assert fates.shape == (len(run.requests), len(messages))
        for record, row in zip(run.requests, fates, strict=True):
            blocks = {
                kind: self.indices(record, kind)
                for kind in ("system", "history", "input", "recalled", "summary")
            }
            for position in range(len(messages)):
                if position >= record.memory.length:
                    expected = Fate.NOT_YET
                elif position in blocks["recalled"]:
                    expected = Fate.RECALLED
                elif position in self.reduced(record):
                    cuts = id == "hand_off"
                    expected = Fate.SHORTENED if cuts else Fate.CLEARED
                elif position in blocks["system"] | blocks["history"] | blocks["input"]:
                    expected = Fate.VERBATIM
                elif position in blocks["summary"]:
                    expected = Fate.SUMMARIZED
                else:
                    expected = Fate.DROPPED
                assert row[position] == expected, position

    @given(messages=conversations(), plan=outcomes, data=st.data())
    @every_kind
    def test_slices_are_parts_of_the_whole(
        self, id: str, messages: list[Message], plan: list[str], data: st.DataObject
    ) -> None:
        run = memviz.replay(
            messages, small(id), model=summarizer(plan), counter="chars4"
        )
        requests, wanted = (
            data.draw(st.slices(len(run.requests))),
            data.draw(st.slices(len(messages))),
        )
        assert (
            run.fates(requests, wanted).tolist()
            == run.fates()[requests, wanted].tolist()
        )
        assert (
            run.generations(requests, wanted).tolist()
            == run.generations()[requests, wanted].tolist()
        )
        assert run.fates(messages=wanted).tolist() == run.fates()[:, wanted].tolist()

    def test_more_cells_than_fit_are_refused_with_slices_that_do(self) -> None:
        messages = [Message(("user", "assistant")[n % 2], "Hm.") for n in range(20_000)]
        run = memviz.replay(messages, memviz.strategy("window"), counter="chars4")
        for matrix, name in ((run.fates, "fates"), (run.generations, "generations")):
            with pytest.raises(memviz.MatrixTooLargeError) as refused:
                matrix()
            assert "10,000 requests x 20,000 messages = 200,000,000 cells" in str(
                refused.value
            )
            assert f"run.{name}(slice(0, 5000), slice(0, 20000))" in str(refused.value)
            assert isinstance(refused.value, memviz.MemvizError)
            with pytest.raises(memviz.MatrixTooLargeError, match=r"slice\(3, 9000\)"):
                matrix(slice(3, 9_000))
        word, not_yet = Fate.VERBATIM, Fate.NOT_YET
        last = run.fates(slice(9_998, None), slice(19_996, None))
        assert last.tolist() == [
            [word, not_yet, not_yet, not_yet],
            [word, word, word, not_yet],
        ]

    @staticmethod
    def indices(record: memviz.TurnRecord, kind: Any) -> set[int]:
        return {
            position
            for block in record.context.blocks
            if block.kind == kind
            for position in block.indices
        }

    @staticmethod
    def reduced(record: memviz.TurnRecord) -> set[int]:
        """Positions of messages that are sent with less in them than they have."""
        blocks = (
            block
            for block in record.context.blocks
            if block.kind in ("history", "input") and block.indices
        )
        sent = (
            pair
            for block in blocks
            for pair in zip(block.indices, block.messages, strict=True)
        )
        return {
            position
            for position, message in sent
            if message != record.memory.log[position]
        }

    @given(messages=conversations(), plan=outcomes)
    @every_kind
    def test_generations_agree_with_following_each_message_by_hand(
        self, id: str, messages: list[Message], plan: list[str]
    ) -> None:
        run = memviz.replay(
            messages, small(id), model=summarizer(plan), counter="chars4"
        )
        generations, fates = run.generations(), run.fates()
        is_tree = id == "summary_tree"
        accumulating = is_tree or id in ("summary_only", "recent_only", "observations")
        for row, record in enumerate(run.requests):
            passed = [0] * len(messages)
            for compaction in run.compactions:
                if (
                    compaction.after_message < record.memory.length
                    and compaction.summary is not None
                ):
                    # A list that is condensed takes no message in.
                    is_condensed = compaction.keep_from == compaction.before.cursor
                    for position in range(len(messages)):
                        # A summary of summaries is one of those that it was made of.
                        if is_tree and position not in compaction.summarized:
                            continue
                        if is_condensed:
                            passed[position] += bool(passed[position])
                        elif position in compaction.summarized:
                            passed[position] = 1
                        elif passed[position] and not accumulating:
                            passed[position] += 1
            expected = [
                count if fates[row, i] == Fate.SUMMARIZED else 0
                for i, count in enumerate(passed)
            ]
            assert generations[row].tolist() == expected, row


class TestFrame:
    @every_kind
    def test_one_row_a_turn_with_the_numbers_of_its_record(self, id: str) -> None:
        model = ScriptedModel(["short", RuntimeError("no"), *["short"] * 30])
        run = memviz.replay(
            talk(8),
            small(id),
            model=model,
            system_prompt="Be kind.",
            recalls={5: Recall(turns=[1])},
        )
        frame = run.frame()
        assert frame["turn"].tolist() == list(range(1, 9))
        for part in ("system", "summary", "recalled", "history", "input", "overhead"):
            assert frame[f"{part}_tokens"].tolist() == [
                record.tokens[part] for record in run.turns
            ]
        assert frame["total_tokens"].tolist() == [
            sum(record.tokens.values()) for record in run.turns
        ]
        assert frame["reply_tokens"].tolist() == [
            record.reply_tokens for record in run.turns
        ]
        assert frame["messages"].tolist() == [
            len(record.context.messages) for record in run.turns
        ]
        done = [
            sum(c.error is None for c in record.compactions) for record in run.turns
        ]
        failed = [
            sum(c.error is not None for c in record.compactions) for record in run.turns
        ]
        assert frame["compactions"].tolist() == done
        assert frame["failed_compactions"].tolist() == failed
        assert frame["flags"].tolist() == [
            ", ".join(record.flags) for record in run.turns
        ]

    def test_a_run_without_turns_has_an_empty_table_with_its_columns(self) -> None:
        frame = memviz.ChatMemory(memviz.strategy("buffer"), model=None).run.frame()
        assert len(frame) == 0
        assert "turn" in frame.columns


class TestSummaries:
    def test_versions_by_hand(self) -> None:
        run = memviz.replay(
            talk(3),
            small("summary"),
            model=ScriptedModel(["one", "two two"]),
            counter=lambda t: len(t.split()),
        )
        assert [
            (v.version, v.turn, v.text, v.tokens, v.covers) for v in run.summaries
        ] == [
            (1, 2, "one", 1, range(0, 2)),
            (2, 3, "two two", 2, range(0, 4)),
        ]


@for_each(
    ("kind", "field", "value", "sentence"),
    [
        ("requests", "memory", [999, 0, 0], r"requests\.0\.memory\.0.*message 999"),
        ("requests", "reply_tokens", "4", r"requests\.0\.reply_tokens"),
        ("requests", "call", 2, "a request of turn 1 is missing"),
        ("compactions", "version", 99, r"compactions\.0\.version.*summary 99"),
        ("compactions", "prompt_tokens", -1, r"compactions\.0\.prompt_tokens"),
        ("summaries", "version", 2, "a summary is missing"),
    ],
)
def test_a_damaged_run_is_refused_with_the_place_and_the_damage(
    kind: str, field: str, value: object, sentence: str
) -> None:
    run = memviz.replay(talk(6), memviz.strategy("summary", buffer_size=2))
    record = json.loads(json.dumps(run.to_dict()))
    record[kind][0][field] = value
    with pytest.raises(ValueError, match=sentence):
        memviz.Run.from_dict(record)
