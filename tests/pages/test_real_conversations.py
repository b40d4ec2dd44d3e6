"""Pages stand with every real conversation of the test data: all pages with one that has tools and with one in Chinese,
and with the others the one that replays and the one that looks for facts."""

from __future__ import annotations

import json

import pytest

from memviz.storage.workspace import Workspace
from memviz.transcripts import load_file
from tests.page_names import QUESTIONS
from tests.pages.driving import labelled, open_page, page_of
from tests.pages.tuning import open_sweep
from tests.real_conversations import FOLDER, MISSING, is_there

OF_NO_CONVERSATION = ("lessons", "guide", "live", "fleet")
ALL_PAGES = tuple(name for name in QUESTIONS if name not in OF_NO_CONVERSATION)
FILES = sorted(path.name for path in FOLDER.iterdir()) if is_there() else []
ON_ALL_PAGES = ("swe_agent_1.traj", "memorybank_cn_2_users.json")

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not is_there(), reason=MISSING)]


@pytest.mark.parametrize("file", FILES)
def test_pages_stand(file: str) -> None:
    talks = load_file(FOLDER / file).transcripts
    talk = max(talks, key=lambda talk: len(talk.messages))
    id = Workspace().add([talk])[0].id
    for name in ALL_PAGES if file in ON_ALL_PAGES else ("compare", "retention"):
        if name == "tune":  # the only page that takes several conversations
            session = open_sweep("buffer", "window", over=json.dumps([id]))
        else:
            parts = {"chat": {"chat": id}, "library": {}}
            session = open_page(name, **parts.get(name, {"conversation": id}))
        assert page_of(session) == name
        if name not in ("tune", "library"):
            assert labelled(session.selectbox, "Conversation").value == id
        assert [error.value for error in session.error] == []
