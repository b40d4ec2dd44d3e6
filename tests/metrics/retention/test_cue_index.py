"""Cues that are looked up in many texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memviz.metrics.retention.cue_index import CueIndex

CUES = ("no longer", "not", " off ", "? no", "?\nno", "n't", "from ")
INDEX = CueIndex(CUES)
PIECES = st.sampled_from(
    ("no", "longer", "nothing", "off", "?", "\n", " ", "don't", "from")
)


@given(st.lists(PIECES).map("".join))
def test_the_cues_of_a_text_are_those_that_stand_in_it(text: str) -> None:
    assert sorted(INDEX.found_in(text)) == sorted(cue for cue in CUES if cue in text)
