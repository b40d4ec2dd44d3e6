"""The report says what the records say, as text and nothing else, in one file."""

from __future__ import annotations

import hashlib
import json
import time
from base64 import b64decode, b64encode
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

import memviz
from benchmarks.synthetic.generator import generate
from memviz import Fate, Message, ModelError, Run, ScriptedModel
from memviz.core.text.wording import dollars
from memviz.dashboard.charts.palette import PART_TITLES
from memviz.dashboard.guide.examples import example_of
from memviz.dashboard.reporting import printed_conversation
from memviz.dashboard.reporting import settings as report_settings
from memviz.dashboard.reporting.report import html_report
from memviz.dashboard.reporting.themes import memviz_version
from memviz.dashboard.words.compactions import reason_words, turn_words
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.summaries.events import count_request_sizes
from memviz.models.base import Reply, Usage
from memviz.transcripts.base import RecordedEvent, Transcript
from memviz.transcripts.samples import sample
from tests.dashboard.reporting.reading import Element, charts, read, rows
from tests.engine.written_strategies import Pipeline, Tracks
from tests.tool_loops import loops

HOSTILE = (
    "</script><script>alert(1)</script>", '<img src=x onerror="alert(1)">',
    "\"'><svg onload=alert(1)>", "<!-- <script>",
    "{{ 7 * 7 }} {% raw %}", "line\u2028separator\u2029 \u202egnp.exe", "]]>", "&lt;b&gt; &amp; <b>",
)  # fmt: skip
AT = datetime(2026, 11, 21, 9, 30, tzinfo=UTC)


def talk(turns: int) -> tuple[Message, ...]:
    return tuple(
        Message(role, f"{role} {turn} " * 8)
        for turn in range(turns)
        for role in ("user", "assistant")
    )


def paid(number: int) -> Reply:
    return Reply(
        f"Summary number {number}",
        usage=Usage(100 + number, 10),
        cost_usd=0.00123,
        model="scribe-2",
    )


@pytest.fixture(scope="module")
def transcript() -> Transcript:
    return Transcript(
        talk(30),
        title="Thirty turns",
        system_prompt="Be brief.",
        description="Talk & more talk.",
    )


@pytest.fixture(scope="module")
def runs(transcript: Transcript) -> list[Run]:
    script = [paid(1), ModelError("The line is dead."), *map(paid, range(2, 40))]
    return [
        memviz.replay(
            transcript,
            memviz.strategy("buffer"),
            model=None,
            recalls={9: memviz.Recall(turns=[1])},
        ),
        memviz.replay(
            transcript,
            memviz.strategy("summary", buffer_size=3),
            model=ScriptedModel(script),
        ),
        memviz.replay(
            transcript,
            memviz.strategy("summary_only"),
            model=ScriptedModel(list(map(paid, range(40)))),
        ),
    ]


@pytest.fixture(scope="module")
def page(runs: list[Run], transcript: Transcript) -> Element:
    return read(html_report(runs, transcript, AT))


def test_title_and_what_it_is_about(page: Element) -> None:
    assert page.one("title").text == page.one("h1").words == "Thirty turns"
    assert page.one("p", class_="lead").words == "Talk & more talk."
    assert page.one("p", class_="facts").words == "60 messages · 30 turns · 3 settings"


def test_key_numbers_are_those_of_the_records(page: Element, runs: list[Run]) -> None:
    head, *body = rows(page.one("table", class_="numbers"))
    assert head[1:] == [run.strategy.label for run in runs]
    table = {name: cells for name, *cells in body}
    sent = [sum(record.total_tokens for record in run.turns) for run in runs]
    assert table["Prompt tokens sent to the chat model"] == [
        f"{tokens:,}" for tokens in sent
    ]
    assert table["Largest request, tokens"] == [
        f"{max(r.total_tokens for r in run.turns):,}" for run in runs
    ]
    done = [[c for c in run.compactions if c.error is None] for run in runs]
    assert table["Summaries written"] == [str(len(compactions)) for compactions in done]
    assert table["Summarizer calls that failed"] == ["0", "1", "0"]
    prompt = [sum(c.prompt_tokens for c in compactions) for compactions in done]
    assert table["Tokens sent to the summarizer"] == [
        f"{tokens:,}" for tokens in prompt
    ]
    paid = [dollars(0.00123 * len(compactions)) for compactions in done[1:]]
    assert table["Paid to the summarizer, US dollars"] == [
        "none: it was not asked",
        *paid,
    ]
    assert (
        table["Paid to the chat model, US dollars"] == ["none: no model was called"] * 3
    )
    uses = [count_token_use(run) for run in runs]
    assert table["All tokens sent and summarized"] == [
        f"{use.all_tokens:,}" for use in uses
    ]
    assert table["Requests to the chat model"] == ["30"] * 3


