"""A chat that goes on under another setting: what was sent stays, and what is sent next is the new setting's."""

from __future__ import annotations

from math import ceil
from typing import Any

import memviz
from memviz import Fate, Message, ScriptedModel
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tokens_per_turn import tokens_per_turn
from memviz.dashboard.words.compactions import compaction_words, request_words
from memviz.dashboard.words.health import health_warnings
from memviz.engine.chat import Chat
from memviz.metrics.requests.sent_requests import list_other_requests
from memviz.metrics.requests.shared_prefix import SharedPrefix
from memviz.metrics.summaries.events import (
    count_request_sizes,
    join_text_in_force,
    list_compaction_events,
)
from tests.engine.probes import Digest, sent, small
from tests.same_runs import contents

WINDOW = memviz.strategy("window", window_size=2)
SUMMARY = memviz.strategy("summary", buffer_size=1)
PER_TURN = memviz.strategy("summary_only")
MINE = "My own words."


class Writer(Digest):
    """Counts how often it is asked."""

    asked = 0

    def stream(self, messages: Any) -> Any:
        self.asked += 1
        return super().stream(messages)


def chat_of(turns: int, strategy: memviz.Strategy = SUMMARY, **options: Any) -> Chat:
    model = ScriptedModel(f"answer {i}" for i in range(99))
    chat = Chat(strategy, model=model, summarizer=Writer(), **options)
    return talk(chat, turns)


def talk(chat: Chat, turns: int) -> Chat:
    for _ in range(turns):
        chat.send(f"question {len(chat.run.turns)}")
    return chat


def asked(chat: Chat) -> int:
    writer = chat._session.summarizer
    assert isinstance(writer, Writer)
    return writer.asked


class TestWhatWasSent:
    def test_stays_as_it_was_recorded(self) -> None:
        chat = chat_of(6)
        before = chat.run
        assert before.turns[-1].parts.summaries, "answered from a summary"
        chat.change_strategy(WINDOW)
        run = chat.run
        assert sent(run) == sent(before)
        assert (run.turns, run.compactions, run.summaries) == (
            before.turns,
            before.compactions,
            before.summaries,
        )
        assert run.fates().tolist() == before.fates().tolist()
        assert run.frame().equals(before.frame())
        chat.send("And now?")
        assert sent(chat.run)[:6] == sent(before)
        assert [m.content for m in chat.run.turns[-1].context.messages] == [
            "answer 5",
            "And now?",
        ]

    def test_it_is_known_which_setting_each_turn_was_held_under(self) -> None:
        chat = chat_of(3)
        chat.change_strategy(WINDOW)
        talk(chat, 2)
        chat.change_strategy(PER_TURN)
        talk(chat, 1)
        run = chat.run
        assert [run.strategy_at(record.turn) for record in run.turns] == [
            SUMMARY
        ] * 3 + [WINDOW] * 2 + [PER_TURN]
        assert [setting.last_turn for setting in run.earlier_settings] == [3, 5]
        assert (
            run.label == f"{SUMMARY.label}, then {WINDOW.label}, then {PER_TURN.label}"
        )
        assert [record.turn for record in run.under_this_setting.turns] == [6]

    def test_each_summary_reads_as_its_own_strategy_writes_it(self) -> None:
        chat = chat_of(6)
        chat.change_strategy(PER_TURN)
        talk(chat, 1)
        chat.change_strategy(SUMMARY)
        talk(chat, 1)
        blocks = [record.context.block("summary") for record in chat.run.turns[-3:]]
        texts = [block.messages[0].content for block in blocks if block]
        assert texts[0].startswith("Summary of earlier conversation: ")
        assert texts[1].splitlines()[0] == "=== ACCUMULATED MEMORY SUMMARIES ==="
        assert [line.split("]")[0] for line in texts[1].splitlines()[1:]] == [
            f"[Turn {n}" for n in range(1, 7)
        ]
        assert texts[2].startswith("Summary of earlier conversation: ")
        for record in chat.run.turns:
            block = record.context.block("summary")
            count = (
                sum(
                    chat.run.counter.in_lines(message.content)
                    for message in block.messages
                )
                if block
                else 0
            )
            assert record.tokens["summary"] == count

    def test_a_conversation_that_no_model_was_asked_in_is_that_of_the_new_setting(
        self,
    ) -> None:
        """Its records are what a setting would have sent of an imported file."""
        messages = [
            Message(role, f"{role} {i}")
            for i in range(6)
            for role in ("user", "assistant")
        ]
        chat = Chat.resume(
            memviz.replay(messages, SUMMARY, model=Digest()), model=Digest()
        )
        chat.change_strategy(WINDOW)
        assert sent(chat.run) == sent(memviz.replay(messages, WINDOW))
        assert chat.run.earlier_settings == ()

    def test_another_counter_counts_it_anew(self) -> None:
        chat = chat_of(6, counter="o200k_base")
        before = sent(chat.run)
        chat.change_strategy(SUMMARY, "bytes4")
        run, by_bytes = chat.run, memviz.counter("bytes4")
        assert sent(run) == before
        for record in run.turns:
            content = sum(
                by_bytes(message.content) for message in record.context.messages
            )
            assert record.total_tokens - record.tokens["overhead"] == content
        assert [version.tokens for version in run.summaries] == [
            by_bytes(v.text) for v in run.summaries
        ]


