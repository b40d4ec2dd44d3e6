"""Every page stands with every real conversation of the test data."""

from __future__ import annotations

import json

import pytest

from memviz.transcripts.loading import load_transcript
from memviz.workspace import Workspace
from tests.pages.driving import QUESTIONS, labelled, open_page, page_of
from tests.real_conversations import MISSING, Talk, is_there, real_conversations

AIRLINE_CHATS = 3
"""The longest of many that are much alike; a page takes its time with each."""


def telling(talks: list[Talk]) -> list[Talk]:
    airline = sorted((talk for talk in talks if talk[0].startswith("airline")), key=lambda talk: -len(talk[1]))
    return airline[:AIRLINE_CHATS] + [talk for talk in talks if not talk[0].startswith("airline")]


TALKS = telling(real_conversations()) if is_there() else []

pytestmark = pytest.mark.skipif(not TALKS, reason=MISSING)


@pytest.mark.parametrize("talk", TALKS, ids=[name for name, _ in TALKS])
def test_every_page_stands(talk: Talk) -> None:
    title, messages = talk
    content = {"title": title, "messages": [message.to_dict() for message in messages]}
    id = Workspace().add([load_transcript(json.dumps(content).encode())])[0].id
    for name in QUESTIONS:
        session = open_page(name)
        if name != "library":
            labelled(session.selectbox, "Conversation").set_value(id).run()
        assert page_of(session) == name
        assert [error.value for error in session.error] == []
