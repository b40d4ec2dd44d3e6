"""Why a statement was forgotten: against what was said, what was sent, and what other settings would have sent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import memviz
from memviz import Message, Probe, Transcript, Why, why
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.transcripts.base import EDITED_PROMPT
from memviz.tuning.forgotten import MOST_STATEMENTS
from memviz.tuning.needs import Need
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.why import NotSaidError
from tests.recorded_session import RULE, session
from tests.tables import for_each

CODE = "The door code of the cabin is 7742."
ASKED = "What is the door code of the cabin again?"


def talk(*said: str, fillers: int = 4) -> list[Message]:
    """What the user says, with turns about nothing behind the first of it."""
    lines = [
        said[0],
        *(f"Tell me more about whales, part {n}." for n in range(fillers)),
    ]
    lines += said[1:]
    messages = []
    for number, line in enumerate(lines):
        messages += [Message("user", line), Message("assistant", f"Fine {number}.")]
    return messages


def one(messages: Any, phrase: str, strategy: memviz.Strategy, **more: Any) -> Why:
    (found,) = why(messages, phrase, strategies=strategy, counter="chars4", **more)
    return found


WINDOW = memviz.strategy("window", window_size=4)


class TestLife:
    def test_where_it_was_said_and_until_when_it_was_sent(self) -> None:
        found = one(talk(CODE, ASKED), "The door code of the cabin is 7742.", WINDOW)
        assert found.said == (0,)
        assert found.is_word_for_word
        assert found.probe.answers == ("7742",)
        states = [(span.state, span.first_turn, span.last_turn) for span in found.spans]
        assert states == [(Knowledge.VERBATIM, 1, 2), (Knowledge.LOST, 3, 6)]
        assert found.compaction is None
        assert (found.without, found.since) == (4, 4)
        assert found.lost_at is found.run.requests[2]

    def test_the_summarization_that_took_it(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=2)
        model = memviz.ScriptedModel(["They greeted each other."] * 9)
        run = memviz.replay(talk(CODE), strategy, model=model, counter="chars4")
        (found,) = why(talk(CODE), "7742", runs=[run])
        assert found.compaction is run.compactions[0]
        assert found.sent_until is not None
        assert found.sent_until.state is Knowledge.VERBATIM

    def test_as_json_what_ended_it_counts_from_1_as_well(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=2)
        model = memviz.ScriptedModel(["They greeted each other."] * 9)
        run = memviz.replay(talk(CODE), strategy, model=model, counter="chars4")
        (found,) = why(talk(CODE), "7742", runs=[run])
        by = run.compactions[0]
        told = found.to_dict()["ended_by"]
        assert told["after_message"] == by.after_message + 1
        assert told["keep_from"] == by.keep_from + 1
        assert told["version"] == 1
        assert told["summarized"] == [at + 1 for at in by.summarized]
        assert told["summarized"][0] == 1

    def test_the_summary_that_it_was_known_from(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=2)
        texts = ["The code is 7742.", *["They talked of whales."] * 9]
        run = memviz.replay(
            talk(CODE, fillers=6),
            strategy,
            model=memviz.ScriptedModel(texts),
            counter="chars4",
        )
        (found,) = why(talk(CODE, fillers=6), "7742", runs=[run])
        assert found.versions == (1,)
        assert found.compaction is run.compactions[1]

    def test_what_was_never_lost(self) -> None:
        found = one(talk(CODE), "7742", memviz.strategy("buffer"))
        assert not found.is_lost
        assert (found.compaction, found.need, found.remedies) == (None, None, ())

    def test_its_last_loss_counts_where_it_came_back(self) -> None:
        messages = talk(CODE, "It was 7742, thanks.", *["And whales?"] * 4)
        found = one(messages, "7742", WINDOW)
        assert found.said == (0, 10)
        assert [span.state for span in found.spans].count(Knowledge.LOST) == 2
        assert found.loss is found.spans[-1]
        assert found.need is None


class TestPhrase:
    def test_word_for_word_whatever_the_case_and_the_breaks(self) -> None:
        found = one(
            talk("The door code\nof the Cabin is 7742."), "code of the cabin", WINDOW
        )
        assert found.is_word_for_word

    def test_else_by_its_value(self) -> None:
        found = one(talk("The deposit is 1,800 euros."), "1800 EUR", WINDOW)
        assert (found.said, found.is_word_for_word) == ((0,), False)

    def test_the_nearest_sentence_is_quoted_alone(self) -> None:
        messages = talk(f"We leave at dawn. {CODE} Bring the maps.", "The code? Fine.")
        with pytest.raises(NotSaidError, match=f": “{CODE}”$"):
            one(messages, "the door code of that cabin is 7743", WINDOW)

    def test_a_summary_alone_says_it(self) -> None:
        log = session("The pier has 14 lamps.")
        transcript = memviz.load_transcript(log.encode(), "claude_code")
        told = r"only the summary that the log has after message 4 \(turn 2\)\.$"
        for phrase in ("the pier has 14 lamps", "fourteen lamps"):
            with pytest.raises(NotSaidError, match=told):
                why(transcript, phrase)

    def test_nobody_said_it(self) -> None:
        with pytest.raises(NotSaidError, match=r"nearest is message 1 \(turn 1\)"):
            one(talk(CODE), "the code of my bicycle", WINDOW)
        with pytest.raises(NotSaidError, match="No message says"):
            one(talk(CODE), "zyxw", WINDOW)


class TestStatementsAsTyped:
    def test_its_value_in_another_sentence_is_not_it(self) -> None:
        said = "No, I do not want travel insurance."
        system = "Ask whether travel insurance is to be bought. Do not refund who has no travel insurance."
        messages = [
            Message("system", system),
            *talk("Hi.", said, fillers=0),
            *talk("Fine.", fillers=8),
        ]
        found = one(messages, "I do not want travel insurance", WINDOW)
        assert found.probe.answers == ("travel insurance",)
        assert found.spans[-1].state is Knowledge.LOST
        assert found.other_sentence == "Ask whether travel insurance is to be bought."
        assert found.to_dict()["other_sentence"] == found.other_sentence

    def test_a_sentence_with_most_of_its_words_is_it(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=2)
        for text, state in (
            ("The cabin has the door code 7742.", Knowledge.SUMMARY),
            ("The cabin has room 7742.", Knowledge.LOST),
            ("The door code of the cabin is not 7742.", Knowledge.LOST),
        ):
            model = memviz.ScriptedModel([text] * 9)
            run = memviz.replay(talk(CODE), strategy, model=model, counter="chars4")
            (found,) = why(talk(CODE), CODE, runs=[run])
            assert found.spans[-1].state is state, text

    def test_the_negative_of_a_rule_does_not_deny_it(self) -> None:
        rule = "Do not use any interactive commands! Interactive commands hang."
        strategy = memviz.strategy("summary", buffer_size=2)
        model = memviz.ScriptedModel(["Do not use any interactive commands."] * 9)
        run = memviz.replay(talk(rule), strategy, model=model, counter="chars4")
        (found,) = why(talk(rule), "interactive commands", runs=[run])
        assert found.spans[-1].state is Knowledge.SUMMARY
        assert not found.is_denied

    def test_a_value_beside_a_negative_is_a_value(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=2)
        model = memviz.ScriptedModel(["The door code is 7742."] * 9)
        messages = talk("Don't forget that the door code is 7742.")
        run = memviz.replay(messages, strategy, model=model, counter="chars4")
        (found,) = why(messages, "7742", runs=[run])
        assert found.spans[-1].state is Knowledge.SUMMARY

    def test_a_name_is_no_common_word(self) -> None:
        museum = 'This museum is called the "Things" Museum.'
        other = "A museum is called dull where things are dull."
        found = one(talk(museum, other), museum, WINDOW)
        assert found.probe.answers == ("Things",)
        assert found.spans[-1].state is Knowledge.LOST
        assert found.need is None or found.need.words

    def test_a_part_of_a_number_is_not_the_phrase(self) -> None:
        talked = talk(
            "The disk has 15 GB.", "The phone has 5 GB.", "Whales.", fillers=2
        )
        assert one(talked, "5 GB", memviz.strategy("buffer")).said == (6,)
        assert one(talked, "5 G", memviz.strategy("buffer")).said == (0, 6)

    def test_a_label_is_no_value(self) -> None:
        hotel = "The hotel number 1 costs 207 euros."
        assert one(talk(hotel), hotel, WINDOW).probe.answers == ("207",)

    def test_messages_may_come_one_by_one(self) -> None:
        found = why(iter(talk(CODE, ASKED)), "7742", strategies=[WINDOW, WINDOW])
        assert [each.said for each in found] == [(0,), (0,)]


PICTURES = "Please don't commit the generated pictures."
WEEKENDS = "Never deploy on weekends, whatever the team says."


class TestRulesWithoutValue:
    def test_a_summary_that_says_it_in_other_words_holds_it(self) -> None:
        texts = [
            "They agreed to deploy never on a weekend, whatever the team says."
        ] * 9
        assert not summarized(WEEKENDS, texts).is_lost

    @for_each(
        "text",
        [
            "The user wants generated pictures to be committed.",  # the opposite
            "Why don't they commit generated pictures?",
            "They don't generate pictures.",
        ],
    )
    def test_what_a_summary_says_beside_it_is_not_it(self, text: str) -> None:
        assert summarized(PICTURES, [text] * 9).is_lost

    def test_a_phrase_in_other_words_finds_the_message(self) -> None:
        found = one(talk(WEEKENDS), "weekends: never deploy, whatever team", WINDOW)
        assert (found.said, found.is_word_for_word) == ((0,), False)
        assert found.is_lost

    @for_each(
        "phrase",
        [
            "never deploy on weekends, whatever Ana says",
            "never deploy on 2 weekends, whatever the team says",
            "always deploy on weekends, whatever the team says",
        ],
    )
    def test_another_name_number_or_sense_is_another_statement(
        self, phrase: str
    ) -> None:
        with pytest.raises(NotSaidError, match="nearest is message 1"):
            one(talk(WEEKENDS), phrase, WINDOW)

    @for_each(
        "rule",
        [
            "You must never call me at the office of my sister.",
            "You should always ask me before deleting any files.",
            "The assistant should never email us on holidays of the firm.",
            "I want you to always tell me the price of tickets first.",
            "Please don't remember the number of my credit card.",
            PICTURES,
            "Before you book anything, always ask us for the dates.",
            "聊天时必须先问我同意再说下去。",
        ],
    )
    def test_one_that_states_no_value_is_told_where_nobody_asks(
        self, rule: str
    ) -> None:
        (found,) = why(talk(rule, fillers=8), strategies=WINDOW, counter="chars4")
        assert (found.probe.question, found.said) == (rule, (0,))

    def test_one_that_states_a_value_is_told_once(self) -> None:
        messages = talk(WEEKENDS, fillers=8)
        (found,) = why(messages, strategies=WINDOW, counter="chars4")
        assert found.probe.answers == ("weekends",)

    @for_each(
        "said",
        [
            "I have never been to the museum of ships.",
            "I always mix up the two formulas of Bayes.",
            "I don't know the names of those whales.",
            "Novels of that kind always give me a lot of inspiration.",
            "I find the method difficult and don't know where to start.",
            "Should we never feed the animals of others?",
        ],
    )
    def test_a_habit_or_a_question_is_no_rule(self, said: str) -> None:
        found = why(talk(said, fillers=8), strategies=WINDOW, counter="chars4")
        assert said not in [told.probe.question for told in found]


def summarized(rule: str, texts: list[str]) -> Why:
    """The rule under a setting whose summaries say these texts."""
    strategy = memviz.strategy("summary", buffer_size=2)
    model = memviz.ScriptedModel(texts)
    run = memviz.replay(talk(rule), strategy, model=model, counter="chars4")
    (found,) = why(talk(rule), rule, runs=[run])
    return found


class TestNeed:
    def test_the_first_message_with_most_of_its_words(self) -> None:
        found = one(talk(CODE, "Is the cabin warm?", ASKED), CODE, WINDOW)
        assert found.need == Need(12, 6, ("door", "code", "cabin"))

    def test_a_reply_that_says_its_value_again(self) -> None:
        messages = [*talk(CODE), Message("user", ASKED), Message("assistant", "7742.")]
        found = one(messages, "code of the cabin is 7742", WINDOW)
        assert found.need is not None
        assert found.need.position == 10
        found = one(messages, "7742", WINDOW)
        assert found.need == Need(11, 5, ())

    def test_what_is_written_without_spaces_is_quoted_in_pieces(self) -> None:
        hobby = "我还很喜欢读书。"
        found = one(talk(hobby, "你也喜欢读小说吗？"), hobby, WINDOW)
        assert found.need == Need(10, 5, ("喜欢读",))

    def test_none_while_the_request_still_holds_it(self) -> None:
        found = one(talk(CODE, ASKED, fillers=0), CODE, WINDOW)
        assert found.need is None


class TestRemedies:
    @pytest.fixture(scope="class")
    @staticmethod
    def found() -> Why:
        return one(talk(CODE, ASKED, fillers=8), CODE, WINDOW)

    def remedy(self, found: Why, kind: str) -> Any:
        return next(remedy for remedy in found.remedies if remedy.kind == kind)

    def test_each_that_keeps_it_keeps_it_at_every_request_that_was_without_it(
        self, found: Why
    ) -> None:
        lost = [n for n, state in enumerate(states_of(found.run)) if state == "LOST"]
        assert lost
        for remedy in found.remedies:
            if remedy.kind in ("limit", "preset"):
                run = memviz.replay(found.run.log, remedy.strategy, counter="chars4")
                kept = states_of(run)
                assert {kept[number] for number in lost} <= {"VERBATIM", "SUMMARY"}

    def test_the_smallest_doubled_limit(self, found: Why) -> None:
        limit = self.remedy(found, "limit")
        assert limit.strategy.window_size == 32
        half = memviz.strategy("window", window_size=16)
        assert one(found.run.log, CODE, half).is_lost

    def test_the_rank_of_retrieval_at_the_request_that_needs_it(
        self, found: Why
    ) -> None:
        assert found.need is not None
        retrieval = self.remedy(found, "retrieval")
        assert (retrieval.rank, retrieval.keeps) == (1, True)

    def test_the_price_of_a_pin(self, found: Why) -> None:
        pin = self.remedy(found, "pin")
        recalled = memviz.Recall(messages=[0])
        turns = range(3, len(found.run.requests) + 1)
        run = memviz.replay(
            found.run.log,
            WINDOW,
            counter="chars4",
            recalls=dict.fromkeys(turns, recalled),
        )
        assert "LOST" not in states_of(run)
        more = count_token_use(run).all_tokens - count_token_use(found.run).all_tokens
        assert pin.more_tokens == more > 0
        costs = [
            PricingAssumptions.of().cost(count_traffic(one)).total_usd
            for one in (run, found.run)
        ]
        assert pin.more_usd == pytest.approx(costs[0] - costs[1])

    def test_prices_are_against_the_same_setting_with_the_same_summarizer(self) -> None:
        strategy = memviz.strategy("summary", buffer_size=2)
        model = memviz.ScriptedModel(["Whales, " * 200] * 99)
        run = memviz.replay(talk(CODE, ASKED), strategy, model=model, counter="chars4")
        (found,) = why(talk(CODE, ASKED), CODE, runs=[run])
        own = memviz.replay(talk(CODE, ASKED), strategy, counter="chars4")
        limit = self.remedy(found, "limit")
        larger = memviz.replay(talk(CODE, ASKED), limit.strategy, counter="chars4")
        assert limit.more_tokens == (
            count_token_use(larger).all_tokens - count_token_use(own).all_tokens
        )

    def test_presets_are_few_and_the_cheapest(self, found: Why) -> None:
        prices = [one.more_usd for one in found.remedies if one.kind == "preset"]
        assert 0 < len(prices) <= 3
        assert prices == sorted(prices)

    def test_no_price_is_made_up(self) -> None:
        found = one(talk(CODE), CODE, WINDOW, prices_of="nobody/knows")
        assert {remedy.more_usd for remedy in found.remedies} == {None}


def states_of(run: memviz.Run) -> list[str]:
    probe = Probe("code", ("7742",), (0,), "number")
    states = memviz.retention(run, [probe]).states[:, 0]
    return [Knowledge(int(state)).name for state in states]


class TestStatements:
    def test_rules_come_first_and_then_the_kinds_in_their_order(self) -> None:
        probes = (
            Probe("Who is the guide?", ("Ana",), (0,), "name"),
            Probe("You may never ___.", ("smoke",), (0,), "number"),
            Probe("What do we want?", ("dolphins",), (0,), "goal"),
        )
        said = "Ana is the guide; never smoke; we want dolphins."
        transcript = Transcript((*talk(said, fillers=0), *plain(6)), probes=probes)
        found = why(transcript, strategies=WINDOW)
        assert [one.probe.answers[0] for one in found] == ["smoke", "dolphins", "Ana"]
        assert all(one.remedies == () for one in found)

    def test_what_a_tool_said_comes_last(self) -> None:
        call = {"id": "c", "function": {"name": "look", "arguments": "{}"}}
        messages = [
            {"role": "user", "content": "Ana is the guide."},
            {"role": "assistant", "content": "", "tool_calls": [call]},
            {"role": "tool", "content": "Never leave after dusk.", "tool_call_id": "c"},
            {"role": "assistant", "content": "Fine."},
            *({"role": one.role, "content": one.content} for one in plain(8)),
        ]
        probes = (
            Probe("Never leave after ___.", ("dusk",), (2,), "number"),
            Probe("Who is the guide?", ("Ana",), (0,), "name"),
        )
        read = memviz.load_transcript(json.dumps(messages).encode())
        found = why(replace(read, probes=probes), strategies=WINDOW)
        assert [one.probe.answers[0] for one in found] == ["Ana", "dusk"]

    def test_only_what_the_last_request_is_without_and_at_most_ten(self) -> None:
        words = [
            "ash",
            "birch",
            "cedar",
            "elm",
            "fir",
            "hazel",
            "larch",
            "maple",
            "oak",
            "pine",
            "rowan",
            "yew",
        ]
        probes = tuple(
            Probe(f"Tree {n}?", (word,), (0,), "name") for n, word in enumerate(words)
        )
        said = [Message("user", ", ".join(words)), Message("assistant", "Trees.")]
        transcript = Transcript(
            (*said, *plain(6), Message("user", "yew"), Message("assistant", "Yes.")),
            probes=probes,
        )
        found = why(transcript, strategies=WINDOW)
        assert len(found) == MOST_STATEMENTS
        assert all(one.loss is one.spans[-1] for one in found)
        few = replace(transcript, probes=probes[-2:])
        assert [one.probe.answers[0] for one in why(few, strategies=WINDOW)] == [
            "rowan"
        ]

    def test_they_are_proposed_where_the_conversation_names_none(self) -> None:
        found = why(talk(CODE, fillers=8), strategies=WINDOW)
        assert [one.probe.answers for one in found] == [("7742",)]

    def test_three_settings_are_looked_at_unless_others_are_named(self) -> None:
        found = why(talk(CODE), "7742")
        assert [one.run.strategy.id for one in found] == [
            "buffer",
            "window",
            "summary_buffer",
        ]


def plain(turns: int) -> list[Message]:
    return talk("Hello.", fillers=turns - 1)


class TestRecorded:
    @pytest.fixture(scope="class")
    @staticmethod
    def found() -> Why:
        transcript = memviz.load_transcript(session().encode(), "claude_code")
        (found,) = why(transcript, RULE)
        return found

    def test_what_happened_is_what_the_log_says(self, found: Why) -> None:
        assert found.is_recorded
        assert found.event is not None
        assert (found.event.reason, found.event.tokens_before) == ("auto", 9000)
        assert found.lost_at is not None
        assert found.lost_at.turn == 3

    def test_the_message_that_seems_to_break_it(self, found: Why) -> None:
        assert found.need == Need(4, 2, ("commit", "main"))

    def test_the_words_of_it_that_the_summary_still_has(self) -> None:
        log = session("They work on a branch, never on main.")
        transcript = memviz.load_transcript(log.encode(), "claude_code")
        (found,) = why(transcript, RULE)
        assert found.is_lost
        assert found.words_left == ("Never", "main")

    def test_what_the_summary_says_is_not_lost(self) -> None:
        transcript = memviz.load_transcript(session().encode(), "claude_code")
        (found,) = why(transcript, "port 5433")
        assert not found.is_lost
        assert found.spans[-1].state is Knowledge.SUMMARY

    def test_without_its_summary_nobody_can_tell(self) -> None:
        transcript = memviz.load_transcript(session("").encode(), "claude_code")
        (found,) = why(transcript, RULE)
        assert not found.is_lost
        assert found.spans[-1].state is Knowledge.UNKNOWN

    def test_a_strategy_that_is_named_takes_its_place(self) -> None:
        transcript = memviz.load_transcript(session().encode(), "claude_code")
        (found,) = why(transcript, RULE, strategies=[WINDOW])
        assert not found.is_recorded

    def test_of_a_system_prompt_that_was_edited_later_nobody_can_tell(self) -> None:
        transcript = memviz.load_transcript(
            session("All is well.").encode(), "claude_code"
        )
        prompt = "The service listens on port 5433."
        warning = f"{EDITED_PROMPT}: index 6"
        for warnings, state in (
            ((), Knowledge.SYSTEM),
            ((warning,), Knowledge.UNKNOWN),
        ):
            edited = replace(transcript, system_prompt=prompt, warnings=warnings)
            (found,) = why(edited, "port 5433")
            assert found.spans[-1].state is state
            assert found.edits_prompt == bool(warnings)

    def test_nothing_is_pinned_in_what_happened(self, found: Why) -> None:
        assert {remedy.kind for remedy in found.remedies} <= {"retrieval", "preset"}

    def test_as_json_messages_count_from_1(self, found: Why) -> None:
        told = found.to_dict()
        assert told["said"] == [{"message": 1, "turn": 1, "role": "user", "name": None}]
        assert told["needed"]["message"] == 5
        assert told["recorded"]["tokens_before"] == 9000
        assert told["is_lost"]
