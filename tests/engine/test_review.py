"""The user's say in what is remembered: review before a summary is used, edit, undo."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz import Chat, Fate, Log, ModelError, Reply, ReviewError, Run, ScriptedModel
from memviz.core.memory import Memory
from memviz.core.pieces import Messages, Piece, notes
from memviz.engine.recording import RecordedSummaries
from memviz.engine.session import Session
from memviz.engine.setting import Setting
from memviz.metrics.requests.token_use import count_token_use
from memviz.models.base import Usage
from memviz.strategies.base import Effect, Trigger, Write
from tests.engine.probes import SUMMARIZING, Digest, sent, small, talk, timeless
from tests.same_runs import contents
from tests.tables import for_each

every_summarizing = for_each("id", SUMMARIZING)


def chat_under(
    strategy: memviz.Strategy, summarizer: memviz.Model | None = None
) -> Chat:
    return Chat(
        strategy,
        model=ScriptedModel(f"answer {i} is long enough" for i in range(99)),
        summarizer=summarizer or Digest(),
    )


def drain(pieces: Any) -> None:
    for _ in pieces:
        pass


def say(chat: Chat, text: str) -> None:
    """Send, and accept whatever is proposed on the way."""
    drain(chat.stream(text))
    while chat.proposal is not None:
        chat.propose()
        chat.accept()
        drain(chat.go_on())


def until_held(chat: Chat) -> None:
    """Talk until a summarization waits."""
    for number in range(30):
        drain(chat.stream(f"question {number} about the trip"))
        if chat.proposal is not None:
            return
    raise AssertionError("nothing was ever due")


def held(id: str, summarizer: memviz.Model | None = None) -> Chat:
    chat = chat_under(small(id), summarizer)
    chat.review = True
    until_held(chat)
    return chat


def finish(chat: Chat) -> None:
    drain(chat.go_on())
    assert chat.proposal is None
    assert not chat.unanswered


def round_trip(run: Run) -> None:
    again = Run.from_dict(run.to_dict())
    assert contents(again) == contents(run)
    assert sent(again) == sent(run)
    assert [record.tokens for record in again.turns] == [
        record.tokens for record in run.turns
    ]


class TestReview:
    @every_summarizing
    def test_to_accept_everything_is_the_same_as_not_to_look(self, id: str) -> None:
        looked, blind = chat_under(small(id)), chat_under(small(id))
        looked.review = True
        for number in range(9):
            say(looked, f"question {number}")
            blind.send(f"question {number}")
        looked.review = False  # whether it asks is part of what is kept
        assert timeless(looked.run) == timeless(blind.run)
        assert len(looked.run.compactions) > 1

    @every_summarizing
    def test_nothing_is_asked_and_nothing_changes_before_the_decision(
        self, id: str
    ) -> None:
        summarizer = ScriptedModel([])
        chat = held(id, summarizer)
        proposal = chat.proposal
        assert proposal is not None
        assert summarizer.requests == []
        assert chat.run.compactions == ()
        assert proposal.drafts == ()
        assert list(proposal.messages) == list(
            chat.log[proposal.plan.summarize.start : proposal.plan.summarize.stop]
        )
        with pytest.raises(ReviewError, match="waits"):
            chat.stream("the next question")
        assert chat.log[-1].content != "the next question"

    @every_summarizing
    def test_the_reply_waits_where_the_summary_comes_before_it_and_follows_the_decision(
        self, id: str
    ) -> None:
        chat = held(id)
        waited = chat.unanswered
        assert waited == (len(chat.run.turns) < chat.log.turn_count)
        chat.propose()
        chat.accept()
        finish(chat)
        assert len(chat.run.turns) == chat.log.turn_count
        assert [c.kind for c in chat.run.compactions] == ["summarized"]

    def test_send_says_that_a_decision_is_needed_and_keeps_the_message(self) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        chat.review = True
        chat.send("one")
        with pytest.raises(ReviewError, match="go on"):
            chat.send("two")
        assert chat.log[-1].content == "two"
        chat.skip()
        finish(chat)
        assert chat.run.turns[-1].reply == "answer 1 is long enough"

    @every_summarizing
    def test_a_skipped_one_is_sent_word_for_word_and_proposed_again_later(
        self, id: str
    ) -> None:
        chat = held(id)
        proposal = chat.proposal
        assert proposal is not None
        turn = chat.log.turn_count
        chat.skip()
        finish(chat)
        skipped = chat.run.compactions[0]
        assert (skipped.kind, skipped.summary, skipped.error, skipped.calls) == (
            "skip",
            None,
            None,
            0,
        )
        assert skipped.summarized == proposal.plan.summarize
        assert chat.run.summaries == ()
        until_held(chat)
        again = chat.proposal
        assert again is not None
        assert chat.log.turn_count > turn
        assert again.plan.summarize.start == proposal.plan.summarize.start
        round_trip(chat.run)

    @every_summarizing
    def test_the_users_wording_is_used_and_the_summarizers_is_on_record(
        self, id: str
    ) -> None:
        chat = held(id)
        proposed = chat.propose().text
        chat.accept("  The budget is 900 euros.  ")
        finish(chat)
        compaction = chat.run.compactions[0]
        assert (compaction.summary, compaction.proposed) == (
            "The budget is 900 euros.",
            proposed,
        )
        assert compaction.is_edited
        assert compaction.calls == 1
        assert compaction.output_tokens == chat.run.counter(proposed)
        assert [version.text for version in chat.summaries_in_force] == [
            "The budget is 900 euros."
        ]
        chat.review = False
        say(chat, "and now?")
        assert any(
            "The budget is 900 euros." in request.decode() for request in sent(chat.run)
        )
        round_trip(chat.run)

    def test_another_prompt_reaches_the_summarizer_and_every_draft_is_counted(
        self,
    ) -> None:
        drafts = [
            Reply("too long", usage=Usage(100, 10), cost_usd=0.01),
            ModelError("the line is dead"),
            Reply("short", usage=Usage(80, 4), cost_usd=0.02),
        ]
        summarizer = ScriptedModel(drafts)
        chat = held("summary", summarizer)
        assert chat.propose().text == "too long"
        assert "the line is dead" in (chat.propose("List the facts.").error or "")
        assert chat.propose("At most five words.").text == "short"
        assert [
            request[0].content.split("\n")[0] for request in summarizer.requests[1:]
        ] == [
            "List the facts.",
            "At most five words.",
        ]
        chat.accept()
        finish(chat)
        compaction = chat.run.compactions[0]
        assert (compaction.summary, compaction.instruction, compaction.cost) == (
            "short",
            "At most five words.",
            0.02,
        )
        assert compaction.prompt.startswith("At most five words.\n\n")
        assert [draft.text for draft in compaction.discarded] == ["too long", ""]
        assert compaction.calls == 3
        assert (
            compaction.prompt_tokens == 100 + 80
        )  # of the failed call nothing is known
        assert compaction.output_tokens == 10 + 4
        assert compaction.total_cost_usd == 0.03
        use = count_token_use(chat.run)
        assert (
            use.summarizations,
            use.failed_summarizations,
            use.summarizer_calls,
        ) == (1, 1, 3)
        assert use.summarizer_tokens == 194
        round_trip(chat.run)

    def test_drafts_of_a_skipped_one_are_counted_too(self) -> None:
        chat = held(
            "summary",
            ScriptedModel([Reply("bad", usage=Usage(100, 10), cost_usd=0.01)]),
        )
        chat.propose()
        chat.skip()
        finish(chat)
        use = count_token_use(chat.run)
        assert (use.summarizations, use.summarizer_calls, use.summarizer_tokens) == (
            0,
            1,
            110,
        )
        assert use.summarizer_cost_usd == 0.01

    def test_after_failures_only_the_users_own_text_can_be_used(self) -> None:
        chat = held("summary", ScriptedModel([ModelError("dead")]))
        with pytest.raises(ReviewError, match="No summary was written"):
            chat.accept()
        chat.propose()
        with pytest.raises(ReviewError, match="No summary was written"):
            chat.accept()
        with pytest.raises(ReviewError, match="empty"):
            chat.accept(" \n ")
        assert chat.proposal is not None
        chat.accept("Written by hand.")
        finish(chat)
        compaction = chat.run.compactions[0]
        assert (compaction.kind, compaction.summary, compaction.calls) == (
            "edit",
            "Written by hand.",
            1,
        )
        assert compaction.is_edited
        round_trip(chat.run)

    def test_decisions_without_a_question_are_errors(self) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        for decide in (chat.propose, chat.accept, chat.skip):
            with pytest.raises(ReviewError, match="waiting"):
                decide()

    def test_undoing_the_turn_ends_the_wait(self) -> None:
        chat = held("summary")
        chat.undo()
        assert chat.proposal is None
        until_held(chat)

    def test_a_change_of_strategy_keeps_the_review_on(self) -> None:
        chat = held("summary")
        chat.skip()
        finish(chat)
        chat.change_strategy(small("summary_buffer"))
        assert chat.review


class TestEdit:
    @every_summarizing
    def test_from_now_on_the_edited_text_is_sent_and_the_past_stays(
        self, id: str
    ) -> None:
        chat = chat_under(small(id))
        while not chat.run.summaries:
            chat.send("a question about the trip")
        chat.send("one more") if not chat.summaries_in_force else None
        before, old = sent(chat.run), chat.summaries_in_force[0]
        chat.edit_summary(old.version, "The budget is 900 euros.")
        assert sent(chat.run) == before
        new = chat.summaries_in_force[0]
        assert (new.text, new.covers, new.added, new.replaces) == (
            "The budget is 900 euros.",
            old.covers,
            old.added,
            old.replaces,
        )
        event = chat.run.compactions[-1]
        assert (event.kind, event.revises, event.proposed, event.calls) == (
            "edit",
            old.version,
            old.text,
            0,
        )
        request = memviz.ask(
            chat.run,
            "What is the budget?",
            model=ScriptedModel(["?"] * 3),
            summarizer=Digest(),
        )
        block = request.context.block("summary")
        assert block is not None
        if id in ("recent_only", "summary_only") or not request.compactions:
            assert "The budget is 900 euros." in block.messages[0].content
            assert old.text not in block.messages[0].content
        assert request.tokens["summary"] == chat.run.counter(block.messages[0].content)
        round_trip(chat.run)

    def test_the_next_summarization_takes_the_edited_text_in_and_generations_do_not_rise_by_an_edit(
        self,
    ) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        while not chat.run.summaries:
            chat.send("question")
        chat.edit_summary(1, "Edited.")
        while len(chat.run.summaries) < 3:
            chat.send("question")
        summarized = next(c for c in chat.run.compactions if c.version == 3)
        assert "Previous summary: Edited." in summarized.prompt
        chat.send("question")
        assert [version.replaces for version in chat.run.summaries[:3]] == [
            None,
            None,
            2,
        ]
        at_version_3 = next(
            r
            for r in chat.run.turns
            if r.summary is not None and r.summary.version == 3
        )
        assert chat.run.generations()[chat.run.turns.index(at_version_3)].max() == 2

    @for_each(
        ("version", "text", "error"),
        [(1, "text", "not sent"), (9, "text", "not sent"), (2, " ", "empty")],
    )
    def test_what_cannot_be_edited_says_so(
        self, version: int, text: str, error: str
    ) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        while len(chat.run.summaries) < 2:
            chat.send("question")
        with pytest.raises(ReviewError, match=error):
            chat.edit_summary(version, text)

    def test_the_same_text_is_no_edit(self) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        while not chat.run.summaries:
            chat.send("question")
        run = chat.run
        chat.edit_summary(1, run.summaries[0].text + "\n")
        assert contents(chat.run) == contents(run)


class TestUndo:
    @every_summarizing
    def test_what_was_summarized_is_sent_word_for_word_again(self, id: str) -> None:
        chat = chat_under(small(id))
        while not chat.run.summaries:
            chat.send("a question about the trip")
        before, undone = sent(chat.run), chat.undoable
        assert undone is not None
        assert chat.undo_summary() is undone
        assert sent(chat.run) == before
        assert chat.summaries_in_force == []
        event = chat.run.compactions[-1]
        assert (event.kind, event.revises, event.calls, event.summary) == (
            "undo",
            1,
            0,
            None,
        )
        chat.review = True
        drain(chat.stream("and now?"))
        if chat.unanswered:
            chat.skip()
            drain(chat.go_on())
        record = chat.run.turns[-1]
        if id != "summary_only":
            fates = chat.run.fates_at(record)
            assert {Fate(fates[position]) for position in undone.summarized} == {
                Fate.VERBATIM
            }
        assert not record.parts.summaries
        round_trip(chat.run)

    def test_without_a_summary_it_is_an_error(self) -> None:
        chat = chat_under(memviz.strategy("summary"))
        assert chat.undoable is None
        with pytest.raises(ReviewError, match="nothing to undo"):
            chat.undo_summary()

    @given(
        steps=st.lists(
            st.sampled_from(["say", "say", "edit", "undo", "undo turn"]), max_size=14
        ),
        data=st.data(),
    )
    @every_summarizing
    def test_any_mixture_keeps_every_message_in_exactly_one_place(
        self, id: str, steps: list[str], data: st.DataObject
    ) -> None:
        """After each step: the log is whole, every message that is past is sent, in a summary or dropped by the
        strategy itself, never both verbatim and in a summary in force, and the run can be stored and resumed."""
        chat = chat_under(small(id))
        for number, step in enumerate(steps):
            if step == "say":
                chat.send(f"question {number} about the trip")
            elif step == "undo turn":
                chat.undo()
            elif step == "undo" and chat.undoable is not None:
                chat.undo_summary()
            elif step == "edit" and chat.summaries_in_force:
                version = data.draw(st.sampled_from(chat.summaries_in_force))
                chat.edit_summary(version.version, f"edit {number}")
            resumed = Chat.resume(chat.run)
            assert (resumed.summaries_in_force, resumed.headroom()) == (
                chat.summaries_in_force,
                chat.headroom(),
            )
            memory = chat.run.memory_after(chat.log.turn_count)
            covered = [p for version in chat.summaries_in_force for p in version.covers]
            assert len(covered) == len(set(covered))
            assert all(p < memory.cursor for p in covered)
            undone = sum(c.kind == "undo" for c in chat.run.compactions)
            assert (
                len(covered) == memory.cursor
                or undone
                or id in ("recent_only", "summary_only")
            )
            for record in chat.run.turns:
                block = record.context.block("summary")
                text = block.messages[0].content if block else ""
                assert record.tokens["summary"] == (
                    chat.run.counter(text) if text else 0
                )
        round_trip(chat.run)


class TestEditsInAReplay:
    @every_summarizing
    def test_the_users_text_takes_the_place_of_that_version_and_later_ones_take_it_in(
        self, id: str
    ) -> None:
        messages = talk(9)
        plain = memviz.replay(messages, small(id), model=Digest())
        edited = memviz.replay(
            messages, small(id), model=Digest(), edits={2: " The budget is 900 euros. "}
        )
        assert edited.summaries[0].text == plain.summaries[0].text
        assert edited.summaries[1].text == "The budget is 900 euros."
        event = next(c for c in edited.compactions if c.version == 2)
        assert (event.proposed, event.is_edited, event.calls) == (
            plain.summaries[1].text,
            True,
            1,
        )
        first_with = next(
            i
            for i, r in enumerate(edited.turns)
            if 2 in [v + 1 for v in r.parts.summaries]
        )
        assert sent(edited)[:first_with] == sent(plain)[:first_with]
        assert b"The budget is 900 euros." in sent(edited)[first_with]
        if edited.summaries[2].replaces == 2:
            taken_in = next(c for c in edited.compactions if c.version == 3)
            assert "The budget is 900 euros." in taken_in.prompt
        round_trip(edited)

    def test_an_edit_that_changes_nothing_is_none(self) -> None:
        plain = memviz.replay(talk(9), small("summary"), model=Digest())
        same = memviz.replay(
            talk(9),
            small("summary"),
            model=Digest(),
            edits={1: plain.summaries[0].text, 99: "x"},
        )
        assert timeless(same) == timeless(plain)

    def test_an_empty_edit_is_an_error(self) -> None:
        with pytest.raises(ReviewError, match="empty"):
            memviz.replay(talk(9), small("summary"), model=Digest(), edits={1: " "})

    @every_summarizing
    def test_with_the_answers_of_the_earlier_run_only_what_follows_the_edit_is_asked(
        self, id: str
    ) -> None:
        messages = talk(9)
        plain = memviz.replay(messages, small(id), model=Digest())
        summarizer = Digest()
        asked: list[Any] = []
        answer = summarizer.summarize
        summarizer.summarize = lambda request: asked.append(request) or answer(request)  # type: ignore[method-assign]
        edited = memviz.replay(
            messages,
            small(id),
            model=RecordedSummaries(plain, summarizer),
            edits={2: "The budget is 900 euros."},
        )
        again = memviz.replay(
            messages, small(id), model=Digest(), edits={2: "The budget is 900 euros."}
        )
        assert timeless(edited) == timeless(again)
        known = {c.request for c in plain.compactions}
        assert len(asked) == sum(c.request not in known for c in again.compactions)
        if id in ("recent_only", "summary_only"):
            assert asked == []

    def test_what_the_user_reworded_is_not_taken_for_the_summarizers_answer(
        self,
    ) -> None:
        plain = memviz.replay(talk(9), small("summary"), model=Digest())
        edited = memviz.replay(
            talk(9), small("summary"), model=Digest(), edits={1: "My words."}
        )
        again = memviz.replay(
            talk(9), small("summary"), model=RecordedSummaries(edited, Digest())
        )
        assert timeless(again) == timeless(plain)


class OneAtATime(memviz.Strategy):
    """Before each request it summarizes the oldest message, however few there are."""

    trigger = Trigger.REQUEST

    def plan(self, memory: Memory) -> tuple[Effect, ...]:
        at = memory.cursor
        return (
            (Write(range(at, at + 1), at + 1, "always", memory.summary),)
            if memory.pending > 1
            else ()
        )

    def select(self, memory: Memory) -> tuple[Piece, ...]:
        return (*notes(memory.newest_summary), Messages(memory.cursor, memory.length))


class TestWhenItIsDue:
    @for_each("review", [False, True])
    def test_a_chat_looks_once_before_each_request_as_a_replay_does(
        self, review: bool
    ) -> None:
        chat = chat_under(OneAtATime())
        chat.review = review
        for number in range(6):
            say(chat, f"question {number}")
        assert [c.summarized for c in chat.run.compactions] == [
            range(n, n + 1) for n in range(5)
        ]
        replayed = memviz.replay(chat.log, OneAtATime(), model=Digest())
        assert [c.summarized for c in replayed.compactions] == [
            c.summarized for c in chat.run.compactions
        ]

    def test_nothing_more_of_the_log_is_taken_in_while_one_waits(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=1)
        setting = Setting(strategy, memviz.counter("chars4"), Digest())
        session = Session(Log(talk(6)), setting)
        session.review = True
        session.advance(12)
        assert session.pending is not None
        assert (session.memory.length, session.pending.plan.summarize) == (3, range(2))

    def test_what_was_skipped_is_not_proposed_again_by_a_retry_of_the_same_turn(
        self,
    ) -> None:
        chat = held("chat_summary_buffer")
        chat.skip()
        finish(chat)
        drain(chat.retry())
        assert chat.proposal is None
        assert not chat.unanswered

    @for_each("id", ["recent_only", "summary_only"])
    def test_what_was_undone_waits_until_the_next_turn_is_over(self, id: str) -> None:
        chat = chat_under(small(id))
        chat.send("one")
        chat.undo_summary()
        chat.review = True
        drain(chat.stream("two"))
        assert not chat.unanswered
        assert chat.proposal is not None
        assert chat.proposal.plan.summarize == range(2)

    def test_a_summary_given_while_thinking_is_proposed_without_asking_a_summarizer(
        self,
    ) -> None:
        strategy = memviz.strategy("summary_only", enable_reflective_thinking=True)
        chat = Chat(strategy, model="offline", summarizer=ScriptedModel([]))
        chat.review = True
        drain(chat.stream("My budget is 900 euros."))
        proposal = chat.proposal
        assert proposal is not None
        assert [draft.by_thinking for draft in proposal.drafts] == [True]
        chat.accept()
        finish(chat)
        (compaction,) = chat.run.compactions
        assert (compaction.by_thinking, compaction.calls, compaction.summary) == (
            True,
            0,
            proposal.drafts[0].text,
        )

    def test_the_proposed_text_itself_is_no_wording_of_the_user(self) -> None:
        chat = held("summary")
        chat.accept(chat.propose().text + " \n")
        assert not chat.run.compactions[0].is_edited

    def test_while_one_waits_what_it_was_planned_for_does_not_change(self) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        while not chat.run.summaries:
            chat.send("question")
        chat.review = True
        until_held(chat)
        before = chat.run
        for change in (
            chat.undo_summary,
            lambda: chat.edit_summary(before.summaries[-1].version, "My words."),
        ):
            with pytest.raises(ReviewError, match="waits"):
                change()
        assert contents(chat.run) == contents(before)
        assert chat.proposal is not None

    @every_summarizing
    def test_a_retry_is_sent_the_users_wording(self, id: str) -> None:
        chat = chat_under(small(id))
        while not chat.summaries_in_force or chat.summaries_in_force[
            0
        ].covers.stop > chat.log.turn_start(chat.log.turn_count):
            chat.send("a question about the trip")
        chat.edit_summary(
            chat.summaries_in_force[0].version, "The budget is 900 euros."
        )
        drain(chat.retry())
        assert "The budget is 900 euros." in sent(chat.run)[-1].decode()
        assert chat.run.compactions[-1].kind == "edit" or id in (
            "recent_only",
            "summary_only",
        )

    @for_each("id", ["summary", "summary_buffer", "chat_summary_buffer"])
    def test_what_waited_is_proposed_again_after_the_chat_was_read_from_the_file(
        self, id: str
    ) -> None:
        for chat in (held(id), held(id)):
            if not chat.unanswered:
                continue
            waited = chat.proposal
            again = Chat.resume(
                Run.from_dict(chat.run.to_dict()),
                model=ScriptedModel(["yes"]),
                summarizer=Digest(),
            )
            again.review = True
            drain(again.retry())
            assert again.proposal == waited

    def test_the_summary_given_while_thinking_waits_behind_an_older_turns(self) -> None:
        strategy = memviz.strategy("summary_only", enable_reflective_thinking=True)
        chat = Chat(strategy, model="offline", summarizer=Digest())
        chat.review = True
        drain(chat.stream("My budget is 900 euros."))
        chat.skip()
        finish(chat)
        drain(chat.stream("My daughter is called Mira."))
        chat.propose()
        chat.accept()
        drain(chat.go_on())
        proposal = chat.proposal
        assert proposal is not None
        assert [draft.by_thinking for draft in proposal.drafts] == [True]

    def test_everything_can_be_undone_one_after_the_other(self) -> None:
        chat = chat_under(memviz.strategy("summary", buffer_size=1))
        while len(chat.run.summaries) < 3:
            chat.send("question")
        chat.edit_summary(3, "My words.")
        assert [chat.undo_summary().version for _ in range(4)] == [4, 3, 2, 1]
        assert chat.undoable is None
        assert chat.summaries_in_force == []


def test_a_draft_that_was_interrupted_is_one_that_failed_and_is_not_asked_for_by_itself() -> (
    None
):
    chat = held("summary_buffer", ScriptedModel([KeyboardInterrupt(), "A summary."]))
    with pytest.raises(KeyboardInterrupt):
        chat.propose()
    assert chat.proposal is not None
    assert [draft.error for draft in chat.proposal.drafts] == ["interrupted"]
    assert chat.propose().text == "A summary."
    chat.accept()
    finish(chat)
    assert chat.run.compactions[-1].summary == "A summary."


@every_summarizing
def test_a_chat_that_is_left_while_a_proposal_waits_proposes_it_again(id: str) -> None:
    chat = held(id, ScriptedModel(["A summary.", "Another summary."]))
    before = chat.proposal
    assert before is not None
    for drafts in (0, 1):
        again = Chat.resume(
            Run.from_dict(chat.run.to_dict()), summarizer=ScriptedModel([])
        )
        assert again.review
        assert again.proposal is not None
        assert again.proposal.plan.summarize == before.plan.summarize
        assert len(again.proposal.drafts) == drafts
        chat.propose()
    chat.skip()
    finish(chat)
    assert Chat.resume(Run.from_dict(chat.run.to_dict())).proposal == chat.proposal
