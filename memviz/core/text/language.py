"""The language that a text is written in, as far as its script shows it: what a screen reader needs to pronounce it."""

import re
from typing import Any

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
    """Return ``zh``, ``ja`` or ``ko`` for a text of which a good part is written in the
    script of that language; empty for all others: the Latin and Cyrillic scripts are shared
    by too many languages."""
    letters = _LETTER.findall(text[:READ_CHARS])
    asian = "".join(letter for letter in letters if letter >= "\u1100")
    if not letters or len(asian) < LEAST_SHARE * len(letters):
        return ""
    return next((code for code, script in SCRIPTS if script.search(asian)), "")


def marking_rules() -> dict[str, Any]:
    """Return what a browser needs to mark texts with their language as :func:`language`
    does: ``scripts`` as pairs of language and pattern, the ``share`` of the letters, and the
    ``chars`` that are read."""
    return {
        "scripts": [[code, script.pattern] for code, script in SCRIPTS],
        "share": LEAST_SHARE,
        "chars": READ_CHARS,
    }
