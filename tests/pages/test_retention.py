"""Retention: which facts each setting could still know, one fact's story, and facts that the user types in."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.dashboard.markup import without_marks
from memviz.dashboard.ui.facts.lives.forgotten import KEY as WHY_KEY
from memviz.dashboard.ui.facts.probes import typed_probe
from memviz.dashboard.ui.facts.version_card import badge_label
from memviz.dashboard.words.compactions import reason_words
from memviz.dashboard.words.why import life_sentences
from memviz.engine.run import Run
from memviz.metrics.retention.knowledge import Retention
from memviz.metrics.retention.life_lines import life_lines
from memviz.metrics.retention.retention import measure_ceiling, measure_floor, retention
from memviz.metrics.retention.survival import measure_survival
from memviz.metrics.retention.tool_argument_recall import measure_tool_argument_recall
from memviz.storage.store import Store
from memviz.transcripts.samples import sample
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.why import why_lost
from tests.pages.comparing import FIRST, replayed
from tests.pages.driving import (
    click,
    click_point,
    figures,
    first_seen,
    labelled,
    metric,
    numbers,
    open_page,
    page_of,
    sentences,
    token_lines,
    turn_shown,
    walk_to,
)
from tests.pages.facts import opened, save, told
from tests.pages.markup import ALL, PIECES, markdown_sources

pytestmark = pytest.mark.one_library

WINDOW, SUMMARY = list(FIRST)[1:]
LIVES, CURVE, SURVIVAL = 0, 2, 3
"""Places of the charts on the page."""
TRIP = sample("trip")


@pytest.fixture
def page() -> AppTest:
    return open_page("retention")


@pytest.fixture
def first_page() -> AppTest:
    """The same for tests that only look at it."""
    return first_seen("retention")


def retained(run: Run) -> Retention:
    return retention(run, TRIP.probes)


def curves(session: AppTest) -> dict[str, list[float]]:
    traces = figures(session)[CURVE]["data"]
    return {
        trace["name"]: numbers(trace["y"])
        for trace in traces
        if trace.get("showlegend", True) and trace["mode"] == "lines+markers"
    }


def shares_of(found: Retention) -> list[float]:
    return found.share(found.retained).tolist()


def same(one: list[float], other: list[float]) -> bool:
    return one == pytest.approx(other, nan_ok=True)


def without(tag: str, html: str) -> str:
    """The text of a difference without what it marks so."""
    return unescape(
        re.sub(
            r"<[^>]+>", "", re.sub(rf"<{tag}>.*?</{tag}>", "", html, flags=re.DOTALL)
        )
    )


class TestMainPicture:
    def test_draws_what_each_setting_retained(self, first_page: AppTest) -> None:
        lines = curves(first_page)
        assert list(lines) == list(FIRST)
        for label, strategy in FIRST.items():
            assert same(lines[label], shares_of(retained(replayed(strategy))))
        assert not first_page.error

    @pytest.mark.slow
    def test_by_another_measure_and_of_a_setting_that_loses_nothing(
        self, page: AppTest
    ) -> None:
        found = retained(replayed(FIRST[SUMMARY]))
        for measure, known in (
            ("Message word for word", found.evidence),
            ("Answer contained", found.contained),
        ):
            control = labelled(page.button_group, "A fact counts as known when")
            control.set_value(measure).run()
            assert same(curves(page)[SUMMARY], found.share(known).tolist())
        labelled(page.button_group, "Setting").set_value(0).run()
        assert "It was never lost under this setting." in told(page)
        assert "Open this summarization" not in [one.label for one in page.button]

    @pytest.mark.slow
    def test_has_a_ceiling_and_what_is_found_by_chance_under_the_same_settings(
        self, first_page: AppTest
    ) -> None:
        bounds = {
            trace["name"]: numbers(trace["y"])
            for trace in figures(first_page)[CURVE]["data"]
            if trace["name"]
        }
        top = measure_ceiling(replayed(FIRST[WINDOW]), TRIP.probes)
        assert same(bounds["All messages sent"], shares_of(top))
        other = sample("support")
        assert other.title in told(first_page)
        found = []
        for strategy in FIRST.values():
            run = memviz.replay(
                list(other.messages), strategy, system_prompt=other.system_prompt
            )
            by_chance = measure_floor(replayed(strategy), TRIP.probes, run)
            found.append(by_chance.share(by_chance.contained))
        assert same(bounds["Found by chance"], list(map(max, zip(*found, strict=True))))
        assert same(bounds["least by chance"], list(map(min, zip(*found, strict=True))))
        assert max(found[0][-1], found[1][-1]) > 0


class TestNumbers:
    def test_known_at_the_end(self, first_page: AppTest) -> None:
        for label, strategy in FIRST.items():
            found = retained(replayed(strategy))
            assert (
                metric(first_page, label)
                == f"{int(found.retained[-1].sum())} of {int(found.born[-1].sum())}"
            )

    def test_table(self, first_page: AppTest) -> None:
        table = first_page.table[1].value
        for label, strategy in FIRST.items():
            run = replayed(strategy)
            found, column = retained(run), table[label]
            known = [share for share in shares_of(found) if share == share]
            assert (
                column["Known, mean over the turns"] == f"{sum(known) / len(known):.0%}"
            )
            half = measure_survival(found, run.log).half_life
            words = f"{half} turns" if half is not None else "more than 43 turns"
            assert column["Half of the facts last"] == words
            sent = sum(record.total_tokens for record in run.turns)
            assert (
                column["Tokens sent per known fact and turn"]
                == f"{sent / found.retained.sum():,.0f}"
            )
            assert (
                column["Old values still in the last request"]
                == f"{int(found.stale[-1].sum())} of 4"
            )

    def test_by_category(self, first_page: AppTest) -> None:
        table = first_page.table[2].value
        found = retained(replayed(FIRST[SUMMARY]))
        names = [n for n, probe in enumerate(TRIP.probes) if probe.category == "name"]
        assert table[SUMMARY]["Name"].startswith(
            f"{int(found.retained[-1, names].sum())} of {len(names)} · "
        )
        assert table["Full buffer"]["Updated: new and outdated value"] == "4"
        assert table[WINDOW]["Updated: neither"] == "3"

    def test_survival_by_age(self, first_page: AppTest) -> None:
        curve, few = (
            trace
            for trace in figures(first_page)[SURVIVAL]["data"]
            if trace["name"] == SUMMARY
        )
        run = replayed(FIRST[SUMMARY])
        drawn = numbers(curve["y"]) + numbers(few["y"])[1:]
        assert same(drawn, measure_survival(retained(run), run.log).share.tolist())


class TestStory:
    def test_the_setting_with_most_deaths_by_summarization_is_open(
        self, first_page: AppTest
    ) -> None:
        assert labelled(first_page.button_group, "Setting").value == 2

    def test_a_fact_has_a_row_with_its_death(self, first_page: AppTest) -> None:
        run = replayed(FIRST[SUMMARY])
        lives = [
            life for life in life_lines(run, retained(run)) if life.lost_by is not None
        ]
        deaths = next(
            trace
            for trace in figures(first_page)[LIVES]["data"]
            if trace["name"] == "lost"
        )
        found = {
            (*carried, x)
            for carried, x in zip(
                deaths["customdata"], numbers(deaths["x"]), strict=True
            )
        }
        assert lives
        assert all(
            (life.probe, life.lost_by, (life.lost_turn or 0) - 0.5) in found
            for life in lives
        )

    @pytest.mark.slow
    def test_is_told_in_words_with_both_texts_and_followed_by_clicks(
        self, page: AppTest
    ) -> None:
        run = replayed(FIRST[SUMMARY])
        passport = next(
            n
            for n, probe in enumerate(TRIP.probes)
            if probe.answers == ("9 July 2027",)
        )
        labelled(page.selectbox, "The story of one fact").select(passport).run()
        life = next(
            one for one in life_lines(run, retained(run)) if one.probe == passport
        )
        killer = run.compactions[life.lost_by or 0]
        said = told(page)
        assert "Stated in message 11 (turn 6)" in said
        assert f"lost at turn {life.lost_turn}" in said
        taken = killer.summarized
        assert (
            f"the summarization of messages {taken.start + 1} to {taken.stop} after message "
            in said
        )
        assert (
            f" after message {killer.after_message + 1} ({reason_words(killer)}) left it out"
            in said
        )
        (diff,) = [
            body.proto.body
            for body in page.get("html")
            if 'class="memviz-diff"' in body.proto.body
        ]
        diff = re.sub(r"</?mark[^>]*>", "", diff)
        assert without("del", diff) == without_marks(killer.summary)
        assert without("ins", diff) == without_marks(
            run.summaries[(killer.replaces or 0) - 1].text
        )
        assert any("9 July 2027</mark>" in body.proto.body for body in page.get("html"))

        shown = labelled(page.selectbox, "The story of one fact").value
        click_point(page, LIVES, {"x": 2.5, "customdata": [-1, 5]})
        assert labelled(page.selectbox, "The story of one fact").value == shown
        assert any("◆ Version 6 ·" in said for said in sentences(page.markdown))
        lives = [
            one
            for one in life_lines(run, retained(run))
            if one.lost_by is not None and one.probe != shown
        ]
        life = lives[-1]
        click_point(
            page,
            LIVES,
            {
                "x": (life.lost_turn or 0) - 0.5,
                "customdata": [life.probe, life.lost_by],
            },
        )
        assert labelled(page.selectbox, "The story of one fact").value == life.probe
        version = run.compactions[life.lost_by or 0].written
        assert any(
            f"◆ Version {version.version} ·" in said
            for said in sentences(page.markdown)
        )
        click(page, "Open this summarization")
        assert page_of(page) == "summaries"
        assert labelled(page.button_group, "Setting").value == 2
        assert labelled(page.select_slider, "Version").value == life.lost_by

    @pytest.mark.slow
    def test_a_click_on_the_curve_chooses_turn_and_version_everywhere(
        self, page: AppTest
    ) -> None:
        run = replayed(FIRST[SUMMARY])
        record = next(
            record
            for record in run.turns
            if any(c is run.compactions[3] for c in record.compactions)
        )
        click_point(page, CURVE, {"customdata": [2, record.turn, 3]})
        click(page, "See this request")
        assert page_of(page) == "compare"
        assert any(
            f"Request of turn {record.turn}" in said
            for said in sentences(page.markdown)
        )
        page.switch_page("pages/facts.py").run()
        labelled(page.segmented_control, "Seen as").set_value("summaries").run()
        assert labelled(page.select_slider, "Version").value == 3
        labelled(page.select_slider, "Version").set_value(0).run()
        page.switch_page("pages/compare.py").run()
        first = next(record.turn for record in run.turns if record.compactions)
        assert turn_shown(page) == first
        walk_to(page, 28)
        version = next(
            c.version
            for r in reversed(run.turns)
            if r.turn <= 28
            for c in reversed(r.compactions)
        )
        page.switch_page("pages/facts.py").run()
        assert any(f"Version {version} of" in title.value for title in page.header)
        labelled(page.segmented_control, "Seen as").set_value("lives").run()
        assert any(
            f"◆ Version {version} ·" in said for said in sentences(page.markdown)
        )

    @pytest.mark.slow
    def test_a_lost_fact_is_brought_back_at_the_price_that_is_said(
        self, page: AppTest
    ) -> None:
        run = replayed(FIRST[SUMMARY])
        shown = labelled(page.selectbox, "The story of one fact").value
        life = next(one for one in life_lines(run, retained(run)) if one.probe == shown)
        label = labelled(page.button, "Bring turn").label.replace("\\", "")
        stated, tokens, usd = re.fullmatch(
            r"Bring turn (\d+) back here: \+(\d+) tokens, \+\$([\d.]+)", label
        ).groups()
        assert int(stated) == life.born_turn
        assert float(usd) == pytest.approx(
            int(tokens) * 0.25e-6, rel=0.1
        )  # as fresh input of the model priced first
        click(page, "Bring turn")
        assert page_of(page) == "compare"
        assert labelled(page.selectbox, "Setting").value == 2
        sent, before = (
            token_lines(page)[SUMMARY],
            [record.total_tokens for record in run.turns],
        )
        more = {
            turn: now - then
            for turn, (now, then) in enumerate(zip(sent, before, strict=True), 1)
            if now != then
        }
        assert more == {life.lost_turn: int(tokens)}
        assert any(
            f"Request of turn {life.lost_turn}" in text
            for text in sentences(page.markdown)
        )

    @pytest.mark.slow
    def test_what_it_costs_is_said_at_the_prices_that_were_chosen(self) -> None:
        session = open_page("costs")
        labelled(session.number_input, "Input").set_value(250.0).run()
        session.switch_page("pages/facts.py").run()
        label = labelled(session.button, "Bring turn").label.replace("\\", "")
        tokens, usd = re.search(r"\+(\d+) tokens, \+\$([\d.]+)", label).groups()
        assert float(usd) == pytest.approx(int(tokens) * 250e-6, rel=0.1)

    def test_why_a_lost_fact_was_forgotten_is_worked_out_when_it_is_asked(
        self, page: AppTest
    ) -> None:
        assert "what a model could know from its request" not in told(page)
        page.session_state[WHY_KEY] = True
        page.run()
        run = replayed(FIRST[SUMMARY])
        shown = labelled(page.selectbox, "The story of one fact").value
        found = why_lost(TRIP, run, TRIP.probes[shown], PricingAssumptions.of())
        said = without_marks(told(page)).replace("\\", "")
        for sentence in life_sentences(found):
            assert (
                sentence.partition("“")[0] in said
            )  # before words of the conversation
        (table,) = (
            one.value
            for one in page.table
            if "What would have kept it" in one.value.columns
        )
        assert len(table) == sum(one.keeps for one in found.remedies) > 2
        assert "Not " not in "".join(table["What would have kept it"])
        assert "what a model could know" in said

    def test_many_facts_come_on_demand(self, database: Path) -> None:
        probes = tuple(
            memviz.Probe(f"Number {n}?", (f"x{n}",), (0,), "number") for n in range(45)
        )
        session = opened(
            save(
                database,
                " ".join(f"x{n}" for n in range(45)),
                "Fine.",
                "Next?",
                probes=probes,
            )
        )
        assert len(figures(session)[LIVES]["layout"]["yaxis"]["ticktext"]) == 41
        labelled(session.toggle, "Show all 45 facts").set_value(True).run()
        assert len(figures(session)[LIVES]["layout"]["yaxis"]["ticktext"]) == 46


@pytest.mark.one_library(False)
class TestFacts:
    def test_proposed_ones_are_taken_where_there_are_no_others_and_that_is_said(
        self, database: Path
    ) -> None:
        session = opened(
            save(
                database,
                "Our flight booking code is QX7R4M.",
                "Noted.",
                "Is it QX7R4M?",
                "Yes.",
            )
        )
        assert "1 fact in it was proposed automatically" in told(session)
        assert metric(session, "Full buffer") == "1 of 1"
        labelled(session.toggle, "Look for").set_value(False).run()
        assert "There is no fact to look for. Switch on the proposed ones" in told(
            session
        )
        assert not session.metric

    @pytest.mark.slow
    def test_proposed_ones_are_added_and_others_typed_in_and_removed(
        self, page: AppTest
    ) -> None:
        own = int(labelled(page.expander, "Facts looked for").label.split()[-1])
        assert own == len(TRIP.probes)
        toggle = labelled(page.toggle, "Look for")
        assert toggle.value is False
        toggle.set_value(True).run()
        added = int(re.findall(r"\d+", toggle.label)[0])
        assert metric(page, "Full buffer") == f"{own + added} of {own + added}"
        labelled(page.toggle, "Look for").set_value(False)

        for answers, sentence in (
            ("  \n!", "The answer is empty"),
            ("Atlantis", "No message of this conversation contains “Atlantis”"),
        ):
            fill(page, answers=answers)
            assert any(sentence in error for error in sentences(page.error))
            assert metric(page, "Full buffer") == "18 of 18"
            assert labelled(page.text_area, "Answer").value == answers, (
                "to be corrected"
            )
        fill(page, answers="Atlantis", message=3)
        assert not page.error, "a message may state it in other words"
        assert metric(page, "Full buffer") == "19 of 19"

        fill(page, answers="adrenaline pens", question="What does Niamh carry?")
        assert metric(page, "Full buffer") == "20 of 20"
        assert labelled(page.expander, "Facts looked for: 20")
        position = next(
            n
            for n, message in enumerate(TRIP.messages)
            if "adrenaline pens" in message.content
        )
        assert page.table[-1].value["Message"].iloc[-1] == str(position + 1)
        assert not labelled(page.text_area, "Answer").value
        assert metric(open_page("retention"), "Full buffer") == "20 of 20", "it is kept"
        page.button(key="probe-remove-0").click().run()
        assert metric(page, "Full buffer") == "19 of 19"

    def test_one_turn(self, database: Path) -> None:
        session = opened(save(database, "Are 3,000 euros enough?", "Noted."))
        assert "Type one in below" in told(session)
        fill(session, answers="3,000 euros\n3000")
        assert metric(session, "Full buffer") == "1 of 1"
        assert curves(session)["Full buffer"] == [1.0]

    def test_nothing_to_look_for(self, database: Path) -> None:
        session = opened(save(database, "Hello.", "Hi."))
        assert "There is no fact to look for" in told(session)
        assert labelled(session.expander, "Facts looked for").proto.expanded
        assert not session.metric

    def test_no_request_yet(self, database: Path) -> None:
        messages = (memviz.Message("assistant", "Hi."),)
        conversation = Store(database).add_conversation(
            memviz.Transcript(messages, title="Empty")
        )
        assert page_of(opened(conversation)) == "retention"


def fill(
    session: AppTest, answers: str, question: str = "", message: int | None = None
) -> None:
    labelled(session.text_area, "Answer").set_value(answers)
    labelled(session.text_input, "Question").set_value(question)
    if message is not None:
        labelled(session.number_input, "Message").set_value(message)
    click(session, "Look for it")


class TestTypedProbe:
    LOG = memviz.Log(
        [
            memviz.Message("user", "The fee is 3.000 euros."),
            memviz.Message("assistant", "3000 it is."),
        ]
    )

    def test_is_about_the_first_message_that_contains_an_answer(self) -> None:
        probe = typed_probe(self.LOG, "", ["4,000", "3,000"])
        assert probe.evidence == (0,)
        assert probe.by_user
        assert probe.question == "Is “4,000” still there?"
        assert probe.category == "single fact"

    def test_with_an_outdated_value_it_is_an_updated_fact(self) -> None:
        probe = typed_probe(self.LOG, " What  fee? ", ["3,000"], ["2,000"], 2)
        assert (probe.category, probe.stale, probe.evidence) == (
            "updated fact",
            ("2,000",),
            (1,),
        )
        assert probe.question == "What fee?"


class TestWithoutLabels:
    @pytest.mark.slow
    def test_tool_calls_needed_values_and_a_language_that_is_alone_has_no_chance(
        self, page: AppTest
    ) -> None:
        labelled(page.selectbox, "Conversation").select("sample-support").run()
        support = sample("support")
        shares = [card.value for card in page.metric][3:]
        runs = [
            memviz.replay(
                list(support.messages), strategy, system_prompt=support.system_prompt
            )
            for strategy in FIRST.values()
        ]
        needed = [measure_tool_argument_recall(run) for run in runs]
        assert shares == [f"{found.share:.0%}" for found in needed]
        table = page.table[3].value
        missed = [
            row
            for row in zip(*(found.arguments for found in needed), strict=True)
            if not all(argument.in_context for argument in row)
        ]
        assert (
            table["Last said in message"].iloc[0] == f"{missed[0][0].last_seen + 1:,}"
        )
        assert table["Tool"].iloc[0].replace("\\", "") == missed[0][0].tool
        assert (table[WINDOW] == "lost").any()
        labelled(page.toggle, "Show all").set_value(True).run()
        assert len(page.table[3].value) == len(missed)
        labelled(page.selectbox, "Conversation").select("sample-chinese").run()
        assert "no other conversation in this language" in told(page)
        names = {trace["name"] for trace in figures(page)[CURVE]["data"]}
        assert "Found by chance" not in names
        assert metric(page, "Full buffer") == "20 of 20"

    def test_are_not_shown_where_there_is_nothing(self, database: Path) -> None:
        session = opened(save(database, "A b.", "A b.", "A b."))
        assert not session.metric
        assert not session.get("plotly_chart")

    def test_rare_words_last(self, first_page: AppTest) -> None:
        titles = [
            figure["layout"]["title"]["text"]
            for figure in figures(first_page)
            if "title" in figure["layout"]
        ]
        assert titles[-1] == "Rare words still there, by their age"
        assert "500 rare words that one message alone says" in told(first_page)


def test_nothing_of_a_users_text_is_markup(database: Path) -> None:
    said = [f"{ALL} The number {n} is code{n}x9." for n in range(9)]
    probes = tuple(
        memviz.Probe(
            f"{ALL} {n}?",
            (f"code{n}x9 {PIECES[0]}", f"code{n}x9"),
            (n,),
            "name",
            (ALL,),
        )
        for n in range(9)
    )
    session = opened(save(database, *said, title=ALL, probes=probes))
    fill(session, answers=ALL, question=ALL, message=1)
    assert not session.error
    for source in markdown_sources(session):
        for piece in PIECES:
            assert piece not in source
    cells = [
        str(cell) for table in session.table for cell in table.value.to_numpy().ravel()
    ]
    for cell in (re.sub(r"\\.", "", cell) for cell in cells):
        assert "<script>" not in cell
        assert "**bold**" not in cell
    bodies = [
        body.proto.body
        for body in session.get("html")
        if "memviz-diff" in body.proto.body
    ]
    assert all("<script>" not in body for body in bodies)


@pytest.mark.one_library(False)
@pytest.mark.slow
def test_beside_a_loss_stands_the_summary_that_lost_the_fact_whatever_request_compare_showed() -> (
    None
):
    run = replayed(FIRST[SUMMARY])
    lost_by = {life.lost_by for life in life_lines(run, retained(run))}
    assert 0 not in lost_by, "the first summary lost nothing"
    turn = next(
        record.turn
        for record in run.requests
        if run.compactions[0] in record.compactions
    )
    session = open_page("retention", turn=str(turn))
    lost = next(
        control
        for control in session.get("segmented_control")
        if control.label == "Lost at"
    )
    losses = {life.lost_turn: life.lost_by for life in life_lines(run, retained(run))}
    by = losses[lost.value]
    assert by is not None
    badges = " ".join(element.value for element in session.markdown)
    assert badge_label(run, run.compactions[by]) in badges
    assert badge_label(run, run.compactions[0]) not in badges, (
        "the one that the request of Compare rests on"
    )
