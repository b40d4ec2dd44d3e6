"""A memory from a budget: as good as an exhaustive search, measured over conversations that it has never seen."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import pairwise, repeat
from math import exp
from random import Random
from statistics import fmean
from time import process_time

import numpy as np
import pytest

import memviz
from benchmarks.synthetic.generator import generate
from memviz import DesignError, Message, ParameterError, Probe
from memviz.cli.design_report import missed_words
from memviz.core.conversation import Log
from memviz.core.counters import counter as find_counter
from memviz.metrics.requests.traffic import Traffic
from memviz.models.scripted import ScriptedModel
from memviz.strategies.base import Strategy
from memviz.tuning.cell import Cell, measure_cell
from memviz.tuning.design import (
    LEAST_CANDIDATES,
    LENIENCY,
    Designing,
    MeasuredSetting,
    plan_rounds,
    work_off_quietly,
)
from memviz.tuning.figures import (
    USD,
    Figures,
    PricedCell,
    Terms,
    count_facts,
    work_out_figures,
)
from memviz.tuning.grid import expand_grid
from memviz.tuning.holdout import draw_evenly, leave_out_copies, split_conversations
from memviz.tuning.statements import find_rules
from memviz.tuning.sweep_conversation import SweepConversation
from memviz.tuning.sweeping import Sweeping
from tests.tables import for_each

SPACE = expand_grid(
    {
        "window": {"window_size": range(1, 13)},
        "token_buffer": {"max_tokens": range(100, 1300, 100)},
        "summary": {"buffer_size": range(1, 13)},
    }
)
VALUES = 12
"""36 settings in all: a small space."""
FACTS_OF_ONE = 12
RULE = "Never book a hotel beside a railway."
Cells = dict[tuple[Strategy, str], PricedCell]
"""By setting, and by the digest of the conversation."""


def chats_with_facts(number: int) -> list[memviz.Transcript]:
    """Generated conversations of 4 to 7 turns, each with its facts."""
    return [
        generate(4 + seed % 4, seed=seed, facts_per_100_turns=50)
        for seed in range(number)
    ]


def chats_with_rules(number: int) -> list[memviz.Transcript]:
    """Chats of 9 turns and more whose first message sets a rule."""
    chats = []
    for chat in range(number):
        messages = [Message("user", f"I plan trip {chat}. {RULE}")]
        for turn in range(8 + chat):
            messages.append(Message("assistant", f"Done with part {turn}."))
            messages.append(Message("user", f"Tell me of part {turn + 1}."))
        chats.append(memviz.Transcript((*messages, Message("assistant", "Done."))))
    return chats


def conversation(number: int) -> SweepConversation:
    """A conversation of its own length, that states 12 facts and 2 rules."""
    length = 2 + number % 17
    messages = [Message("user", f"{number}: {at}") for at in range(length)]
    categories = ["rule"] * 2 + ["number"] * (FACTS_OF_ONE - 2)
    probes = tuple(
        Probe(f"{at}?", (f"{at}",), (0,), category)
        for at, category in enumerate(categories)
    )
    return SweepConversation(f"c{number}", Log(messages), probes)


def made_up_cells(random: Random, subjects: list[SweepConversation]) -> Cells:
    """Cells as a replay would give them: of each strategy a larger value costs more and keeps more, less and less so;
    conversations differ in what they ask for, and each run in what it keeps by luck."""
    quality = {
        id: random.uniform(0.6, 1.6) for id in ("window", "token_buffer", "summary")
    }
    price = {id: random.uniform(0.7, 1.4) for id in quality}
    need = {subject.digest: random.uniform(0.6, 1.5) for subject in subjects}
    cells = {}
    for at, setting in enumerate(SPACE):
        size = (at % VALUES + 1) / VALUES
        for subject in subjects:
            requests = len(subject.log)
            luck = random.gauss(0, 0.03)
            reach = 4 * size * quality[setting.id] / need[subject.digest]
            share = min(1.0, max(0.0, 1 - exp(-reach) + luck))
            tokens = int(200 + 2000 * size * price[setting.id] * need[subject.digest])
            cells[setting, subject.digest] = made_up_cell(
                setting, subject, requests, tokens, share
            )
    return cells


def made_up_cell(
    setting: Strategy,
    subject: SweepConversation,
    requests: int,
    tokens: int,
    share: float,
) -> PricedCell:
    nothing = np.zeros(requests, np.int64)
    none = np.zeros(0, np.int64)
    traffic = Traffic(
        np.arange(1, requests + 1),
        nothing + tokens,
        nothing,
        nothing,
        none,
        none,
        none,
        none,
        none,
    )
    cell = Cell(
        setting,
        subject.title,
        traffic,
        # Of a thousand, for a share of any size.
        retained=nothing + round(1000 * share),
        born=nothing + 1000,
        facts=FACTS_OF_ONE,
        shares={"rule": share},
    )
    return PricedCell(cell, tokens * requests / 1e6)


def never(_sweeping: Sweeping) -> None:
    raise AssertionError("every cell is known")


def designing_over(
    seed: int, terms: Terms, conversations: int = 28
) -> tuple[Designing, Cells]:
    """A design over made-up cells: nothing is replayed."""
    subjects = [conversation(number) for number in range(conversations)]
    cells = made_up_cells(Random(seed), subjects)
    buffer = memviz.strategy("buffer")
    for subject in subjects:
        cells[buffer, subject.digest] = made_up_cell(
            buffer, subject, len(subject.log), 5000, 1.0
        )
    search, holdout = split_conversations(subjects, seed=seed)
    designing = Designing(
        search, holdout, SPACE, terms, never, counter="chars4", _cells=dict(cells)
    )
    return designing, cells


def exhaustive_best(designing: Designing, cells: Cells) -> MeasuredSetting | None:
    """The cheapest setting of all that meets the terms over all conversations of the search."""
    best = None
    for setting in SPACE:
        own = [cells[setting, subject.digest] for subject in designing.search]
        figures = work_out_figures(own, designing.search, tuple(designing.terms.keep))
        if figures.misses(designing.terms):
            continue
        if best is None or figures.usd_per_1000.value < best.figures.usd_per_1000.value:
            best = MeasuredSetting(setting, figures)
    return best


TERMS = Terms(usd_per_1000=2.0, keep={"rules": 0.85, "facts": 0.85})


class TestAgainstAnExhaustiveSearch:
    @pytest.mark.parametrize(
        "seed",
        # The first two draws are not found without leniency.
        [
            23,
            33,
            *(pytest.param(one, marks=pytest.mark.slow) for one in range(82, 112)),
        ],
    )
    def test_it_is_within_3_percent_of_the_best(self, seed: int) -> None:
        designing, cells = designing_over(seed, TERMS)
        best = exhaustive_best(designing, cells)
        found = designing.run().best
        assert (found is None) == (best is None)
        if best is not None and found is not None:
            least = best.figures.usd_per_1000.value
            assert found.figures.usd_per_1000.value <= 1.03 * least

    def test_over_replays_it_is_the_best(self) -> None:
        chats = chats_with_facts(6)
        grid = expand_grid(
            {
                "window": {"window_size": [2, 4, 6, 8, 12, 16, 24]},
                "token_buffer": {"max_tokens": [200, 400, 800, 1600, 3200]},
                "head_and_tail": {"tail_size": [2, 4, 8, 12]},
            }
        )
        design = memviz.design(
            chats, 5, {"facts": 0.6}, settings=grid, counter="chars4", seed=3
        )
        assert design.best is not None
        terms = Terms(5, {"facts": 0.6})
        subjects = [
            SweepConversation.of(chat, memviz.counter("chars4")) for chat in chats
        ]
        search, holdout = split_conversations(subjects, seed=3)
        every = Designing(
            search, holdout, grid, terms, work_off_quietly, counter="chars4"
        )
        fitting = [
            one.figures.usd_per_1000.value
            for one in every.measure(grid, search)
            if not one.figures.misses(terms)
        ]
        assert design.best.figures.usd_per_1000.value <= 1.03 * min(fitting)


class TestTheHoldout:
    def test_is_never_seen_by_the_search(self) -> None:
        chats = chats_with_facts(9)
        subjects = [
            SweepConversation.of(chat, memviz.counter("chars4")) for chat in chats
        ]
        search, holdout = split_conversations(subjects)
        asked: list[tuple[int, set[str]]] = []

        def work(sweeping: Sweeping) -> None:
            digests = {subject.digest for subject in sweeping.subjects}
            asked.append((len(sweeping.settings), digests))
            work_off_quietly(sweeping)

        grid = expand_grid({"window": {"window_size": [2, 4, 8, 30]}})
        terms = Terms(50, {"facts": 0.2})
        design = Designing(search, holdout, grid, terms, work, counter="chars4").run()
        held_out = {subject.digest for subject in holdout}
        assert design.holdout is not None
        assert design.holdout.conversations == len(held_out) == 2
        assert [digests & held_out for _, digests in asked[:-1]] == (
            [set()] * (len(asked) - 1)
        )
        assert asked[-1] == (1, held_out)

    @pytest.mark.slow
    def test_its_figures_are_honest(self) -> None:
        """Whatever the search fell for: over many draws the intervals of the holdout hold what the setting does in all
        conversations there are."""
        held = Counter[str]()
        drawn = 0
        for seed in range(60):
            designing, cells = designing_over(seed, TERMS)
            design = designing.run()
            if design.best is None or design.holdout is None:
                continue
            drawn += 1
            everyone = (*designing.search, *designing.holdout)
            own = [cells[design.best.setting, subject.digest] for subject in everyone]
            truth = work_out_figures(own, everyone, ("facts",))
            for term, interval, value in (
                (USD, design.holdout.usd_per_1000, truth.usd_per_1000.value),
                ("facts", design.holdout.kept["facts"], truth.kept["facts"].value),
            ):
                held[term] += interval.low <= value <= interval.high
        assert drawn > 40
        assert held[USD] / drawn >= 0.9
        assert held["facts"] / drawn >= 0.9

    def test_is_a_share_drawn_by_the_seed(self) -> None:
        subjects = [conversation(number) for number in range(20)]
        search, holdout = split_conversations(subjects, 0.3, seed=5)
        assert (len(search), len(holdout)) == (14, 6)
        assert not {one.digest for one in search} & {one.digest for one in holdout}
        again = split_conversations(subjects[::-1], 0.3, seed=5)
        assert [one.title for one in again[1]] == [one.title for one in holdout]
        times = Counter[str]()
        for seed in range(400):
            times.update(
                one.title for one in split_conversations(subjects, 0.3, seed)[1]
            )
        assert len(times) == 20
        assert max(times.values()) < 1.4 * min(times.values())

    @for_each("number", [4, 6, 9, 20, 30])
    def test_each_is_as_likely_to_be_held_out_as_any_other(self, number: int) -> None:
        for held_out in range(1, number):
            times = Counter[int]()
            for start in range(number):
                times.update(draw_evenly(range(number), start)[:held_out])
            assert times == dict.fromkeys(range(number), held_out)

    def test_the_start_is_drawn_from_all(self) -> None:
        subjects = [conversation(number) for number in range(4)]
        times = Counter[str]()
        for seed in range(1000):
            times.update(
                one.title for one in split_conversations(subjects, seed=seed)[1]
            )
        assert len(times) == 4
        assert 450 < min(times.values()) <= max(times.values()) < 550

    @for_each("number", [4, 6, 20, 30])
    def test_no_part_of_the_row_is_left_out(self, number: int) -> None:
        for start in range(number):
            drawn = draw_evenly(range(number), start)
            first, second = sorted(drawn[:2])
            # Neither neighbours, nor the two ends.
            assert 1 < second - first < number - 1
            half = drawn[: number // 2]
            assert abs(fmean(half) - fmean(drawn)) < number / 6

    def test_has_short_and_long_conversations(self) -> None:
        subjects = [conversation(number) for number in range(34)]
        means = [
            fmean(len(one.log) for one in split_conversations(subjects, 0.25, seed)[1])
            for seed in range(40)
        ]
        assert 8 < min(means) <= max(means) < 12

    def test_copies_of_a_conversation_count_once(self) -> None:
        subjects = [conversation(number) for number in range(5)]
        search, holdout = split_conversations([*subjects, *subjects])
        assert len(search) + len(holdout) == 5

    def test_the_beginning_of_a_conversation_counts_as_that(self) -> None:
        subjects = [conversation(number) for number in range(5)]
        whole = subjects[4]
        prompt = Message("system", "Tuesday.")
        begun = replace(whole, title="begun", log=Log([prompt, *whole.log[:3]]))
        dated = [replace(one, meta={"at": "a later night"}) for one in whole.log]
        asked = replace(whole, title="asked", log=Log(dated), probes=())
        search, holdout = split_conversations([begun, *subjects, asked])
        lengths = [len(one.log) for one in (*search, *holdout)]
        assert sorted(lengths) == [2, 3, 4, 5, 6]

    def test_copies_among_thousands_are_left_out_at_once(self) -> None:
        prompt = "The same beginning. " * 100
        subjects = []
        for number in range(4000):
            messages = [Message("user", prompt), Message("assistant", f"{number // 2}")]
            subjects.append(SweepConversation("", Log(messages), ()))
        started = process_time()
        assert len(leave_out_copies(subjects)) == 2000
        assert process_time() - started < 5

    def test_too_few_conversations_are_refused(self) -> None:
        with pytest.raises(DesignError, match="at least 4 different conversations"):
            split_conversations([conversation(1)] * 9)


class TestRareKinds:
    """Kinds of facts that few conversations state."""

    def test_conversations_that_state_what_is_asked_for_come_first(self) -> None:
        number = Probe("What?", ("one",), (0,), "number")
        rule = Probe("What?", ("one",), (0,), "rule")
        goal = Probe("What?", ("one",), (0,), "goal")
        stated = [(), (rule,), (number,), (rule, number), (), (goal,)]
        search = [
            replace(conversation(at), probes=probes) for at, probes in enumerate(stated)
        ]
        terms = Terms(1, {"rules": 0.5, "goals": 0.5})
        designing = Designing(tuple(search), (), SPACE, terms, never)
        titles = [subject.title for subject in designing.search]
        assert titles == ["c1", "c5", "c3", "c0", "c2", "c4"]

    def test_the_full_buffer_reaches_the_end(self) -> None:
        """Over the conversations of the first rounds any other setting keeps as much, and costs less."""
        subjects = [conversation(number) for number in range(14)]
        buffer = memviz.strategy("buffer")
        cells = {}
        for number, subject in enumerate(subjects):
            requests = len(subject.log)
            for setting in SPACE:
                share = 1.0 if number < 6 else 0.5
                cell = made_up_cell(setting, subject, requests, 1000, share)
                cells[setting, subject.digest] = cell
            cell = made_up_cell(buffer, subject, requests, 5000, 1.0)
            cells[buffer, subject.digest] = cell
        designing = Designing(
            tuple(subjects[:12]),
            tuple(subjects[12:]),
            (*SPACE, buffer),
            Terms(50, {"facts": 0.9}),
            never,
            _cells=cells,
        )
        assert designing.run().setting == buffer


class TestRulesThatNobodyBroughtAlong:
    """Rules are read off the conversations where no file brought any."""

    def test_the_cheapest_memory_that_keeps_them_is_found(self) -> None:
        chats = chats_with_rules(4)
        sizes = expand_grid({"window": {"window_size": (1, 3, 40)}})
        found = memviz.design(
            chats, 900, {"rules": 1.0}, settings=sizes, counter="chars4"
        )
        assert found.rules_read == 2
        assert found.setting == memviz.strategy("window", window_size=40)
        assert found.is_held

    def test_a_summary_that_says_the_same_keeps_them(self) -> None:
        summary = memviz.strategy("summary", buffer_size=2)
        found = memviz.design(
            chats_with_rules(4),
            900,
            {"rules": 0.0},
            settings=[summary],
            counter="chars4",
        )
        assert found.best is not None
        assert found.best.setting == summary
        assert found.best.figures.kept["rules"].value == 1

    @for_each(
        ("summary", "is_kept"),
        [
            ("A hotel beside a railway is never to be booked.", True),
            ("A hotel beside a railway is to be booked.", False),
            ("They plan a trip.", False),
        ],
    )
    def test_a_summary_may_say_it_in_other_words(
        self, summary: str, is_kept: bool
    ) -> None:
        counter = find_counter("chars4")
        subject = SweepConversation.of(chats_with_rules(1)[0], counter)
        cell = measure_cell(
            subject.with_rules(),
            memviz.strategy("summary", buffer_size=2),
            counter,
            ScriptedModel(repeat(summary)),
        )
        assert (cell.rule_retention == 1) == is_kept

    def test_they_are_no_facts(self) -> None:
        subject = SweepConversation.of(chats_with_rules(1)[0], find_counter("chars4"))
        with_rules = subject.with_rules()
        assert with_rules.probes == subject.probes
        assert [rule.question for rule in with_rules.rules] == [RULE]
        assert count_facts(with_rules, "rules") == 1
        assert count_facts(with_rules, "facts") == len(subject.probes)

    def test_those_of_a_system_prompt_tell_no_setting_from_another(self) -> None:
        prompt = Message("system", "Never offer a discount above ten percent.")
        (chat,) = chats_with_rules(1)
        with_prompt = memviz.Transcript((prompt, *chat.messages))
        subject = SweepConversation.of(with_prompt, find_counter("chars4"))
        assert len(find_rules(subject.log, ())) == 2
        (rule,) = subject.with_rules().rules
        assert rule.question == RULE

    def test_rules_that_came_with_a_file_are_all(self) -> None:
        brought = Probe("Which hotels?", ("quiet ones",), (0,), "rule")
        chats = chats_with_rules(4)
        chats[0] = replace(chats[0], probes=(brought,))
        chats[1] = replace(chats[1], probes=(brought,))
        everything = [memviz.strategy("buffer")]
        for seed in range(4):
            found = memviz.design(
                chats,
                900,
                {"rules": 0.0},
                settings=everything,
                counter="chars4",
                seed=seed,
            )
            assert found.rules_read == 0


class TestTheAnswer:
    def test_names_the_nearest_two_where_nothing_meets_the_terms(self) -> None:
        designing, _ = designing_over(1, Terms(0.01, {"facts": 0.99}))
        design = designing.run()
        assert design.best is None
        assert design.holdout is None
        assert not design.is_held
        first, second = design.nearest
        assert first.setting.id != second.setting.id
        assert set(first.figures.misses(design.terms)) == {USD, "facts"}

    def test_names_the_nearest_two_where_none_can_be_used(self) -> None:
        """A provider refuses more requests of the larger values."""
        designing, cells = designing_over(1, Terms(50, {"facts": 0.1}))
        for (setting, digest), priced in cells.items():
            refused = SPACE.index(setting) % VALUES + 1 if setting in SPACE else 0
            cell = replace(priced.cell, refused_requests=refused)
            designing._cells[setting, digest] = PricedCell(cell, priced.usd)
        design = designing.run()
        assert design.best is None
        first, second = design.nearest
        assert first.setting.id != second.setting.id
        assert first.figures.refused_requests == len(designing.search)
        words = missed_words(first.figures, design)
        assert (
            words == f"a provider would refuse 21 of {first.figures.requests} requests"
        )

    def test_is_the_same_for_the_same_seed(self) -> None:
        chats = chats_with_facts(4)
        grid = expand_grid({"window": {"window_size": [2, 4, 8]}})
        one, other = (
            memviz.design(chats, 9, {"facts": 0.3}, settings=grid, counter="chars4")
            for _ in range(2)
        )
        assert one.best == other.best
        assert one.holdout == other.holdout
        assert one.parts == other.parts

    def test_says_what_each_part_buys(self) -> None:
        chats = chats_with_facts(4)
        steps = "shorten messages to 80 characters, keep 2 turns\ndrop at 150 tokens, keep 100 tokens"
        pipeline = memviz.strategy("pipeline", steps=steps)
        design = memviz.design(
            chats, 50, {"facts": 0.0}, settings=[pipeline], counter="chars4"
        )
        lines = [part.line for part, _ in design.parts]
        assert lines == steps.splitlines()
        assert [other.setting for _, other in design.parts] == [
            memviz.strategy("pipeline", steps=line) for line in reversed(lines)
        ]
        assert design.best is not None
        usd = design.best.figures.usd_per_1000.value
        # Without dropping more is sent.
        assert design.parts[1][1].figures.usd_per_1000.value > usd
        assert design.everything.usd_per_1000.value > usd

    def test_a_setting_that_a_provider_refuses_is_not_taken(self) -> None:
        figures = figures_with(refused_requests=1)
        assert not figures.can_be_used
        assert figures_with(refused_requests=0).can_be_used

    def test_an_unknown_price_is_told_before_the_search(self) -> None:
        chats = chats_with_facts(4)
        with pytest.raises(DesignError, match="price is unknown"):
            memviz.design(chats, 9, model="openai/nothing-such", counter="chars4")

    def test_a_kind_that_nobody_states_is_refused(self) -> None:
        chats = chats_with_facts(4)
        with pytest.raises(DesignError, match=r"any goals.* no facts of this kind"):
            memviz.design(chats, 9, {"goals": 1.0}, counter="chars4")

        without_rules = [
            memviz.Transcript(
                (Message("user", f"{city}?"), Message("assistant", "Yes"))
            )
            for city in ("Rome", "Oslo", "Bern", "Riga")
        ]
        with pytest.raises(DesignError, match=r"any rules.* facts of yours\.$"):
            memviz.design(without_rules, 9, {"rules": 1.0}, counter="chars4")

    @for_each("kind", ["facts", "goals"])
    def test_a_kind_that_is_only_stated_at_the_end_is_refused(self, kind: str) -> None:
        """No request could hold what the last reply says first."""
        goal = Probe("What?", ("Rome",), (2,), "goal")
        messages = (Message("user", "Where?"), Message("assistant", "Rome"))
        chats = [
            memviz.Transcript((Message("user", f"{number}"), *messages), probes=(goal,))
            for number in range(4)
        ]
        with pytest.raises(DesignError, match=f"states any {kind} before its last"):
            memviz.design(chats, 9, {kind: 1.0}, counter="chars4")

    @for_each(
        ("usd", "keep", "words"),
        [
            (0, {}, "above 0"),
            (-1, {}, "above 0"),
            (1, {"facts": 1.5}, "from 0 to 1"),
            (1, {"jokes": 0.5}, "facts, rules"),
        ],
    )
    def test_terms_that_are_none_are_refused(
        self, usd: float, keep: dict[str, float], words: str
    ) -> None:
        with pytest.raises(ParameterError, match=words):
            Terms(usd, keep)


def figures_with(refused_requests: int) -> Figures:
    """The figures of a setting with so many requests that a provider refuses."""
    setting = SPACE[0]
    subjects = [conversation(number) for number in range(3)]
    cells = []
    for subject in subjects:
        cell = made_up_cell(setting, subject, 4, 100, 1.0)
        cells.append(cell)
    refused = replace(cells[0].cell, refused_requests=refused_requests)
    cells[0] = PricedCell(refused, 0.001)
    return work_out_figures(cells, subjects, ("facts",))


def test_leniency_forgives_what_few_conversations_cannot_tell() -> None:
    setting = SPACE[0]
    subjects = [conversation(number) for number in range(3)]
    cells = [
        made_up_cell(setting, subject, 4, 100, share)
        for subject, share in zip(subjects, (0.7, 0.85, 0.95), strict=True)
    ]
    figures = work_out_figures(cells, subjects, ("facts",))
    terms = Terms(1, {"facts": 0.85})
    assert set(figures.misses(terms)) == {"facts"}
    assert not figures.misses(terms, LENIENCY)
    assert set(figures.misses(Terms(1, {"facts": 0.8}), -1)) == {"facts"}


@for_each("candidates", [1, 5, 13, 100])
@for_each("conversations", [2, 3, 7, 15, 100])
def test_rounds_halve_the_settings_and_double_the_conversations(
    candidates: int, conversations: int
) -> None:
    rounds = plan_rounds(candidates, conversations)
    assert rounds[0].candidates == candidates
    assert rounds[-1].conversations == conversations
    for before, after in pairwise(rounds):
        assert before.conversations < after.conversations <= 2 * before.conversations
        least = min(before.candidates, LEAST_CANDIDATES)
        assert after.candidates >= max(least, before.candidates / 2)
        assert after.candidates <= before.candidates
