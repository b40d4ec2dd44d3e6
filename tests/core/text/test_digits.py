"""Texts with a digit."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memviz.core.text.digits import has_digit


@given(st.text(st.sampled_from("ab 09é٣三²")))
def test_a_digit_is_one_of_any_script(text: str) -> None:
    assert has_digit(text) is (re.search(r"\d", text) is not None)
