"""Assertions on the runs of a memory, each of them true and false."""

from __future__ import annotations

from math import inf
from typing import Any

import pytest

import memviz
from memviz import Probe, Transcript, testing
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.requests.traffic import count_traffic
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.why import NotSaidError
from tests.testing.memories import RULE, LastMessages, Summary, talk


def replayed(memory: Any = LastMessages, **settings: Any) -> testing.MemoryRun:
    return testing.replay(talk(), memory, counter="chars4", **settings)


def test_a_rule_that_is_lost_says_why_and_the_remedy_that_it_names_helps() -> None:
    verdict = replayed(keep=4).keeps(RULE, kind="rule")
    assert not verdict
    assert repr(verdict) == (
        f"<'{RULE}' is lost at turn 3 of 10 under LastMessages(keep=4) (Untitled conversation)>"
    )
    (answer,) = memviz.why(
        [memviz.Message.of(message) for message in talk()],
        RULE,
        strategies=memviz.strategy("window", window_size=4),
        counter="chars4",
        kind="rule",
    )
    assert answer.lost_at is not None
    assert answer.lost_at.turn == 3, "as memviz's own window of four loses it"
    limits = [line for line in verdict.reasons if "A larger limit" in line]
    assert limits[0].startswith("- A larger limit: LastMessages(keep=32): +")
    assert replayed(keep=32).keeps(RULE, kind="rule")
    assert not replayed(keep=16).keeps(RULE, kind="rule"), "half of it is too little"


def test_a_summary_that_says_it_keeps_it() -> None:
    class Careful(Summary):
        words = f"{Summary.words}. {RULE.capitalize()}."

    assert not replayed(Summary, keep=4).keeps(RULE, kind="rule")
    assert replayed(Careful, keep=4).keeps(RULE, kind="rule")


def test_a_value_alone_is_another_question_than_the_sentence() -> None:
    class Amount(Summary):
        words = f"{Summary.words}, for 1,400 euros"

    sentence = "Our budget is 1,400 euros."
    assert not replayed(Amount, keep=2).keeps(sentence)
    assert not replayed(Amount, keep=2).keeps(sentence, kind="rule")
    assert replayed(Amount, keep=2).keeps("1,400 euros", kind="value")
    plan = "I plan a trip to Lisbon"
    assert replayed(Summary, keep=2).keeps(plan), "the summary has its words"
    assert not replayed(Summary, keep=2).keeps(plan, kind="value")


def test_a_rule_is_known_again_by_its_words_whatever_value_it_has() -> None:
    class Limit(Summary):
        words = f"{Summary.words}. Our budget for the whole trip in euros is small."

    rule = "Our budget for the whole trip is 1,400 euros."
    messages = talk()
    messages[1] = {"role": "user", "content": rule}
    run = testing.replay(messages, Limit, keep=2, counter="chars4")
    assert run.keeps(rule, kind="rule")
    assert not run.keeps(rule), "the value of the rule is not in the summary"


def test_what_nobody_says_is_an_error_and_no_failure() -> None:
    with pytest.raises(NotSaidError, match="The nearest is message 2"):
        replayed(keep=4).keeps("always answer in dollars please")
    both = testing.replay([talk()[:1] + talk()[3:], talk()], list, counter="chars4")
    assert both.keeps(RULE), "one of the two conversations says it"


def test_a_question_that_is_none_is_refused() -> None:
    run = replayed(keep=4)
    with pytest.raises(memviz.ParameterError, match="phrase"):
        run.keeps(" ")
    with pytest.raises(memviz.ParameterError, match="'', 'rule', 'value'"):
        run.keeps(RULE, kind="fact")  # type: ignore[arg-type]