class TestWhatIsSentNext:
    def test_is_what_a_replay_under_the_setting_sends(self) -> None:
        for id in (
            "buffer",
            "token_buffer",
            "summary_buffer",
            "chat_summary_buffer",
            "recent_only",
            "summary_only",
        ):
            chat = chat_of(6)
            chat.change_strategy(small(id))
            talk(chat, 1)
            assert (
                sent(chat.run)[-1]
                == sent(memviz.replay(list(chat.log), small(id), model=Digest()))[-1]
            )

    def test_a_setting_goes_on_from_where_it_was_left(self) -> None:
        chat, straight = chat_of(6), chat_of(6)
        chat.change_strategy(WINDOW)
        talk(chat, 2)
        before = asked(chat)
        chat.change_strategy(SUMMARY)
        talk(straight, 2)
        assert asked(chat) - before == len(straight.run.summaries) - len(
            chat_of(6).run.summaries
        )
        assert sent(talk(chat, 1).run)[-1] == sent(talk(straight, 1).run)[-1]

    def test_what_the_user_reworded_stays_with_its_setting(self) -> None:
        chat = chat_of(6)
        chat.edit_summary(chat.summaries_in_force[0].version, MINE)
        talk(chat, 1)
        reworded = chat.run.turns[-1]
        chat.change_strategy(WINDOW)
        assert chat.summaries_in_force == []
        assert chat.undoable is None
        assert chat.run.turns[-1].context == reworded.context
        assert chat.run.has_decisions
        talk(chat, 1)
        chat.change_strategy(SUMMARY)
        assert any(version.text == MINE for version in chat.run.summaries)
        taken_in = [c.replaces for c in chat.run.compactions_at(9) if c.replaces]
        words = next(
            version.version for version in chat.run.summaries if version.text == MINE
        )
        assert words in taken_in, "its next summary is made of the user's words"

    def test_back_again_before_a_turn_is_as_if_nothing_had_been(self) -> None:
        chat = chat_of(6)
        chat.edit_summary(chat.summaries_in_force[0].version, MINE)
        before, calls = contents(chat.run), asked(chat)
        for strategy in (WINDOW, PER_TURN, SUMMARY):
            chat.change_strategy(strategy)
        assert contents(chat.run) == before
        assert asked(chat) == calls + 6, "summaries alone needed one of each turn"

    def test_a_retry_is_answered_under_the_new_setting(self) -> None:
        chat = chat_of(6)
        before = sent(chat.run)
        chat.change_strategy(WINDOW)
        list(chat.retry())
        assert sent(chat.run)[:5] == before[:5]
        assert [m.content for m in chat.run.turns[-1].context.messages] == [
            "answer 4",
            "question 5",
        ]
        assert [setting.last_turn for setting in chat.run.earlier_settings] == [5]

    def test_undone_behind_the_change_the_setting_stays_and_knows_what_is_left(
        self,
    ) -> None:
        chat = chat_of(6)
        before, calls = sent(chat.run), None
        chat.change_strategy(PER_TURN)
        talk(chat, 1)
        calls = asked(chat)
        for left in range(6, 0, -1):
            chat.undo()
            assert sent(chat.run) == before[:left]
            assert len(chat.summaries_in_force) == left
            assert [version.version for version in chat.run.summaries] == [
                *range(1, len(chat.run.summaries) + 1)
            ]
        assert (chat.strategy, asked(chat)) == (PER_TURN, calls)
        record = chat.send("And now?")
        assert [m.content for m in record.context.messages][1:] == ["And now?"]
        assert record.context.messages[0].content.count("[Turn ") == 1


class TestNumbers:
    def chat(self) -> Chat:
        chat = chat_of(6)
        chat.change_strategy(PER_TURN)
        talk(chat, 2)
        chat.change_strategy(SUMMARY)
        return talk(chat, 2)

    def test_summaries_of_a_setting_that_came_later_were_made_then(self) -> None:
        events = list_compaction_events(self.chat().run)
        turns = [event.place for event in events]
        assert turns == sorted(turns)
        assert {
            ceil(event.place)
            for event in events
            if event.compaction.strategy == PER_TURN
        } == {7, 8, 9}
        run = self.chat().run
        assert [
            join_text_in_force(run, event).startswith("===")
            for event in list_compaction_events(run)
        ] == [event.compaction.strategy == PER_TURN for event in events]

    def test_the_shared_prefix_is_that_of_the_texts(self) -> None:
        run = self.chat().run
        shared = SharedPrefix(run).tokens(list_other_requests(run))
        texts = [
            "\n".join(m.content for m in record.context.messages)
            for record in run.turns
        ]
        assert shared[6] == shared[8] == 0, (
            "a list of summaries and a running summary begin differently"
        )
        assert len({texts[5][:7], texts[6][:7]}) == 2

    def test_the_map_shows_what_was_sent(self) -> None:
        run, held = self.chat().run, chat_of(6).run
        assert (
            run.fates_at(run.turns[5])[:12].tolist()
            == held.fates_at(held.turns[5]).tolist()
        )
        assert set(run.fates_at(run.turns[7])[:14].tolist()) == {Fate.SUMMARIZED}
        assert run.generations()[7].max() == 1
        assert run.memory_after(3).summary_count <= len(chat_of(3).run.summaries)

    def test_warnings_are_about_the_setting_in_force(self) -> None:
        chat = chat_of(12, memviz.strategy("summary_buffer", max_token_limit=100))
        assert health_warnings(chat.run) == health_warnings(chat.run.under_this_setting)
        chat.change_strategy(WINDOW)
        assert health_warnings(chat.run) == ()


