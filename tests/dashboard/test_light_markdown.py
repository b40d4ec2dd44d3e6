"""What models write with marks is read with styles, and nothing else becomes markup."""

from __future__ import annotations

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.light_markdown import as_html, has_marks, without_marks


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**Budget:** *about* 3,000", "<strong>Budget:</strong> <em>about</em> 3,000"),
        ("- one\n  * two\n+ three", "• one\n  • two\n• three"),
        ("## Plan\nGo.", "<strong>Plan</strong>\nGo."),
        ("Call `f(x)`.", "Call <code>f(x)</code>."),
        ("So:\n```python\n# a **b**\n```\nDone", "So:\n<code># a **b**\n</code>Done"),
        ("[a](http://b.c) ![i](x.png)", "[a](http://b.c) ![i](x.png)"),
        (
            "<b>fat</b> **<i>x</i>**",
            "&lt;b&gt;fat&lt;/b&gt; <strong>&lt;i&gt;x&lt;/i&gt;</strong>",
        ),
        (
            "2*3*4 and 5 * 6 * 7, snake_case_name",
            "2*3*4 and 5 * 6 * 7, snake_case_name",
        ),
        ("#1 and -5 degrees", "#1 and -5 degrees"),
        ("``` never closed\n- one", "``` never closed\n• one"),
    ],
)
def test_a_safe_part_is_drawn(text: str, html: str) -> None:
    assert as_html(text) == html
    assert has_marks(text) is (html != text and without_marks(text) != text)


@given(st.text(alphabet="ab *`#-\n<>&\"'[](!)", max_size=60))
def test_no_letter_becomes_markup(text: str) -> None:
    html = as_html(text)
    tags = re.findall(r"<[^>]*>", html)
    assert set(tags) <= {
        f"<{slash}{name}>" for slash in ("", "/") for name in ("strong", "em", "code")
    }
    assert unescape(re.sub(r"<[^>]*>", "", html)) == without_marks(text)
