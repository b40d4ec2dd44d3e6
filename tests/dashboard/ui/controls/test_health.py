"""The health warnings as a page shows them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from streamlit.testing.v1 import AppTest

import memviz
from memviz import Message, ModelError, Run, ScriptedModel
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.words.health import health_warnings
from tests.engine.probes import talk

MARKUP = "<script>alert(1)</script> **bold** :red[x] $a$ [link](http://x.y) :material/star: `code`"
WORD_JOINER = (
    "\u2060"  # keeps characters apart that Streamlit would make an icon or an arrow of
)


def page(settings: list) -> None:  # type: ignore[type-arg]  # runs as a script of its own, without imports
    from memviz.dashboard.ui.controls.health import draw_health

    draw_health(settings)  # type: ignore[arg-type]


def drawn(*runs: tuple[str, Run]) -> AppTest:
    settings = [SettingRun(run, label, at) for at, (label, run) in enumerate(runs)]
    session = AppTest.from_function(page, kwargs={"settings": settings}).run()
    assert not session.exception
    return session


def read(text: str) -> str:
    """What a reader sees of escaped Markdown."""
    return text.replace("\\", "").replace(WORD_JOINER, "")


def run_of(
    id: str, answers: Sequence[str | ModelError] = (), turns: int = 9, **parameters: int
) -> Run:
    model = ScriptedModel([*answers, *(f"summary {number}" for number in range(99))])
    return memviz.replay(talk(turns), memviz.strategy(id, **parameters), model=model)


HEALTHY = run_of("window", window_size=3)
GROWING = run_of("buffer")
THRASHING = run_of("summary", turns=20, buffer_size=1)
FAILING = run_of("summary", [ModelError(f"no quota {MARKUP}")], buffer_size=4)


def test_healthy_runs_take_no_room() -> None:
    assert not health_warnings(HEALTHY)
    session = drawn(("Sliding window", HEALTHY))
    assert not session.main.children


def test_one_closed_line_names_every_setting_that_has_a_warning() -> None:
    session = drawn(("Sliding window", HEALTHY), ("Full buffer", GROWING))
    (setting,) = session.expander
    assert read(setting.label) == "1 warning: Full buffer (1)"
    assert (setting.icon, setting.proto.expanded) == (":material/warning:", False)
    assert not session.warning


def test_serious_ones_are_counted_and_it_stays_closed() -> None:
    assert [len(health_warnings(run)) for run in (THRASHING, GROWING)] == [1, 1]
    (setting,) = drawn(
        ("Running summary", THRASHING), ("Full buffer", GROWING)
    ).expander
    assert (
        read(setting.label)
        == "2 warnings, 1 serious: Running summary (1), Full buffer (1)"
    )
    assert (setting.icon, setting.proto.expanded) == (":material/error:", False)


def test_each_warning_says_numbers_why_and_remedy_under_its_setting() -> None:
    session = drawn(("Running summary", THRASHING), ("Full buffer", GROWING))
    heads = [read(element.value) for element in session.expander[0].markdown]
    bodies = [read(element.value) for element in session.expander[0].caption]
    (thrash,), (growth,) = health_warnings(THRASHING), health_warnings(GROWING)
    assert heads == [
        "**Running summary**",
        f":material/error: {thrash.title} · {thrash.numbers}",
        "**Full buffer**",
        f":material/warning: {growth.title} · {growth.numbers}",
    ]
    assert bodies == [
        f"{thrash.why} **What to do:** {thrash.remedy} Concerns 19 turns from 2 to 20.",
        f"{growth.why} **What to do:** {growth.remedy} Concerns 9 turns from 1 to 9.",
    ]


def test_failed_summarizations_stand_open_for_themselves() -> None:
    session = drawn(("Running summary", FAILING))
    (warning,) = session.warning
    calls = len(FAILING.compactions)
    assert read(warning.value) == (
        f"Running summary: 1 of {calls} summarizer calls failed. Nothing was lost: what should have been summarized "
        f"was sent word for word. The first said: no quota {MARKUP}"
    )
    assert not any("failed" in setting.label for setting in session.expander)
    assert all("failed" not in element.value for element in session.markdown)


def test_of_a_chat_that_was_given_another_setting_it_is_said_which_one_is_meant() -> (
    None
):
    chat = memviz.Chat(
        memviz.strategy("window", window_size=3),
        model=ScriptedModel([f"answer {n}" for n in range(9)]),
    )
    for turn in range(9):
        if turn == 0:
            chat.send("Hello.")
            chat.change_strategy(memviz.strategy("buffer"))
        else:
            chat.send(f"And question {turn}?")
    heads = [
        read(element.value)
        for element in drawn(("Full buffer", chat.run)).expander[0].markdown
    ]
    assert heads[0] == "**Full buffer** · only of this setting, in force from turn 2 on"


def test_what_users_and_models_wrote_is_text() -> None:
    counter = lambda text: len(text)  # noqa: E731 - its name is shown
    counter.__name__ = MARKUP
    said = [
        Message(("user", "assistant")[at % 2], "many words about the budget " * 9)
        for at in range(20)
    ]
    odd = memviz.replay(said, memviz.strategy("buffer"), counter=counter)
    assert any(MARKUP in warning.numbers for warning in health_warnings(odd))
    session = drawn((MARKUP, FAILING), (MARKUP, odd))
    sources = [
        element.value
        for kind in (session.markdown, session.caption, session.warning)
        for element in kind
    ]
    sources += [setting.label for setting in session.expander]
    assert sum(MARKUP in read(source) for source in sources) >= 4
    for source in sources:
        unescaped = re.sub(r"\\.", "", source)
        for piece in (
            "<script",
            "**bold",
            ":red[",
            "$a$",
            "](http",
            ":material/star:",
            "`code",
        ):
            assert piece not in unescaped
