"""Every page stands with every real conversation of the test data."""

from __future__ import annotations

import pytest

from memviz.storage.workspace import Workspace
from memviz.transcripts.base import Transcript
from tests.page_names import QUESTIONS
from tests.pages.driving import finished, labelled, open_page, page_of
from tests.real_conversations import MISSING, is_there, real_conversations

MOST_OF_A_FILE = 1
"""The longest of many that are much alike; a page takes its time with each."""
OF_NO_CONVERSATION = ("lessons", "guide")


def telling() -> list[tuple[str, Transcript]]:
    if not is_there():
        return []
    return [
        (f"{name} {number}", talk)
        for name, talks in real_conversations().items()
        for number, talk in enumerate(
            sorted(talks, key=lambda talk: -len(talk.messages))[:MOST_OF_A_FILE]
        )
    ]


TALKS = telling()

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not TALKS, reason=MISSING)]


@pytest.mark.parametrize(
    "talk", [talk for _, talk in TALKS], ids=[name for name, _ in TALKS]
)
def test_every_page_stands(talk: Transcript) -> None:
    id = Workspace().add([talk])[0].id
    for name in (page for page in QUESTIONS if page not in OF_NO_CONVERSATION):
        if name == "tune":
            # The only page that takes several conversations; it sweeps in the background.
            session = open_page(name)
            labelled(session.multiselect, "Conversations").set_value([id])
            finished(session.run())
        else:
            parts = {"chat": {"chat": id}, "library": {}}
            session = open_page(name, **parts.get(name, {"conversation": id}))
        assert page_of(session) == name
        if name not in ("tune", "library"):
            assert labelled(session.selectbox, "Conversation").value == id
        assert [error.value for error in session.error] == []