def test_an_unknown_price_stays_unknown(transcript: Transcript) -> None:
    model = ScriptedModel(["A summary"] * 40)
    run = memviz.replay(
        transcript, memviz.strategy("summary", buffer_size=3), model=model
    )
    page = read(html_report([run], transcript))
    assert ["Paid to the summarizer, US dollars", "unknown"] in rows(
        page.one("table", class_="numbers")
    )
    assert {row[-1] for row in rows(page.one("details", class_="compactions"))[1:]} == {
        "unknown"
    }


def test_what_the_offline_summarizer_would_take_stands_among_the_costs_alone(
    transcript: Transcript,
) -> None:
    run = memviz.replay(transcript, memviz.strategy("summary", buffer_size=3))
    assert (
        numbers_of(run)["Paid to the summarizer, US dollars"]
        == "none: the built-in model is free"
    )
    costs = read(html_report([run], transcript)).one("section", id="costs")
    ((_, usd),) = [
        row for row in rows(costs.one("table")) if row[0] == "Summarizer, US dollars"
    ]
    assert float(usd.removeprefix("$")) > 0


def test_what_a_live_chat_cost() -> None:
    replies = [
        Reply("Yes.", usage=Usage(20, 2), cost_usd=0.002, model="chat-7"),
        Reply("No.", model="chat-7"),
    ]
    chat = memviz.Chat(memviz.strategy("buffer"), model=ScriptedModel(replies))
    chat.send("One?")
    assert "$0.002" in numbers_of(chat.run)["Paid to the chat model, US dollars"]
    chat.send("Two?")
    assert numbers_of(chat.run)["Paid to the chat model, US dollars"] == "unknown"
    made = (
        read(html_report([chat.run], Transcript(tuple(chat.log))))
        .one("section", id="made")
        .words
    )
    assert "Chat model chat-7" in made


def numbers_of(run: Run) -> dict[str, str]:
    page = read(html_report([run], Transcript(tuple(run.log))))
    return {row[0]: row[1] for row in rows(page.one("table", class_="numbers"))[1:]}


def test_every_compaction_with_its_reason(page: Element, runs: list[Run]) -> None:
    tables = [rows(details) for details in page.all("details", class_="compactions")]
    assert len(tables) == 2  # the full buffer has none
    for table, run in zip(tables, runs[1:], strict=True):
        assert len(table) == 1 + len(run.compactions)
        for row, compaction in zip(table[1:], run.compactions, strict=True):
            assert row[1] == turn_words(compaction, run)
            assert row[2] == str(compaction.after_message + 1)
            assert (compaction.error or "by the summarizer") in row[3]
            assert row[4] == reason_words(compaction)
            first, last = compaction.summarized.start + 1, compaction.summarized.stop
            assert row[5] == (f"{first}–{last}" if last > first else f"{last}")
            assert row[6:8] == [
                f"{tokens:,}" for tokens in count_request_sizes(compaction, run)
            ]
            assert row[8:10] == (
                [f"{compaction.version}", f"{compaction.summary_tokens}"]
                if compaction.version
                else ["", ""]
            )
            assert row[10:12] == [
                f"{compaction.prompt_tokens:,}",
                f"{compaction.output_tokens:,}",
            ]
            assert row[12] == f"{compaction.seconds:.2f}"
    assert len(page.one("section", id="summaries").all("tr", class_="bad")) == 1


