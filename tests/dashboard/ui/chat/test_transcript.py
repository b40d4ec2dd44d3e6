"""What stands beside a message in Chat."""

from __future__ import annotations

from memviz.core.context import Fate
from memviz.dashboard.charts.memory_map.fate_words import FATE_WORDS
from memviz.dashboard.ui.chat.transcript import FATE_COLORS


def test_everything_that_becomes_of_a_message_but_being_sent_whole_has_a_chip() -> None:
    assert set(FATE_COLORS) == set(Fate) - {Fate.NOT_YET, Fate.VERBATIM}
    assert len({FATE_WORDS[fate] for fate in FATE_COLORS}) == len(FATE_COLORS)
