"""A replay whose summarizer fails: what is said, what is tried, and the way on once it is mended."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from memviz.storage.workspace import Workspace
from tests.models.openai_server import OpenAIServer, status, text
from tests.pages.chatting import use_model
from tests.pages.driving import (
    click,
    labelled,
    open_page,
    page_of,
    sentences,
    token_lines,
)
from tests.pages.paid_replays import replayed
from tests.storage.stored_runs import stored_runs

SECRET = "a-key-that-nobody-may-see"


class KeyAsked:
    """Answers whoever gives the right key."""

    def __call__(self, handler: object) -> None:
        given = handler.headers.get("Authorization", "")  # type: ignore[attr-defined]
        (
            text("A short summary.")
            if given == "Bearer right"
            else status(401, "Incorrect API key")
        )(handler)  # type: ignore[arg-type]


def summarize_with(session: AppTest, api_base: str, key: str = SECRET) -> AppTest:
    return use_model(session, "Summarizer", api_base, key)


def failure(session: AppTest) -> str:
    """What is said to have gone wrong."""
    assert page_of(session) == "compare"
    assert SECRET not in " ".join(sentences(session.error))
    return sentences(session.error)[
        0
    ]  # the reader of requests says it again of each request


@pytest.mark.slow
def test_a_wrong_key_is_asked_with_once_and_the_right_one_then_replays(
    server: OpenAIServer,
) -> None:
    server.otherwise = KeyAsked()
    page = summarize_with(open_page("compare"), server.api_base)
    click(page, "Replay with")
    assert "was refused" in failure(page)
    assert len(server.requests) == 1, (
        "every other call would have failed in the same way"
    )
    assert len(token_lines(page)) == 3, "what there is until then is shown"
    told = [
        warning for warning in page.warning if warning.icon != ":material/difference:"
    ]  # of Keep as a step
    assert not told, "the failure is said once"
    assert any(button.label == "Ask 2 settings" for button in page.button)
    assert any(
        "Not asked: " in value and "first" in value for value in sentences(page.caption)
    )
    (ended,) = [value for value in sentences(page.info) if "made no request" in value]
    assert "because this replay ended at turn" in ended
    assert "was refused" in ended
    page.switch_page("pages/library.py").run()
    page.switch_page("pages/compare.py").run()
    click(page, "Try again")  # which is there after the page was left as well
    assert len(server.requests) == 2
    labelled(page.text_input, "API key").set_value("right").run()
    assert not page.error, "with another key it counts as not yet replayed"
    click(page, "Replay with")
    assert replayed(page)
    assert not any(
        button.label.startswith(("Replay with", "Try again")) for button in page.button
    )


@pytest.mark.slow
def test_a_failure_that_may_pass_does_not_end_the_replay_and_what_was_written_is_not_asked_for_again(
    server: OpenAIServer,
) -> None:
    page = summarize_with(open_page("compare"), server.api_base)
    server.otherwise = text("A short summary.")
    server.then(text("The first summary."), status(400, "Not this one"))
    click(page, "Replay with")
    calls = len(server.requests)
    assert "1 of" in failure(page)
    assert all(len(line) == 46 for line in token_lines(page).values())
    click(page, "Try again")
    assert replayed(page)
    assert len(server.requests) < 2 * calls
    first = server.requests[0].body["messages"]
    assert [request.body["messages"] for request in server.requests].count(first) == 1


@pytest.mark.slow
def test_a_failed_run_is_nobody_elses(server: OpenAIServer) -> None:
    server.otherwise = KeyAsked()
    click(summarize_with(open_page("compare"), server.api_base), "Replay with")
    other = summarize_with(open_page("compare"), server.api_base, "right")
    assert not other.error
    click(other, "Replay with")
    assert replayed(other)
    assert [
        run.summarizer for run in stored_runs(Workspace().store, "sample-trip")
    ].count("openai/gpt-5-mini") == 1


@pytest.mark.slow
def test_a_replay_that_ended_early_is_shown_on_every_page(server: OpenAIServer) -> None:
    server.otherwise = KeyAsked()
    page = open_page("compare")
    page.selectbox(key="strategy-2").select("summary_only").run()
    click(summarize_with(page, server.api_base), "Replay with")
    for view in ("dollars", "memory_map"):
        labelled(page.segmented_control, "Seen as").set_value(view).run()
        assert not page.exception
    page.switch_page("pages/facts.py").run()
    assert not page.exception
    labelled(page.segmented_control, "Seen as").set_value("summaries").run()
    assert not page.exception
