"""Text into tokens: the quick way finds what the pattern finds."""

import string

from hypothesis import example, given
from hypothesis import strategies as st

from memviz.core.text.terms import TOKEN, find_tokens

LETTERS = string.ascii_letters + "_-'.,/ \n\t\x1c"


@given(text=st.text(LETTERS) | st.text(LETTERS + string.digits + "é中ʘ\u00a0"))
@example("well_known, self-made: isn't it?")
@example("x" * 65)
@example("x" * 200 + " yz")
@example("3,000 euros, 40GB or 9K4")
@example("")
def test_tokens_are_those_that_the_pattern_finds(text: str) -> None:
    assert find_tokens(text) == TOKEN.findall(text)
