"""Text in places that read Markdown."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from memviz.dashboard.ui.shell.text import plain
from tests.tables import for_each

INVISIBLE = "\u200b\u200c\u2060"  # may be put between characters to keep them apart
ESCAPED = re.compile(
    r"\\([!-/:-@\[-`{-~])"
)  # a backslash makes the ASCII punctuation after it plain
MARKS = frozenset("\\`*_{}[]()#+-.!|~:$<>&@=")
MARKUP = [
    "# heading", "heading\n===", "heading\n---", "- item", "* item", "+ item", "1. item", "2) item", "> quote",
    "    code", "```\ncode\n```", "`code`", "**bold**", "__bold__", "*it*", "_it_", "~~gone~~", "~sub~", "***",
    "[link](http://x.y)", "![image](x.png)", "<http://x.y>", "[a]: http://x.y", "[^1]", "<b>fat</b>", "<!-- gone -->",
    "<script>alert(1)</script>", "&lt;", "&#60;", "|a|b|\n|-|-|", "- [ ] task", "$x^2$", "$$x$$", ":red[red]",
    ":blue-badge[new]", ":small[s]", "two  \nlines", "back\\", "\\*not\\*", "{.class}", "==mark==",
]  # fmt: skip
# What Streamlit replaces after Markdown is read, where a backslash no longer helps.
REPLACED = {
    "icon": (":material/star:", r":material/\w+:"),
    "logo": (":streamlit: is nice", ":streamlit:"),
    "right arrow": ("a -> b", r"(^|\s)->(\s|$)"),
    "left arrow": ("a <- b", r"(^|\s)<-(\s|$)"),
    "both arrows": ("<->", r"(^|\s)<->(\s|$)"),
    "dash": ("a -- b", r"(^|\s)--(\s|$)"),
    "at least": ("5 >= 3", r"(^|\s)>=(\s|$)"),
    "at most": ("3 <= 5", r"(^|\s)<=(\s|$)"),
    "about": ("a ~= b", r"(^|\s)~=(\s|$)"),
    "address": ("see https://x.y/z", r"https?://[-.\w]"),
    "host": ("see www.example.com", r"www\.[-.\w]"),
    "mail": ("to a@b.cd", r"[-.\w+]@[-\w]+\.[-\w]"),
}


def read(source: str) -> str:
    """What a reader of Markdown makes of ``source``, if every mark in it is escaped."""
    return ESCAPED.sub(r"\1", source)


def seen(source: str) -> str:
    return read(source).translate(dict.fromkeys(map(ord, INVISIBLE)))


@for_each("text", MARKUP)
def test_markup_shows_as_it_is_on_one_line(text: str) -> None:
    source = plain(text)
    assert seen(source) == " ".join(text.split())
    assert not MARKS & set(ESCAPED.sub("", source)), "every mark is escaped"


@given(
    st.text(
        st.one_of(
            st.sampled_from([*sorted(MARKS), " ", "\n", "a", "1"]),
            st.characters(exclude_categories=["Cs"]),
        )
    )
)
def test_any_text_does(text: str) -> None:
    source = plain(text)
    expected = " ".join(text.split()).translate(dict.fromkeys(map(ord, INVISIBLE)))
    assert seen(source) == expected
    assert not MARKS & set(ESCAPED.sub("", source))
    assert source == source.strip()
    assert len(source.splitlines()) <= 1


@for_each("name", REPLACED)
def test_nothing_is_left_that_streamlit_replaces(name: str) -> None:
    text, pattern = REPLACED[name]
    assert re.search(pattern, text)
    assert seen(plain(text)) == text
    assert not re.search(pattern, read(plain(text)))


def test_ordinary_words_stay_as_they_are() -> None:
    assert (
        plain('Mira said "no", 3 times; 搬家, naïve?')
        == 'Mira said "no", 3 times; 搬家, naïve?'
    )