def test_every_summary_is_there_in_full(page: Element, runs: list[Run]) -> None:
    for details, run in zip(
        page.all("details", class_="versions"), runs[1:], strict=True
    ):
        texts = [
            version.one("div", class_="text").text
            for version in details.all("details", class_="version")
        ]
        assert texts == [version.text for version in reversed(run.summaries)]
        assert f"{len(run.summaries)} summary texts" in details.words


def test_warnings_are_told(page: Element, runs: list[Run]) -> None:
    told = [details.words for details in page.all("details", class_="warnings")]
    expected = [
        warning.numbers for run in runs for warning in memviz.health_warnings(run)
    ]
    assert expected
    assert all(any(numbers in words for words in told) for numbers in expected)


def test_the_charts_hold_the_tokens_of_the_records(
    page: Element, runs: list[Run]
) -> None:
    drawn = charts(page)["charts"]
    for trace, run in zip(drawn["tokens"]["data"], runs, strict=False):
        assert numbers(trace["x"]) == [record.turn for record in run.turns]
        assert numbers(trace["y"]) == [record.total_tokens for record in run.turns]
    for index, run in enumerate(runs):
        history = next(
            t
            for t in drawn[f"composition-{index}"]["data"]
            if t["name"] == PART_TITLES["input"]
        )
        assert numbers(history["y"]) == [record.tokens["input"] for record in run.turns]
    places = [
        element.attributes["data-chart"] for element in page.all("div", class_="chart")
    ]
    assert sorted(drawn) == sorted(place for place in places if place)
    assert "summary-0" not in drawn


def numbers(value: Any) -> list[int]:
    return np.frombuffer(
        b64decode(value["bdata"]), dtype=np.dtype(value["dtype"])
    ).tolist()


def test_what_was_said(page: Element, transcript: Transcript) -> None:
    system, *articles = page.one("details", class_="talk").all("article")
    assert system.one("div", class_="text").text == "Be brief."
    assert [a.one("div", class_="text").text for a in articles] == [
        m.content for m in transcript.messages
    ]
    assert [a.attributes["class"] for a in articles] == [
        m.role for m in transcript.messages
    ]
    assert articles[3].one("small").words == "message 4, turn 2"


def test_how_it_was_made(page: Element, runs: list[Run]) -> None:
    made = page.one("section", id="made").words
    assert f"memviz {memviz_version()}, 2026-11-21 09:30 UTC" in made
    for words in (
        "buffer_size = 3",
        "Token counter o200k_base",
        "Summarizer scribe-2",
        "Summarizer never asked",
    ):
        assert words in made
    assert all(run.strategy.id in made for run in runs)


def test_what_the_original_program_did(runs: list[Run]) -> None:
    events = (
        RecordedEvent("compaction", 12, "Kept: <b>all</b>", "auto", 9000, 1200),
        RecordedEvent("summary", 20),
    )
    page = read(html_report(runs[:1], Transcript(talk(30), events=events)))
    section = page.one("section", id="recorded")
    assert rows(section.one("table"))[1:] == [
        ["12", "compaction", "auto", "9,000", "1,200", ""],
        ["20", "summary", "", "", "", ""],
    ]
    assert section.one("div", class_="text").text == "Kept: <b>all</b>"


def test_settings_with_replies_of_their_own_have_their_own_conversation(
    runs: list[Run],
) -> None:
    own = memviz.Chat(memviz.strategy("window"), model=ScriptedModel(["Fresh reply"]))
    own.send("user 0")
    page = read(html_report([runs[0], own.run], Transcript(talk(30))))
    first, second = page.all("details", class_="talk")
    assert "Fresh reply" not in first.text
    assert second.one("summary").words.startswith(
        f"Conversation under {own.run.strategy.label}: 2 messages"
    )
    assert "Fresh reply" in second.text


def test_two_of_the_same_setting_can_be_told_apart(
    runs: list[Run], transcript: Transcript
) -> None:
    head = rows(
        read(html_report([runs[0], runs[0]], transcript)).one("table", class_="numbers")
    )[0]
    assert head[1:] == ["Full buffer", "Full buffer (2)"]


