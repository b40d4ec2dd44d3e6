"""The guide: every strategy on a page of its own, and the glossary."""

from __future__ import annotations

import json
import re
from html import unescape
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from memviz.dashboard.guide.examples import example_of
from memviz.dashboard.guide.glossary import glossary, shown_terms
from memviz.dashboard.guide.strategies import strategy_pages
from memviz.dashboard.ui.controls.selected_request import TURN_KEY
from memviz.dashboard.ui.guide.strategy_cards import ten_turns_picture
from memviz.dashboard.ui.guide.views import SEARCH_KEY
from memviz.strategies import strategies, strategy
from memviz.strategies.families import FAMILIES
from memviz.strategies.presets import presets
from tests.pages.driving import first_seen, open_address, open_page

pytestmark = pytest.mark.usefixtures("with_recordings")


def opened(**query: str) -> AppTest:
    """The guide at an address."""
    session = open_address("guide", {name: [text] for name, text in query.items()})
    assert not session.exception, [error.message for error in session.exception]
    return session


def all_text(session: AppTest) -> str:
    """What stands on the page, without its markup."""
    html = "".join(one.proto.body for one in session.get("html"))
    said = [
        one.value
        for one in (
            *session.markdown,
            *session.caption,
            *session.subheader,
            *session.title,
        )
    ]
    return "\n".join(
        [
            *(text.replace("\\", "") for text in said),
            unescape(re.sub(r"<[^>]+>", "\n", html)),
        ]
    )


def links(session: AppTest) -> dict[str, str]:
    """The links to pages by their label, each with its query."""
    return {one.proto.label: one.proto.query_string for one in session.get("page_link")}


def test_every_strategy_is_listed_with_what_it_does_and_a_link() -> None:
    session = first_seen("guide")
    found = links(session)
    families = [cls.family for cls in strategies().values()]
    assert [label.strip("*") for label in found] == [
        cls.title
        for family in FAMILIES
        for cls in strategies().values()
        if cls.family == family
    ]
    assert [one.value for one in session.subheader] == [
        family for family in FAMILIES if family in families
    ]
    assert {query.rpartition("=")[2] for query in found.values()} == set(strategies())
    for page in strategy_pages().values():
        assert page.summary in all_text(session)


def test_a_card_shows_ten_turns_in_tokens() -> None:
    example = example_of("summary_buffer")
    assert example is not None
    picture = ten_turns_picture(example)
    bars = picture.split("<div style=")[1:]
    heights = [sum(map(float, re.findall(r"height:([\d.]+)%", bar))) for bar in bars]
    said = [float(re.findall(r"--said:([\d.]+)%", bar)[0]) for bar in bars]
    sent = [record.total_tokens for record in example.ten_turns]
    first, *_, last = (record.turn for record in example.ten_turns)
    assert (first, last, len(bars)) == (1, len(example.run.turns), 10)
    assert said == sorted(said)
    per_cent = heights[-1] / sent[-1]
    assert heights == pytest.approx([tokens * per_cent for tokens in sent], abs=0.01)
    spoken = len("\n".join(message.content for message in example.run.log))
    assert said[-1] / per_cent == pytest.approx(spoken / 4, rel=0.35), "in tokens too"


@pytest.mark.parametrize(
    ("search", "found"),
    [
        ("CLAUDE code", {"claude_code"}),
        ("frobnicate", set()),
    ],
)
def test_strategies_and_programs_are_searched(search: str, found: set[str]) -> None:
    session = opened(find=search)
    ids = {query.rpartition("=")[2] for query in links(session).values()}
    assert ids >= found
    assert "buffer" not in ids
    assert bool(session.info) == (not found)
    assert session.text_input(key="guide-strategies-search").value == search


def test_a_program_that_is_chosen_is_a_page_with_its_values() -> None:
    session = open_page("guide")
    session.selectbox(key="guide-program").select("gemini_cli").run()
    preset = presets()["gemini_cli"]
    assert session.title[0].value == preset.title
    text = all_text(session)
    assert preset.known in text
    assert preset.differs in text
    assert preset.parameters["steps"].splitlines()[0] in text
    assert "here: 1,000,000 tokens" in text
    assert session.get("plotly_chart")
    assert links(session)["Its strategy: Pipeline"].endswith("strategy=pipeline")


