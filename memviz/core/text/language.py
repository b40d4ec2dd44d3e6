"""The language that a text is written in, as far as its script shows it: what a screen reader needs to pronounce it."""

import re

from markupsafe import Markup

_LETTER = re.compile(r"[^\W\d_]")
SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af\u1100-\u11ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003ffff]")),
)
"""Scripts that one language is written in, or mostly so. Japanese first: it has Chinese characters as well."""
LEAST_SHARE = 0.3
"""Of the letters. A name in an English sentence makes it no Chinese text."""
READ_CHARS = 2_000


def language(text: str) -> str:
    """``zh``, ``ja`` or ``ko`` for a text that is written in the script of that language for a good part; empty for
    all others: the Latin and Cyrillic scripts are shared by too many languages."""
    letters = _LETTER.findall(text[:READ_CHARS])
    asian = "".join(letter for letter in letters if letter >= "\u1100")
    if not letters or len(asian) < LEAST_SHARE * len(letters):
        return ""
    return next((code for code, script in SCRIPTS if script.search(asian)), "")


def lang_attribute(text: str) -> Markup:
    """`` lang="zh"`` for the HTML element that shows ``text``, with a space before it; empty where the language cannot
    be seen."""
    code = language(text)
    return Markup(' lang="{}"').format(code) if code else Markup()


_RUN = re.compile(
    r"[\d.]*[{0}](?:[\d.]*[{0}])*".format(
        "".join(script.pattern[1:-1] for _, script in SCRIPTS)
    )
)


def in_language(text: str) -> Markup:
    """``text``, escaped for HTML. What of it is written in a script that shows its language is in elements that name
    it: all of a text that mostly is, else only these words."""
    if language(text):
        return _spoken(text)
    html = Markup()
    at = 0
    for found in _RUN.finditer(text):
        html += text[at : found.start()]
        html += _spoken(found[0])
        at = found.end()
    return html + text[at:]


def _spoken(text: str) -> Markup:
    return Markup("<span{}>{}</span>").format(lang_attribute(text), text)
