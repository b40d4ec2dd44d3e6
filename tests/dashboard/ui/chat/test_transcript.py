"""What stands beside a message in Chat."""

from __future__ import annotations

from memviz.core.context import Fate
from memviz.dashboard.ui.chat.transcript import FATE_NOTES


def test_everything_that_becomes_of_a_message_but_being_sent_whole_has_a_chip() -> None:
    assert set(FATE_NOTES) == set(Fate) - {Fate.NOT_YET, Fate.VERBATIM}
    assert len({words for _, words in FATE_NOTES.values()}) == len(FATE_NOTES)
