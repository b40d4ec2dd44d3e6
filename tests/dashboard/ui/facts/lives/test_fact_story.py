"""The life of a fact in words."""

from __future__ import annotations

import memviz
from memviz import Probe
from memviz.dashboard.ui.controls.diff_html import marked_html
from memviz.dashboard.ui.facts.lives.story import (
    QUOTE_CHARS,
    quote,
    source_of_loss,
    story,
)
from tests.dashboard.charts.facts import BUDGET, CODE, NAME, kept, run_with_facts
from tests.dashboard.charts.runs import MARKUP


def told(probe: Probe, id: str = "summary", **options: int) -> list[str]:
    one = kept(run_with_facts(id, **options), (probe,))
    return story(one, one.lives[0])


def test_birth_places_losses_and_the_return() -> None:
    birth, life = told(CODE)
    assert birth == "Stated in message 3 (turn 2): “The code is QX7R4M.”"
    assert life == (
        "Word for word at turn 2; in the summary from turn 3 to 4; "
        "lost at turn 5 alone: the summarization of messages 7 to 8 after message 9 (messages not yet "
        "summarized: 3 messages > 2, twice the 1 that stays) left it out; known again: word for word at turn 6; "
        "lost at turn 7 and never known again: the summarization of messages 11 to 12 after message 13 "
        "(messages not yet summarized: 3 messages > 2, twice the 1 that stays) left it out."
    )


def test_an_updated_fact_says_which_value_is_left() -> None:
    assert (
        told(BUDGET)[-1]
        == "At the end the context holds neither the new value nor an outdated one."
    )
    assert (
        told(BUDGET, "buffer")[-1]
        == "At the end the context holds the new value and an outdated one."
    )


def test_what_left_the_window_was_not_summarized() -> None:
    assert told(NAME, "window", window_size=2)[1] == (
        "Word for word at turn 1; lost at turn 2 and never known again: "
        "the last message that held it is no longer sent."
    )


def test_a_fact_in_two_messages_names_both() -> None:
    both = Probe("?", ("QX7R4M",), (0, 2), "multi-evidence")
    assert told(both, "buffer")[0].startswith(
        "Stated in message 3 (turn 2), together with message 1: "
    )
    assert told(Probe("?", ("QX7R4M",), (), "name"), "buffer")[0].startswith(
        "No message is named"
    )


def test_a_fact_of_the_last_reply_was_never_needed() -> None:
    messages = [
        memviz.Message("user", "Hi"),
        memviz.Message("assistant", "Code QX7R4M."),
    ]
    run = memviz.replay(messages, memviz.strategy("buffer"), counter="chars4")
    one = kept(run, (Probe("?", ("QX7R4M",), (1,), "name"),))
    assert (
        story(one, one.lives[0])[1]
        == "No request came after it, so it was never needed."
    )


def test_what_was_read_before_the_loss() -> None:
    one = kept(run_with_facts())
    last = one.losses[1, 7]
    assert last is not None
    life = next(life for life in one.lives if life.probe == 1)
    name, text = source_of_loss(one, life, one.run.compactions[last])
    assert (name, text) == (
        "Message 11, which it took in",
        "Again: the code is QX7R4M.",
    )


def test_a_message_that_states_it_in_other_words_was_read_too() -> None:
    one = kept(
        run_with_facts(),
        (Probe("Code?", ("the seven-letter code",), (2,), "single fact"),),
    )
    (number,) = one.losses.values()
    assert number is not None
    name, text = source_of_loss(one, one.lives[0], one.run.compactions[number])
    assert (name, text) == ("Message 3, which it took in", "The code is QX7R4M.")


def test_a_quote_is_the_part_around_the_answer() -> None:
    text = "word " * 90 + "the code is QX7R4M, " + "word " * 90
    around = quote(text, ["QX7R4M"])
    assert "QX7R4M" in around
    assert len(around) <= QUOTE_CHARS + 1
    assert around.startswith("…word ")
    assert quote("short", ["QX7R4M"]) == quote(" short ", ["QX7R4M"]) == "short"
    assert quote("Nothing of it. " * 30, ["QX7R4M"]).startswith("Nothing of it.")


def test_answers_are_marked_and_nothing_is_markup() -> None:
    html = marked_html(
        f"{MARKUP} the Code\nis qx7r4m, not qx7r4mm {MARKUP}",
        ["code is QX7R4M", "QX7R4M"],
    )
    assert html.count("<mark ") == html.count("</mark>") == 1
    assert ">Code\nis qx7r4m</mark>, not qx7r4mm" in html
    assert "<script>" not in html
    assert "<b>" not in html
    assert "<mark" not in marked_html("text", [""])
