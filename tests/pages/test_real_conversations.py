"""Every page stands with real conversations of the test data: one with tools, and one in Chinese without. The others
are replayed and measured in ``tests/engine`` and ``tests/metrics``, and no page looks at more of them than at these."""

from __future__ import annotations

import pytest

from memviz.storage.workspace import Workspace
from tests.page_names import QUESTIONS
from tests.pages.driving import finished, labelled, open_page, page_of
from tests.real_conversations import MISSING, is_there, real_conversations

FILES = ("swe_agent_1.traj", "memorybank_cn_2_users.json")
OF_NO_CONVERSATION = ("lessons", "guide")


pytestmark = [pytest.mark.slow, pytest.mark.skipif(not is_there(), reason=MISSING)]


@pytest.mark.parametrize("file", FILES)
def test_every_page_stands(file: str) -> None:
    talks = real_conversations()[file]
    talk = max(talks, key=lambda talk: len(talk.messages))
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