def test_no_run_is_no_report(transcript: Transcript) -> None:
    with pytest.raises(memviz.MemvizError, match="at least one run"):
        html_report([], transcript)


def test_a_run_without_a_request(transcript: Transcript) -> None:
    run = memviz.ChatMemory(memviz.strategy("summary"), model=None).run
    page = read(html_report([run], transcript))
    assert page.one("p", class_="notice")
    assert charts(page)["charts"] == {}
    assert not page.all("section", id="stage")
    assert json.loads(page.one("script", id="played").text) is None


@pytest.mark.slow
@pytest.mark.parametrize("text", [" ".join(HOSTILE[:4]), " ".join(HOSTILE[4:])])
def test_text_stays_text_wherever_it_stands(text: str) -> None:
    call = {
        "id": text,
        "function": {"name": text, "arguments": json.dumps({"q": text})},
    }
    messages = (
        Message("user", text, name=text),
        Message("assistant", text, tool_calls=(call,)),  # type: ignore[arg-type]
        Message("tool", text, tool_call_id=text),
        *(Message("user", text), Message("assistant", text)) * 6,
    )
    events = (RecordedEvent("summary", 2, text, text, time=text),)
    told = Transcript(
        messages,
        title=text,
        format=text,
        description=text,
        language=text,
        system_prompt=text,
        events=events,
        warnings=(text,),
    )
    model = ScriptedModel([text, ModelError(text), *[Reply(text, model=text)] * 20])
    strategy = memviz.strategy(
        "chat_summary_buffer", token_limit=30, summarize_prompt=text
    )
    both = [
        memviz.replay(told, s, model=model)
        for s in (memviz.strategy("summary", buffer_size=1), strategy)
    ]
    page = read(html_report(both, told))
    assert len(page.all("script")) == 5
    assert not [
        element
        for tag in ("img", "b")
        for element in page.all(tag)
        if element.parent.tag != "p"
    ]  # type: ignore[union-attr]
    assert not [
        e
        for tag in ("svg", "div", "p", "td", "details")
        for e in page.all(tag)
        if "onload" in e.attributes
    ]
    assert page.one("title").text == page.one("h1").text == text
    assert [
        a.one("div", class_="text").text
        for a in page.one("details", class_="talk").all("article")
    ][1:4] == [text] * 3
    assert text in page.one("section", id="recorded").text
    assert all(
        text in version.text for version in page.all("details", class_="version")
    )
    for name in ("charts", "played"):
        assert "<" not in page.one("script", id=name).text
        json.loads(page.one("script", id=name).text)
    assert json.loads(page.one("script", id="played").text)["title"] == text


def test_it_loads_nothing_and_runs_only_its_own_three_scripts(
    runs: list[Run], transcript: Transcript
) -> None:
    html = html_report(runs, transcript)
    page = read(html)
    policy = next(
        m.attributes["content"]
        for m in page.all("meta")
        if m.attributes.get("http-equiv")
    )
    rules = dict(rule.split(maxsplit=1) for rule in policy.split(";"))  # type: ignore[union-attr]
    assert rules["default-src"] == "'none'"
    scripts = [script.text for script in page.all("script") if not script.attributes]
    digests = [
        b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts
    ]
    assert rules["script-src"].split() == [f"'sha256-{digest}'" for digest in digests]
    assert [text.startswith("/**\n* plotly.js") for text in scripts] == [
        True,
        False,
        False,
    ]
    assert not page.all("link")
    assert not [
        element
        for element in page.all("script") + page.all("img")
        if element.attributes.get("src")
    ]
    assert html.count("* plotly.js v") == 1


def test_seconds_that_nobody_measured_are_said_to_be_unknown() -> None:
    """A recording may hold none of a summary that it plays."""
    example = example_of("chat_summary_buffer")
    assert example is not None
    asked = [call for call in example.run.compactions if call.asked]
    assert [call for call in asked if call.seconds is None]
    html = html_report([example.run], sample(example.conversation), AT)
    assert "<td>not recorded</td>" in html