def test_a_program_without_values_of_its_own_is_a_program_all_the_same() -> None:
    id = "autogen"
    session = opened(strategy=id)
    assert "Who uses it" not in [one.value for one in session.subheader]
    assert presets()[id].differs in all_text(session)


def test_a_search_of_one_view_is_none_of_the_other() -> None:
    session = opened(view="glossary", search="recall")
    session.button_group[0].set_value("strategies").run()
    assert not session.text_input(key="guide-strategies-search").value


@pytest.mark.parametrize("id", ["buffer", "summary"])
def test_a_strategy_has_an_address_and_says_everything_there(id: str) -> None:
    session, page = opened(strategy=id), strategy_pages()[id]
    text = all_text(session)
    assert session.title[0].value == page.title
    for said in (page.summary, page.gains[1:], page.loses[1:], page.hurts_when[1:]):
        assert said in text
    for user in page.users:
        assert f"{user.name}**: {user.rule}" in text
    for parameter in page.parameters:
        assert parameter.name in text
        assert parameter.help in text
    (picture,) = session.get("plotly_chart")
    assert json.loads(picture.proto.spec)["data"]


def test_its_run_opens_in_compare_at_the_request_of_the_picture() -> None:
    query = links(opened(strategy="summary"))["Open this run in Compare"]
    session = open_address("compare", parse_qs(query))
    assert not session.exception
    example = example_of("summary")
    assert example is not None
    assert session.session_state[TURN_KEY] == example.picture.record.turn
    state = session.session_state["compare"]
    assert state.conversation_id == "sample-trip"
    assert [setting.build() for setting in state.settings] == [
        strategy("buffer"),
        example.strategy,
    ]


def test_neighbours_are_a_click_away() -> None:
    ids = list(strategies())
    found = links(opened(strategy=ids[1]))
    assert f"strategy={ids[0]}" in found[strategies()[ids[0]].title]
    assert f"strategy={ids[2]}" in found[strategies()[ids[2]].title]
    assert "All strategies" in found


def glossaries(session: AppTest) -> list[str]:
    """The lists of words on the page, the shortest first."""
    lists = [
        one.proto.body
        for one in session.get("html")
        if one.proto.body.startswith("<dl")
    ]
    return sorted(lists, key=len)


def test_a_word_has_an_address_and_stands_apart_there() -> None:
    session = opened(term="recalled")
    assert session.title[0].value == "What do the words mean?"
    asked, all_words = glossaries(session)
    assert asked.count("<dt>") == 1
    assert glossary()["recall"].meaning in asked
    assert all_words.count("<dt>") == len(shown_terms())


def test_the_glossary_is_searched() -> None:
    session = opened(view="glossary")
    session.text_input(key="guide-search").set_value("providers bill").run()
    (found,) = glossaries(session)
    assert found.count("<dt>") == 1
    assert glossary()["token"].meaning in found
    assert session.query_params["search"] in ("providers bill", ["providers bill"])
    session.text_input(key="guide-search").set_value("frobnicate").run()
    assert not glossaries(session)
    assert "No word" in session.info[0].value


def test_what_a_link_asks_for_in_vain_is_said() -> None:
    assert "'nope' was passed over" in opened(strategy="nope").warning[0].value.replace(
        "\\", ""
    )
    session = opened(term="<b>fat</b>")
    assert "not in the glossary" in session.warning[0].value
    assert "<b>" not in session.warning[0].value


def test_the_sentences_of_pages_explain_their_words() -> None:
    session = open_page("memory_map")
    assert "[request](guide?term=request)" in "".join(
        one.value for one in session.caption
    )


def test_another_language_is_chosen_without_losing_what_is_open() -> None:
    session = opened(view="glossary")
    session.text_input(key=SEARCH_KEY).set_value("recall").run()
    session.button(key="language-zh").click().run()
    assert session.title[0].value == "这些词是什么意思？"
    assert session.text_input(key=SEARCH_KEY).value == "recall"