def test_a_rule_of_the_system_prompt_is_lost_with_it() -> None:
    messages = talk()
    messages[0] = {"role": "system", "content": "Never name a price in dollars."}
    for given in (
        messages,
        Transcript(
            tuple(map(memviz.Message.of, messages[1:])),
            system_prompt=messages[0]["content"],
        ),
    ):
        run = testing.replay(given, LastMessages, keep=4, counter="chars4")
        verdict = run.keeps("never name a price in dollars", kind="rule")
        assert not verdict
        assert "system prompt, which is left out in turns 3, 4" in verdict.reasons[0]
        whole = testing.replay(given, list, counter="chars4")
        assert whole.keeps("never name a price in dollars", kind="rule")


def test_facts_are_counted_over_all_conversations() -> None:
    probe = Probe("What is the budget?", ("1,400 euros",), (7,), "number")
    transcript = Transcript(tuple(map(memviz.Message.of, talk())), probes=(probe,))
    short = testing.replay(transcript, LastMessages, keep=4, counter="chars4").facts
    assert (short.stated, short.kept, short.half_life, short.share) == (1, 0, 2, 0.0)
    assert short.lost == ("What is the budget?",)
    whole = testing.replay(
        [transcript, transcript], LastMessages, keep=40, counter="chars4"
    ).facts
    assert (whole.stated, whole.kept, whole.half_life, whole.lost) == (2, 2, inf, ())
    proposed = replayed(keep=4).facts
    assert "Our budget is 1,400 euros." in proposed.lost


def test_tokens_and_dollars_are_those_of_the_runs() -> None:
    run = testing.replay([talk(), talk()[:9]], Summary, keep=4, counter="chars4")
    prices = PricingAssumptions.of("openai/gpt-5-mini")
    usd = [prices.cost(count_traffic(one)).total_usd or 0.0 for one in run.runs]
    assert run.usd == pytest.approx(sum(usd))
    assert run.usd > 0
    assert run.tokens == sum(count_token_use(one).all_tokens for one in run.runs)
    unknown = testing.replay(talk(), list, prices_of="nobody/knows", counter="chars4")
    with pytest.raises(memviz.ParameterError, match="nobody/knows"):
        assert unknown.usd
    assert unknown.to_dict()["usd"] is None


def test_a_summary_at_every_request_is_thrash() -> None:
    class Restless(Summary):
        def load(self) -> list[dict[str, Any]]:
            sent = super().load()
            if len(sent) < len(self.all):
                text = f"{self.words}, {len(self.all)} messages"
                sent[1] = {"role": "system", "content": text}
            return sent

    verdict = replayed(Restless, keep=4).has_no_thrash()
    assert not verdict
    assert len(verdict.reasons) == 3
    assert replayed(Summary, keep=4).has_no_thrash()


def test_a_strategy_of_memviz_is_asserted_of_in_the_same_way() -> None:
    run = replayed(memviz.strategy("window", window_size=4))
    verdict = run.keeps(RULE)
    assert not verdict
    assert any("Sliding window · 32 messages" in line for line in verdict.reasons)
    assert run.verify()


def test_its_figures() -> None:
    run = replayed(keep=4)
    assert not run.keeps(RULE)
    assert run.keeps("light jacket")
    figures = run.to_dict()
    assert figures["setting"] == "LastMessages(keep=4)"
    assert figures["keeps"] == {RULE: False, "light jacket": True}
    assert figures["facts"] == run.facts.stated > figures["facts_kept"]
    assert figures["tokens"] == run.tokens
    assert figures["thrash"] is False
    assert replayed(keep=40).to_dict()["half_life"] is None
    assert repr(run) == "<LastMessages(keep=4) over 1 conversation>"


def test_it_is_reached_from_the_package() -> None:
    assert memviz.testing.replay is testing.replay


def test_a_reason_is_nothing_that_a_terminal_obeys() -> None:
    phrase = "Never \x1b[2J open the \u202ewindow."
    messages = talk()
    messages[1] = {"role": "user", "content": phrase}
    transcript = Transcript(tuple(map(memviz.Message.of, messages)), title="T\x1b[2J")
    verdict = testing.replay(transcript, LastMessages, keep=2).keeps(phrase)
    assert not verdict
    assert "\x1b" not in verdict.text + repr(verdict)
    assert "\u202e" not in verdict.text + repr(verdict)