@pytest.mark.slow
def test_the_same_report_again(runs: list[Run], transcript: Transcript) -> None:
    assert html_report(runs, transcript, AT) == html_report(runs, transcript, AT)


def test_a_lone_surrogate_can_be_written_to_a_file(runs: list[Run]) -> None:
    html_report(runs[:1], Transcript(talk(2), title="half \ud83d")).encode("utf-8")


class TestHuge:
    def test_a_long_conversation_is_cut_and_says_so(
        self, monkeypatch: pytest.MonkeyPatch, runs: list[Run]
    ) -> None:
        monkeypatch.setattr(printed_conversation, "MAX_MESSAGES", 10)
        monkeypatch.setattr(printed_conversation, "MAX_MESSAGE_CHARS", 30)
        told = Transcript((Message("user", "x" * 35), *talk(30)[1:]))
        talked = read(html_report(runs[:1], told)).all("details", class_="talk")[0]
        assert len(talked.all("article")) == 10
        assert "60 messages, the first 10 of them shown" in talked.words
        assert "50 more messages at the end are not shown" in talked.words
        assert "… and 5 more characters" in talked.words

    def test_many_characters_are_cut_too(
        self, monkeypatch: pytest.MonkeyPatch, runs: list[Run]
    ) -> None:
        monkeypatch.setattr(printed_conversation, "MAX_CHARS", 250)
        told = Transcript(tuple([Message("user", "x" * 100)] * 5))
        talked = read(html_report(runs[:1], told)).all("details", class_="talk")[0]
        assert len(talked.all("article")) == 2
        assert "3 more messages at the end are not shown" in talked.words

    def test_many_compactions_and_summaries_are_cut(
        self, monkeypatch: pytest.MonkeyPatch, runs: list[Run], transcript: Transcript
    ) -> None:
        monkeypatch.setattr(report_settings, "MAX_COMPACTIONS", 6)
        monkeypatch.setattr(report_settings, "MAX_SUMMARY_CHARS", 100)
        page = read(html_report(runs[2:], transcript))
        _head, *body = rows(page.one("details", class_="compactions"))
        assert [row[0] for row in body] == [
            "1",
            "2",
            "3",
            "… 24 more are not shown …",
            "28",
            "29",
            "30",
        ]
        assert "30 events" in page.one("details", class_="compactions").words
        shown = page.one("details", class_="versions").all("details", class_="version")
        assert 3 <= len(shown) < 30
        assert f"30 summary texts, the newest {len(shown)} of them shown" in page.words

    @pytest.mark.slow
    def test_a_thousand_turns_take_seconds_and_a_few_megabytes(self) -> None:
        told = generate(1000)
        strategies = [
            memviz.strategy("buffer"),
            memviz.strategy("summary_buffer"),
            memviz.strategy("summary_only"),
        ]
        many = [
            memviz.replay(told, strategy, model=ScriptedModel(["A summary. "] * 2000))
            for strategy in strategies
        ]
        started = time.process_time()
        html = html_report(many, told)
        assert time.process_time() - started < 10
        assert len(html.encode()) < 15_000_000


@pytest.mark.slow
def test_a_bundled_conversation_in_chinese() -> None:
    told = sample("chinese")
    run = memviz.replay(told, memviz.strategy("summary_buffer", max_token_limit=800))
    html = html_report([run], told)
    page = read(html)
    assert page.one("h1").words == told.title
    assert html.count('<div class="text" dir="auto" lang="zh">') >= len(told.messages)
    assert told.messages[5].content in page.one("details", class_="talk").text


@pytest.fixture(scope="module")
def loop() -> Run:
    return memviz.replay(
        loops(4, 3),
        memviz.strategy("summary_buffer", max_token_limit=60),
        model="offline",
    )


@pytest.fixture(scope="module")
def loop_page(loop: Run) -> Element:
    return read(html_report([loop], Transcript(tuple(loop.log), title="Loops")))