def test_a_chat_of_several_settings_comes_back_from_json() -> None:
    chat = chat_of(4)
    for strategy in (WINDOW, PER_TURN, SUMMARY):
        chat.change_strategy(strategy)
        talk(chat, 2)
    again = Chat.resume(
        memviz.Run.from_dict(chat.run.to_dict()),
        model=ScriptedModel(["Fine."]),
        summarizer=Digest(),
    )
    assert contents(again.run) == contents(chat.run)
    assert sent(again.run) == sent(chat.run)
    again.send("And now?")
    chat.send("And now?")
    assert sent(again.run) == sent(chat.run)


class TestWhichRequestASummaryChanged:
    def chat(self, strategy: memviz.Strategy = PER_TURN) -> Chat:
        chat = chat_of(4, strategy)
        chat.change_strategy(WINDOW)
        return talk(chat, 1)

    def test_none_where_the_chat_went_on_under_another_setting(self) -> None:
        for strategy in (PER_TURN, memviz.strategy("summary", buffer_size=2)):
            run = self.chat(strategy).run
            (last,) = [
                c for c in run.compactions if c.turn == 4 and c.after_message == 7
            ]
            assert run.turns[4].compactions == ()
            assert run.request_turn(last) is None
            assert run.unsent == ((4, last),)
            assert compaction_words(last, run).where == "after turn 4, after message 8"
            assert compaction_words(last, run).result.startswith(
                "What would have been sent next: "
            )
            assert [event.place for event in list_compaction_events(run)][-1] == 4.5
            (marks,) = [
                trace
                for trace in tokens_per_turn([SettingRun(run, "", 0)]).data
                if trace.marker.symbol is not None
            ]
            assert (marks.x[-1], marks.y[-1]) == (4.5, run.turns[3].total_tokens)

    def test_the_first_that_was_sent_with_it_once_the_chat_is_back_under_its_setting(
        self,
    ) -> None:
        chat = self.chat()
        last = chat.run.compactions[-1]
        chat.change_strategy(PER_TURN)
        assert chat.run.request_turn(last) is None, "turn 6 was not begun"
        talk(chat, 1)
        run = chat.run
        assert [c.turn for c in run.turns[5].compactions] == [4, 5]
        last = run.turns[5].compactions[0]
        assert (run.request_turn(last), request_words(last, run)) == (
            6,
            "before the request of turn 6",
        )
        assert (
            count_request_sizes(run.turns[5].compactions[-1], run).after_tokens
            == run.turns[5].total_tokens
        )

    def test_what_a_setting_took_in_when_it_came_into_force_changed_its_first_request(
        self,
    ) -> None:
        chat = chat_of(4, WINDOW)
        chat.change_strategy(PER_TURN)
        run = talk(chat, 1).run
        assert {run.request_turn(compaction) for compaction in run.compactions[:4]} == {
            5
        }

    def test_it_is_the_same_after_it_was_stored(self) -> None:
        chat = self.chat()
        chat.change_strategy(PER_TURN)
        run = talk(chat, 2).run
        again = memviz.Run.from_dict(run.to_dict())
        assert [record.compactions for record in again.turns] == [
            record.compactions for record in run.turns
        ]
        assert [record.compactions for record in Chat.resume(again).run.turns] == [
            record.compactions for record in run.turns
        ]
        assert again.to_dict() == run.to_dict()


def test_a_chat_that_was_cut_back_to_one_setting_can_be_stored() -> None:
    """Summaries that went leave gaps in the numbers, and records have to follow the new ones."""
    chat = chat_of(5)
    chat.change_strategy(SUMMARY)
    talk(chat, 3)
    chat.edit_summary(chat.summaries_in_force[-1].version, MINE)
    talk(chat, 1)
    chat.change_strategy(SUMMARY, "chars4")
    talk(chat, 1)
    chat.undo()
    chat.undo()
    chat.change_strategy(SUMMARY, "o200k_base")
    talk(chat, 2)
    for _ in range(3):
        chat.undo()
    run = chat.run
    for number in range(len(run.requests)):
        for compaction in run.requests[number].compactions:
            assert run.request_number(compaction) == number
    again = memviz.Run.from_dict(run.to_dict())
    assert again.to_dict() == run.to_dict()