class TestToolLoops:
    """Every call of the model is a request, and a step of the charts."""

    def test_requests_are_counted_beside_turns(
        self, loop_page: Element, loop: Run
    ) -> None:
        assert (
            loop_page.one("p", class_="facts").words
            == "32 messages · 4 turns · 16 requests · 1 setting"
        )
        peak = max(loop.requests, key=lambda record: record.total_tokens)
        numbers = dict(rows(loop_page.one("table", class_="numbers"))[1:])
        assert numbers["Requests to the chat model"] == "16"
        assert numbers["Largest request, turn"] == f"{peak.turn}, call {peak.call}"
        assert (
            numbers["Prompt tokens sent to the chat model"]
            == f"{sum(r.total_tokens for r in loop.requests):,}"
        )

    def test_the_charts_go_by_request(self, loop_page: Element, loop: Run) -> None:
        assert (
            loop_page.one("section", id="tokens").one("h2").words
            == "Tokens sent per request"
        )
        drawn = charts(loop_page)["charts"]
        assert numbers(drawn["tokens"]["data"][0]["y"]) == [
            record.total_tokens for record in loop.requests
        ]
        heatmap = next(
            trace for trace in drawn["map-0"]["data"] if trace["type"] == "heatmap"
        )
        assert heatmap["z"]["shape"] == "32, 16"

    def test_compactions_name_the_call_that_they_changed(
        self, loop_page: Element, loop: Run
    ) -> None:
        named = [
            row[1] for row in rows(loop_page.one("details", class_="compactions"))[1:]
        ]
        assert named[: sum(len(r.compactions) for r in loop.requests)] == [
            record.name for record in loop.requests for _ in record.compactions
        ]
        assert any("call" in name for name in named)


@pytest.fixture(scope="module")
def reducing_runs() -> list[Run]:
    clearing = memviz.strategy("clear_tool_results", trigger_tokens=60, keep_results=1)
    answers = ScriptedModel(f"Answer {number}." for number in range(99))
    return [
        memviz.replay(
            loops(3, 4),
            strategy,
            model=answers,
            counter="chars4",
            system_prompt="Be kind.",
        )
        for strategy in (clearing, Pipeline(), Tracks())
    ]


@pytest.fixture(scope="module")
def reducing_page(reducing_runs: list[Run]) -> Element:
    return read(
        html_report(reducing_runs, Transcript(tuple(loops(3, 4)), title="Loops"), AT)
    )


class TestReducedMessages:
    """Strategies that send messages with less in them, and notes of several kinds."""

    def test_their_numbers_stand_below_the_map(
        self, reducing_page: Element, reducing_runs: list[Run]
    ) -> None:
        text = reducing_page.text
        assert "Sent as a placeholder" in text
        for run, fate, name in (
            (reducing_runs[0], Fate.CLEARED, "sent as a placeholder"),
            (reducing_runs[1], Fate.SHORTENED, "shortened"),
        ):
            number = int((run.fates_at(run.requests[-1]) == fate).sum())
            assert number
            assert f"{number} {name}" in text

    def test_the_marks_of_clearings_are_explained_where_they_stand(
        self, reducing_page: Element
    ) -> None:
        assert (
            "● tool results cleared" in reducing_page.one("section", id="tokens").text
        )
        assert "● Tool results cleared" in reducing_page.one("section", id="map").text
        assert (
            "Messages cleared or shortened at the end"
            in reducing_page.one("section", id="numbers").text
        )

    def test_what_wrote_no_note_has_no_chart_of_notes_but_its_events(
        self, reducing_page: Element, reducing_runs: list[Run]
    ) -> None:
        drawn = charts(reducing_page)["charts"]
        assert "summary-0" not in drawn
        assert {"summary-1", "summary-2"} <= drawn.keys()
        assert (
            f"{len(reducing_runs[0].compactions)} events, each with its reason in numbers"
            in reducing_page.text
        )

    def test_notes_are_named_by_their_kind(self, reducing_page: Element) -> None:
        text = reducing_page.text
        assert "5 (facts) ·" in text
        assert "6 (work) ·" in text
